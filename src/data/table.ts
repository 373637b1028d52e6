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
