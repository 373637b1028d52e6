import { createConnection, createServer, type AddressInfo } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { answer, type Engine } from "../../src/engine/engine.ts";
import { spark, type SparkOptions } from "../../src/engine/spark.ts";
import { encode } from "../../src/engine/spark/protobuf.ts";
import {
  arrow,
  countingResponses,
  fakeServer,
  framed,
  head,
  refuse,
  reply,
  response,
  SERVER_SESSION,
  status,
  type Behaviour,
  type FakeServer,
} from "./spark/server.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const { close } of open.splice(0).reverse()) await close();
});

async function serving(behaviours: Readonly<Record<string, Behaviour>>): Promise<FakeServer> {
  const server = await fakeServer(behaviours);
  open.push(server);
  return server;
}

async function connected(server: FakeServer, more: Omit<SparkOptions, "remote"> = {}): Promise<Engine> {
  const engine = await spark({ remote: server.remote, backoff: 1, ...more });
  open.push(engine);
  return engine;
}

async function counted(engine: Engine): Promise<number[]> {
  const values: number[] = [];
  for await (const { columns } of engine.query("select i from t"))
    values.push(...(columns[0] as Float64Array));
  return values;
}
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

describe("spark", () => {
  it("sends SQL, with the token, and yields columns; the rest is housekeeping", async () => {
    const batch = arrow({ x: Float64Array.of(1, 2.5), n: [1n, null], s: ["a", null], b: [true, false] });
    const server = await serving({
      ExecutePlan: (stream) =>
        reply(stream, [
          response("1", { arrow: batch }),
          response("2", {}),
          response("3", { complete: true }),
        ]),
    });
    const engine = await spark({ remote: `${server.remote}/;token=s%3Bt;user_id=ann;x-team=blue` });
    expect(engine.name).toBe("Spark 4.0.1");
    expect(await answer(engine, "select 1 as `grün`")).toEqual({
      names: ["x", "n", "s", "b"],
      rows: 2,
      columns: [Float64Array.of(1, 2.5), Float64Array.of(1, NaN), ["a", null], ["true", "false"]],
    });
    await engine.run("create table t as select 1");
    await engine.close();
    expect(server.calls()).toEqual(
      expect.arrayContaining([
        "ExecutePlan",
        "ReleaseExecute",
        "ExecutePlan",
        "ReleaseExecute",
        "ReleaseSession",
      ]),
    );
    expect(server.calls().at(-1)).toBe("ReleaseSession");
    const [query, command] = server.heard.filter(({ method }) => method === "ExecutePlan");
    expect(query.headers.authorization).toBe("Bearer s;t");
    expect(query.headers["x-team"]).toBe("blue");
    expect(query.headers["user-agent"]).toBe("kindred");
    expect(query.request.message(2).text(1)).toBe("ann");
    expect(query.request.message(3).message(1).message(10).text(1)).toBe("select 1 as `grün`");
    expect(query.request.message(5).message(1).number(1)).toBe(1);
    expect(query.request.text(8)).toBe(SERVER_SESSION);
    expect(command.request.message(3).message(2).message(5).text(1)).toBe("create table t as select 1");
    expect(command.request.text(1)).toBe(query.request.text(1));
    expect(command.request.text(6)).not.toBe(query.request.text(6));
    // The server may forget responses as they arrive, and at the end all of it.
    const releases = server.heard.filter(({ method }) => method === "ReleaseExecute");
    expect(releases.some(({ request }) => request.message(6).text(1) === "1")).toBe(true);
    expect(releases.filter(({ request }) => request.has(5))).toHaveLength(2);
  });

  it.each([1, 3, 7, 1000])("puts messages together from pieces of %i bytes", async (piece) => {
    const server = await serving({ ExecutePlan: (stream) => reply(stream, countingResponses(3, 5), piece) });
    expect(await counted(await connected(server))).toEqual(upTo(15));
  });

  it("takes messages that are larger than every window", async () => {
    const rows = 3_000_000;
    const server = await serving({ ExecutePlan: (stream) => reply(stream, countingResponses(1, rows)) });
    const { columns } = await answer(await connected(server), "select i from t");
    expect(columns[0]).toHaveLength(rows);
    expect(columns[0][rows - 1]).toBe(rows - 1);
  });

  it("refuses a message that is longer than the connection string allows", async () => {
    const server = await serving({ ExecutePlan: (stream) => reply(stream, countingResponses(1, 1000)) });
    const engine = await spark({ remote: `${server.remote}/;grpc_max_message_size=1000` });
    open.push(engine);
    await expect(counted(engine)).rejects.toThrow(/bytes is longer than grpc_max_message_size=1000$/);
  });

  it("a slow consumer holds the server back", async () => {
    let sent = 0;
    const megabyte = countingResponses(1, 125_000)[0];
    const server = await serving({
      ExecutePlan: async (stream) => {
        head(stream);
        stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
        for (let i = 0; i < 64; i++) {
          if (!stream.write(framed(megabyte))) await new Promise((resolve) => stream.once("drain", resolve));
          sent++;
        }
        stream.end(framed(response("end", { complete: true })));
      },
    });
    const engine = await connected(server);
    let batches = 0;
    for await (const { rows } of engine.query("select i from t")) {
      expect(rows).toBe(125_000);
      if (batches++ > 0) continue;
      await new Promise((resolve) => {
        setTimeout(resolve, 300);
      });
      expect(sent).toBeLessThan(24);
    }
    expect(batches).toBe(64);
  });
});

describe("a query that fails", () => {
  const details = (message: string, errorClass: string): Uint8Array => {
    const pair = encode([
      [1, "errorClass"],
      [2, errorClass],
    ]);
    const info = encode([
      [1, "org.apache.spark.sql.AnalysisException"],
      [3, pair],
    ]);
    const any = encode([
      [1, "type.googleapis.com/google.rpc.ErrorInfo"],
      [2, info],
    ]);
    return encode([
      [1, 13],
      [2, message],
      [3, any],
    ]);
  };

  it("is told in Spark's words, on one line, and not tried again", async () => {
    const words =
      "[TABLE_OR_VIEW_NOT_FOUND] The table `büro` cannot be found. SQLSTATE: 42P01; line 1\n'Project";
    const server = await serving({
      ExecutePlan: (stream) => refuse(stream, 13, words, details(words, "TABLE_OR_VIEW_NOT_FOUND")),
    });
    const engine = await connected(server);
    await expect(counted(engine)).rejects.toThrow(
      /^Spark: \[TABLE_OR_VIEW_NOT_FOUND\] The table `büro` cannot be found\.$/,
    );
    await expect.poll(() => server.calls()).toEqual(["ExecutePlan", "ReleaseExecute"]);
    // The engine is as good as before.
    await expect(engine.run("select")).rejects.toMatchObject({ name: "KindredError", kind: "input" });
  });

  it("after rows, with the status in the trailers and the class in the details alone", async () => {
    const server = await serving({
      ExecutePlan: (stream) => {
        head(stream);
        stream.on("wantTrailers", () =>
          stream.sendTrailers(
            status(13, "Division by zero.", details("Division by zero.", "DIVIDE_BY_ZERO")),
          ),
        );
        stream.end(framed(countingResponses(1, 3)[0]));
      },
    });
    const rows: number[] = [];
    const reading = async (): Promise<void> => {
      for await (const batch of (await connected(server)).query("select 1/0")) rows.push(batch.rows);
    };
    await expect(reading()).rejects.toThrow(/^Spark: \[DIVIDE_BY_ZERO\] Division by zero\.$/);
    expect(rows).toEqual([3]);
  });

  it("is told without the task and the class before its name", async () => {
    const words =
      "Job aborted: Task 0 in stage 3.0 failed 4 times (TID 9): org.apache.spark.SparkException: [USER_RAISED_EXCEPTION] no";
    const server = await serving({ ExecutePlan: (stream) => refuse(stream, 13, words) });
    await expect(counted(await connected(server))).rejects.toThrow(/^Spark: \[USER_RAISED_EXCEPTION\] no$/);
  });

  it("is told as what it is when the server has lost the session", async () => {
    const server = await serving({
      ExecutePlan: (stream) => reply(stream, [response("1", { session: "another" })]),
    });
    await expect(counted(await connected(server))).rejects.toThrow(
      "Spark lost the session: the server was restarted",
    );
  });

  it("and when the server knows nothing of the session", async () => {
    for (const why of ["NOT_FOUND", "CHANGED", "CLOSED"]) {
      const words = `[INVALID_HANDLE.SESSION_${why}] The handle is invalid. SQLSTATE: HY000`;
      const server = await serving({ ExecutePlan: (stream) => refuse(stream, 13, words) });
      await expect(counted(await connected(server, { retries: 1, backoff: 1 }))).rejects.toThrow(
        /^Spark lost the session: the server at \S+ was restarted, or ended it; begin again$/,
      );
    }
  });
});

describe("a broken line", () => {
  /** The responses behind the last one that the client says it has. */
  const after = (responses: readonly Uint8Array[], last: string): readonly Uint8Array[] =>
    last === "" ? responses : responses.slice(Number(last.slice(1)) + 1);

  it.each([0, 4, 5, 700, 2000, 4000])(
    "after %i bytes is taken up again without loss or repetition",
    async (cut) => {
      const responses = countingResponses(40, 20);
      let broken = 0;
      const cutOff: Behaviour = (stream, { method, request }) => {
        const rest = Buffer.concat(
          after(responses, method === "ReattachExecute" ? request.text(5) : "").map(framed),
        );
        if (broken++ >= 3) return reply(stream, after(responses, request.text(5)));
        head(stream);
        stream.write(rest.subarray(0, cut));
        setTimeout(() => server.sessions().forEach((session) => session.destroy()), 30);
      };
      const server = await serving({ ExecutePlan: cutOff, ReattachExecute: cutOff });
      expect(await counted(await connected(server))).toEqual(upTo(800));
      const operations = new Set(
        server.heard
          .filter(({ method }) => method === "ExecutePlan" || method === "ReattachExecute")
          .map(({ method, request }) => request.text(method === "ExecutePlan" ? 6 : 3)),
      );
      expect(operations.size).toBe(1);
      expect(broken).toBe(4);
    },
  );

  it("reset in the middle of a stream", async () => {
    const responses = countingResponses(4, 5);
    const server = await serving({
      ExecutePlan: (stream) => {
        head(stream);
        stream.write(Buffer.concat(responses.slice(0, 2).map(framed)));
        setTimeout(() => stream.close(2 /* INTERNAL_ERROR */), 20);
      },
      ReattachExecute: (stream, { request }) => reply(stream, after(responses, request.text(5))),
    });
    expect(await counted(await connected(server))).toEqual(upTo(20));
  });

  it("after it had worked for ten minutes: they are no time of trouble", async () => {
    const now = performance.now.bind(performance);
    let later = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now() + later);
    const responses = countingResponses(4, 5);
    const server = await serving({
      ExecutePlan: (stream) => {
        head(stream);
        stream.write(Buffer.concat(responses.slice(0, 2).map(framed)));
        setTimeout(() => {
          later = 600_000;
          stream.close(2 /* INTERNAL_ERROR */);
        }, 20);
      },
      ReattachExecute: (stream, { request }) => reply(stream, after(responses, request.text(5))),
    });
    expect(await counted(await connected(server))).toEqual(upTo(20));
    vi.restoreAllMocks();
  });

  it("is not what it is when the server ends a stream before the result: that goes on at once", async () => {
    const responses = countingResponses(6, 5);
    const one: Behaviour = (stream, { method, request }) =>
      reply(stream, after(responses, method === "ExecutePlan" ? "" : request.text(5)).slice(0, 1));
    const server = await serving({ ExecutePlan: one, ReattachExecute: one });
    expect(await counted(await connected(server, { retries: 0 }))).toEqual(upTo(30));
    expect(server.calls().filter((name) => name === "ReattachExecute")).toHaveLength(6);
  });

  it("GOAWAY: the stream ends in peace, the next query has a new connection", async () => {
    let sessions = 0;
    const responses = countingResponses(4, 5);
    const server = await serving({
      ExecutePlan: (stream) => {
        sessions++;
        head(stream);
        stream.write(framed(responses[0]));
        stream.session!.goaway(0);
        setTimeout(() => reply(stream, responses.slice(1)), 20);
      },
    });
    const engine = await connected(server);
    expect(await counted(engine)).toEqual(upTo(20));
    expect(await counted(engine)).toEqual(upTo(20));
    expect(sessions).toBe(2);
  });

  it("before the plan arrived: it is sent again under the same name", async () => {
    let calls = 0;
    const server = await serving({
      ExecutePlan: (stream) =>
        calls++ === 0 ? refuse(stream, 14, "busy") : reply(stream, countingResponses(2, 3)),
      ReattachExecute: (stream) => refuse(stream, 13, "[INVALID_HANDLE.OPERATION_NOT_FOUND] not found"),
    });
    expect(await counted(await connected(server))).toEqual(upTo(6));
    expect(server.calls().slice(0, 3)).toEqual(["ExecutePlan", "ReattachExecute", "ExecutePlan"]);
    const [first, , second] = server.heard.filter(({ method }) => /Execute(?:Plan)?$/.test(method));
    expect(second.request.text(6)).toBe(first.request.text(6));
  });

  it("after rows that the server has forgotten is an error, not a second run", async () => {
    const server = await serving({
      ExecutePlan: (stream) => reply(stream, countingResponses(3, 3).slice(0, 2)),
      ReattachExecute: (stream) => refuse(stream, 13, "[INVALID_HANDLE.OPERATION_NOT_FOUND] not found"),
    });
    await expect(counted(await connected(server))).rejects.toThrow(
      /^Spark: \[INVALID_HANDLE.OPERATION_NOT_FOUND\]/,
    );
  });

  it("that stays broken is given up with one line", async () => {
    let calls = 0;
    const busy: Behaviour = (stream) => {
      calls++;
      refuse(stream, 14, "no worker is free");
    };
    const server = await serving({ ExecutePlan: busy, ReattachExecute: busy });
    await expect(counted(await connected(server, { retries: 3 }))).rejects.toThrow(
      new RegExp(`^Spark at 127.0.0.1:${server.port}: no worker is free$`),
    );
    expect(calls).toBe(4);
    expect(new Set(server.calls())).toEqual(new Set(["ExecutePlan", "ReattachExecute"]));
  });

  it("a stream that ends at once, again and again, is given up", async () => {
    const empty: Behaviour = (stream) => reply(stream, []);
    const server = await serving({ ExecutePlan: empty, ReattachExecute: empty });
    await expect(counted(await connected(server, { retries: 2 }))).rejects.toThrow(/repeatedly ends/);
  });
});

describe("a line that falls silent", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });
  /** Runs what waits for six minutes, or for twenty seconds, now. */
  const ring = (timer: "setInterval" | "setTimeout", milliseconds: number): void => {
    const call = vi.mocked(globalThis[timer]).mock.calls.findLast(([, delay]) => delay === milliseconds)!;
    (call[0] as () => void)();
  };

  it("is pinged while a query runs, and only then", async () => {
    vi.spyOn(globalThis, "setInterval");
    let pings = 0;
    let finish = (): void => undefined;
    const server = await serving({
      ExecutePlan: (stream) => {
        head(stream);
        stream.session!.on("ping", () => pings++);
        finish = () => reply(stream, countingResponses(1, 2));
      },
    });
    const engine = await connected(server);
    ring("setInterval", 360_000);
    const running = counted(engine);
    await expect.poll(() => server.calls()).toEqual(["ExecutePlan"]);
    ring("setInterval", 360_000);
    await expect.poll(() => pings).toBe(1);
    finish();
    expect(await running).toEqual([0, 1]);
    await expect.poll(() => server.calls()).toEqual(["ExecutePlan", "ReleaseExecute"]);
    ring("setInterval", 360_000);
    await engine.close();
    expect(pings).toBe(1);
  });

  it("is given up for a new one when a ping is not answered", async () => {
    const responses = countingResponses(2, 3);
    const server = await serving({
      ExecutePlan: (stream) => {
        head(stream);
        stream.write(framed(responses[0]));
      },
      ReattachExecute: (stream) => reply(stream, responses.slice(1)),
    });
    // Hands everything on until it is told to hold back; connections made later are whole.
    let made = 0;
    let deaf = 0;
    const proxy = createServer((near) => {
      const number = ++made;
      const far = createConnection(server.port, "127.0.0.1");
      for (const socket of [near, far]) socket.on("error", () => undefined);
      near.on("close", () => far.destroy());
      near.pipe(far);
      far.on("data", (part) => number <= deaf || near.write(part));
    });
    await new Promise<void>((resolve) => {
      proxy.listen(0, "127.0.0.1", resolve);
    });
    open.push({ close: () => new Promise((resolve) => proxy.close(() => resolve())) });
    vi.spyOn(globalThis, "setInterval");
    vi.spyOn(globalThis, "setTimeout");
    const { port } = proxy.address() as AddressInfo;
    const engine = await spark({ remote: `sc://127.0.0.1:${port}`, backoff: 1 });
    open.push(engine);
    const values: number[] = [];
    const running = (async () => {
      for await (const { columns } of engine.query("select i from t")) {
        values.push(...(columns[0] as Float64Array));
      }
    })();
    await expect.poll(() => values).toEqual(upTo(3));
    deaf = made;
    ring("setInterval", 360_000);
    ring("setTimeout", 20_000);
    await running;
    expect(values).toEqual(upTo(6));
    expect(made).toBe(2);
  });
});

describe("leaving", () => {
  const endless: Behaviour = (stream) => {
    head(stream);
    for (const part of countingResponses(3, 4).slice(0, 3)) stream.write(framed(part));
  };

  it("the loop interrupts the operation and frees it", async () => {
    const server = await serving({ ExecutePlan: endless });
    const engine = await connected(server);
    for await (const { rows } of engine.query("select i from t")) {
      expect(rows).toBe(4);
      break;
    }
    await engine.close();
    const execute = server.heard.find(({ method }) => method === "ExecutePlan")!;
    const interrupt = server.heard.find(({ method }) => method === "Interrupt")!;
    expect(interrupt.request.text(6)).toBe(execute.request.text(6));
    expect(interrupt.request.number(4)).toBe(3);
    expect(server.calls()).toEqual(["ExecutePlan", "Interrupt", "ReleaseExecute", "ReleaseSession"]);
  });

  it("by close() ends a query that is waited for", async () => {
    const server = await serving({ ExecutePlan: (stream) => head(stream) });
    const engine = await connected(server);
    const waiting = engine.run("create table t as select 1");
    await expect.poll(() => server.calls()).toEqual(["ExecutePlan"]);
    await Promise.all([expect(waiting).rejects.toThrow("Spark: the query was cancelled"), engine.close()]);
    expect(server.calls()).toContain("Interrupt");
    await engine.close();
    await expect(engine.run("select 1")).rejects.toThrow("Spark: the engine is closed");
  });

  it("does not release a session that was joined", async () => {
    const server = await serving({ ExecutePlan: (stream) => reply(stream, countingResponses(1, 1)) });
    const session = "00112233-4455-6677-8899-aabbccddeeff";
    const engine = await spark({ remote: `${server.remote}/;session_id=${session}` });
    await engine.run("select 1");
    await engine.close();
    expect(server.calls()).toEqual(["ExecutePlan", "ReleaseExecute"]);
    expect(server.heard[0].request.text(1)).toBe(session);
  });
});

describe("connecting", () => {
  it("waits for a server that is busy", async () => {
    let calls = 0;
    const server = await serving({
      AnalyzePlan: (stream) =>
        calls++ < 2 ? refuse(stream, 14, "starting") : reply(stream, [encode([[8, encode([[1, "4.1.0"]])]])]),
    });
    expect((await connected(server)).name).toBe("Spark 4.1.0");
  });

  it.each([
    ["/;token=wrong", "refuses the token"],
    ["", "asks for a token (token=... in the connection string)"],
  ])("a token that is not right: %s", async (parameters, words) => {
    const server = await serving({ AnalyzePlan: (stream) => refuse(stream, 16, "Invalid token") });
    await expect(spark({ remote: server.remote + parameters })).rejects.toThrow(
      `Spark at 127.0.0.1:${server.port} ${words}`,
    );
  });

  it("nobody there", async () => {
    const { port } = await serving({});
    await open.pop()!.close();
    await expect(spark({ remote: `sc://127.0.0.1:${port}` })).rejects.toThrow(
      `no Spark Connect server answers at 127.0.0.1:${port}: connection refused`,
    );
  });

  it("somebody else there", async () => {
    const site = await serving({
      AnalyzePlan: (stream) =>
        stream.respond({ ":status": 200, "content-type": "text/html" }, { endStream: true }),
    });
    await expect(spark({ remote: site.remote })).rejects.toThrow(
      `the server at 127.0.0.1:${site.port} is not a Spark Connect server (HTTP status 200)`,
    );
    const old = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.resume();
      socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    await new Promise<void>((resolve) => {
      old.listen(0, "127.0.0.1", resolve);
    });
    open.push({ close: () => new Promise((resolve) => old.close(() => resolve())) });
    const { port } = old.address() as AddressInfo;
    await expect(spark({ remote: `sc://127.0.0.1:${port}` })).rejects.toThrow(
      `no Spark Connect server answers at 127.0.0.1:${port}: the server there does not speak gRPC`,
    );
    await expect(spark({ remote: `sc://127.0.0.1:${port}/;use_ssl=true` })).rejects.toThrow(
      `no Spark Connect server answers at 127.0.0.1:${port}: the server there does not speak TLS (use_ssl=false)`,
    );
  });

  it("options are checked by name", async () => {
    await expect(spark({} as SparkOptions)).rejects.toThrow('spark: option "remote" is required');
    await expect(spark({ remote: "sc://h", retries: -1 })).rejects.toThrow('option "retries" must be');
  });
});
