import type { Note } from "../../../core/notes.ts";

/**
 * A column as in the source, before its kind is known: numbers, distinct texts, or vectors. A row with
 * neither number nor text nor vector is empty.
 */
export interface RawColumn {
  readonly name: string;
  /** NaN if the cell is not a number. */
  readonly numbers?: Float64Array;
  /** The distinct texts, trimmed and never empty, and the index of each row's text, -1 if there is none. */
  readonly texts?: readonly string[];
  readonly codes?: Int32Array;
  /** The indices in `texts` of possible words for a missing value; absent: any. */
  readonly maybeMissing?: readonly number[];
  /** Nearly all texts differ, and some may occur in `texts` twice. */
  readonly repeats?: boolean;
  /** One vector per row, `dimensions` numbers each; NaN in the first position if a row has none. */
  readonly vectors?: Float64Array;
  readonly dimensions?: number;
  /** The type declared by the source: then numbers are days since 1970-01-01. */
  readonly declared?: "date" | "boolean";
}

export interface RawTable {
  readonly source: string;
  readonly rows: number;
  readonly columns: readonly RawColumn[];
  readonly notes: readonly Note[];
  /** The decimal mark that the first rows imply. */
  readonly decimal?: "." | ",";
}

/** The settings of the cell readers. */
export interface CellOptions {
  readonly decimal?: "." | ",";
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly header?: boolean;
  readonly sheet?: string | number;
  readonly strict?: boolean;
  /** Columns that are not read. */
  readonly ignore?: ReadonlySet<string>;
  /** Maximum number of bytes of a table. */
  readonly memory: number;
}
