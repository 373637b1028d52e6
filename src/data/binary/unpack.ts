/**
 * Decoders of compressed buffers, each for the number of bytes that the file declares. If Node has its own
 * decoder it is used: it is faster, and stops at the given length. Browsers use those of hyparquet.
 */
import type { Compressors } from "hyparquet";
import { compressors, decompressZstd } from "hyparquet-compressors";
import { KindredError } from "../../core/index.ts";
import { inOneLine, nodeModule } from "../../core/internal.ts";

type Unpack = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Uint8Array;

interface Zlib {
  readonly gunzipSync: Unpack;
  readonly brotliDecompressSync: Unpack;
  /** From Node 22.15 on. */
  readonly zstdDecompressSync?: Unpack;
}

const zlib = nodeModule<Zlib>("zlib");

/** Unpacks a Zstandard frame into `room` and returns the part that was filled. */
export function unpackZstd(bytes: Uint8Array, room: Uint8Array): Uint8Array {
  const unpack = zlib?.zstdDecompressSync;
  return unpack === undefined ? decompressZstd(bytes, room) : into(room, bounded(unpack, bytes, room.length));
}

/** The codecs of Parquet pages. */
export const pageCodecs: Compressors = {
  ...compressors,
  ZSTD: (bytes, length) => unpackZstd(bytes, new Uint8Array(length)),
  ...(zlib && {
    GZIP: (bytes: Uint8Array, length: number) => bounded(zlib.gunzipSync, bytes, length),
    BROTLI: (bytes: Uint8Array, length: number) => bounded(zlib.brotliDecompressSync, bytes, length),
  }),
};

function bounded(unpack: Unpack, bytes: Uint8Array, length: number): Uint8Array {
  if (bytes.length === 0) return new Uint8Array(0);
  try {
    return unpack(bytes, { maxOutputLength: Math.max(1, length) });
  } catch {
    throw new Error("compressed data are damaged, or longer than they declare");
  }
}

function into(room: Uint8Array, bytes: Uint8Array): Uint8Array {
  room.set(bytes);
  return room.subarray(0, bytes.length);
}

/** Errors of a decoder say little about the file; this says what is wrong. */
export function damage(source: string, format: "Arrow" | "Parquet", error: unknown): Error {
  if (error instanceof KindredError) return error;
  const { message, constructor } = error as Error;
  const told = constructor === Error ? inOneLine(message) : "the data are damaged";
  return new KindredError("input", `${source} cannot be read as ${format}: ${told}`, {}, { cause: error });
}

/**
 * Maximum number of bytes for each compressed byte of a page, by the format of the codec; a page that
 * declares more is damaged.
 */
export const MOST_PER_BYTE: Readonly<Record<string, number>> = {
  UNCOMPRESSED: 1,
  SNAPPY: 64,
  GZIP: 1032,
  LZ4: 256,
  LZ4_RAW: 256,
  ZSTD: 2 ** 17,
};

/**
 * Unpacks an LZ4 frame, the default compression of Feather files, into `output`; returns the filled part.
 * Blocks of a frame may refer to the 64 kB before them, so all are unpacked into one output.
 *
 * Format: github.com/lz4/lz4, doc/lz4_Frame_format.md and doc/lz4_Block_format.md.
 */
export function decompressLz4Frame(bytes: Uint8Array, output: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 7 || view.getUint32(0, true) !== 0x184d2204) throw new Error("not an LZ4 frame");
  const flags = bytes[4];
  const blockChecksum = (flags & 0x10) === 0 ? 0 : 4;
  const hasSize = (flags & 0x08) !== 0;
  const hasDictionary = (flags & 0x01) !== 0;
  if (hasDictionary) throw new Error("LZ4 dictionaries are not supported");
  let p = hasSize ? 15 : 7;
  let length = 0;

  const reserve = (more: number): void => {
    if (length + more > output.length) throw new Error("the LZ4 data are longer than they declare");
  };

  const unpackBlock = (start: number, end: number): void => {
    let q = start;
    const extended = (base: number): number => {
      let count = base;
      if (base !== 15) return count;
      for (;;) {
        if (q >= end) throw new Error("the LZ4 data ends too early");
        const byte = bytes[q++];
        count += byte;
        if (byte !== 255) return count;
      }
    };
    while (q < end) {
      const token = bytes[q++];
      const literals = extended(token >> 4);
      if (q + literals > end) throw new Error("the LZ4 data ends too early");
      reserve(literals);
      output.set(bytes.subarray(q, q + literals), length);
      length += literals;
      q += literals;
      if (q === end) return; // the last sequence is literals only
      const offset = bytes[q] | (bytes[q + 1] << 8);
      q += 2;
      const match = extended(token & 15) + 4;
      if (offset === 0 || offset > length || q > end) throw new Error("the LZ4 data is damaged");
      reserve(match);
      // Source and target may overlap: copying byte by byte repeats the pattern, as the format requires.
      for (const stop = length + match; length < stop; length++) output[length] = output[length - offset];
    }
  };

  for (;;) {
    if (p + 4 > bytes.length) throw new Error("the LZ4 data ends too early");
    const header = view.getUint32(p, true);
    p += 4;
    if (header === 0) return output.subarray(0, length);
    const size = header & 0x7fffffff;
    if (p + size > bytes.length) throw new Error("the LZ4 data ends too early");
    if (header >>> 31 === 1) {
      reserve(size);
      output.set(bytes.subarray(p, p + size), length);
      length += size;
    } else {
      unpackBlock(p, p + size);
    }
    p += size + blockChecksum;
  }
}
