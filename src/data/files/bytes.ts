import type { OnProgress } from "../../core/index.ts";
import { bytesText, fileError, inputError, nodeModule, progressGate } from "../../core/internal.ts";
import type { Source } from "../table.ts";

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

/** Reads the next part of a file while the last one is in use. */
function readAhead(read: (into: Uint8Array) => Promise<number>, close: () => Promise<void>): ByteReader {
  let current = new Uint8Array(1 << 20);
  let next = new Uint8Array(current.length);
  let length = 0;
  let at = 0;
  let pending: Promise<number> | undefined;
  return {
    async read(into) {
      if (at === length) {
        length = await (pending ?? read(next));
        pending = undefined;
        at = 0;
        if (length === 0) return 0;
        [current, next] = [next, current];
        pending = read(next);
        pending.catch(() => {}); // reported by the read that waits for it
      }
      const part = current.subarray(at, Math.min(length, at + into.length));
      into.set(part);
      at += part.length;
      return part.length;
    },
    async close() {
      await pending?.catch(() => {});
      await close();
    },
  };
}

function openStandardInput(name: string | undefined): OpenSource {
  const host = globalThis as { process?: { stdin?: AsyncIterable<Uint8Array> } };
  const input = nodeModule("process") === undefined ? undefined : host.process?.stdin;
  if (input === undefined) throw fileError(`"-" is standard input, which only Node has`);
  const called = name ?? "standard input";
  return { name: called, reader: chunkReader(input, called) };
}

/** Reads from chunks of any size, a stream's or an iterable's. */
export function chunkReader(
  chunks: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
  name: string,
): ByteReader {
  const next = chunkSource(chunks);
  let chunk: Uint8Array = new Uint8Array(0);
  let at = 0;
  return {
    async read(into) {
      while (at === chunk.length) {
        const result = await next.next().catch((error: unknown) => {
          throw fileError(`cannot read ${name}: ${reason(error)}`, error);
        });
        if (result.done === true) return 0;
        if (!(result.value instanceof Uint8Array)) {
          throw fileError(`cannot read ${name}: the stream gives ${typeof result.value}, not bytes`);
        }
        chunk = result.value;
        at = 0;
      }
      const part = chunk.subarray(at, at + into.length);
      into.set(part);
      at += part.length;
      return part.length;
    },
    close: () => next.close(),
  };
}

interface ChunkSource {
  next(): Promise<{ done?: boolean; value?: Uint8Array }>;
  close(): Promise<void>;
}

function chunkSource(chunks: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>): ChunkSource {
  if ("getReader" in chunks) {
    const reader = chunks.getReader();
    return { next: () => reader.read(), close: () => reader.cancel().catch(() => {}) };
  }
  const iterator = chunks[Symbol.asyncIterator]();
  return {
    next: async () => (await iterator.next()) as { done?: boolean; value?: Uint8Array },
    close: async () => {
      await iterator.return?.();
    },
  };
}

/** The reader with `head`, which was read from it, put back in front. */
export function putBack(head: Uint8Array, reader: ByteReader): ByteReader {
  let at = 0;
  return {
    read: async (into) => {
      if (at === head.length) return reader.read(into);
      const part = head.subarray(at, at + into.length);
      into.set(part);
      at += part.length;
      return part.length;
    },
    close: () => reader.close(),
  };
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
    const part = await readHead(reader, Math.min(1 << 26, Math.max(1 << 16, length)));
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
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  } catch (error) {
    throw fileError(`${name}: ${length} bytes do not fit into memory at once`, error);
  }
}

/** Reports the bytes read to `onProgress`; if it asks to stop, reading fails with an error that says so. */
export function watched(
  open: OpenSource,
  onProgress: OnProgress | undefined,
): Pick<OpenSource, "reader" | "slices"> {
  if (onProgress === undefined) return open;
  const gate = progressGate(onProgress);
  let bytes = 0;
  const count = (more: number): void => {
    bytes += more;
    const fraction = open.byteLength === undefined ? 0 : Math.min(1, bytes / open.byteLength);
    if (!gate({ fraction, label: `reading ${open.name}` }))
      throw fileError(`reading ${open.name} was stopped`);
  };
  const { reader, slices } = open;
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
  const { code, message } = error as { code?: string; message?: string };
  switch (code) {
    case "ENOENT":
      return "there is no such file";
    case "EACCES":
    case "EPERM":
      return "permission denied";
    case "EISDIR":
      return "it is a folder";
    case "ENOTDIR":
      return "a part of its path is a file, not a folder";
    case "ENAMETOOLONG":
      return "its name is too long";
    case "ELOOP":
      return "its links lead in a circle";
    case "ENXIO":
    case "ENODEV":
      return "there is no such device";
    case "EIO":
      return "the system cannot read it";
    case "EMFILE":
    case "ENFILE":
      return "too many files are open";
    default:
      return message ?? String(error);
  }
}
