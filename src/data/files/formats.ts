import { inputError, option, optionError } from "../../core/internal.ts";
import type { CellOptions, RawTable } from "../cells/rawColumn.ts";
import { csvBatches } from "../text/csvBatches.ts";
import { LONGEST_JSON, readAll, chunkReader, partsOf, type ByteReader } from "./bytes.ts";
import type { OpenCells } from "./openCells.ts";

/** A format of files: how it is named, recognised and read. */
interface FormatEntry {
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

/**
 * The encoding of text whose structure is ASCII. UTF-8 has rules that text in another encoding soon breaks;
 * such text is read as Windows-1252, which also covers Latin-1.
 *
 * @param known the encoding, where all parts of a file decided it before
 */
export function textDecoderFor(
  parts: readonly Uint8Array[],
  given: string | undefined,
  source: string,
  known?: string,
): { readonly decoder: TextDecoder; readonly name: string; readonly unsure: boolean } {
  if (known !== undefined) return { decoder: decoderNamed(known), name: known, unsure: false };
  if (given !== undefined && !/^utf-?16/i.test(given)) {
    const decoder = decoderNamed(given);
    if (decoder.encoding === "utf-8" && !parts.every(isUtf8)) {
      throw inputError(`${source} is not UTF-8; try ${option("encoding")} windows-1252`);
    }
    return { decoder, name: given, unsure: false };
  }
  if (parts.every(isUtf8)) return { decoder: new TextDecoder(), name: "UTF-8", unsure: false };
  const { valid, invalid } = countSequences(parts);
  // A few stray bytes in a text full of valid sequences do not make it another encoding.
  if (valid > 10 * invalid)
    return { decoder: new TextDecoder(), name: "UTF-8 with damaged characters", unsure: true };
  return { decoder: new Windows1252(), name: "Windows-1252", unsure: true };
}

function decoderNamed(encoding: string): TextDecoder {
  const name = /^(?:cp|win-?)?125(\d)$/i.test(encoding) ? `windows-125${encoding.slice(-1)}` : encoding;
  try {
    const decoder = new TextDecoder(name);
    return decoder.encoding === "windows-1252" ? new Windows1252() : decoder;
  } catch {
    throw optionError(
      `${option("encoding")} must be the name of an encoding such as utf-8, utf-16le or windows-1252, got "${encoding}"`,
    );
  }
}

/** The characters of the bytes 128 to 159; five of them are controls. */
const FROM_128 = "\u20ac\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** Some versions of Node read these bytes as Latin-1, where they are controls: no euro sign, no quotes. */
class Windows1252 extends TextDecoder {
  constructor() {
    super("windows-1252");
  }

  override decode(...args: Parameters<TextDecoder["decode"]>): string {
    return super
      .decode(...args)
      .replace(/[\u0080-\u009f]/g, (character) => FROM_128[character.charCodeAt(0) - 128]);
  }
}

const strict = new TextDecoder("utf-8", { fatal: true });

function isUtf8(bytes: Uint8Array): boolean {
  try {
    for (let from = 0; from < bytes.length;) {
      let to = Math.min(bytes.length, from + (1 << 24));
      while (to < bytes.length && (bytes[to] & 0xc0) === 0x80 && to > from + (1 << 23)) to--;
      strict.decode(bytes.subarray(from, to));
      from = to;
    }
    return true;
  } catch {
    return false;
  }
}

function countSequences(parts: readonly Uint8Array[]): { valid: number; invalid: number } {
  let valid = 0;
  let invalid = 0;
  for (const bytes of parts) {
    for (let p = 0; p < bytes.length; p++) {
      const byte = bytes[p];
      if (byte < 128) continue;
      const more =
        byte >= 0xc2 && byte < 0xe0
          ? 1
          : byte >= 0xe0 && byte < 0xf0
            ? 2
            : byte >= 0xf0 && byte < 0xf5
              ? 3
              : 0;
      let good = more > 0;
      for (let k = 1; k <= more; k++) good &&= (bytes[p + k] & 0xc0) === 0x80;
      if (good) {
        valid++;
        p += more;
      } else invalid++;
    }
  }
  return { valid, invalid };
}

/** UTF-16 by its byte order mark, or by the zero bytes of ASCII characters. */
export function utf16Of(head: Uint8Array, given: string | undefined): "utf-16le" | "utf-16be" | undefined {
  if (given !== undefined && /^utf-?16/i.test(given)) {
    if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
    return /be$/i.test(given) ? "utf-16be" : "utf-16le";
  }
  if (given !== undefined) return undefined;
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  const count = Math.min(head.length & ~1, 2000);
  if (count < 8) return undefined;
  let even = 0;
  let odd = 0;
  for (let p = 0; p < count; p += 2) {
    if (head[p] === 0) even++;
    if (head[p + 1] === 0) odd++;
  }
  if (odd > 0.4 * (count / 2) && even === 0) return "utf-16le";
  return even > 0.4 * (count / 2) && odd === 0 ? "utf-16be" : undefined;
}

/** The same text as UTF-8. */
export function asUtf8(reader: ByteReader, encoding: string, source: string): ByteReader {
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const part of partsOf(reader)) yield encoder.encode(decoder.decode(part, { stream: true }));
    yield encoder.encode(decoder.decode());
  }
  return chunkReader(chunks(), source, reader);
}

const LONGEST_LINE = 1 << 28;

/** The lines of UTF-8 text, numbered from 1, blank ones left out. */
export async function* textLines(
  reader: ByteReader,
  source: string,
): AsyncGenerator<{ readonly text: string; readonly line: number }> {
  const decoder = new TextDecoder(); // leaves out a byte order mark
  const buffer = new Uint8Array(1 << 18);
  // The pieces of the current line, joined at its end: a long line costs time in proportion to its length.
  let pieces: string[] = [];
  let length = 0;
  let line = 0;
  for (;;) {
    const count = await reader.read(buffer);
    const text = count === 0 ? decoder.decode() : decoder.decode(buffer.subarray(0, count), { stream: true });
    const parts = text.split("\n");
    const rest = count === 0 ? "" : parts.pop()!;
    for (const part of parts) {
      line++;
      const whole = pieces.length === 0 ? part : pieces.join("") + part;
      pieces = [];
      length = 0;
      const trimmed = whole.trim();
      if (trimmed !== "") yield { text: trimmed, line };
    }
    if (count === 0) return;
    if (rest === "") continue;
    pieces.push(rest);
    length += rest.length;
    if (length > LONGEST_LINE) throw inputError(`${source} line ${line + 1} is too long`);
  }
}
