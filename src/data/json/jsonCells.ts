import type { Note } from "../../core/index.ts";
import { inputError } from "../../core/internal.ts";
import type { ByteReader } from "../files/bytes.ts";
import { requireParsable } from "./jsonCost.ts";
import { uniqueNames } from "../cells/columnNames.ts";
import { lineVectors, type LineVectors } from "./jsonVectors.ts";
import { rowGatherer } from "./rowGatherer.ts";
import { refuseTooLarge } from "../cells/memoryLimit.ts";
import type { CellOptions, RawTable } from "../cells/rawColumn.ts";
import { valueStore } from "./valueStore.ts";

/** Reads a JSON array of objects, an array of arrays, or an object of columns; arrays in cells are vectors. */
export function jsonCells(bytes: Uint8Array, source: string, options: CellOptions): RawTable {
  // Parsed values take several times the bytes of the text.
  refuseTooLarge(source, bytes.length * 4, options.memory, undefined);
  requireParsable(bytes, source);
  let value: unknown;
  try {
    value = parseJson(new TextDecoder().decode(bytes));
  } catch (error) {
    throw inputError(`${source} is not JSON: ${jsonReason(error)}`);
  }
  const rows = Array.isArray(value) ? value : rowsInside(value);
  if (rows !== undefined) {
    const gathered = rowGatherer(source, options);
    rows.forEach((row, i) => gathered.add(row, `row ${i + 1}`));
    return gathered.finish();
  }
  if (typeof value === "object" && value !== null) return columnObject(value, source, options);
  throw inputError(`${source}: expected an array of rows or an object of columns`);
}

/** {"data": [{...}, ...]}: the one array of rows that an object wraps. */
function rowsInside(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const arrays = Object.values(value).filter(Array.isArray) as unknown[][];
  const isRow = (row: unknown): boolean => typeof row === "object" && row !== null && !Array.isArray(row);
  return arrays.length === 1 && arrays[0].length > 0 && arrays[0].every(isRow) ? arrays[0] : undefined;
}

/** Characters of a line above which its cost is counted first. */
const LONG_LINE = 1 << 24;

/**
 * One JSON object or array per line; yields tables of about `most` rows as soon as they are read.
 *
 * @param total bytes of all lines, where they are known
 */
export async function* ndjsonBatches(
  reader: ByteReader,
  source: string,
  options: CellOptions,
  most: number,
  total?: number,
): AsyncGenerator<RawTable, void, undefined> {
  let gathered = rowGatherer(source, options);
  let given = false;
  const decoder = new TextDecoder();
  let buffer = new Uint8Array(1 << 20);
  let length = 0;
  let line = 0;
  let first = true;
  // A line of vectors is read to its end; for other lines the end is found first, otherwise all numbers would
  // be read twice.
  let vectors = false;
  const add = (text: string, found?: LineVectors): void => {
    let row: unknown;
    try {
      row = parseJson(text);
    } catch (error) {
      throw inputError(`${source} line ${line} is not JSON: ${jsonReason(error)}`);
    }
    gathered.add(row, `line ${line}`, options.numbers && line, found);
  };
  const take = (from: number, to: number): void => {
    line++;
    let start = from;
    let end = to;
    while (start < end && bytesSpace(buffer[start])) start++;
    while (end > start && bytesSpace(buffer[end - 1])) end--;
    if (start === end) return;
    const found = end - start < SHORT ? undefined : lineVectors(buffer, start, end);
    vectors = found !== undefined;
    if (end - start > LONG_LINE) requireParsable(buffer.subarray(start, end), `${source} line ${line}`);
    add(found?.rest ?? decoder.decode(buffer.subarray(start, end)), found);
  };
  let read = 0;
  let expected = false;
  for (;;) {
    if (length === buffer.length) {
      if (length >= LONGEST_LINE) throw inputError(`${source} line ${line + 1} is too long`);
      const larger = new Uint8Array(length * 2);
      larger.set(buffer);
      buffer = larger;
    }
    const count = await reader.read(buffer.subarray(length));
    let scanned = length;
    length += count;
    read += count;
    let from = 0;
    if (first && length >= 3) {
      first = false;
      if (buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf) from = 3;
    }
    while (from < length) {
      if (vectors && from >= scanned) {
        const found = lineVectors(buffer, from, length);
        if (found !== undefined && found.end < length && found.end - from <= LONG_LINE) {
          line++;
          add(found.rest, found);
          from = found.end + 1;
          continue;
        }
      }
      const at = buffer.indexOf(NEWLINE, Math.max(from, scanned));
      if (at < 0 || at >= length) break;
      take(from, at);
      from = at + 1;
    }
    if (count === 0) {
      if (from < length) take(from, length);
      if (gathered.rows > 0 || !given) yield gathered.finish();
      return;
    }
    if (vectors && !expected && total !== undefined && gathered.rows >= FEW_ROWS) {
      expected = true;
      const rows = (1.03 * total * gathered.rows) / read;
      gathered.expect(Math.ceil(Math.min(rows, most + 2 * gathered.rows)));
    }
    if (gathered.rows >= most) {
      yield gathered.finish();
      given = true;
      gathered = rowGatherer(source, options);
    }
    // Nothing is moved while a long line grows.
    if (from > 0) buffer.copyWithin(0, from, length);
    length -= from;
  }
}

const NEWLINE = 10;
const LONGEST_LINE = 1 << 28;
/** Number of rows above which the total is estimated. */
const FEW_ROWS = 64;
/** Below this many bytes a line is parsed whole. */
const SHORT = 200;

function bytesSpace(byte: number): boolean {
  return byte === 32 || byte === 9 || byte === 13;
}

function columnObject(columns: object, source: string, options: CellOptions): RawTable {
  const notes: Note[] = [];
  const entries = Object.entries(columns);
  const headings = entries.map(([name]) => name);
  const names = uniqueNames(headings, notes, source);
  let rows: number | undefined;
  const raw = entries.map(([, column], j) => {
    const values = indexed(column);
    if (values === undefined) throw inputError(`${source}: column "${names[j]}" is not an array`);
    rows ??= values.length;
    if (values.length !== rows) {
      throw inputError(
        `${source}: column "${names[0]}" has ${rows} values, but column "${names[j]}" has ${values.length}`,
      );
    }
    const store = valueStore(names[j], options);
    values.forEach((value, i) => store.add(i, value));
    refuseTooLarge(source, store.bytes, options.memory, names[j]);
    return store.finish(values.length);
  });
  if (rows === undefined || rows === 0) throw inputError(`${source} has no rows of data`);
  return { source, rows, columns: raw, notes, headings };
}

/** An array, or an object with keys 0, 1, 2, ... as pandas writes by default. */
function indexed(column: unknown): readonly unknown[] | undefined {
  if (Array.isArray(column)) return column;
  if (typeof column !== "object" || column === null) return undefined;
  const keys = Object.keys(column);
  return keys.every((key, i) => key === String(i)) ? Object.values(column) : undefined;
}

/**
 * JSON, in which integers with more digits than a number holds become strings: they are likely to be codes of
 * 19 digits, and their neighbours would be the same number.
 */
function parseJson(text: string): unknown {
  if (!LONG_INTEGER.test(text)) return JSON.parse(text);
  const quoted = text.replaceAll(STRING_OR_NUMBER, (token) =>
    /^-?\d{16,}$/.test(token) && String(Number(token)) !== token ? `"${token}"` : token,
  );
  return JSON.parse(quoted);
}

const LONG_INTEGER = /[[:,\s]-?\d{16,}\s*[\]},]/;
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The error in JSON in one line; it quotes the text. */
function jsonReason(error: unknown): string {
  const reason = (error as Error).message.replaceAll(/\s+/g, " ");
  // As Python's json writes missing numbers.
  const isNaNWritten = /^Unexpected token '?[NI]/.test(reason);
  return isNaNWritten ? `${reason}; if it is NaN or Infinity, write null` : reason;
}
