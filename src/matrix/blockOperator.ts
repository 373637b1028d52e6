import { inputError } from "../core/errors.ts";
import { engine } from "./engine.ts";
import type { Matrix } from "./matrix.ts";
import { isSparse, type Sparse } from "./sparse.ts";
import { symmetrized } from "./symmetric.ts";

/** A symmetric matrix known by its products: `apply` writes A x to y. */
export interface Operator {
  readonly size: number;
  apply(x: Float64Array, y: Float64Array): void;
}

/** The same for several vectors at a time, which are the rows of X. */
export interface BlockOperator {
  readonly size: number;
  /** Rows of Y := rows of X times A. */
  apply(count: number, X: Float64Array, Y: Float64Array): void;
}

/**
 * Symmetry of a dense matrix is checked; that of a sparse matrix or an operator shows only in the products.
 */
export function blockOperator(A: Matrix | Sparse | Operator): BlockOperator {
  if ("size" in A) {
    if (!Number.isInteger(A.size) || A.size < 0) {
      throw inputError(`topEigen: the operator's size must be a whole number, got ${A.size}`);
    }
    return byRows(A.size, (x, y) => A.apply(x, y));
  }
  if (A.rows !== A.cols) throw inputError(`topEigen: the matrix must be square, got ${A.rows} x ${A.cols}`);
  if (isSparse(A)) return byRows(A.rows, (x, y) => multiplySparse(A, x, y));
  const n = A.rows;
  const S = symmetrized(A, "topEigen");
  return {
    size: n,
    apply(count, X, Y) {
      Y.fill(0, 0, count * n);
      engine().product(
        count,
        n,
        n,
        1,
        X.subarray(0, count * n),
        false,
        S.data,
        false,
        Y.subarray(0, count * n),
      );
    },
  };
}

function byRows(n: number, apply: (x: Float64Array, y: Float64Array) => void): BlockOperator {
  return {
    size: n,
    apply(count, X, Y) {
      for (let i = 0; i < count; i++) {
        const y = Y.subarray(i * n, (i + 1) * n);
        apply(X.subarray(i * n, (i + 1) * n), y);
        if (!y.every(Number.isFinite)) {
          throw inputError("topEigen: a product with the matrix has an entry that is NaN or infinite");
        }
      }
    },
  };
}

function multiplySparse(A: Sparse, x: Float64Array, y: Float64Array): void {
  for (let i = 0; i < A.rows; i++) {
    let sum = 0;
    for (let p = A.offsets[i]; p < A.offsets[i + 1]; p++) sum += A.values[p] * x[A.indices[p]];
    y[i] = sum;
  }
}
