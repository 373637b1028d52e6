import { fileError, nodeModule } from "../../core/internal.ts";
import { unpackingRoom } from "./budget.ts";
import { chunkReader, type ByteReader } from "./bytes.ts";

export function isGzip(head: Uint8Array): boolean {
  return head.length >= 2 && head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Unpacks gzip; a file that ends early or fails its checksum is an error that names it, and so is one that
 * unpacks to far more than text and numbers would.
 */
export function gunzip(reader: ByteReader, name: string, floor?: number): ByteReader {
  const room = unpackingRoom(floor);
  let length = 0;
  const unpacked = chunkReader(gunzipped(parts(reader, room.count)), name);
  return {
    async read(into) {
      const got = await unpacked.read(into).catch((error: unknown) => {
        throw fileError(`cannot unpack ${name}: the gzip data is damaged or ends too early`, error);
      });
      room.require((length += got), name);
      return got;
    },
    async close() {
      await unpacked.close();
      await reader.close();
    },
  };
}

/** Node's own decoder if there is one: a DecompressionStream refuses a file of several members. */
function gunzipped(
  packed: AsyncIterable<Uint8Array>,
): ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> {
  const zlib = nodeModule<typeof import("node:zlib")>("zlib");
  const stream = nodeModule<typeof import("node:stream")>("stream");
  if (zlib === undefined || stream === undefined) {
    const next = packed[Symbol.asyncIterator]();
    const bytes = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        const { done, value } = await next.next();
        if (done === true) controller.close();
        else controller.enqueue(value as Uint8Array<ArrayBuffer>);
      },
    });
    return bytes.pipeThrough(new DecompressionStream("gzip"));
  }
  const unpack = zlib.createGunzip({ chunkSize: PART });
  // An error on the way ends the decoder with that error, which the reader gets.
  stream.pipeline(packed, unpack, () => {});
  return unpack;
}

const PART = 1 << 16;

async function* parts(reader: ByteReader, note: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for (;;) {
    const part = new Uint8Array(PART);
    const count = await reader.read(part);
    if (count === 0) return;
    note(count);
    yield part.subarray(0, count);
  }
}
