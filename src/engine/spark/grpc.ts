/**
 * gRPC over HTTP/2 ("gRPC over HTTP2" in grpc's documents) on Node's own http2: a call is a POST whose body is messages,
 * each with five bytes before it (compressed or not, length), and whose status comes in the trailers, or in the headers
 * if there is nothing else.
 *
 * Why not @grpc/grpc-js: with what it needs it is some twenty packages, protobufjs with an install script among them,
 * and Kindred takes no such dependency; the protocol of Spark Connect needs calls with one request alone.
 */
import { optionError } from "../../core/errors.ts";
import { nodeModule } from "../../core/node.ts";
import type { SparkRemote } from "./remote.ts";

type Http2 = typeof import("node:http2");
type Session = ReturnType<Http2["connect"]>;
type Call = ReturnType<Session["request"]>;
type Headers = Readonly<Record<string, string | string[] | number | undefined>>;

/** The status codes that are told apart here. */
export const CANCELLED = 1;
export const DEADLINE_EXCEEDED = 4;
export const PERMISSION_DENIED = 7;
export const RESOURCE_EXHAUSTED = 8;
export const UNIMPLEMENTED = 12;
export const INTERNAL = 13;
export const UNAVAILABLE = 14;
export const UNAUTHENTICATED = 16;

export class GrpcError extends Error {
  override readonly name = "GrpcError";
  readonly code: number;
  /** The message google.rpc.Status, where the server sent one. */
  readonly details: Uint8Array | undefined;
  /** Whether the connection failed, and not the call. */
  readonly transport: boolean;

  constructor(code: number, message: string, details?: Uint8Array, transport = false) {
    super(message);
    this.code = code;
    this.details = details;
    this.transport = transport;
  }
}

export interface Channel {
  /** One message for one message. */
  unary(path: string, request: Uint8Array, milliseconds: number): Promise<Uint8Array>;
  /** Messages as they are asked for; what is not asked for waits on the server. */
  stream(path: string, request: Uint8Array): AsyncGenerator<Uint8Array, void, undefined>;
  close(): void;
}

/** How long a connection may take to come up, and a ping to be answered. */
const CONNECT_MILLISECONDS = 20_000;
/** A server of gRPC by default hangs up on pings that come more often than every five minutes. */
const PING_MILLISECONDS = 360_000;
/** What may be on its way of one answer, and of all of them, before it was asked for. */
const STREAM_WINDOW = 4 << 20;
const SESSION_WINDOW = 16 << 20;

export function openChannel(remote: SparkRemote): Channel {
  const http2 = nodeModule<Http2>("http2");
  if (http2 === undefined) throw optionError("the engine spark needs Node (it speaks HTTP/2 by itself)");
  const host = remote.host.includes(":") ? `[${remote.host}]` : remote.host;
  const authority = `${remote.tls ? "https" : "http"}://${host}:${remote.port}`;
  const headers = {
    ":method": "POST",
    "content-type": "application/grpc",
    te: "trailers",
    "user-agent": remote.userAgent,
    ...(remote.token !== undefined && { authorization: `Bearer ${remote.token}` }),
    ...remote.metadata,
  };
  let closed = false;
  let current: Promise<Connection> | undefined;
  const connected = async (): Promise<Connection> => {
    for (;;) {
      if (closed) throw new GrpcError(CANCELLED, "the engine is closed");
      const opening = (current ??= connect(http2, authority));
      const connection = await opening.catch((error: unknown) => {
        if (current === opening) current = undefined;
        throw error;
      });
      // After GOAWAY a session still ends what it has begun, but begins nothing new.
      if (connection.usable()) return connection;
      if (current === opening) current = undefined;
    }
  };
  const begin = async (path: string, request: Uint8Array, more?: Headers): Promise<Call> => {
    const connection = await connected();
    try {
      const call = connection.request({ ...headers, ":path": path, ...more });
      call.end(framed(request));
      return call;
    } catch (error) {
      throw transportError(error);
    }
  };
  return {
    async *stream(path, request) {
      yield* messagesOf(await begin(path, request), remote.maxMessageSize);
    },
    async unary(path, request, milliseconds) {
      const call = await begin(path, request, { "grpc-timeout": `${milliseconds}m` });
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        call.close(http2.constants.NGHTTP2_CANCEL);
      }, milliseconds);
      try {
        let answer: Uint8Array | undefined;
        for await (const message of messagesOf(call, remote.maxMessageSize)) answer = message;
        if (answer === undefined) throw new GrpcError(INTERNAL, "the server sent no answer");
        return answer;
      } catch (error) {
        if (!late) throw error;
        throw new GrpcError(DEADLINE_EXCEEDED, `no answer within ${milliseconds / 1000} s`, undefined, true);
      } finally {
        clearTimeout(timer);
      }
    },
    close() {
      closed = true;
      current?.then(
        (connection) => connection.close(),
        () => undefined,
      );
    },
  };
}

interface Connection {
  usable(): boolean;
  request(headers: Headers): Call;
  /** Once the calls that are open have ended. */
  close(): void;
}

function connect(http2: Http2, authority: string): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const session = http2.connect(authority, {
      settings: { initialWindowSize: STREAM_WINDOW, enablePush: false },
      maxSessionMemory: 1024,
    });
    const timer = setTimeout(() => {
      session.destroy(new Error(`no connection within ${CONNECT_MILLISECONDS / 1000} s`));
    }, CONNECT_MILLISECONDS);
    // The listener stays: what happens to a session also happens to its calls, which tell it.
    session.on("error", (error) => reject(transportError(error)));
    session.once("close", () => {
      clearTimeout(timer);
      reject(transportError(new Error("the connection was closed")));
    });
    session.once("connect", (_, socket) => {
      if ("setKeepAlive" in socket) socket.setKeepAlive(true, 30_000);
    });
    // The settings of the other side come first in HTTP/2: without them it speaks something else.
    session.once("remoteSettings", () => {
      clearTimeout(timer);
      session.setLocalWindowSize(SESSION_WINDOW);
      resolve(connectionOf(session));
    });
  });
}

/** Pings while calls are open, so that a line that fell silent is noticed; lets the process end while none is. */
function connectionOf(session: Session): Connection {
  let calls = 0;
  session.unref();
  const timer = setInterval(() => {
    if (calls === 0 || session.destroyed) return;
    const dead = setTimeout(() => session.destroy(new Error("the line is dead")), CONNECT_MILLISECONDS);
    session.ping(() => clearTimeout(dead));
  }, PING_MILLISECONDS);
  timer.unref();
  session.once("close", () => clearInterval(timer));
  return {
    usable: () => !session.closed && !session.destroyed,
    close: () => session.close(),
    request(headers) {
      const call = session.request(headers);
      if (calls++ === 0) session.ref();
      call.once("close", () => {
        if (--calls === 0) session.unref();
      });
      return call;
    },
  };
}

function framed(message: Uint8Array): Uint8Array {
  const frame = new Uint8Array(5 + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, 5);
  return frame;
}

/** The messages of an answer; ends well only if the status is 0. Whoever leaves it cancels the call. */
async function* messagesOf(call: Call, maxMessageSize: number): AsyncGenerator<Uint8Array, void, undefined> {
  let head: Headers | undefined;
  let tail: Headers | undefined;
  let failure: Error | undefined;
  const done = new Promise<void>((resolve) => call.once("close", resolve));
  call.on("response", (headers) => (head = headers as Headers));
  call.on("trailers", (headers) => (tail = headers as Headers));
  call.on("error", (error) => (failure ??= error));
  try {
    const frames = deframer(maxMessageSize);
    try {
      for await (const chunk of call) yield* frames.push(chunk as Uint8Array);
    } catch (error) {
      if (error instanceof GrpcError) throw error;
      failure ??= error as Error;
    }
    if (tail === undefined) await done;
    const status = tail?.["grpc-status"] ?? head?.["grpc-status"];
    if (status === undefined)
      throw head === undefined ? transportError(failure) : withoutStatus(head, failure);
    if (Number(status) !== 0) throw statusError(tail?.["grpc-status"] === undefined ? head! : tail);
    if (frames.pending()) throw transportError(new Error("the answer ends in the middle of a message"));
  } finally {
    if (!call.closed) call.close(8 /* CANCEL */);
  }
}

/** Puts the messages together that come in pieces of any size. */
function deframer(maxMessageSize: number): {
  push(chunk: Uint8Array): Generator<Uint8Array>;
  pending(): boolean;
} {
  const prefix = new Uint8Array(5);
  let prefixed = 0;
  let message: Uint8Array | undefined;
  let filled = 0;
  return {
    *push(chunk) {
      for (let at = 0; at < chunk.length;) {
        if (message === undefined) {
          const taken = Math.min(5 - prefixed, chunk.length - at);
          prefix.set(chunk.subarray(at, at + taken), prefixed);
          prefixed += taken;
          at += taken;
          if (prefixed < 5) return;
          if (prefix[0] !== 0) throw new GrpcError(INTERNAL, "the server sent a compressed message unasked");
          const length = new DataView(prefix.buffer).getUint32(1);
          if (length > maxMessageSize) {
            throw new GrpcError(
              RESOURCE_EXHAUSTED,
              `a message of ${length} bytes is longer than grpc_max_message_size=${maxMessageSize}`,
            );
          }
          message = new Uint8Array(length);
          filled = 0;
        }
        const taken = Math.min(message.length - filled, chunk.length - at);
        message.set(chunk.subarray(at, at + taken), filled);
        filled += taken;
        at += taken;
        if (filled === message.length) {
          yield message;
          message = undefined;
          prefixed = 0;
        }
      }
    },
    pending: () => message !== undefined || prefixed > 0,
  };
}

function statusError(headers: Headers): GrpcError {
  const details = headers["grpc-status-details-bin"];
  return new GrpcError(
    Number(headers["grpc-status"]),
    percentDecoded(String(headers["grpc-message"] ?? "")),
    typeof details === "string" ? fromBase64(details) : undefined,
  );
}

/** What HTTP itself says, as gRPC wants it understood ("HTTP to gRPC status code mapping"). */
function withoutStatus(head: Headers, failure: Error | undefined): GrpcError {
  const status = Number(head[":status"]);
  const type = String(head["content-type"] ?? "");
  if (status === 200 && type.startsWith("application/grpc")) return transportError(failure);
  const codes: Readonly<Record<number, number>> = {
    401: UNAUTHENTICATED,
    403: PERMISSION_DENIED,
    404: UNIMPLEMENTED,
    429: UNAVAILABLE,
    502: UNAVAILABLE,
    503: UNAVAILABLE,
    504: UNAVAILABLE,
  };
  return new GrpcError(
    status === 200 ? UNIMPLEMENTED : (codes[status] ?? UNIMPLEMENTED),
    `HTTP status ${status}`,
  );
}

function transportError(error: unknown): GrpcError {
  if (error instanceof GrpcError) return error;
  const { code, message } = (error ?? {}) as { code?: string; message?: string };
  return new GrpcError(
    UNAVAILABLE,
    REASONS[code ?? ""] ?? message ?? "the connection broke",
    undefined,
    true,
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name of the host cannot be looked up now",
  EHOSTUNREACH: "the host cannot be reached",
  ERR_STREAM_PREMATURE_CLOSE: "the connection broke",
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "its certificate is self-signed (name the file of the authority in NODE_EXTRA_CA_CERTS)",
  SELF_SIGNED_CERT_IN_CHAIN:
    "the authority of its certificate is not known (name its file in NODE_EXTRA_CA_CERTS)",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "the authority of its certificate is not known (name its file in NODE_EXTRA_CA_CERTS)",
  ERR_SSL_WRONG_VERSION_NUMBER: "what answers there does not speak TLS (use_ssl=false)",
  ERR_HTTP2_ERROR: "what answers there does not speak gRPC",
  CERT_HAS_EXPIRED: "its certificate has expired",
};

/** The bytes of grpc-message are UTF-8, those outside printable ASCII percent-encoded; wrong escapes stay as they are. */
function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, "%25"));
  } catch {
    return text;
  }
}

function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array(0);
  }
}
