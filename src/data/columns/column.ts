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
  /** The cells as they were written, "" where missing; absent where the source held numbers. */
  readonly cells?: readonly string[];
}

/** Plain JSON; each kind uses some of it. */
export interface ColumnReading {
  /** Within a kind: money, percentage, unit, clock, duration, yes-no, path, list, ... */
  readonly form?: string;
  readonly decimal?: "." | ",";
  readonly unit?: string;
  /** Dates: which of day, month and year comes first. */
  readonly dateOrder?: "dmy" | "mdy" | "ymd" | "epoch-s" | "epoch-ms";
  /** Marks that stand for a missing value in this column, beyond the usual ones. */
  readonly missingMarks?: readonly string[];
  readonly levels?: readonly string[];
  readonly dimensions?: number;
}

/** A table as it was read: every column with its kind. `features` turns it into numbers. */
export interface Table {
  readonly source: string;
  readonly rows: number;
  readonly columns: readonly Column[];
  /** What the reader decided or changed on the way. */
  readonly notes: readonly Note[];
}
