/**
 * gRPC over HTTP/2 ("gRPC over HTTP2" in grpc's documents) on Node's own http2: a call is a POST whose body
 * consists of messages, each with five bytes before it (compressed or not, length), and whose status comes in
 * the trailers, or in the headers if there is nothing else.
 *
 * Why not @grpc/grpc-js: with its dependencies it has some twenty packages, including protobufjs with an
 * install script, and Kindred takes no such dependency; Spark Connect only needs calls with one request.
 */
import { nodeModule, optionError } from "../../core/internal.ts";
import {
  CANCELLED,
  DEADLINE_EXCEEDED,
  GrpcError,
  INTERNAL,
  RESOURCE_EXHAUSTED,
  statusError,
  transportError,
  withoutStatus,
} from "./grpcStatus.ts";
import type { SparkRemote } from "./remote.ts";

type Http2 = typeof import("node:http2");
type Session = ReturnType<Http2["connect"]>;
type Call = ReturnType<Session["request"]>;
type Headers = Readonly<Record<string, string | string[] | number | undefined>>;

export interface Channel {
  /** One message for one message. */
  unary(path: string, request: Uint8Array, milliseconds: number): Promise<Uint8Array>;
  /** Messages on demand; the rest waits on the server. */
  stream(path: string, request: Uint8Array): AsyncGenerator<Uint8Array, void, undefined>;
  /** Cancels the open calls. */
  close(): void;
}

/** Maximum time for a connection, and for the answer to a ping. */
export const CONNECT_MILLISECONDS = 20_000;
/** By default a gRPC server disconnects on pings more frequent than every five minutes. */
const PING_MILLISECONDS = 360_000;
/** Flow control: maximum number of unrequested bytes of one answer, and of all answers. */
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
      // After GOAWAY a session finishes its open calls, but accepts no new ones.
      if (connection.usable()) return connection;
      if (current === opening) current = undefined;
    }
  };
  const begin = async (path: string, request: Uint8Array, more?: Headers): Promise<Answer> => {
    const connection = await connected();
    try {
      const answer = answerOf(connection.request({ ...headers, ":path": path, ...more }));
      answer.call.end(framed(request));
      return answer;
    } catch (error) {
      throw transportError(error);
    }
  };
  const cancel = http2.constants.NGHTTP2_CANCEL;
  const messages = (answer: Answer): AsyncGenerator<Uint8Array, void, undefined> =>
    messagesOf(answer, remote.maxMessageSize, cancel);
  return {
    async *stream(path, request) {
      yield* messages(await begin(path, request));
    },
    async unary(path, request, milliseconds) {
      let answer: Answer | undefined;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const answered = async (): Promise<Uint8Array> => {
        answer = await begin(path, request, { "grpc-timeout": `${milliseconds}m` });
        let only: Uint8Array | undefined;
        for await (const message of messages(answer)) only = message;
        if (only === undefined) throw new GrpcError(INTERNAL, "the server sent no answer");
        return only;
      };
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          const seconds = milliseconds / 1000;
          reject(new GrpcError(DEADLINE_EXCEEDED, `no answer within ${seconds} s`, undefined, true));
          answer?.call.close(cancel);
        }, milliseconds);
      });
      try {
        return await Promise.race([answered(), late]);
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
    // The listener stays: errors of a session also reach its calls, which report them.
    session.on("error", (error) => reject(transportError(error)));
    session.once("close", () => {
      clearTimeout(timer);
      reject(transportError(new Error("the connection was closed")));
    });
    session.once("connect", (_, socket) => {
      if ("setKeepAlive" in socket) socket.setKeepAlive(true, 30_000);
    });
    // The settings of the other side come first in HTTP/2: without them it is not HTTP/2.
    session.once("remoteSettings", () => {
      clearTimeout(timer);
      session.setLocalWindowSize(SESSION_WINDOW);
      resolve(connectionOf(session));
    });
  });
}

/** Pings while calls are open, to notice a dead connection; lets the process end otherwise. */
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
    close: () => session.destroy(),
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

/** The events of a call, from its beginning on. */
interface Answer {
  readonly call: Call;
  readonly done: Promise<void>;
  head?: Headers;
  tail?: Headers;
  failure?: Error;
}

function answerOf(call: Call): Answer {
  const answer: Answer = { call, done: new Promise((resolve) => call.once("close", resolve)) };
  call.on("response", (headers) => (answer.head = headers as Headers));
  call.on("trailers", (headers) => (answer.tail = headers as Headers));
  call.on("error", (error) => (answer.failure ??= error));
  return answer;
}

/** The messages of an answer; succeeds only if the status is 0. Leaving it cancels the call. */
async function* messagesOf(
  answer: Answer,
  maxMessageSize: number,
  cancel: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { call, done } = answer;
  const frames = deframer(maxMessageSize);
  try {
    try {
      for await (const chunk of call) yield* frames.push(chunk as Uint8Array);
    } catch (error) {
      if (error instanceof GrpcError) throw error;
      answer.failure ??= error as Error;
    }
    if (answer.tail === undefined) await done;
    const { head, tail, failure } = answer;
    const status = [tail, head].find((headers) => headers?.["grpc-status"] !== undefined);
    if (status === undefined)
      throw head === undefined ? transportError(failure) : withoutStatus(head, failure);
    if (Number(status["grpc-status"]) !== 0) throw statusError(status);
    if (frames.pending()) throw transportError(new Error("the answer ends in the middle of a message"));
  } finally {
    if (!call.closed) call.close(cancel);
  }
}

function framed(message: Uint8Array): Uint8Array {
  const frame = new Uint8Array(5 + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, 5);
  return frame;
}

/** Joins messages that arrive in pieces of any size. */
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
