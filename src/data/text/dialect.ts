import { option, optionError, inputError } from "../../core/internal.ts";
import { amountParts, decimalVote, plainNumber } from "../kinds/amount.ts";
import type { CellOptions } from "../cells/rawColumn.ts";
import { isMissingWord } from "../kinds/scales.ts";
import { MOST_COLUMNS, MOST_TYPED_COLUMNS } from "../files/budget.ts";
import { textRecords, type TextRecord } from "./records.ts";

export const NEWLINE = 10;
export const RETURN = 13;
const QUOTE = 34;
const SPACE = 32;
const TAB = 9;

/**
 * One cell of a delimited file, as a range of bytes: RFC 4180, with either line end and spaces around
 * unquoted cells.
 */
export interface Cell {
  /** The text: inside the quotes, or trimmed. */
  start: number;
  end: number;
  /** Holds doubled quotes. */
  escaped: boolean;
  /** The byte after the cell: the delimiter or the line end. */
  stop: number;
  /** Line ends inside the quotes. */
  lines: number;
}

export function emptyCell(): Cell {
  return { start: 0, end: 0, escaped: false, stop: 0, lines: 0 };
}

/** Delimited text up to `to`. The byte there must be a line end: it stops a cell, and ends the last line of the data. */
export interface Section {
  readonly bytes: Uint8Array;
  readonly to: number;
  /** Whether nothing follows. */
  readonly final: boolean;
  readonly delimiter: number;
}

/** Reads the cell that begins at `from` into `cell`; false if it may continue beyond the section. */
export function readCell(section: Section, from: number, cell: Cell, where: () => string): boolean {
  const { bytes, to, final, delimiter } = section;
  cell.escaped = false;
  cell.lines = 0;
  let p = from;
  const tab = delimiter === TAB ? SPACE : TAB;
  while (bytes[p] === SPACE || bytes[p] === tab) p++;
  if (bytes[p] === QUOTE) return readQuoted(section, p + 1, cell, where);
  cell.start = p;
  while (bytes[p] !== delimiter && bytes[p] !== NEWLINE && bytes[p] !== RETURN) p++;
  cell.stop = p;
  while (p > cell.start && (bytes[p - 1] === SPACE || bytes[p - 1] === tab)) p--;
  cell.end = p;
  return cell.stop < to || final;
}

function readQuoted(section: Section, from: number, cell: Cell, where: () => string): boolean {
  const { bytes, to, final, delimiter } = section;
  cell.start = from;
  let p = from;
  for (;;) {
    while (p < to && bytes[p] !== QUOTE) {
      if (bytes[p] === NEWLINE || (bytes[p] === RETURN && bytes[p + 1] !== NEWLINE)) cell.lines++;
      p++;
    }
    if (p >= to) {
      if (final) throw inputError(`${where()}: the quote that opens here is never closed`);
      return false;
    }
    if (p + 1 < to && bytes[p + 1] === QUOTE) {
      cell.escaped = true;
      p += 2;
      continue;
    }
    break;
  }
  cell.end = p++;
  const tab = delimiter === TAB ? SPACE : TAB;
  while (p < to && (bytes[p] === SPACE || bytes[p] === tab)) p++;
  cell.stop = p;
  if (p >= to) return final;
  if (bytes[p] !== delimiter && bytes[p] !== NEWLINE && bytes[p] !== RETURN) {
    throw inputError(`${where()}: there is text after the closing quote; a quote inside quotes is doubled`);
  }
  return true;
}

const utf8 = new TextDecoder();

export function decodedCell(bytes: Uint8Array, cell: Cell): string {
  const text = decode(bytes, cell.start, cell.end);
  return cell.escaped ? text.replaceAll('""', '"') : text;
}

function decode(bytes: Uint8Array, start: number, end: number): string {
  // A decoder call costs more than a short cell.
  if (end - start <= 24) {
    let text = "";
    let p = start;
    for (; p < end && bytes[p] < 128; p++) text += String.fromCharCode(bytes[p]);
    if (p === end) return text;
  }
  return utf8.decode(bytes.subarray(start, end));
}

/** The position after a line end at `p`. */
export function afterLineEnd(bytes: Uint8Array, p: number, to: number): number {
  return Math.min(to, bytes[p] === RETURN && bytes[p + 1] === NEWLINE ? p + 2 : p + 1);
}

/** The format of a delimited file, judged by its first records. */
export interface CsvDialect {
  readonly delimiter: number;
  /** The decimal mark that the cells imply, if any. */
  readonly decimal?: "." | ",";
  readonly header: boolean;
  /** The cells of the header, as byte ranges of the file. */
  readonly names: readonly Uint8Array[];
  readonly width: number;
  /** Where the first row of data begins, and its line. */
  readonly from: number;
  readonly line: number;
  /** Lines before the header that are not part of the table. */
  readonly skipped: number;
  /** Cells of the first line. */
  readonly firstWidth: number;
}

const RECORDS = 300;
/** In a table of numbers a few say all. */
const RECORDS_OF_NUMBERS = 30;
/** Number of cells after which the sample of a wide table ends. */
const CELLS = 2 ** 20;
const CANDIDATES = [",", ";", "\t", "|"];

interface Sample {
  readonly records: readonly TextRecord[];
  readonly failed: boolean;
  /** A record has more cells than a table may have columns. */
  readonly wide?: boolean;
}

/**
 * Finds the delimiter: the candidate whose most frequent width is shared by most records and is largest; the
 * comma counts less, because it also occurs in text and numbers. The header is the first record of that
 * width. "wide" means more columns than can be read.
 */
export function csvDialect(
  text: Omit<Section, "delimiter">,
  from: number,
  options: Pick<CellOptions, "delimiter" | "decimal" | "header" | "numbers">,
): CsvDialect | "wide" | undefined {
  const { bytes, to } = text;
  const declared = separatorLine(bytes, from, to);
  const start = declared?.after ?? from;
  const firstLine = declared === undefined ? 1 : 2;
  const given = options.delimiter ?? declared?.delimiter;
  const { numbers } = options;
  let best: { sample: Sample; delimiter: number; width: number } | undefined;
  let bestScore = -1;
  let wide = false;
  for (const candidate of given === undefined ? CANDIDATES : [given]) {
    const delimiter = delimiterByte(candidate);
    const sample = firstRecords({ ...text, delimiter }, start, firstLine, numbers);
    if (sample.wide === true) wide = true;
    if (sample.wide === true || sample.records.length === 0) continue;
    const { width, share } = usualWidth(sample.records);
    const usual = width > 1 && share > 0.7;
    let score = (usual ? share * width : 0) * (candidate === "," ? 1 : 1.5) || share / 2;
    // Ragged lines below a header: it has the most frequent width, and nearly every line has the delimiter.
    const isTold = numbers !== undefined && width > 1;
    if (!usual && (isTold || isHeaded(sample.records, width))) score = Math.max(score, (share * width) / 2);
    if (sample.failed) score /= 4;
    if (score > bestScore) {
      bestScore = score;
      best = { sample, delimiter, width };
    }
  }
  if (wide && (best === undefined || best.width === 1)) return "wide";
  if (best === undefined) return undefined;
  const { sample, delimiter, width } = best;
  let first = sample.records.findIndex((record) => record.cells.length === width);
  if (first < 0) first = 0;
  const found = sample.records
    .slice(first)
    .filter((record) => record.cells.length === width)
    .map((record) => decodedRecord(bytes, record));
  const decimal = options.decimal ?? fileDecimal(found.slice(1));
  const isWhole = options.header === false || numbers !== undefined;
  const titles = isWhole ? 0 : titlesAbove(found.map((record) => record.cells));
  const table = found.slice(titles);
  if (titles > 0) first = sample.records.findIndex(({ end }) => end === table[0].end);
  const rows = table.map((record) => record.cells);
  const isNamed = rows[0]?.some((cell) => numbers?.named.has(cell) === true);
  const header = options.header ?? (isNamed || looksLikeHeader(rows, decimal));
  const head = decodedRecord(bytes, sample.records[first]);
  return {
    delimiter,
    ...(decimal !== undefined && { decimal }),
    header,
    names: header ? withHeadings(head, titles > 0 ? found[titles - 1] : undefined) : [],
    width,
    from: header ? head.end : startOf(sample, first, start),
    line: header ? head.nextLine : head.line,
    skipped: first,
    firstWidth: sample.records[0].cells.length,
  };
}

/** A record with its cells as text. */
interface SampleRecord extends Omit<TextRecord, "cells"> {
  readonly cells: readonly string[];
  readonly bytes: readonly Uint8Array[];
}

/** A title or heading fills fewer of the cells than this; so do a few lines at most. */
const TITLE_SHARE = 0.6;
const MOST_TITLES = 8;

/**
 * The number of lines above the names that a spreadsheet padded with empty cells: a title, or headings over
 * several columns. The names fill most of the cells, and a word of them lies over numbers.
 */
function titlesAbove(records: readonly (readonly string[])[]): number {
  const filled = records.slice(0, 50).map((cells) => cells.filter((cell) => cell !== "").length);
  const enough = TITLE_SHARE * Math.max(...filled);
  const at = filled.findIndex((count) => count >= enough);
  if (at < 1 || at > MOST_TITLES) return 0;
  const names = records[at];
  if (names.some(isAmount)) return 0;
  const isOverNumbers = names.some(
    (name, j) => name !== "" && areAmounts(valuesOf(records.slice(at + 1), j)),
  );
  return isOverNumbers ? at : 0;
}

/** The cells of a column that are not marks of missing ones. */
function valuesOf(records: readonly (readonly string[])[], column: number): string[] {
  return records.map((cells) => cells[column]).filter((value) => !isMissingWord(value));
}

const isAmount = (cell: string): boolean => /\d/.test(cell) && amountParts(cell) !== undefined;

function areAmounts(values: readonly string[]): boolean {
  return values.length > 0 && values.filter(isAmount).length >= 0.9 * values.length;
}

/** Names that come twice are told apart by the heading over them, or over a column to their left. */
function withHeadings(head: SampleRecord, above: SampleRecord | undefined): readonly Uint8Array[] {
  if (above === undefined) return head.bytes;
  let heading = -1;
  return head.bytes.map((name, j) => {
    if (above.cells[j] !== "") heading = j;
    const isTwice = head.cells.some((other, k) => k !== j && other === head.cells[j]);
    if (heading < 0 || (head.cells[j] !== "" && !isTwice)) return name;
    const space = head.cells[j] === "" ? [] : [0x20];
    return Uint8Array.from([...above.bytes[heading], ...space, ...name]);
  });
}

function decodedRecord(bytes: Uint8Array, { cells, ...place }: TextRecord): SampleRecord {
  return {
    ...place,
    cells: cells.map((cell) => decodedCell(bytes, cell).trim()),
    bytes: cells.map(({ start, end }) => bytes.subarray(start, end).slice()),
  };
}

function isHeaded(records: readonly TextRecord[], width: number): boolean {
  const several = records.filter(({ cells }) => cells.length > 1).length;
  return width > 1 && records[0].cells.length === width && several >= 0.8 * records.length;
}

function startOf(sample: Sample, record: number, start: number): number {
  return record === 0 ? start : sample.records[record - 1].end;
}

/** Excel writes "sep=;" as the first line of some files. */
function separatorLine(
  bytes: Uint8Array,
  from: number,
  to: number,
): { readonly delimiter: string; readonly after: number } | undefined {
  const text = String.fromCharCode(...bytes.subarray(from, Math.min(to, from + 8)));
  const found = /^sep=(.)(\r\n|\n|\r)/.exec(text);
  return found === null ? undefined : { delimiter: found[1], after: from + found[0].length };
}

function delimiterByte(delimiter: string): number {
  const byte = delimiter.charCodeAt(0);
  if (delimiter.length !== 1 || byte > 127 || /[\s"\w.+-]/.test(delimiter.replace("\t", ","))) {
    throw optionError(
      `${option("delimiter")} must be one character such as "," ";" "|" or a tab, got ${JSON.stringify(delimiter)}`,
    );
  }
  return byte;
}

function usualWidth(records: readonly TextRecord[]): { width: number; share: number } {
  const counts = new Map<number, number>();
  for (const { cells } of records) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  let width = 1;
  let most = 0;
  for (const [length, count] of counts) {
    if (count > most || (count === most && length > width)) {
      width = length;
      most = count;
    }
  }
  return { width, share: most / records.length };
}

function fileDecimal(records: readonly SampleRecord[]): "." | "," | undefined {
  let points = 0;
  let commas = 0;
  for (const { cells } of records) {
    for (const cell of cells) {
      if (cell.length > 30 || !/\d/.test(cell)) continue;
      const parts = amountParts(cell);
      if (parts === undefined) continue;
      const vote = decimalVote(parts.digits);
      if (vote === ".") points++;
      else if (vote === ",") commas++;
    }
  }
  return commas > points ? "," : points > 0 ? "." : undefined;
}

/**
 * Whether the first record names the columns. It does if it holds words over numbers, dates or codes; it does
 * not if its words recur in their columns, or if numbers are over numbers, unless these are a run such as
 * 2019, 2020, 2021.
 */
export function looksLikeHeader(
  records: readonly (readonly string[])[],
  decimal: "." | "," | undefined,
): boolean {
  const [first, ...body] = records;
  if (first === undefined) return false;
  const isNumber = (cell: string): boolean => plainNumber(cell, decimal) !== undefined;
  if (body.length === 0) return !first.some(isNumber);
  const numeric: number[] = [];
  let words = 0;
  let again = 0;
  for (let j = 0; j < first.length; j++) {
    const cell = first[j];
    const values = valuesOf(body, j);
    const overNumbers = areAmounts(values);
    if (isNumber(cell)) {
      // A bare number over "33.3 %" or "2019-01-05".
      if (values.length > 2 && !values.some(isNumber)) return true;
      if (overNumbers) numeric.push(Number(cell.replace(",", ".")));
      continue;
    }
    if (isMissingWord(cell)) continue;
    if (overNumbers && amountParts(cell) === undefined) return true;
    // A word without digits over dates or codes, which contain digits.
    const digits = values.filter((value) => /\d/.test(value)).length;
    if (!/\d/.test(cell) && values.length > 1 && digits >= 0.95 * values.length) return true;
    words++;
    if (values.includes(cell)) again++;
    // A unique word over a few repeated levels.
    else if (values.length >= 20 && new Set(values).size <= 0.2 * values.length) return true;
  }
  if (numeric.length > 0) return isRun(numeric) && again === 0;
  return words > 0 && again <= words / 2;
}

/** Years or positions in equal steps. Any two numbers are: that says nothing. */
function isRun(numbers: readonly number[]): boolean {
  if (numbers.length < 3 || numbers.some((number) => !Number.isInteger(number))) return false;
  const step = numbers[1] - numbers[0];
  return step !== 0 && numbers.every((number, i) => number === numbers[0] + i * step);
}

function firstRecords(
  section: Section,
  from: number,
  firstLine: number,
  numbers: CellOptions["numbers"],
): Sample {
  const records: TextRecord[] = [];
  const most = numbers === undefined ? RECORDS : RECORDS_OF_NUMBERS;
  const columns = numbers === undefined ? MOST_TYPED_COLUMNS : MOST_COLUMNS;
  let seen = 0;
  try {
    for (const record of textRecords(section, from, firstLine, String, columns)) {
      if (record.cells.length > columns) return { records, failed: true, wide: true };
      records.push(record);
      seen += record.cells.length;
      if (records.length === most || (seen >= CELLS && records.length >= 3)) break;
    }
  } catch {
    return { records, failed: true };
  }
  return { records, failed: false };
}
