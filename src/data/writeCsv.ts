import { inputError } from "../core/internal.ts";
import { isSparse, type Matrix, type Sparse } from "../matrix/index.ts";
import { parseNumber } from "./text/cellScanner.ts";
import type { TextColumn } from "./table.ts";

/** The parts to write, all optional, with equal numbers of rows. */
export interface WritableTable {
  readonly ids?: TextColumn;
  readonly names?: readonly string[];
  readonly X?: Matrix | Sparse;
  readonly label?: TextColumn;
  /** More columns after the label, for example cluster numbers. */
  readonly columns?: readonly { readonly name: string; readonly values: ArrayLike<string | number> }[];
}

export interface WriteOptions {
  readonly delimiter?: "," | ";" | "\t";
  /** Whether the names come first; default true. Later parts of a table leave them out. */
  readonly header?: boolean;
  /**
   * Puts an apostrophe before texts that a spreadsheet would take for a formula: those that begin with =, +,
   * -, @ or a control character and are not numbers, and parts of texts that begin so after a separator or a
   * line end. Reading them returns the apostrophe too. Default false.
   */
  readonly spreadsheetSafe?: boolean;
}

const CHUNK = 1 << 16;

/**
 * The table as CSV (RFC 4180, line feeds), in chunks of some 64 kB: ids, the columns of X, the label, further columns.
 * Numbers are written with the fewest digits that read back as the same double.
 */
export function* writeCsv(table: WritableTable, options: WriteOptions = {}): Generator<string> {
  const delimiter = options.delimiter ?? ",";
  const { X, ids, label } = table;
  const before = ids === undefined ? [] : [ids];
  const after = [...(label === undefined ? [] : [label]), ...(table.columns ?? [])];
  const names = X === undefined ? [] : (table.names ?? Array.from({ length: X.cols }, (_, j) => `c${j}`));
  const rows = rowCount(table);
  if (X !== undefined && names.length !== X.cols) {
    throw inputError(`${names.length} names for ${X.cols} columns`);
  }
  const header = [...before.map(({ name }) => name), ...names, ...after.map(({ name }) => name)];
  if (header.length === 0) throw inputError("there is no column to write");
  const special = new RegExp(`[${delimiter}"\\r\\n]|^\\s|\\s$${header.length === 1 ? "|^$" : ""}`);
  const quoted = (given: string): string => {
    const text = options.spreadsheetSafe === true ? withoutFormulas(given) : given;
    return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  let chunk = options.header === false ? "" : header.map(quoted).join(delimiter) + "\n";
  const scratch = X !== undefined && isSparse(X) ? new Float64Array(X.cols) : undefined;
  for (let i = 0; i < rows; i++) {
    const cells: string[] = [];
    for (const { values } of before) cells.push(quoted(values[i]));
    if (X !== undefined) for (const value of rowOf(X, i, scratch)) cells.push(spell(value));
    for (const { values } of after) cells.push(quoted(String(values[i])));
    chunk += cells.join(delimiter) + "\n";
    if (chunk.length >= CHUNK) {
      yield chunk;
      chunk = "";
    }
  }
  if (chunk !== "") yield chunk;
}

/** Signs that begin a formula, also of full width or small. */
const SIGNS = "=+-@\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}\u{FE66}\u{FE62}\u{FE63}\u{FE6B}";
/** What a spreadsheet passes over before them. */
const PASSED = /[\s\p{Cc}\p{Cf}"]/u;
/** Where a spreadsheet begins a cell; one of another country separates by semicolons, also inside of a text. */
const SEPARATOR = /[;,\t\r\n]/g;

/** An apostrophe before every part that would be a formula and is no number. */
function withoutFormulas(text: string): string {
  let safe = /^[\t\r\n]/.test(text) && parseNumber(text.trim()) === undefined ? "'" : "";
  for (let from = 0; from < text.length;) {
    SEPARATOR.lastIndex = from;
    const end = SEPARATOR.exec(text)?.index ?? text.length;
    const part = text.slice(from, end);
    safe += (isFormula(part) ? "'" : "") + part + text.slice(end, end + 1);
    from = end + 1;
  }
  return safe;
}

function isFormula(part: string): boolean {
  let at = 0;
  while (at < part.length && PASSED.test(part[at])) at++;
  return at < part.length && SIGNS.includes(part[at]) && parseNumber(part.trim()) === undefined;
}

function rowCount(table: WritableTable): number {
  const parts: [string, number][] = [];
  if (table.X !== undefined) parts.push(["X", table.X.rows]);
  for (const column of [table.ids, table.label, ...(table.columns ?? [])]) {
    if (column !== undefined) parts.push([`column "${column.name}"`, column.values.length]);
  }
  for (const [name, rows] of parts) {
    if (rows !== parts[0][1]) {
      throw inputError(`${parts[0][0]} has ${parts[0][1]} rows, but ${name} has ${rows}`);
    }
  }
  return parts.length === 0 ? 0 : parts[0][1];
}

function rowOf(X: Matrix | Sparse, i: number, scratch: Float64Array | undefined): Float64Array {
  if (!isSparse(X)) return X.data.subarray(i * X.cols, (i + 1) * X.cols);
  scratch!.fill(0);
  for (let p = X.offsets[i]; p < X.offsets[i + 1]; p++) scratch![X.indices[p]] += X.values[p];
  return scratch!;
}

/** String(-0) is "0", which would not read back as the same double. */
function spell(value: number): string {
  return Object.is(value, -0) ? "-0" : String(value);
}
