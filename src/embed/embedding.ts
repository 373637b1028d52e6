import type { MatrixLike } from "../matrix/asMatrix.ts";
import type { Matrix } from "../matrix/matrix.ts";

/** What every method of this room returns. */
export interface Embedding {
  readonly method: string;
  /** n x dims: the rows in their new coordinates. */
  readonly embedding: Matrix;
  readonly converged: boolean;
  /** 0 where the answer is a closed form. */
  readonly iterations: number;
  readonly warnings: readonly string[];
  /** New rows in the same coordinates. */
  transform(Y: MatrixLike): Matrix;
  /** Plain data from which the `load...` function of the method makes a model that transforms alike. */
  model(): object;
  /** All of the result as JSON has it. */
  toJSON(): object;
}
