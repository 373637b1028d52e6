import type { Note } from "../../../core/notes.ts";

/**
 * A column as the source holds it, before it is known what it is: numbers, distinct texts, or vectors. A row that has
 * neither number nor text nor vector is empty.
 */
export interface RawColumn {
  readonly name: string;
  /** NaN where the cell is no number. */
  readonly numbers?: Float64Array;
  /** The distinct texts, trimmed and never empty, and the place of each row's text in them, -1 where there is none. */
  readonly texts?: readonly string[];
  readonly codes?: Int32Array;
  /** The places in `texts` of all that may be words for a missing value; absent: any. */
  readonly maybeMissing?: readonly number[];
  /** Nearly all texts differ, and some may stand in `texts` twice. */
  readonly repeats?: boolean;
  /** One vector per row, `dimensions` numbers each; NaN in its first place where a row has none. */
  readonly vectors?: Float64Array;
  readonly dimensions?: number;
  /** What the source declares: then numbers are days since 1970-01-01. */
  readonly declared?: "date" | "boolean";
}

export interface RawTable {
  readonly source: string;
  readonly rows: number;
  readonly columns: readonly RawColumn[];
  readonly notes: readonly Note[];
  /** The decimal mark that the first rows speak for. */
  readonly decimal?: "." | ",";
}

/** What the readers of cells need to know. */
export interface CellOptions {
  readonly decimal?: "." | ",";
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly header?: boolean;
  readonly sheet?: string | number;
  readonly strict?: boolean;
  /** Columns that are not read. */
  readonly ignore?: ReadonlySet<string>;
  /** Bytes that a table may take. */
  readonly memory: number;
}
