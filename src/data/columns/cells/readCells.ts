import type { OnProgress } from "../../../core/index.ts";
import { inputError, option, optionError } from "../../../core/internal.ts";
import {
  openSource,
  putBack,
  readAll,
  readHead,
  watched,
  type ByteReader,
  type ByteSlices,
} from "../../files/bytes.ts";
import { readingBudget } from "../../files/budget.ts";
import { LONGEST_JSON } from "../../files/jsonCost.ts";
import { detectFormat, gunzip, HEAD, isGzip } from "../../files/format.ts";
import type { Source } from "../../table.ts";
import type { CellFormat } from "./cellFormats.ts";
import { csvBatches } from "./csvCells.ts";
import type { CellOptions, RawTable } from "./rawColumn.ts";
import { asUtf8, utf16Of } from "./textEncoding.ts";
import { withoutFooter } from "./withoutFooter.ts";

export interface ReadCellsOptions extends CellOptions {
  readonly format?: CellFormat;
  readonly name?: string;
  readonly onProgress?: OnProgress;
}

/** The options of some formats only; for other formats they are refused. */
const ONLY: Readonly<Record<string, readonly CellFormat[]>> = {
  delimiter: ["csv", "tsv"],
  encoding: ["csv", "tsv"],
  header: ["csv", "tsv", "xlsx"],
  sheet: ["xlsx"],
};

/** Opens a source, unpacks it, finds its format and reads its cells, before their kinds are known. */
export async function readCells(source: Source, options: ReadCellsOptions): Promise<RawTable> {
  for await (const table of cellBatches(source, options, Infinity)) return withoutFooter(table);
  throw inputError("there are no rows");
}

/**
 * The same in tables of about `most` rows: delimited text and NDJSON as they are read, Parquet and Arrow by their groups
 * of rows, other formats file by file.
 */
export async function* cellBatches(
  source: Source,
  options: ReadCellsOptions,
  most: number,
): AsyncGenerator<RawTable, void, undefined> {
  const open = await openSource(source, options.name);
  const watching = watched(open, options.onProgress);
  const { name } = open;
  let { reader, slices } = watching;
  let total = open.byteLength;
  // A small source may not fill the memory; the length of a source that is not a file is unknown.
  const memory =
    open.byteLength === undefined
      ? options.memory
      : Math.min(options.memory, readingBudget(open.byteLength).limit());
  try {
    let head = await readHead(reader, HEAD);
    reader = putBack(head, reader);
    if (isGzip(head)) {
      slices = undefined;
      total = undefined;
      reader = gunzip(reader, name);
      head = await readHead(reader, HEAD);
      reader = putBack(head, reader);
    }
    if (head.length === 0) throw inputError(`${name} is empty`);
    const wide = isBinary(head, options.format) ? undefined : utf16Of(head, options.encoding);
    if (wide !== undefined) {
      slices = undefined;
      total = undefined;
      reader = asUtf8(reader, wide, name);
      head = await readHead(reader, HEAD);
      reader = putBack(head, reader);
    }
    const format = options.format ?? formatOf(head, name);
    for (const [named, formats] of Object.entries(ONLY)) {
      if (options[named as keyof ReadCellsOptions] !== undefined && !formats.includes(format)) {
        throw optionError(`${option(named)} does not apply to ${name}, which is ${format.toUpperCase()}`);
      }
    }
    const own = { ...options, memory };
    if (format === "csv" || format === "tsv") {
      const tabs = format === "tsv" && options.delimiter === undefined;
      yield* csvBatches(reader, name, tabs ? { ...own, delimiter: "\t" } : own, most);
    } else if (format === "ndjson") {
      yield* (await import("./jsonCells.ts")).ndjsonBatches(reader, name, own, most, total);
    } else if (format === "parquet") {
      const file = slices ?? (await inMemory(reader, name, memory));
      yield* (await import("./parquetCells.ts")).parquetCells(file, name, own, most);
    } else if (format === "arrow") {
      yield* (await import("./arrowCells.ts")).arrowCells(reader, name, own, most);
    } else {
      yield await read(format, reader, name, own);
    }
  } catch (error) {
    if (!(error instanceof RangeError && /call stack/.test(error.message))) throw error;
    throw inputError(`${name}: values are nested too deeply to be read`);
  } finally {
    await reader.close();
  }
}

async function read(
  format: Exclude<CellFormat, "csv" | "tsv" | "ndjson" | "parquet" | "arrow">,
  reader: ByteReader,
  name: string,
  options: CellOptions,
): Promise<RawTable> {
  switch (format) {
    case "json":
      return (await import("./jsonCells.ts")).jsonCells(
        await readAll(reader, name, LONGEST_JSON),
        name,
        options,
      );
    case "npy":
      return (await import("./npyCells.ts")).npyCells(
        await readAll(reader, name, options.memory),
        name,
        options,
      );
    case "npz":
      return (await import("./npyCells.ts")).npzCells(
        await readAll(reader, name, options.memory),
        name,
        options,
      );
    case "xlsx":
      return (await import("./xlsxCells.ts")).xlsxCells(
        await readAll(reader, name, options.memory),
        name,
        options,
      );
  }
}

/** Whether the bytes are no text, by their beginning or by the format that is given. */
function isBinary(head: Uint8Array, format: CellFormat | undefined): boolean {
  if (format !== undefined) return !TEXTS.includes(format);
  return isNpy(head) || isZip(head);
}

const TEXTS: readonly CellFormat[] = ["csv", "tsv", "json", "ndjson"];

function isNpy(head: Uint8Array): boolean {
  return head[0] === 0x93 && String.fromCharCode(...head.subarray(1, 6)) === "NUMPY";
}

function isZip(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
}

function formatOf(head: Uint8Array, name: string): CellFormat {
  if (isNpy(head)) return "npy";
  if (isZip(head)) {
    const first = String.fromCharCode(...head.subarray(30, 30 + Math.min(64, head[26] + 256 * head[27])));
    return /\.npz$/i.test(name) || first.endsWith(".npy") ? "npz" : "xlsx";
  }
  const format = detectFormat(head, name);
  if (format === "libsvm") {
    throw inputError(
      `${name} is LIBSVM, a sparse table of numbers without names; it is read by readNumbers, not as columns`,
      { code: "libsvm" },
    );
  }
  return format;
}

async function inMemory(reader: ByteReader, name: string, limit: number): Promise<ByteSlices> {
  const { buffer } = await readAll(reader, name, limit);
  return { byteLength: buffer.byteLength, slice: async (start, end) => buffer.slice(start, end) };
}
