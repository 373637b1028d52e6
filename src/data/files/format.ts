import { fileError, inputError, nodeModule, option } from "../../core/internal.ts";
import { unpackingRoom } from "./budget.ts";
import { chunkReader, type ByteReader } from "./bytes.ts";
import type { Format } from "../table.ts";

/** Number of bytes that decide the format. */
export const HEAD: number = 1 << 16;

const EXTENSIONS: Readonly<Record<string, Format>> = {
  csv: "csv",
  tsv: "tsv",
  tab: "tsv",
  json: "json",
  ndjson: "ndjson",
  jsonl: "ndjson",
  parquet: "parquet",
  pq: "parquet",
  arrow: "arrow",
  arrows: "arrow",
  feather: "arrow",
  ipc: "arrow",
  libsvm: "libsvm",
  svm: "libsvm",
  svmlight: "libsvm",
};

/**
 * The format by its magic bytes, otherwise by the extension of the name, otherwise by the beginning of the
 * text.
 */
export function detectFormat(head: Uint8Array, name: string): Format {
  if (startsWith(head, "PAR1")) return "parquet";
  if (startsWith(head, "ARROW1")) return "arrow";
  refuseOthers(head, name);
  const extension = /\.([a-z0-9]+)$/i.exec(name.replace(/\.gz$/i, ""))?.[1]?.toLowerCase();
  const known = extension === undefined ? undefined : EXTENSIONS[extension];
  if (known === "parquet") throw inputError(`${name} is not a Parquet file (it does not begin with PAR1)`);
  if (known === "arrow") return known;
  const isStream = head.length >= 8 && head.subarray(0, 4).every((byte) => byte === 0xff);
  if (known === undefined && isStream) return "arrow"; // a stream's first message
  if (isNoText(head)) {
    throw inputError(
      `${name} is not text, and no other kind of file that can be read; export the table as CSV`,
    );
  }
  return known ?? textFormat(new TextDecoder().decode(head));
}

/**
 * Whether control characters of many kinds, or zeros, make the bytes something else than text. Text in which
 * fields end with a control character has few kinds of them, and stray ones are rare.
 */
function isNoText(head: Uint8Array): boolean {
  if (isUtf16(head)) return false;
  const kinds = new Set<number>();
  let controls = 0;
  let zeros = 0;
  for (const byte of head) {
    if (byte >= 32 || (byte >= 9 && byte <= 13) || byte === ESCAPE) continue;
    controls++;
    kinds.add(byte);
    if (byte === 0) zeros++;
  }
  return zeros > 0.25 * head.length || (kinds.size >= 6 && controls > 0.01 * head.length);
}

const ESCAPE = 27;

/** By its byte order mark; it has zeros in place of text. */
function isUtf16(head: Uint8Array): boolean {
  return (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
}

function textFormat(text: string): Format {
  const [first, second = ""] = text.replace(/^\uFEFF?\s*/, "").split(/\s*\n\s*/, 2);
  if (/^[[{]/.test(first)) return isJson(first) && /^\s*[[{]/.test(second) ? "ndjson" : "json";
  return /^\S+(?: +\d+:[^\s:,;]+)+ *(?:#.*)?$/.test(first) ? "libsvm" : "csv";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The beginning of a file that `kindred cluster --model` writes. */
const MODEL = /^\s*\{\s*"kindred":\s*["\d.]+,\s*"kind":\s*"/;

/** Files that are often passed instead of a table. */
function refuseOthers(head: Uint8Array, name: string): void {
  const kinds: readonly (readonly [string, string])[] = [
    [
      "\u0093NUMPY",
      `an array of NumPy, which is read as columns: by readTable, on the command line without ${option("strict")}`,
    ],
    ["PK\u0003\u0004", "a zip archive (a spreadsheet, perhaps); unpack it, or save the table as CSV"],
    ["\u0028\u00b5\u002f\u00fd", "compressed by zstd; unpack it, or use gzip"],
    ["BZh", "compressed by bzip2; unpack it, or use gzip"],
    ["\u00fd7zXZ", "compressed by xz; unpack it, or use gzip"],
    ["\u00d0\u00cf\u0011\u00e0", "a spreadsheet; save the table as CSV"],
    ["%PDF", "a PDF document; save the table as CSV"],
    ["\u0089PNG", "an image; a table is needed"],
    ["\u00ff\u00d8\u00ff", "an image; a table is needed"],
    ["SQLite format 3", "an SQLite database; export the table as CSV"],
    ["\u0089HDF", "an HDF5 file; export the table as CSV"],
  ];
  for (const [magic, kind] of kinds) if (startsWith(head, magic)) throw inputError(`${name} is ${kind}`);
  const start = new TextDecoder().decode(head.subarray(0, 100)).trimStart();
  if (/^<(?:!doctype html|html)\b/i.test(start)) {
    throw inputError(`${name} is a page of the web, not a table; was it downloaded without signing in?`);
  }
  if (/^<\?xml\b/i.test(start)) throw inputError(`${name} is an XML document; export the table as CSV`);
  if (MODEL.test(start)) {
    throw inputError(`${name} is a model; kindred apply takes it together with a table`);
  }
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  if (bytes.length < text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[i] !== text.charCodeAt(i)) return false;
  return true;
}

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
