import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { explorerServer, newToken } from "../../src/cli/explorerServer.ts";
import { dice, type Dice, type Outcome } from "./dice.ts";

const SECRET = "secret,data\n1,2\n";
let running: Promise<{ readonly port: number; readonly token: string }> | undefined;
let server: Server | undefined;
let folder: string | undefined;

/** Requests that no browser makes: the server answers, gives nothing away without the token, and goes on. */
export async function requestCase(seed: number): Promise<Outcome> {
  const roll = dice(seed);
  const { port, token } = await (running ??= start());
  const text = oddRequest(roll, port, token);
  const tried = JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}...` : text);
  const answer = await sent(port, text, roll.chance(0.1));
  const knows = text.includes(`/${token}/`);
  if (!knows && answer.includes(SECRET)) return { tried, wrong: "the data without the token" };
  if (/\n\s+at |Error:/.test(answer)) return { tried, wrong: `a stack: ${answer.slice(0, 200)}` };
  const after = await sent(
    port,
    `GET /${token}/data HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`,
    false,
  );
  if (!after.startsWith("HTTP/1.1 200") || !after.includes(SECRET))
    return { tried, wrong: `afterwards: ${after.slice(0, 100)}` };
  return { tried };
}

export function stopRequests(): void {
  server?.closeAllConnections();
  server?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  running = server = folder = undefined;
}

async function start(): Promise<{ port: number; token: string }> {
  folder = mkdtempSync(join(tmpdir(), "kindred-fuzz-"));
  writeFileSync(join(folder, "index.html"), "<title>page</title>");
  writeFileSync(join(folder, "data.csv"), SECRET);
  const token = newToken();
  const started = explorerServer(join(folder, "data.csv"), folder, token);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
  return { port: (started.address() as AddressInfo).port, token };
}

function oddRequest(roll: Dice, port: number, token: string): string {
  const piece = (): string => roll.pick(PIECES);
  const path = roll.chance(0.3)
    ? `/${token}/${piece()}${piece()}`
    : Array.from({ length: 1 + roll.below(5) }, piece).join("");
  const method = roll.chance(0.8)
    ? "GET"
    : roll.pick(["POST", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PUT", "get", "\0"]);
  const version = roll.chance(0.95) ? "HTTP/1.1" : roll.pick(["HTTP/1.0", "HTTP/2.0", "HTTP/9", ""]);
  const host = roll.chance(0.8)
    ? `127.0.0.1:${port}`
    : roll.pick(["evil.example", "", "localhost", "127.0.0.1:99999999", "[::1]", "x\0"]);
  const more = roll.chance(0.2)
    ? roll.pick([
        "Range: bytes=0-99999999999",
        "Content-Length: 99999999999",
        "Content-Length: -1",
        "Transfer-Encoding: chunked",
        `X: ${"x".repeat(20_000)}`,
        "Expect: 100-continue",
        "Upgrade: h2c\r\nConnection: Upgrade",
        "If-None-Match: *",
      ]) + "\r\n"
    : "";
  return `${method} ${path} ${version}\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`;
}

const PIECES = [
  "/",
  "//",
  "///",
  "\\\\",
  "/[",
  "//:80",
  "//user@:x/",
  "..",
  "/../",
  "%2e%2e/",
  "%",
  "%zz",
  "%00",
  "data",
  "/data",
  "served.json",
  "index.html",
  "?",
  "#",
  "http://",
  "http://[",
  "\u00ff",
  "*",
  ";",
  "a".repeat(5000),
  "/data?x=",
  "__proto__",
  "constructor",
];

function sent(port: number, text: string, early: boolean): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(text);
      if (early) socket.destroy();
    });
    socket.setEncoding("utf8").on("data", (part: string) => (answer += part));
    socket.setTimeout(5000, () => socket.destroy());
    socket.on("error", () => {}).on("close", () => resolve(answer));
  });
}
