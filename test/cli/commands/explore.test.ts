import { spawn, type ChildProcess } from "node:child_process";
import { request } from "node:http";
import { connect } from "node:net";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { command, kindred, oneLine, scratch } from "../command.ts";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Starts the command, waits for the address that it prints, and ends it with the test. */
async function explore(
  args: readonly string[],
  cwd?: string,
): Promise<{ address: URL; child: ChildProcess }> {
  const child = spawn(command[0], [...command.slice(1), "explore", "--port", "0", ...args], { cwd });
  onTestFinished(() => void child.kill());
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").once("data", resolve);
    child.once("exit", (code) => reject(new Error(`ended with ${code}`)));
  });
  return { address: new URL(line.trim()), child };
}

/** @param options `bare`: without the token of the address */
function ask(
  address: URL,
  path: string,
  options: { method?: string; host?: string; bare?: boolean } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = "GET", host = address.host, bare = false } = options;
    const { hostname, port, pathname } = address;
    const whole = bare ? path : pathname.replace(/\/$/, "") + path;
    const sent = request({ hostname, port, path: whole, method, headers: { host } }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => (body += text));
      response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, body }));
    });
    sent.on("error", reject).end();
  });
}

function sendRaw(address: URL, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(address.port), address.hostname, () => socket.write(text));
    socket.setEncoding("utf8").on("data", (part: string) => (answer += part));
    socket.on("error", () => {}).on("close", () => resolve(answer));
  });
}

describe("kindred explore", () => {
  test("serves the page on this machine, isolated and unable to talk to others", async () => {
    const { address } = await explore([]);
    expect(address.hostname).toBe("127.0.0.1");
    const { status, headers, body } = await ask(address, "/");
    expect(status).toBe(200);
    expect(body).toMatch(/<title>Kindred explorer<\/title>/);
    expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
    expect(headers["cross-origin-embedder-policy"]).toBe("require-corp");
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:|\*/);
    const [script] = /assets\/[^"]+\.js/.exec(body)!;
    const code = await ask(address, `/${script}`, { method: "HEAD" });
    expect(code).toMatchObject({ status: 200, body: "" });
    expect(code.headers["content-type"]).toMatch(/javascript/);
  });

  test("a browser that unpacks gets the page packed, with the same content", async () => {
    const { address } = await explore([]);
    const plain = await ask(address, "/");
    const [script] = /assets\/[^"]+\.js/.exec(plain.body)!;
    const own = await (await fetch(new URL(script, address))).text();
    const answer = await fetch(new URL(script, address), { method: "HEAD" });
    expect(answer.headers.get("content-encoding")).toBe("gzip");
    expect((await ask(address, `/${script}`)).body).toBe(own);
    expect(Number(answer.headers.get("content-length"))).toBeLessThan(0.6 * Buffer.byteLength(own));
  });

  test("serves the one file that was named, and nothing else", async () => {
    const folder = scratch();
    writeFileSync(join(folder, "mine.csv"), "a,b\n1,2\n");
    writeFileSync(join(folder, "secret.csv"), "x\n1\n");
    const { address } = await explore(["mine.csv"], folder);
    expect(JSON.parse((await ask(address, "/served.json")).body)).toEqual({ name: "mine.csv" });
    expect((await ask(address, "/data")).body).toBe("a,b\n1,2\n");
    const paths = [
      "/secret.csv",
      "/data/secret.csv",
      "/../secret.csv",
      "/assets/../../cli/main.js",
      "/%2e%2e/cli/main.js",
      "/assets",
      "/assets/",
      "//etc/passwd",
    ];
    const answers = await Promise.all(paths.map((path) => ask(address, path)));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 404));
  });

  test("without the token of the address nothing is found", async () => {
    const folder = scratch();
    writeFileSync(join(folder, "mine.csv"), "a,b\n1,2\n");
    const { address } = await explore(["mine.csv"], folder);
    expect(address.pathname).toMatch(/^\/[\w-]{24}\/$/);
    const other = `/${"x".repeat(24)}/data`;
    const paths = ["/", "/data", "/served.json", other, address.pathname.slice(0, -2) + "/data"];
    const answers = await Promise.all(paths.map((path) => ask(address, path, { bare: true })));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 404));
  });

  test("addresses that are none do not end it", async () => {
    const { address, child } = await explore([]);
    const paths = [
      "//",
      "///",
      "/\\\\",
      "//[",
      "//:80",
      "//user@:x/",
      "/%",
      "/%zz",
      "*",
      "http://[",
      "/\u00ff",
      "/?//",
      "//#",
    ];
    for (const path of paths) {
      const answer = await sendRaw(
        address,
        `GET ${path} HTTP/1.1\r\nHost: ${address.host}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    }
    for (const text of [
      "\0\0\0",
      "GET\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      `GET /${"x".repeat(1 << 17)} HTTP/1.1\r\n\r\n`,
    ]) {
      await sendRaw(address, text);
    }
    expect((await ask(address, "/")).status).toBe(200);
    expect(child.exitCode).toBeNull();
  });

  test.runIf(process.platform === "linux")("downloads that are broken off leave no file open", async () => {
    const folder = scratch();
    writeFileSync(join(folder, "large.csv"), "1\n".repeat(1 << 22));
    const { address, child } = await explore(["large.csv"], folder);
    const open = (): number => readdirSync(`/proc/${child.pid}/fd`).length;
    const before = open();
    for (let k = 0; k < 20; k++) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(address.port), address.hostname, () => {
          socket.write(`GET ${address.pathname}data HTTP/1.1\r\nHost: ${address.host}\r\n\r\n`);
        });
        socket.once("data", () => socket.destroy()).once("close", () => resolve());
      });
    }
    await expect.poll(open, { timeout: 10_000 }).toBeLessThanOrEqual(before + 2);
  });

  test("without a file there is no data", async () => {
    const { address } = await explore([]);
    expect(JSON.parse((await ask(address, "/served.json")).body)).toEqual({});
    expect((await ask(address, "/data")).status).toBe(404);
  });

  test("a named set is part of the address", async () => {
    const { address } = await explore(["iris"]);
    expect(address.hash).toBe("#data=iris");
  });

  test("other hosts and other methods are refused", async () => {
    const { address } = await explore([]);
    expect((await ask(address, "/", { host: "evil.example" })).status).toBe(403);
    expect((await ask(address, "/", { method: "POST" })).status).toBe(405);
  });

  test("Ctrl-C ends it quietly", async () => {
    const { child } = await explore([]);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGINT");
    expect(await ended).toBe(0);
  });

  test("a file that is not there, a folder and a port in use are errors of one line", async () => {
    const folder = scratch();
    mkdirSync(join(folder, "inner"));
    expect(await kindred(["explore", "nothing.csv"], { cwd: folder })).toEqual(
      oneLine(1, /there is no file nothing\.csv/),
    );
    expect(await kindred(["explore", "inner"], { cwd: folder })).toEqual(oneLine(1, /it is a folder/));
    const { address } = await explore([]);
    expect(await kindred(["explore", "--port", address.port])).toEqual(
      oneLine(1, /cannot listen on port \d+: another program uses it; give another one, or leave --port out/),
    );
    expect(await kindred(["explore", "--port", "99999"])).toEqual(
      oneLine(1, /port 99999: a port is at most 65535/),
    );
  });
});

test.skipIf(!existsSync("/dev/zero"))("a device is refused", async () => {
  expect(await kindred(["explore", "/dev/zero"])).toEqual(oneLine(1, /it is a device, which has no end/));
});
