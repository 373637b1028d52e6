import type { OnProgress } from "../../core/index.ts";
import { fileError, inputError, option, optionError, progressGate, rule, note } from "../../core/internal.ts";
import { takeRawRows, type CellOptions, type RawTable, type RawColumn } from "../cells/rawColumn.ts";
import type { Source } from "../table.ts";
import { asUtf8, utf16Of, detectFormat, formats, HEAD, isBinary, type Format } from "./formats.ts";
import {
  counted,
  openSource,
  putBack,
  readAll,
  readHead,
  type ByteReader,
  type ByteSlices,
  gunzip,
  isGzip,
} from "./bytes.ts";
import { readingBudget, type Budget } from "./budget.ts";
import { amountParts, amountValue } from "../kinds/amount.ts";

interface OpenOptions {
  readonly name?: string;
  readonly format?: Format;
  readonly encoding?: string;
  readonly onProgress?: OnProgress;
  /** What any source may take, in the place of the usual 1 GiB. */
  readonly budget?: number;
}

/** An open source: unpacked, text as UTF-8 or another encoding of one byte, and its format known. */
export interface OpenCells {
  readonly name: string;
  readonly format: Format;
  readonly reader: ByteReader;
  /** If the source can be read at any position. */
  readonly slices?: ByteSlices;
  readonly byteLength?: number;
  /** The memory budget of the table, by the length of the source. */
  readonly budget: Budget;
  /** Maximum number of bytes of its cells: a small source, packed or not, may not fill the memory. */
  readonly memory: number;
}

/** Opens a source, finds its format and refuses options for other formats. */
export async function openCells(source: Source, options: OpenOptions): Promise<OpenCells> {
  const { name, byteLength, ...own } = await openSource(source, options.name);
  const budget = readingBudget(byteLength, options.budget);
  const gate = progressGate(options.onProgress);
  let bytes = 0;
  const { slices, ...open } = counted(own, (more) => {
    budget.count(more);
    bytes += more;
    const fraction = byteLength === undefined ? 0 : Math.min(1, bytes / byteLength);
    if (!gate({ fraction, label: `reading ${name}` })) throw fileError(`reading ${name} was stopped`);
  });
  let { reader } = open;
  let isPlain = true;
  const look = async (): Promise<Uint8Array> => {
    const head = await readHead(reader, HEAD);
    reader = putBack(head, reader);
    return head;
  };
  try {
    let head = await look();
    if (isGzip(head)) {
      isPlain = false;
      reader = gunzip(reader, name, options.budget);
      head = await look();
    }
    if (head.length === 0) throw inputError(`${name} is empty`);
    const isText = options.format === undefined ? !isBinary(head) : formats[options.format].isText;
    const wide = isText ? utf16Of(head, options.encoding) : undefined;
    if (wide !== undefined) {
      isPlain = false;
      reader = asUtf8(reader, wide, name);
      head = await look();
    }
    const format = options.format ?? detectFormat(head, name);
    requireApplicable(options, format, name);
    const memory = byteLength === undefined ? Infinity : budget.limit();
    const plain = isPlain && { byteLength, ...(slices && { slices }) };
    return { name, format, reader, budget, memory, ...plain };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

function requireApplicable(options: object, format: Format, name: string): void {
  const own: readonly string[] = formats[format].options ?? [];
  for (const [given, value] of Object.entries(options)) {
    const isOfOthers = Object.values(formats).some((other) => other.options?.includes(given));
    if (value === undefined || !isOfOthers || own.includes(given)) continue;
    throw optionError(`${option(given)} does not apply to ${name}, which is ${format.toUpperCase()}`);
  }
}

export interface ReadCellsOptions extends CellOptions, OpenOptions {}

/** All cells of a source, before their kinds are known. */
export async function readCells(source: Source, options: ReadCellsOptions): Promise<RawTable> {
  for await (const table of cellBatches(source, options, Infinity)) return withoutFooter(table);
  throw inputError("there are no rows");
}

/**
 * The same in tables of about `most` rows: formats that stream as they are read, Parquet and Arrow by their groups
 * of rows, others file by file.
 */
export async function* cellBatches(
  source: Source,
  options: ReadCellsOptions,
  most: number,
): AsyncGenerator<RawTable, void, undefined> {
  const open = await openCells(source, options);
  try {
    yield* readOpen(open, { ...options, memory: Math.min(options.memory, open.memory) }, most);
  } finally {
    await open.reader.close();
  }
}

export async function* readOpen(
  open: OpenCells,
  options: CellOptions,
  most: number,
): AsyncGenerator<RawTable, void, undefined> {
  try {
    const { read, whole, limit } = formats[open.format];
    if (read !== undefined) yield* read(open, options, most);
    else {
      const bytes = await readAll(open.reader, open.name, limit?.() ?? options.memory);
      yield await whole!(bytes, open.name, options);
    }
  } catch (error) {
    if (!(error instanceof RangeError && /call stack/.test(error.message))) throw error;
    throw inputError(`${open.name}: values are nested too deeply to be read`);
  }
}

const isText = (value: unknown): boolean => typeof value === "string";

/** The options of every reader: how a file is laid out, and what it is called. */
export const LAYOUT_RULES = {
  /** Delimited text: default: detected among comma, semicolon, tab and bar. */
  delimiter: rule.text("one character"),
  /** Delimited text: default: UTF-8 or UTF-16 if it is, otherwise Windows-1252. */
  encoding: rule.text("the name of an encoding"),
  /** Delimited text and spreadsheets: whether the first row names the columns. Default: decided by its cells. */
  header: { ...rule.flag(true), fallback: undefined },
  /** Spreadsheets: the name of a sheet or its position, from 1. Default: the first that is not empty. */
  sheet: rule.given<string | number>(
    "the name of a sheet or its place",
    (value) => isText(value) || Number.isInteger(value),
  ),
  /** The name of the source in messages; default: its path. */
  name: rule.text("a string"),
  onProgress: rule.progress,
};

const TOTAL =
  /^(?:grand |sub ?)?totals?\b|^(?:sum|summe|gesamt|insgesamt|average|avg|mean|mittelwert|totaal|totale|median|minimum|min|maximum|max|std|sd|stdev|count)\b/i;
const MOST_LINES = 8;

/**
 * Removes the summary lines below a table: they begin with a word such as "Total", and have few cells or repeat
 * the sum, the mean or another figure of the columns above.
 */
function withoutFooter(table: RawTable): RawTable {
  const { columns, rows, notes, source, decimal = "." } = table;
  if (columns.length < 3) return table;
  let first = rows;
  while (first > 1 && rows - first < MOST_LINES && beginsAsTotal(columns, first - 1)) first--;
  let kept = rows;
  while (kept > first && (hasFewCells(columns, kept - 1) || sumsUp(columns, first, kept - 1, decimal)))
    kept--;
  if (kept === rows) return table;
  const left = rows - kept;
  const own = Int32Array.from({ length: kept }, (_, i) => i);
  const word = textAt(columns[firstCell(columns, kept)], kept);
  const message =
    left === 1
      ? `the last line sums up the table ("${word}") and is left out`
      : `the last ${left} lines sum up the table ("${word}") and are left out`;
  return {
    ...table,
    rows: kept,
    columns: columns.map((column) => takeRawRows(column, own)),
    notes: [...notes, note("footer", message, { file: source, row: kept + 1 })],
  };
}

function beginsAsTotal(columns: readonly RawColumn[], row: number): boolean {
  const first = firstCell(columns, row);
  return (first === 0 || first === 1) && TOTAL.test(textAt(columns[first], row));
}

function hasFewCells(columns: readonly RawColumn[], row: number): boolean {
  return columns.filter((column) => hasCell(column, row)).length <= columns.length / 2;
}

/** Whether nearly all numbers of a row are figures of the `rows` rows above, up to rounding. */
function sumsUp(columns: readonly RawColumn[], rows: number, row: number, decimal: "." | ","): boolean {
  let [numbers, figures] = [0, 0];
  for (const column of columns) {
    const value = amountAt(column, row, decimal);
    if (value !== value) continue;
    numbers++;
    if (isFigure(value, amountsOf(column, rows, decimal))) figures++;
  }
  return numbers > 0 && figures >= 0.8 * numbers;
}

/** The number of a cell, also one with a decimal comma, a currency or a unit; NaN if there is none. */
function amountAt({ numbers, codes, texts }: RawColumn, row: number, decimal: "." | ","): number {
  const value = numbers?.[row] ?? Number.NaN;
  const code = codes?.[row] ?? -1;
  return value === value || code < 0 ? value : amountOf(texts![code], decimal);
}

function amountsOf({ numbers, codes, texts }: RawColumn, rows: number, decimal: "." | ","): Float64Array {
  if (codes === undefined) return numbers!.subarray(0, rows);
  const read = texts!.map((text) => amountOf(text, decimal));
  return Float64Array.from({ length: rows }, (_, i) =>
    codes[i] < 0 ? (numbers?.[i] ?? Number.NaN) : read[codes[i]],
  );
}

function amountOf(text: string, decimal: "." | ","): number {
  const parts = amountParts(text);
  return (parts && amountValue(parts, decimal)) ?? Number.NaN;
}

/** A value is within rounding of the sum, mean, median, least, largest, standard deviation or count of others. */
function isFigure(value: number, others: Float64Array): boolean {
  const known = others.filter((other) => other === other).sort();
  const n = known.length;
  if (n < 2) return false;
  const sum = known.reduce((a, b) => a + b, 0);
  const deviation = Math.sqrt(known.reduce((a, b) => a + (b - sum / n) ** 2, 0) / (n - 1));
  const figures = [sum, sum / n, known[n >> 1], known[0], known[n - 1], deviation, n];
  return figures.some(
    (figure) =>
      Math.abs(value - figure) <= 0.05 * deviation || Math.abs(value - figure) <= 1e-3 * Math.abs(figure),
  );
}

function firstCell(columns: readonly RawColumn[], row: number): number {
  return columns.findIndex((column) => hasCell(column, row));
}

function hasCell({ numbers, codes, vectors, dimensions = 0 }: RawColumn, row: number): boolean {
  const isNumber = (value: number | undefined): boolean => value !== undefined && value === value;
  return isNumber(numbers?.[row]) || (codes?.[row] ?? -1) >= 0 || isNumber(vectors?.[row * dimensions]);
}

function textAt({ codes, texts }: RawColumn, row: number): string {
  return texts?.[codes?.[row] ?? -1] ?? "";
}
