import type { Note } from "../../core/notes.ts";
import type { Matrix } from "../../matrix/matrix.ts";

/** What a column of a table is taken as. */
export type ColumnKind =
  | "id"
  | "constant"
  | "empty"
  | "number"
  | "ordered"
  | "category"
  | "date"
  | "text"
  | "vector";

/**
 * One column of a table: what it is taken as, why, and its values. Plain data, so that a table passes through
 * `structuredClone` and can be posted to a worker.
 */
export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** One short phrase that says why: "every value is different", "8 levels". */
  readonly why: string;
  /** How cells become values; kept with a model, so that another file is read in the same way. */
  readonly reading: ColumnReading;
  readonly missing: number;
  /** Numbers, days since 1970-01-01 of a date, codes of ordered levels; NaN where missing. */
  readonly values?: Float64Array;
  /** Category and ordered: the levels, and the place of each row's level in them, -1 where missing. */
  readonly levels?: readonly string[];
  readonly codes?: Int32Array;
  /** Vector: one row each; a missing one is a row of NaN. */
  readonly vectors?: Matrix;
  /**
   * The cells as they were written, "" where missing; absent where the source held plain numbers, and where
   * `levels` and `codes` tell them. `cellText` gives a cell of any column.
   */
  readonly cells?: readonly string[];
}

/** Plain JSON; each kind uses some of it. */
export interface ColumnReading {
  /** Within a kind: money, percentage, unit, count, clock, duration, yes-no, path, list, timestamp, ... */
  readonly form?: string;
  readonly decimal?: "." | ",";
  readonly unit?: string;
  /** Numbers with several units: what a number with each is multiplied by. */
  readonly units?: Readonly<Record<string, number>>;
  /** What is added then: degrees Fahrenheit among degrees Celsius. */
  readonly offsets?: Readonly<Record<string, number>>;
  /**
   * Dates: which of day, month and year comes first; or what a number counts: seconds or milliseconds since 1970, days
   * of a spreadsheet, or 20240301.
   */
  readonly dateOrder?: "dmy" | "mdy" | "ymd" | "epoch-s" | "epoch-ms" | "serial" | "compact";
  /** Marks that stand for a missing value in this column, beyond the usual ones. */
  readonly missingMarks?: readonly string[];
  readonly levels?: readonly string[];
  /** Other spellings of levels, in lower case, and the places of the levels they mean: "y" and "true" beside "yes". */
  readonly spellings?: Readonly<Record<string, number>>;
  readonly dimensions?: number;
  /** Lengths of time such as 3:45: minutes and seconds, or hours and minutes. */
  readonly clock?: "m:s" | "h:m";
  /** Paths, lists: what stands between the parts of a cell. */
  readonly separator?: string;
  /** Vector: the columns of numbers that it was put together from. */
  readonly columns?: readonly string[];
}

/** What is kept of a column with a model. */
export interface ColumnRecord {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly reading: ColumnReading;
}

/** A table as it was read: every column with its kind. `features` turns it into numbers. */
export interface Table {
  readonly source: string;
  readonly rows: number;
  readonly columns: readonly Column[];
  /** What the reader decided or changed on the way. */
  readonly notes: readonly Note[];
}

export function columnRecord({ name, kind, reading }: Column): ColumnRecord {
  return { name, kind, reading };
}

/** A cell of any column as text, "" where it is missing. */
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

/** Days since 1970-01-01 as an ISO date, with the time where there is one. */
export function dateText(days: number): string {
  const date = new Date(Math.round(days * 86_400_000));
  if (Number.isNaN(date.getTime())) return String(days);
  const text = date.toISOString();
  return days % 1 === 0 ? text.slice(0, 10) : text.slice(0, 19).replace("T", " ");
}
