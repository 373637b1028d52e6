/** A server that speaks as much of Spark Connect as the client hears, and misbehaves on demand. */
import http2, { type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { tableFromArrays, tableToIPC, type TypedArray } from "@uwdata/flechette";
import { decode, encode, type Message } from "../../../src/engine/spark/protobuf.ts";

export const SERVER_SESSION = "5e55104a-0000-4000-8000-000000000000";

export interface Heard {
  /** The last part of the path. */
  readonly method: string;
  readonly request: Message;
  readonly headers: IncomingHttpHeaders;
}

/** What a method of the server does with a call; the greeting and the releases are answered where none is given. */
export type Behaviour = (stream: ServerHttp2Stream, heard: Heard) => void | Promise<void>;

export interface FakeServer {
  readonly port: number;
  readonly remote: string;
  readonly heard: Heard[];
  /** The methods called, in order, without the greeting and the releases up to a response. */
  calls(): string[];
  sessions(): readonly ServerHttp2Session[];
  close(): Promise<void>;
}

export async function fakeServer(
  behaviours: Readonly<Record<string, Behaviour>>,
  tls?: { key: string; cert: string },
): Promise<FakeServer> {
  const heard: Heard[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const server = tls === undefined ? http2.createServer() : http2.createSecureServer(tls);
  server.on("session", (session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
    session.on("error", () => undefined);
  });
  server.on("stream", (stream, headers) => {
    const parts: Buffer[] = [];
    stream.on("error", () => undefined);
    stream.on("data", (part: Buffer) => parts.push(part));
    stream.on("end", () => {
      const method = String(headers[":path"]).split("/").at(-1)!;
      const call: Heard = { method, request: decode(Buffer.concat(parts).subarray(5)), headers };
      heard.push(call);
      void (behaviours[method] ?? USUAL[method])(stream, call);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    remote: `sc://127.0.0.1:${port}`,
    heard,
    calls: () =>
      heard
        .filter(
          ({ method, request }) =>
            method !== "AnalyzePlan" && !(method === "ReleaseExecute" && request.has(6)),
        )
        .map(({ method }) => method),
    sessions: () => [...sessions],
    async close() {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

const version = encode([
  [8, encode([[1, "4.0.1"]])],
  [15, SERVER_SESSION],
]);
const USUAL: Readonly<Record<string, Behaviour>> = {
  AnalyzePlan: (stream) => reply(stream, [version]),
  ReleaseExecute: (stream) => reply(stream, [new Uint8Array(0)]),
  Interrupt: (stream) => reply(stream, [new Uint8Array(0)]),
  ReleaseSession: (stream) => reply(stream, [new Uint8Array(0)]),
};

const HEAD = { ":status": 200, "content-type": "application/grpc" };

export function head(stream: ServerHttp2Stream): void {
  if (!stream.headersSent) stream.respond(HEAD, { waitForTrailers: true });
}

/** Messages and the status 0, the bytes in pieces of a given size. */
export function reply(
  stream: ServerHttp2Stream,
  messages: readonly Uint8Array[],
  piece: number = Infinity,
): void {
  head(stream);
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  const bytes = Buffer.concat(messages.map(framed));
  for (let at = 0; at < bytes.length; at += piece) stream.write(bytes.subarray(at, at + piece));
  stream.end();
}

/** A status without any message: all in the headers. */
export function refuse(stream: ServerHttp2Stream, code: number, message: string, details?: Uint8Array): void {
  stream.respond({ ...HEAD, ...status(code, message, details) }, { endStream: true });
}

export function status(code: number, message: string, details?: Uint8Array): Record<string, string> {
  return {
    "grpc-status": String(code),
    "grpc-message": encodeURIComponent(message),
    ...(details !== undefined && {
      "grpc-status-details-bin": Buffer.from(details).toString("base64").replace(/=+$/, ""),
    }),
  };
}

export function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

export function response(
  id: string,
  part: { arrow?: Uint8Array; complete?: boolean; session?: string },
): Uint8Array {
  return encode([
    [15, part.session ?? SERVER_SESSION],
    [13, id],
    [
      2,
      part.arrow &&
        encode([
          [1, 1],
          [2, part.arrow],
        ]),
    ],
    [14, part.complete === true ? new Uint8Array(0) : undefined],
  ]);
}

export function arrow(columns: Readonly<Record<string, unknown[] | TypedArray>>): Uint8Array {
  return tableToIPC(tableFromArrays(columns), { format: "stream" })!;
}

/** Batches with the numbers 0, 1, 2, ... and the end. */
export function countingResponses(batches: number, rows: number): Uint8Array[] {
  const responses = Array.from({ length: batches }, (_, b) =>
    response(`r${b}`, { arrow: arrow({ i: Float64Array.from({ length: rows }, (_, i) => b * rows + i) }) }),
  );
  return [...responses, response("end", { complete: true })];
}
