import type { OnProgress } from "../core/index.ts";
import type { Format } from "./files/formats.ts";
import type { Matrix, Sparse } from "../matrix/index.ts";

/** A column of text that stays beside the numbers: class labels, row names. */
export interface TextColumn {
  readonly name: string;
  readonly values: readonly string[];
}

/** The result of every reader, named data set and generator: the numbers, and the text of their rows. */
export interface NumberTable {
  /** One name per column of X. */
  readonly names: readonly string[];
  readonly X: Matrix | Sparse;
  /** The known classes, if a label column was named (a LIBSVM file always has one). Empty means unknown. */
  readonly label?: TextColumn;
  readonly ids?: TextColumn;
  /** The measurement group of each row, if a batch column was named; see `scale`. */
  readonly batch?: TextColumn;
  /** The source file, data set or generator, for people. */
  readonly source: string;
  /** The reader's decisions and changes, one sentence each. */
  readonly notes: readonly string[];
}

/** A path (`-` is standard input), or a browser's data. */
export type Source =
  | string
  | URL
  | Uint8Array
  | Blob
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

export type Missing = "refuse" | "mean" | "median" | "drop";

/** A column of the source, before its role is known. */
export interface FoundColumn {
  readonly name: string;
  /** Holds cells that are not numbers, judged by the first rows (NDJSON: the first) or the schema. */
  readonly text: boolean;
}

/** The roles of columns; those not named are features. */
export interface ColumnRoles {
  /** The column of known classes; read as text, never part of X. */
  readonly label?: string;
  /** The column that names the rows; read as text, never part of X. */
  readonly id?: string;
  /** The column with the measurement group of a row; read as text, never part of X. */
  readonly batch?: string;
  readonly ignore?: readonly string[];
  /** Columns of text to encode as one 0/1 column per level, or "onehot" for every column that holds text. */
  readonly categorical?: "refuse" | "onehot" | readonly string[];
}

export interface ReadOptions extends ColumnRoles {
  /** Default: by content, then by the file's extension. */
  readonly format?: Format;
  /** The name of the source in errors; default: its path. */
  readonly name?: string;
  /** Decides the roles once the columns are known, instead of the options of ColumnRoles. */
  readonly roles?: (columns: readonly FoundColumn[]) => ColumnRoles;
  /** Default "refuse": an empty cell, NA, NaN, null or ? is an error that gives the positions. */
  readonly missing?: Missing;
  /** CSV: whether the first row names the columns. Default: yes if none of its cells is a number. */
  readonly header?: boolean;
  /** CSV: default: detected among comma, semicolon, tab and bar. */
  readonly delimiter?: string;
  /** CSV: the decimal mark. */
  readonly decimal?: "." | ",";
  /** CSV: default: UTF-8 or UTF-16 if it is, otherwise Windows-1252. */
  readonly encoding?: string;
  /** Spreadsheets: the name of a sheet or its position, from 1. */
  readonly sheet?: string | number;
  /** LIBSVM: the number of columns; default: the largest index seen. */
  readonly features?: number;
  /** Maximum number of bytes of the table; default: 1 GiB, and 256 bytes for each byte of a larger source. */
  readonly budget?: number;
  readonly onProgress?: OnProgress;
}

/** The settings of a reader: in a stream the levels of categorical columns are known before the first row. */
export interface FillOptions extends ReadOptions {
  readonly levels?: Readonly<Record<string, readonly string[]>>;
}
