import type { Note } from "../../core/index.ts";
import { bytesText, inputError } from "../../core/internal.ts";
import type { ByteReader } from "../files/bytes.ts";
import { textLines } from "../files/formats.ts";
import { uniqueNames, type CellOptions, type RawTable } from "../cells/rawColumn.ts";
import { rowGatherer, valueStore } from "./rowGatherer.ts";
import { refuseTooLarge } from "../files/budget.ts";

/** Reads a JSON array of objects, an array of arrays, or an object of columns; arrays in cells are vectors. */
export function jsonCells(bytes: Uint8Array, source: string, options: CellOptions): RawTable {
  // Parsed values take several times the bytes of the text.
  refuseTooLarge(source, bytes.length * 4, options.memory, undefined);
  requireParsable(bytes, source);
  const value = parsed(new TextDecoder().decode(bytes), source);
  const rows = Array.isArray(value) ? value : rowsInside(value);
  if (rows !== undefined) {
    const gathered = rowGatherer(source, options, rows.length);
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

/** One JSON object or array per line; yields tables of about `most` rows as soon as they are read. */
export async function* ndjsonBatches(
  reader: ByteReader,
  source: string,
  options: CellOptions,
  most: number,
): AsyncGenerator<RawTable, void, undefined> {
  let gathered = rowGatherer(source, options);
  let given = false;
  for await (const { text, line } of textLines(reader, source)) {
    if (gathered.rows >= most) {
      yield gathered.finish();
      given = true;
      gathered = rowGatherer(source, options);
    }
    const place = `line ${line}`;
    if (text.length > LONG_LINE) requireParsable(new TextEncoder().encode(text), `${source} ${place}`);
    gathered.add(parsed(text, `${source} ${place}`), place, options.numbers && line);
  }
  if (gathered.rows > 0 || !given) yield gathered.finish();
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
    const store = valueStore(names[j], options, undefined, values.length);
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
function parsed(text: string, where: string): unknown {
  const quoted = LONG_INTEGER.test(text)
    ? text.replaceAll(STRING_OR_NUMBER, (token) =>
        /^-?\d{16,}$/.test(token) && String(Number(token)) !== token ? `"${token}"` : token,
      )
    : text;
  try {
    return JSON.parse(quoted);
  } catch (error) {
    // The reason quotes the text, which may have several lines.
    const reason = (error as Error).message.replaceAll(/\s+/g, " ");
    // As Python's json writes missing numbers.
    const isNaNWritten = /^Unexpected token '?[NI]/.test(reason);
    throw inputError(
      `${where} is not JSON: ${reason}${isNaNWritten ? "; if it is NaN or Infinity, write null" : ""}`,
    );
  }
}

const LONG_INTEGER = /[[:,\s]-?\d{16,}\s*[\]},]/;
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Memory limit of all parsed values of a document. */
const LARGEST = 1.5 * 2 ** 30;

/**
 * Refuses JSON that would exhaust the memory of the process when parsed whole: an empty array is two bytes in
 * the file and many times that in memory. The count covers arrays, objects and the values that commas
 * separate.
 */
function requireParsable(bytes: Uint8Array, source: string): void {
  if (bytes.length < SMALL) return;
  let containers = 0;
  let commas = 0;
  let inString = false;
  for (let p = 0; p < bytes.length; p++) {
    const byte = bytes[p];
    if (byte === QUOTE) inString = !inString;
    else if (inString) {
      if (byte === BACKSLASH) p++;
    } else if (byte === COMMA) commas++;
    else if (byte === BRACKET || byte === BRACE) containers++;
  }
  const cost = 2 * bytes.length + 64 * containers + 24 * commas;
  if (cost <= LARGEST) return;
  throw inputError(
    `${source} would take about ${bytesText(cost)} of memory as one JSON document; ` +
      "write it as NDJSON, CSV, Parquet or Arrow, which are read in parts",
  );
}

const SMALL = 1 << 20;
const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const BRACKET = 91;
const BRACE = 123;
