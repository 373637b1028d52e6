import type { Matrix, MatrixLike } from "../matrix/index.ts";

/** The rows in their new coordinates, and how they were found. */
export interface EmbeddedRows {
  /** n x dims. */
  readonly embedding: Matrix;
  readonly converged: boolean;
  /** 0 for a closed form. */
  readonly iterations: number;
  readonly warnings: readonly string[];
}

/** The rule for new rows; `Data` is its form in a file. */
export interface RowMap<Data extends object = object> {
  readonly method: string;
  /** New rows in the same coordinates. */
  transform(Y: MatrixLike): Matrix;
  /** Plain data from which the `load...` function of the method restores a model with the same transform. */
  model(): Data;
  /** The whole result in JSON form. */
  toJSON(): object;
}

/** The rule of a clustering for new rows. */
export interface PlacingMap<Data extends object = object> extends RowMap<Data> {
  /** The cluster whose centre is nearest to the row in these coordinates. */
  predict(Y: MatrixLike): Int32Array;
}

/** The result of every method of this room. */
export interface Embedding extends EmbeddedRows, RowMap {}
