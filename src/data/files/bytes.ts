import { bytesText, fileError, inputError, nodeModule } from "../../core/internal.ts";
import type { Source } from "../table.ts";
import { unpackingRoom } from "./budget.ts";

/** Bytes of a JSON document; a string of JavaScript cannot be much longer. */
export const LONGEST_JSON: number = 2 ** 29 - 2 ** 16;

/** Bytes in order. */
export interface ByteReader {
  /** Fills `into` from its start with at least one byte, and returns the number; 0 means the end. */
  read(into: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

/** Bytes at any position: Parquet has its directory at the end. */
export interface ByteSlices {
  readonly byteLength: number;
  slice(start: number, end?: number): Promise<ArrayBuffer>;
}

/** The part of Node's file system that is used here. */
interface FileSystem {
  open(path: string, flags: "r"): Promise<FileHandle>;
}

interface FileHandle {
  stat(): Promise<{ readonly size: number; isFile(): boolean; isDirectory(): boolean }>;
  read(into: Uint8Array, offset: number, length: number, at: number | null): Promise<{ bytesRead: number }>;
  close(): Promise<void>;
}

export interface OpenSource {
  readonly name: string;
  readonly reader: ByteReader;
  readonly slices?: ByteSlices;
  readonly byteLength?: number;
}

/** Opens the caller's source: a path, `-` or the URL of a file in Node, bytes, a Blob, or a stream of bytes. */
export async function openSource(source: Source, name: string | undefined): Promise<OpenSource> {
  if (typeof source === "string") return source === "-" ? openStandardInput(name) : openFile(source, name);
  if (source instanceof URL) return openFile(pathOf(source), name);
  const called = name ?? "the data";
  if (source instanceof Uint8Array) return openBytes(source, called);
  if (typeof Blob !== "undefined" && source instanceof Blob) {
    return {
      name: name ?? (source as Blob & { name?: string }).name ?? called,
      reader: chunkReader(source.stream(), called),
      slices: { byteLength: source.size, slice: (start, end) => source.slice(start, end).arrayBuffer() },
      byteLength: source.size,
    };
  }
  // JavaScript callers may pass anything.
  const given: unknown = source;
  if (
    typeof given !== "object" ||
    given === null ||
    !("getReader" in given || Symbol.asyncIterator in given)
  ) {
    throw inputError(
      `a source is a path, the URL of a file, bytes, a Blob, a File or a stream of bytes, got ${given === null ? "null" : Array.isArray(given) ? "an array" : typeof given}`,
    );
  }
  const chunks = source as (ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>) & { name?: string };
  const told = name ?? chunks.name ?? called;
  return { name: told, reader: chunkReader(chunks, told) };
}

/** The path of a file: URL, such as `new URL("rows.csv", import.meta.url)`. */
function pathOf(url: URL): string {
  const { fileURLToPath } = nodeModule<{ fileURLToPath(url: URL): string }>("url") ?? {};
  if (fileURLToPath === undefined || url.protocol !== "file:") {
    throw fileError(`cannot read ${url.href}: fetch it, and pass the Blob of the response`);
  }
  try {
    return fileURLToPath(url);
  } catch (error) {
    throw fileError(`cannot read ${url.href}: it does not name a file of this machine`, error);
  }
}

function openBytes(bytes: Uint8Array, name: string): OpenSource {
  const reader = putBack(bytes, { read: async () => 0, close: async () => {} });
  const slices: ByteSlices = {
    byteLength: bytes.length,
    // Node's Buffer has its own slice, which does not copy.
    slice: async (start, end) => Uint8Array.prototype.slice.call(bytes, start, end).buffer as ArrayBuffer,
  };
  return { name, reader, slices, byteLength: bytes.length };
}

/** Characters of a name that an error shows. */
const LONGEST_TOLD = 200;

async function openFile(path: string, name: string | undefined): Promise<OpenSource> {
  const fs = nodeModule<FileSystem>("fs/promises");
  if (fs === undefined) {
    throw fileError(`cannot open "${path}": paths need Node; pass bytes, a Blob or a stream instead`);
  }
  if (path === "") throw fileError("the name of the file to read is empty");
  const called = name ?? path;
  const handle = await fs.open(path, "r").catch((error: unknown) => {
    const told = called.length > LONGEST_TOLD ? `${called.slice(0, LONGEST_TOLD)}...` : called;
    throw fileError(`cannot read ${told}: ${reason(error)}`, error);
  });
  const stat = await handle.stat();
  if (stat.isDirectory()) {
    await handle.close();
    throw fileError(`cannot read ${called}: it is a folder`);
  }
  const readAt = async (into: Uint8Array, position: number | null): Promise<number> => {
    try {
      return (await handle.read(into, 0, into.length, position)).bytesRead;
    } catch (error) {
      throw fileError(`cannot read ${called}: ${reason(error)}`, error);
    }
  };
  const reader = readAhead(
    (into) => readAt(into, null),
    () => handle.close(),
  );
  if (!stat.isFile()) return { name: called, reader }; // a pipe has no places to go to
  const slice = async (start: number, end: number = stat.size): Promise<ArrayBuffer> => {
    const into = new Uint8Array(end - start);
    let length = 0;
    while (length < into.length) {
      const count = await readAt(into.subarray(length), start + length);
      if (count === 0) throw fileError(`cannot read ${called}: it ends at byte ${start + length}`);
      length += count;
    }
    return into.buffer;
  };
  return { name: called, reader, slices: { byteLength: stat.size, slice }, byteLength: stat.size };
}

/** Reads from chunks of any size; undefined ends them. */
function readerOf(next: () => Promise<Uint8Array | undefined>, close: () => Promise<void>): ByteReader {
  let rest: Uint8Array = new Uint8Array(0);
  return {
    async read(into) {
      while (rest.length === 0) {
        const chunk = await next();
        if (chunk === undefined) return 0;
        rest = chunk;
      }
      const part = rest.subarray(0, into.length);
      into.set(part);
      rest = rest.subarray(part.length);
      return part.length;
    },
    close,
  };
}

/** Reads the next part of a file while the last one is in use. */
function readAhead(read: (into: Uint8Array) => Promise<number>, close: () => Promise<void>): ByteReader {
  let [free, inUse] = [new Uint8Array(1 << 20), new Uint8Array(1 << 20)];
  let pending: Promise<number> | undefined;
  const next = async (): Promise<Uint8Array | undefined> => {
    const length = await (pending ?? read(free));
    [free, inUse] = [inUse, free];
    if (length === 0) return undefined;
    pending = read(free);
    pending.catch(() => {}); // reported by the read that waits for it
    return inUse.subarray(0, length);
  };
  return readerOf(next, async () => {
    await pending?.catch(() => {});
    await close();
  });
}

function openStandardInput(name: string | undefined): OpenSource {
  const host = globalThis as { process?: { stdin?: AsyncIterable<Uint8Array> } };
  const input = nodeModule("process") === undefined ? undefined : host.process?.stdin;
  if (input === undefined) throw fileError(`"-" is standard input, which only Node has`);
  const called = name ?? "standard input";
  return { name: called, reader: chunkReader(input, called) };
}

/**
 * Reads from the chunks of a stream or an iterable.
 *
 * @param below the reader that they come from
 */
export function chunkReader(
  chunks: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
  name: string,
  below?: ByteReader,
): ByteReader {
  const stream = "getReader" in chunks ? chunks.getReader() : undefined;
  const iterator = "getReader" in chunks ? undefined : chunks[Symbol.asyncIterator]();
  const read = async (): Promise<{ done?: boolean; value?: unknown }> =>
    stream === undefined ? iterator!.next() : stream.read();
  const next = async (): Promise<Uint8Array | undefined> => {
    const result = await read().catch((error: unknown) => {
      throw fileError(`cannot read ${name}: ${reason(error)}`, error);
    });
    if (result.done === true) return undefined;
    if (result.value instanceof Uint8Array) return result.value;
    throw fileError(`cannot read ${name}: the stream gives ${typeof result.value}, not bytes`);
  };
  return readerOf(next, async () => {
    await stream?.cancel().catch(() => {});
    await iterator?.return?.();
    await below?.close();
  });
}

/** The bytes of a reader in parts that belong to the caller. */
export async function* partsOf(reader: ByteReader): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (;;) {
    const part = new Uint8Array(PART);
    const count = await reader.read(part);
    if (count === 0) return;
    yield part.subarray(0, count);
  }
}

export const PART: number = 1 << 16;

/** The reader with `head`, which was read from it, put back in front. */
export function putBack(head: Uint8Array, reader: ByteReader): ByteReader {
  const unread = [head];
  const front = readerOf(
    async () => unread.pop(),
    () => reader.close(),
  );
  return { ...front, read: async (into) => (await front.read(into)) || reader.read(into) };
}

/** Up to `count` bytes from the front. */
export async function readHead(reader: ByteReader, count: number): Promise<Uint8Array> {
  const head = new Uint8Array(count);
  let length = 0;
  while (length < count) {
    const got = await reader.read(head.subarray(length));
    if (got === 0) break;
    length += got;
  }
  return head.subarray(0, length);
}

/** @param limit maximum number of unpacked bytes; more are an error */
export async function readAll(
  reader: ByteReader,
  name: string,
  limit: number = Infinity,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const part = await readHead(reader, Math.min(1 << 26, Math.max(PART, length)));
    if (part.length === 0) break;
    parts.push(part);
    length += part.length;
    if (length > limit) {
      throw inputError(
        `${name} is longer than ${bytesText(limit)}, which is too much to be read at once; ` +
          "CSV, NDJSON, Parquet and Arrow are read in parts",
      );
    }
  }
  try {
    return joinedBytes(parts);
  } catch (error) {
    throw fileError(`${name}: ${length} bytes do not fit into memory at once`, error);
  }
}

export function joinedBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** A source that calls `count` with the number of bytes whenever some were read. */
export function counted(
  { reader, slices }: Pick<OpenSource, "reader" | "slices">,
  count: (bytes: number) => void,
): Pick<OpenSource, "reader" | "slices"> {
  return {
    reader: {
      async read(into) {
        const got = await reader.read(into);
        count(got);
        return got;
      },
      close: () => reader.close(),
    },
    ...(slices && {
      slices: {
        byteLength: slices.byteLength,
        async slice(start, end) {
          const got = await slices.slice(start, end);
          count(got.byteLength);
          return got;
        },
      },
    }),
  };
}

/** The reason of the system's refusal, in words. */
export function reason(error: unknown): string {
  const { code = "", message } = error as { code?: string; message?: string };
  return (Object.hasOwn(REASONS, code) ? REASONS[code] : message) ?? String(error);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is a file, not a folder",
  ENAMETOOLONG: "its name is too long",
  ELOOP: "its links lead in a circle",
  ENXIO: "there is no such device",
  ENODEV: "there is no such device",
  EIO: "the system cannot read it",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
};

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
