/** The messages of gRPC in the body of a request or an answer: five bytes, then the message. */
import { GrpcError, INTERNAL, RESOURCE_EXHAUSTED } from "./grpcStatus.ts";

export function framed(message: Uint8Array): Uint8Array {
  const frame = new Uint8Array(5 + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, 5);
  return frame;
}

/** Joins messages that arrive in pieces of any size. */
export function deframer(maxMessageSize: number): {
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
