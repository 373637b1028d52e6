import type { Note } from "../../core/index.ts";
import { form, inputError, padded, shortName, textWidth } from "../../core/internal.ts";
import { requireCount, requireList } from "../../matrix/internal.ts";
import { type Matrix, takeRows } from "../../matrix/index.ts";
import { codedTexts, type ReadFile } from "../cells/rawColumn.ts";

/** The kind of a column. */
export const COLUMN_KINDS = [
  "id",
  "constant",
  "empty",
  "number",
  "ordered",
  "category",
  "date",
  "text",
  "vector",
] as const;
export type ColumnKind = (typeof COLUMN_KINDS)[number];

/**
 * What a column is to the rows, from readers that are told: their known classes, their names, their groups, or what stands
 * beside them in another file.
 */
export type ColumnRole = "classes" | "names" | "groups" | "beside";

/** The form of a text that is compared by vectors, and of these vectors. */
export const BY_MEANING = "meaning";

/** The phrase for a kind that the user named. */
export const AS_ASKED = "as asked";

/**
 * One column of a table: its kind, the reason, and its values. Plain data: a table passes through
 * `structuredClone` and can be posted to a worker.
 */
export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** A short phrase with the reason: "every value is different", "8 levels". */
  readonly why: string;
  readonly role?: ColumnRole;
  /** The user named the kind. */
  readonly isAsked?: true;
  /** How cells become values; stored in a model, so that another file is read in the same way. */
  readonly reading: ColumnReading;
  readonly missing: number;
  /** Numbers, days since 1970-01-01 for a date, codes of ordered levels; NaN if missing. */
  readonly values?: Float64Array;
  /** Category and ordered: the levels, and the index of each row's level, -1 if missing. */
  readonly levels?: readonly string[];
  readonly codes?: Int32Array;
  /** Vector: one row each; a missing one is a row of NaN. */
  readonly vectors?: Matrix;
  /**
   * The original cells, "" if missing; absent if the source held plain numbers, and if `levels` and `codes`
   * contain them. `cellText` returns a cell of any column.
   */
  readonly cells?: readonly string[];
  /** The cells that are written but count as missing: "n/a", "pending", -999. Rows in increasing order. */
  readonly marks?: { readonly rows: readonly number[]; readonly texts: readonly string[] };
}

/** How cells are read; each kind uses some of it. */
const readingForm = form.record({
  /** Within a kind: money, percentage, unit, count, clock, duration, yes-no, path, list, timestamp, ... */
  form: form.optional(form.text()),
  decimal: form.optional(form.choice(".", ",")),
  unit: form.optional(form.text()),
  /** Numbers with several units: the factor of each unit. */
  units: form.optional(form.table(form.number())),
  /** The offset after that: degrees Fahrenheit among degrees Celsius. */
  offsets: form.optional(form.table(form.number())),
  /**
   * Dates: which of day, month and year comes first; or the meaning of a number: seconds or milliseconds
   * since 1970, days of a spreadsheet, or 20240301.
   */
  dateOrder: form.optional(form.choice("dmy", "mdy", "ymd", "epoch-s", "epoch-ms", "serial", "compact")),
  /** Additional marks for a missing value in this column. */
  missingMarks: form.optional(form.list(form.text())),
  levels: form.optional(form.list(form.text())),
  /** Other spellings of levels, in lower case, and the indices of their levels: "y" and "true" for "yes". */
  spellings: form.optional(form.table(form.whole({ min: 0 }))),
  dimensions: form.optional(form.whole({ min: 0 })),
  /** Durations such as 3:45: minutes and seconds, or hours and minutes. */
  clock: form.optional(form.choice("m:s", "h:m")),
  /** Paths, lists: the separator of the parts of a cell. */
  separator: form.optional(form.text()),
  /** Vector: its original columns of numbers. */
  columns: form.optional(form.list(form.text())),
});

/** The part of a column that a model stores. */
export const columnRecordForm = form.record({
  name: form.text(),
  kind: form.choice(...COLUMN_KINDS),
  reading: readingForm,
});

export interface ColumnReading extends form.StoredOf<typeof readingForm> {}
export interface ColumnRecord extends form.StoredOf<typeof columnRecordForm> {}

/** A table after reading: every column with its kind. `features` turns it into numbers. */
export interface Table {
  readonly source: string;
  readonly rows: number;
  readonly columns: readonly Column[];
  /** The reader's decisions and changes. */
  readonly notes: readonly Note[];
  /** What was read of each source: with it, `writtenRows` reads the rows again as they were written. */
  readonly files?: readonly ReadFile[];
}

/** JavaScript callers may pass anything, such as a promise of a table. */
export function requireTable(table: unknown, who: string): void {
  if (typeof table === "object" && table !== null && "columns" in table && Array.isArray(table.columns))
    return;
  const got = table === null ? "null" : table instanceof Promise ? "a promise; await it" : typeof table;
  throw inputError(`${who} takes a table of readTable, got ${got}`);
}

/** What `readLike` needs to read a later file as this column was read. */
export function columnRecord({ name, kind, reading }: Column): ColumnRecord {
  return { name, kind, reading };
}

/** A cell of any column as text, "" if it is missing. */
export function cellText(column: Column, row: number): string {
  if (column.cells !== undefined) return column.cells[row];
  if (column.levels !== undefined && column.codes !== undefined) {
    return column.codes[row] < 0 ? "" : column.levels[column.codes[row]];
  }
  if (column.vectors !== undefined) {
    const { cols, data } = column.vectors;
    const values = data.subarray(row * cols, (row + 1) * cols);
    return Number.isNaN(values[0]) ? "" : `[${Array.from(values).join(", ")}]`;
  }
  const value = column.values?.[row] ?? Number.NaN;
  if (Number.isNaN(value)) return "";
  return column.kind === "date" ? dateText(value) : String(value);
}

/** Whether the cell of a row is missing. */
export function missingIn(column: Column | undefined): (row: number) => boolean {
  const { kind, codes, vectors, values, cells } = column ?? {};
  if (kind === "empty") return () => true;
  if (codes !== undefined) return (row) => codes[row] < 0;
  if (vectors !== undefined) {
    const { data, cols } = vectors;
    return (row) => {
      for (let p = row * cols; p < (row + 1) * cols; p++) if (!Number.isFinite(data[p])) return true;
      return cols === 0;
    };
  }
  if (values !== undefined) return (row) => !Number.isFinite(values[row]);
  return (row) => cells === undefined || cells[row] === "";
}

/** All cells of a column as they were written, also those that count as missing. */
export function writtenTexts(column: Column, rows: number): string[] {
  requireCount(rows, "the number of rows");
  const texts = Array.from({ length: rows }, (_, row) => cellText(column, row));
  column.marks?.rows.forEach((row, k) => (texts[row] = column.marks!.texts[k]));
  return texts;
}

/** Days since 1970-01-01 as an ISO date, with the time if there is one. */
export function dateText(days: number): string {
  const date = new Date(Math.round(days * 86_400_000));
  if (Number.isNaN(date.getTime())) return String(days);
  // A year before 0 or after 9999 has a sign and six digits.
  const [day, time] = date.toISOString().split("T");
  return days % 1 === 0 ? day : `${day} ${time.slice(0, 8)}`;
}

/** Some rows of a table, in the order given; columns keep their kinds and levels. */
export function takeTableRows(table: Table, rows: ArrayLike<number>): Table {
  requireTable(table, "takeTableRows");
  requireList(rows, "takeTableRows: the rows");
  const { files: _, ...rest } = table; // of all rows
  return {
    ...rest,
    rows: rows.length,
    columns: table.columns.map((column) => takeColumnRows(column, rows)),
  };
}

function takeColumnRows(column: Column, rows: ArrayLike<number>): Column {
  const { values, codes, vectors, cells } = column;
  const own = {
    ...(values !== undefined && { values: Float64Array.from(rows, (i) => values[i]) }),
    ...(codes !== undefined && { codes: Int32Array.from(rows, (i) => codes[i]) }),
    ...(vectors !== undefined && { vectors: takeRows(vectors, rows) }),
    ...(cells !== undefined && { cells: Array.from(rows, (i) => cells[i]) }),
  };
  const isMissing = missingIn(column);
  let missing = 0;
  for (let r = 0; r < rows.length; r++) if (isMissing(rows[r])) missing++;
  const { marks, ...rest } = column;
  return { ...rest, ...own, missing, ...(marks && { marks: takenMarks(marks, rows) }) };
}

function takenMarks(
  { rows: marked, texts }: NonNullable<Column["marks"]>,
  rows: ArrayLike<number>,
): NonNullable<Column["marks"]> {
  const textOf = new Map(marked.map((row, k) => [row, texts[k]]));
  const kept = Array.from(rows, (row, r) => ({ r, text: textOf.get(row) })).filter(
    ({ text }) => text !== undefined,
  );
  return { rows: kept.map(({ r }) => r), texts: kept.map(({ text }) => text!) };
}

/** The decisions about a table, one line per column: its name, its kind, and the reason. */
export function describeColumns(table: Table): string {
  requireTable(table, "describeColumns");
  const header = ["column", "taken as", "why"];
  const rows = table.columns.map((column) => [
    column.name,
    columnWords(column),
    whyWords(column, table.rows),
  ]);
  const widths = header.map((title, j) =>
    Math.min(40, Math.max(title.length, ...rows.map((row) => textWidth(row[j])))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, j) => (j === cells.length - 1 ? cell : padded(shortName(cell, widths[j]), widths[j])))
      .join("  ")
      .trimEnd();
  return [header, ...rows].map(line).join("\n");
}

/** "number, money": the kind of a column and its form, if it has one. */
export function columnWords({ kind, reading }: Column): string {
  const { form, unit } = reading;
  if (form === undefined || form === "day") return kind;
  if (form === "money" || form === "unit") return unit === undefined ? kind : `${kind}, ${unit}`;
  return `${kind}, ${form}`;
}

/** The reason for the kind of a column, and its share of missing cells. */
export function whyWords(column: Column, rows: number): string {
  if (column.missing === 0 || column.kind === "empty") return column.why;
  const share = (100 * column.missing) / rows;
  const shown = share < 1 ? "below 1 %" : share > 99 && share < 100 ? "above 99 %" : `${Math.round(share)} %`;
  return `${column.why}; ${shown} missing`;
}

/** A column of this table as numbers; NaN if missing, everywhere if the column does not exist. */
export function numbersOf(column: Column | undefined, rows: number): Float64Array {
  if (column?.values !== undefined) {
    const { values } = column;
    const infinite = values.some((value) => value === Infinity || value === -Infinity);
    return infinite ? values.map((value) => (Number.isFinite(value) ? value : Number.NaN)) : values;
  }
  const out = new Float64Array(rows).fill(Number.NaN);
  if (column?.codes !== undefined && column.levels !== undefined) {
    const numbers = column.levels.map((level) => (level.trim() === "" ? Number.NaN : Number(level)));
    for (let i = 0; i < rows; i++) if (column.codes[i] >= 0) out[i] = numbers[column.codes[i]];
  } else if (column?.cells !== undefined) {
    for (let i = 0; i < rows; i++) if (column.cells[i].trim() !== "") out[i] = Number(column.cells[i]);
  }
  for (let i = 0; i < rows; i++) if (!Number.isFinite(out[i])) out[i] = Number.NaN;
  return out;
}

/** A column of this table as levels and the index of each row's level, -1 if missing. */
export function levelsOf(
  column: Column | undefined,
  rows: number,
): { levels: readonly string[]; codes: Int32Array } {
  if (column?.codes !== undefined && column.levels !== undefined) {
    return { levels: column.levels, codes: column.codes };
  }
  const { texts, codes } = codedTexts(Array.from({ length: rows }, (_, i) => textOf(column)(i)));
  return { levels: texts, codes };
}

/** The cells as text, "" where missing. */
export function textOf(column: Column | undefined): (row: number) => string {
  return (row) => (column === undefined ? "" : cellText(column, row));
}

/** Days from one date to another in each row; NaN if one of them is missing. */
export function daysBetween(
  earlier: Column | undefined,
  later: Column | undefined,
  rows: number,
): Float64Array {
  const from = numbersOf(earlier, rows);
  return numbersOf(later, rows).map((day, i) => day - from[i]);
}
