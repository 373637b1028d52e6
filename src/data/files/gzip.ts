import { fileError, nodeModule } from "../../core/internal.ts";
import { unpackingRoom } from "./budget.ts";
import { chunkReader, counted, PART, partsOf, type ByteReader } from "./bytes.ts";

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
  const packed = partsOf(counted({ reader }, room.count).reader);
  const unpacked = chunkReader(gunzipped(packed), name, reader);
  return {
    ...unpacked,
    async read(into) {
      const got = await unpacked.read(into).catch((error: unknown) => {
        throw fileError(`cannot unpack ${name}: the gzip data is damaged or ends too early`, error);
      });
      room.require((length += got), name);
      return got;
    },
  };
}

/** Node's own decoder if there is one: a DecompressionStream refuses a file of several members. */
function gunzipped(
  packed: AsyncIterator<Uint8Array<ArrayBuffer>> & AsyncIterable<Uint8Array>,
): ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> {
  const zlib = nodeModule<typeof import("node:zlib")>("zlib");
  const stream = nodeModule<typeof import("node:stream")>("stream");
  if (zlib === undefined || stream === undefined) {
    const bytes = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        const { done, value } = await packed.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
    });
    return bytes.pipeThrough(new DecompressionStream("gzip"));
  }
  const unpack = zlib.createGunzip({ chunkSize: PART });
  // An error on the way ends the decoder with that error, which the reader gets.
  stream.pipeline(packed, unpack, () => {});
  return unpack;
}
