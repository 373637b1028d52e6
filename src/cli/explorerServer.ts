import { randomBytes, timingSafeEqual } from "node:crypto";
import { createReadStream, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { basename, extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { fileError } from "../core/internal.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

/**
 * What every answer carries. The page may load from and connect to its own server only; the kernels are
 * WebAssembly. The two Cross-Origin lines give the page shared memory.
 */
const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};

const HOSTS = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

/**
 * Serves the explorer and, if given, a data file and one with columns beside it; nothing else is reachable. Requests for another host are
 * refused, because a foreign page could rebind a name to this machine. All addresses contain the token, so
 * other users of the machine, who can reach the port, find nothing.
 */
export function explorerServer(
  dataFile: string | undefined,
  folder: string = builtExplorer(),
  token?: string,
  beside?: string,
): Server {
  const files = ownFiles(folder);
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    if (!HOSTS.test(request.headers.host ?? "")) return refuse(response, 403, "wrong host");
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(response, 405, "only GET");
    const path = pathUnder(token, request.url ?? "/");
    if (path === undefined) return refuse(response, 404, "not found");
    if (path === "/served.json") {
      const [name, other] = [dataFile, beside].map((file) => file && basename(file));
      return send(request, response, ".json", Buffer.from(JSON.stringify({ name, beside: other })));
    }
    if (path === "/data" && dataFile !== undefined) return stream(request, response, dataFile);
    if (path === "/beside" && beside !== undefined) return stream(request, response, beside);
    const file = files.get(path === "/" ? "/index.html" : path);
    if (file === undefined) return refuse(response, 404, "not found");
    return send(request, response, extname(path) || ".html", file);
  });
  // A request that is not HTTP gets an answer, or none if nobody listens; it ends the connection, never the
  // server.
  server.on("clientError", (_, socket) => {
    if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
    else socket.destroy();
  });
  return server;
}

/** A token that cannot be guessed. */
export function newToken(): string {
  return randomBytes(18).toString("base64url");
}

/**
 * The path of a request without its token and its query; undefined for a wrong token. It is compared
 * unchanged, because the files are found by their exact addresses: nothing is decoded or resolved.
 */
function pathUnder(token: string | undefined, address: string): string | undefined {
  const path = address.replace(/[?#].*$/s, "");
  if (token === undefined) return path;
  const expected = Buffer.from(`/${token}/`);
  const given = Buffer.from(path).subarray(0, expected.length);
  const padded = Buffer.alloc(expected.length);
  given.copy(padded);
  const same = timingSafeEqual(padded, expected) && given.length === expected.length;
  return same ? path.slice(expected.length - 1) : undefined;
}

/** The built app, beside the command. */
function builtExplorer(): string {
  return fileURLToPath(new URL("../explorer/", import.meta.url));
}

/**
 * By address, read once: no address can leave the folder, and a rebuild does not mix two versions of the
 * app.
 */
function ownFiles(folder: string): Map<string, Buffer> {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const files = names.filter((name) => statSync(join(folder, name)).isFile());
    return new Map(files.map((name) => [`/${name.split(sep).join("/")}`, readFileSync(join(folder, name))]));
  } catch (error) {
    throw fileError(`the explorer is not built: ${folder} is missing (npm run build makes it)`, error);
  }
}

/** The files of the page as they are sent to a browser that unpacks them: packed once. */
const packed = new WeakMap<Buffer, Buffer>();

function send(request: IncomingMessage, response: ServerResponse, extension: string, file: Buffer): void {
  response.setHeader("Content-Type", TYPES[extension] ?? "application/octet-stream");
  response.setHeader("Vary", "Accept-Encoding");
  let body = file;
  if (/\bgzip\b/.test(String(request.headers["accept-encoding"]))) {
    body = packed.get(file) ?? gzipSync(file);
    packed.set(file, body);
    response.setHeader("Content-Encoding", "gzip");
  }
  response.setHeader("Content-Length", body.length);
  response.end(request.method === "HEAD" ? undefined : body);
}

function stream(request: IncomingMessage, response: ServerResponse, file: string): void {
  response.setHeader("Content-Type", "application/octet-stream");
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  const data = createReadStream(file)
    .on("error", (error: Error) => {
      if (response.headersSent) response.destroy(error);
      else refuse(response, 404, `cannot read ${basename(file)}`);
    })
    .on("open", () => data.pipe(response));
  // A reader that leaves early must not keep the file open.
  response.on("close", () => data.destroy());
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" }).end(`${reason}\n`);
}
