import { inputError } from "../../core/internal.ts";
import { engine } from "../engine.ts";
import type { Matrix } from "../matrix.ts";
import { multiplyVector } from "../multiply.ts";
import { isSparse, type Sparse } from "../sparse.ts";
import { symmetrized } from "../symmetric.ts";
import { kernelBuild } from "../wasm.ts";
import { sparseOperator } from "./sparseOperator.ts";

/** A symmetric matrix given by its products: `apply` writes A x to y. */
export interface Operator {
  readonly size: number;
  apply(x: Float64Array, y: Float64Array): void;
}

/** The same for several vectors at a time, which are the rows of X. */
export interface BlockOperator {
  readonly size: number;
  /** Approximate work of one product per entry of the vector, in multiplications. */
  readonly cost: number;
  /** Rows of Y := rows of X times A. */
  apply(count: number, X: Float64Array, Y: Float64Array): void;
  /** Rows of R := what the recurrence makes of them, where that is faster than step by step. */
  recur?(count: number, R: Float64Array, recurrence: Recurrence): void;
  /**
   * Lanczos steps on sign A from the first of steps + 1 rows of `basis`, into T (steps x steps, zeros): how many were
   * made, and the norm of the last residual. Only where that is faster than one product after the other.
   */
  lanczos?(
    steps: number,
    sign: number,
    basis: Float64Array,
    T: Float64Array,
  ): { readonly done: number; readonly beta: number };
}

/**
 * D_1 = R sigma / radius, D_0 = 0, D_m = a (sign A D_(m-1) - center D_(m-1) + weight R) - b D_(m-2): a step for each m
 * from 2 on, with one weight for each row of R.
 */
export interface Recurrence {
  readonly sign: number;
  readonly center: number;
  readonly sigma: number;
  readonly radius: number;
  readonly steps: readonly { readonly a: number; readonly b: number; readonly weight: readonly number[] }[];
}

/**
 * Symmetry of a dense matrix is checked; that of a sparse matrix or an operator shows only in the products.
 */
export function blockOperator(A: Matrix | Sparse | Operator): BlockOperator {
  if ("size" in A) {
    if (!Number.isInteger(A.size) || A.size < 0) {
      throw inputError(`topEigen: the operator's size must be a whole number, got ${A.size}`);
    }
    return byRows(A.size, UNKNOWN_COST, (x, y) => A.apply(x, y));
  }
  if (A.rows !== A.cols) throw inputError(`topEigen: the matrix must be square, got ${A.rows} x ${A.cols}`);
  if (isSparse(A)) {
    const plain = byRows(A.rows, A.values.length / A.rows, (x, y) => y.set(multiplyVector(A, x)));
    return kernelBuild() === undefined ? plain : sparseOperator(A, plain);
  }
  const n = A.rows;
  const S = symmetrized(A, "topEigen");
  return {
    size: n,
    cost: n,
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

/** The assumed cost of a product with an operator. */
const UNKNOWN_COST = 20;

function byRows(n: number, cost: number, apply: (x: Float64Array, y: Float64Array) => void): BlockOperator {
  return {
    size: n,
    cost,
    apply(count, X, Y) {
      for (let i = 0; i < count; i++) {
        const y = Y.subarray(i * n, (i + 1) * n);
        apply(X.subarray(i * n, (i + 1) * n), y);
        let spoiled = 0;
        for (let c = 0; c < n; c++) spoiled += y[c] * 0; // NaN as soon as one entry is not finite
        if (spoiled !== 0) {
          throw inputError("topEigen: a product with the matrix has an entry that is NaN or infinite");
        }
      }
    },
  };
}
