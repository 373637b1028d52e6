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
