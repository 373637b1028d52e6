import { inputError } from "../../core/internal.ts";
import type { CellOptions, RawTable } from "../cells/rawColumn.ts";
import { csvBatches } from "../text/csvBatches.ts";
import { LONGEST_JSON, readAll } from "./bytes.ts";
import type { OpenCells } from "./openCells.ts";

/** A format of files: how it is named, recognised and read. */
export interface FormatEntry {
  readonly extensions: readonly string[];
  /** The first bytes. */
  readonly magic?: string;
  /** Whether its bytes are text, in any encoding. */
  readonly isText?: boolean;
  /** Whether rows are read before the end of the file. */
  readonly streams?: boolean;
  /** The options that only some formats have. */
  readonly options?: readonly string[];
  /** Reads the cells of a part after the other; absent: the file is read at once. */
  read?(open: OpenCells, options: CellOptions, most: number): AsyncGenerator<RawTable, void, undefined>;
  whole?(bytes: Uint8Array, name: string, options: CellOptions): Promise<RawTable>;
  /** Bytes of a file that is read at once, at most; absent: as many as the memory takes. */
  limit?(): number;
}

const LAYOUT = ["delimiter", "encoding", "header"];
const NPY = "\u0093NUMPY";
const ZIP = "PK\u0003\u0004";

/** Every format that is read, with the code that reads it. */
const ENTRIES = {
  csv: {
    extensions: ["csv"],
    isText: true,
    streams: true,
    options: LAYOUT,
    read: ({ reader, name, byteLength }, options, most) =>
      csvBatches(reader, name, options, most, byteLength),
  },
  tsv: {
    extensions: ["tsv", "tab"],
    isText: true,
    streams: true,
    options: LAYOUT,
    read: ({ reader, name, byteLength }, options, most) =>
      csvBatches(reader, name, { delimiter: "\t", ...options }, most, byteLength),
  },
  json: {
    extensions: ["json"],
    isText: true,
    whole: async (...given) => (await import("../json/jsonCells.ts")).jsonCells(...given),
    // A module that waits for this one holds the number.
    limit: () => LONGEST_JSON,
  },
  ndjson: {
    extensions: ["ndjson", "jsonl"],
    isText: true,
    streams: true,
    async *read({ reader, name }, options, most) {
      const { ndjsonBatches } = await import("../json/jsonCells.ts");
      yield* ndjsonBatches(reader, name, options, most);
    },
  },
  parquet: {
    extensions: ["parquet", "pq"],
    magic: "PAR1",
    streams: true,
    async *read({ reader, slices, name }, options, most) {
      const { parquetCells } = await import("../binary/parquetCells.ts");
      const { buffer } = slices === undefined ? await readAll(reader, name, options.memory) : {};
      const whole = buffer && {
        byteLength: buffer.byteLength,
        slice: async (start: number, end?: number) => buffer.slice(start, end),
      };
      yield* parquetCells(slices ?? whole!, name, options, most);
    },
  },
  arrow: {
    extensions: ["arrow", "arrows", "feather", "ipc"],
    magic: "ARROW1",
    streams: true,
    async *read({ reader, name }, options, most) {
      yield* (await import("../binary/arrowCells.ts")).arrowCells(reader, name, options, most);
    },
  },
  npy: {
    extensions: ["npy"],
    magic: NPY,
    whole: async (...given) => (await import("../binary/npyCells.ts")).npyCells(...given),
  },
  npz: {
    extensions: ["npz"],
    whole: async (...given) => (await import("../binary/npyCells.ts")).npzCells(...given),
  },
  xlsx: {
    extensions: ["xlsx"],
    options: ["header", "sheet"],
    whole: async (...given) => (await import("../binary/xlsxCells.ts")).xlsxCells(...given),
  },
  libsvm: {
    extensions: ["libsvm", "svm", "svmlight"],
    isText: true,
    options: ["features"],
    // oxlint-disable-next-line require-yield
    async *read({ name }) {
      throw inputError(
        `${name} is LIBSVM, a sparse table of numbers without names; it is read by readNumbers, not as columns`,
        { code: "libsvm" },
      );
    },
  },
} satisfies Record<string, FormatEntry>;

export type Format = keyof typeof ENTRIES;
export const formats: Readonly<Record<Format, FormatEntry>> = ENTRIES;
export const FORMATS: readonly Format[] = Object.keys(ENTRIES) as Format[];
/** Those with columns of any kind. */
export type CellFormat = Exclude<Format, "libsvm">;
export const CELL_FORMATS: readonly CellFormat[] = FORMATS.filter((name) => name !== "libsvm");

/** Number of bytes that decide the format. */
export const HEAD: number = 1 << 16;

/**
 * The format by its magic bytes, otherwise by the extension of the name, otherwise by the beginning of the
 * text.
 */
export function detectFormat(head: Uint8Array, name: string): Format {
  const bare = name.replace(/\.gz$/i, "");
  if (startsWith(head, ZIP)) {
    const first = String.fromCharCode(...head.subarray(30, 30 + Math.min(64, head[26] + 256 * head[27])));
    return /\.npz$/i.test(bare) || first.endsWith(".npy") ? "npz" : "xlsx";
  }
  const byMagic = FORMATS.find((format) => startsWith(head, formats[format].magic));
  if (byMagic !== undefined) return byMagic;
  refuseOthers(head, name);
  const extension = /\.([a-z0-9]+)$/i.exec(bare)?.[1]?.toLowerCase() ?? "";
  const byName = FORMATS.find((format) => formats[format].extensions.includes(extension));
  if (byName === "parquet") throw inputError(`${name} is not a Parquet file (it does not begin with PAR1)`);
  if (byName === "arrow") return byName;
  const isStream = head.length >= 8 && head.subarray(0, 4).every((byte) => byte === 0xff);
  if (byName === undefined && isStream) return "arrow"; // a stream's first message
  if (isNoText(head)) {
    throw inputError(
      `${name} is not text, and no other kind of file that can be read; export the table as CSV`,
    );
  }
  return byName ?? textFormat(new TextDecoder().decode(head));
}

/**
 * Whether control characters of many kinds, or zeros, make the bytes something else than text. Text in which
 * fields end with a control character has few kinds of them, and stray ones are rare.
 */
function isNoText(head: Uint8Array): boolean {
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

function startsWith(bytes: Uint8Array, text: string | undefined): boolean {
  if (text === undefined || bytes.length < text.length) return false;
  for (let i = 0; i < text.length; i++) if (bytes[i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Whether the bytes are no text, by their beginning. */
export function isBinary(head: Uint8Array): boolean {
  return startsWith(head, NPY) || startsWith(head, ZIP);
}
