import { spawn } from "node:child_process";
import { existsSync, realpathSync, statSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Command } from "commander";
import { fileError, option, optionError } from "../../core/internal.ts";
import { listData } from "../../data/index.ts";
import { integerAtLeast } from "../options/words.ts";
import { explorerServer, newToken } from "../explorerServer.ts";
import { tell, writeOut } from "../output/terminal.ts";

interface ExploreOptions {
  readonly port?: number;
  readonly open?: boolean;
  readonly with?: string;
}

const USUAL_PORT = 4177;

export function define(command: Command): void {
  command
    .argument("[data]", "a file to open, or the name of an embedded or generated data set")
    .option("--with <file>", "a file with the same rows, such as the titles of vectors")
    .option("--port <n>", `port to listen on (default: ${USUAL_PORT}, or any free port)`, integerAtLeast(0))
    .option("--open", "open the page in the default browser")
    .action(explore);
}

/** Serves the explorer on this machine only, until it is interrupted. */
async function explore(
  data: string | undefined,
  { port, open, with: beside }: ExploreOptions,
): Promise<void> {
  const file = data !== undefined && existsSync(data) ? requireFile(data) : undefined;
  if (beside !== undefined && file === undefined) throw optionError(`${option("with")}: give a file of data`);
  if (beside !== undefined && !existsSync(beside)) throw fileError(`there is no file ${beside}`);
  const hash = data === undefined || file !== undefined ? "" : await namedHash(data);
  const token = newToken();
  const server = explorerServer(file, undefined, token, beside && requireFile(beside));
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  const used = await listen(server, port);
  const address = `http://127.0.0.1:${used}/${token}/${hash}`;
  await writeOut([`${address}\n`]);
  tell("The explorer runs in the browser at this address; nothing leaves your machine. Ctrl-C ends it.");
  if (open === true) openBrowser(address);
  await interrupted;
  server.closeAllConnections();
  server.close();
}

/** What a path leads to now: a link that leads elsewhere later shows nothing else. */
function requireFile(path: string): string {
  const found = statSync(path);
  if (found.isDirectory()) throw fileError(`cannot explore ${path}: it is a folder`);
  if (found.isCharacterDevice()) throw fileError(`cannot explore ${path}: it is a device, which has no end`);
  return realpathSync(path);
}

async function namedHash(name: string): Promise<string> {
  const named = await listData();
  if (named.some((entry) => entry.name === name && entry.from !== "folder")) return `#data=${name}`;
  throw fileError(`there is no file ${name}, and no embedded or generated data set of that name`);
}

/** On the given port, or on the usual one or, if that is taken, on any. */
async function listen(server: Server, port: number | undefined): Promise<number> {
  const attempt = (wanted: number): Promise<number> =>
    new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(wanted, "127.0.0.1", () => {
        server.off("error", reject);
        resolve((server.address() as AddressInfo).port);
      });
    });
  try {
    return await attempt(port ?? USUAL_PORT);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (port === undefined && code === "EADDRINUSE") return attempt(0);
    const why = REASONS[code ?? ""] ?? `${code}; give another one (--port)`;
    throw fileError(`cannot listen on port ${port ?? USUAL_PORT}: ${why}`, error);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program uses it; give another one, or leave --port out",
  EACCES: "the system reserves it; give one above 1023, or leave --port out",
  ERR_SOCKET_BAD_PORT: "a port is at most 65535",
};

function openBrowser(address: string): void {
  const [command, ...args] = { darwin: ["open"], win32: ["cmd", "/c", "start", ""] }[
    process.platform as string
  ] ?? ["xdg-open"];
  spawn(command, [...args, address], { stdio: "ignore", detached: true })
    .on("error", () => tell(`no browser could be started (${command}); open the address yourself`))
    .unref();
}
