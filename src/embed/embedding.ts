import type { Matrix, MatrixLike } from "../matrix/index.ts";

/** The result of every method of this room. */
export interface Embedding {
  readonly method: string;
  /** n x dims: the rows in their new coordinates. */
  readonly embedding: Matrix;
  readonly converged: boolean;
  /** 0 for a closed form. */
  readonly iterations: number;
  readonly warnings: readonly string[];
  /** New rows in the same coordinates. */
  transform(Y: MatrixLike): Matrix;
  /** Plain data from which the `load...` function of the method restores a model with the same transform. */
  model(): object;
  /** The whole result in JSON form. */
  toJSON(): object;
}
