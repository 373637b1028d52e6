import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answer, type Engine } from "../../src/engine/engine.ts";
import { spark } from "../../src/engine/spark.ts";
import { writeTable } from "../../src/engine/writeTable.ts";
import { connect, killWorker, record, remote, replaceWorkers, MANY, manyRows } from "./spark/cluster.ts";

const LIMIT = 180_000;
const LONGER = 120_000_000;

describe.skipIf(record === undefined)("a Spark cluster in trouble (npm run test:spark)", () => {
  let engine: Engine;
  let table: string;
  beforeAll(async () => {
    engine = await connect();
    table = await manyRows(engine);
  }, LIMIT);
  afterAll(async () => {
    await engine.close();
    replaceWorkers();
  }, LIMIT);

  /** Seconds of work for two cores. */
  const long = (rows: number): string =>
    `select id, pmod(xxhash64(id, copy), 1000) as h from ${table}, range(0, ${rows / MANY}) as copies(copy)`;

  it(
    "the client killed while a table is written leaves no table, and the next writer has a free way",
    async () => {
      const name = `interrupted_${Date.now()}`;
      const program = `
      import { spark, writeTable } from "kindred/engine";
      const engine = await spark({ remote: process.argv[1] });
      console.log("connected");
      await writeTable(engine, process.argv[2], process.argv[3]);
      console.log("written");`;
      const child = spawn(
        process.execPath,
        ["--input-type=module", "-e", program, remote!, name, long(40_000_000)],
        {
          stdio: ["ignore", "pipe", "inherit"],
        },
      );
      let printed = "";
      child.stdout.on("data", (part: Buffer) => (printed += String(part)));
      const gone = new Promise((resolve) => child.once("exit", resolve));
      const setting = (await answer(engine, "set spark.sql.warehouse.dir")).columns[1][0];
      const warehouse = String(setting).replace(/^file:/, "");
      const staged = (): boolean =>
        readdirSync(warehouse).some((entry) => entry.startsWith(`${name}__kindred_`));
      await expect.poll(() => printed, { timeout: 30_000 }).toBe("connected\n");
      // Until the first files are being written.
      await expect.poll(staged, { timeout: 60_000, interval: 200 }).toBe(true);
      child.kill("SIGKILL");
      await gone;
      expect(printed).toBe("connected\n");
      await expect(answer(engine, `select * from ${name}`)).rejects.toThrow("[TABLE_OR_VIEW_NOT_FOUND]");
      expect(existsSync(`${warehouse}/${name}`)).toBe(false);
      await writeTable(engine, name, "select 1 as a");
      expect((await answer(engine, `select a from ${name}`)).columns[0][0]).toBe(1);
      await engine.run(`drop table ${name}`);
    },
    LIMIT,
  );

  it(
    "a line that breaks every three megabytes loses and repeats no row",
    async () => {
      const proxy = await breakingProxy(new URL(remote!.replace("sc:", "http:")), 3e6);
      const through = await spark({
        remote: remote!.replace(/^sc:\/\/[^/]*/, `sc://127.0.0.1:${proxy.port}`),
        backoff: 5,
      });
      try {
        let [rows, sum] = [0, 0];
        for await (const { columns } of through.query(
          "select id, id * 2e0 as x from range(0, 1000000, 1, 4)",
        )) {
          const [id, x] = columns as Float64Array[];
          for (let i = 0; i < id.length; i++) sum += id[i] + x[i];
          rows += id.length;
        }
        expect(rows).toBe(1_000_000);
        expect(sum).toBe(3 * 499_999_500_000);
        expect(proxy.broken()).toBeGreaterThan(2);
      } finally {
        await through.close();
        proxy.close();
      }
    },
    LIMIT,
  );

  it(
    "a worker killed in the middle does not fail the query",
    async () => {
      const start = performance.now();
      const expected = await answer(engine, `select count(*), sum(h) from (${long(LONGER)})`);
      const quarter = (performance.now() - start) / 4;
      expect(expected.columns[0][0]).toBe(LONGER);
      let ended = false;
      const running = answer(engine, `select count(*), sum(h) from (${long(LONGER)})`).finally(
        () => (ended = true),
      );
      await new Promise((resolve) => {
        setTimeout(resolve, quarter);
      });
      killWorker();
      expect(ended).toBe(false);
      expect(await running).toEqual(expected);
    },
    LIMIT,
  );
});

/** Hands bytes through to the server and breaks each connection after a number of them. */
async function breakingProxy(
  target: URL,
  bytes: number,
): Promise<{ port: number; broken(): number; close(): void }> {
  let broken = 0;
  const sockets = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = createConnection(Number(target.port), target.hostname);
    let handed = 0;
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.on("data", (part: Buffer) => {
      handed += part.length;
      if (handed > bytes) {
        broken++;
        near.destroy();
      } else if (!near.write(part)) {
        far.pause();
        near.once("drain", () => far.resume());
      }
    });
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (proxy.address() as AddressInfo).port,
    broken: () => broken,
    close: () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}
