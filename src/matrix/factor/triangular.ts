import { inputError, numericError } from "../../core/internal.ts";
import { withWorkspace } from "./factorKernel.ts";
import { matrix, requireFinite, requireMatrix, type Matrix } from "../matrix.ts";
import { requireSquare } from "../symmetric.ts";

/** Solves for one right-hand side, or for every column of a matrix. */
export interface Solve {
  (b: Float64Array): Float64Array;
  (B: Matrix): Matrix;
}

/** Makes a `Solve` from a function of a matrix of right-hand sides, which has been checked. */
export function solver(n: number, method: string, apply: (B: Matrix) => Matrix): Solve {
  function solve(b: Float64Array): Float64Array;
  function solve(B: Matrix): Matrix;
  function solve(B: Float64Array | Matrix): Float64Array | Matrix {
    const isVector = B instanceof Float64Array;
    const columns = isVector ? matrix(B.length, 1, B) : B;
    if (columns.rows !== n) {
      throw inputError(
        `${method}: the right-hand side has ${columns.rows} rows, but the matrix is ${n} x ${n}`,
      );
    }
    requireFinite(columns, `${method}: the right-hand side`);
    const X = apply(columns);
    return isVector ? X.data : X;
  }
  return solve;
}

export interface Triangle {
  /** The triangle of T that is read; default lower. */
  readonly upper?: boolean;
  /** Solve with T' instead of T. */
  readonly transposed?: boolean;
  /** Assume a diagonal of ones without reading it. */
  readonly unit?: boolean;
}

/** T^-1 B (or T'^-1 B) for a triangular T, of which only one triangle is read. A zero on the diagonal is an error. */
export function solveTriangular(T: Matrix, B: Matrix, triangle: Triangle = {}): Matrix {
  const { upper = false, transposed = false, unit = false } = triangle;
  requireSquare(T, "solveTriangular");
  requireMatrix(B, "solveTriangular");
  const n = T.rows;
  if (B.rows !== n) {
    throw inputError(`solveTriangular: the right-hand side has ${B.rows} rows, the matrix ${n}`);
  }
  if (!unit) {
    for (let i = 0; i < n; i++) {
      if (T.data[i * n + i] === 0) {
        throw numericError(`solveTriangular: the matrix is singular (entry ${i} of its diagonal is 0)`);
      }
    }
  }
  const X = matrix(n, B.cols, B.data.slice());
  if (B.cols < FEW) {
    for (let c = 0; c < B.cols; c++) solveColumn(T, X, c, upper, transposed, unit);
    return X;
  }
  withWorkspace(n, { T: n * n, B: n * B.cols }, ({ kernel, heap: H, at }) => {
    H.set(T.data, at.T);
    H.set(B.data, at.B);
    const [rs, cs] = transposed ? [1, n] : [n, 1];
    const solvesUpper = upper !== transposed;
    kernel.solveTriangular(n, B.cols, at.T, rs, cs, Number(solvesUpper), Number(unit), at.B, B.cols);
    X.data.set(H.subarray(at.B, at.B + X.data.length));
  });
  return X;
}

/** With fewer columns than this, reading T once per column is cheaper than moving it to the workspace. */
const FEW = 4;

function solveColumn(
  T: Matrix,
  X: Matrix,
  column: number,
  upper: boolean,
  transposed: boolean,
  unit: boolean,
): void {
  const { rows: n, data: t } = T;
  const { cols, data: x } = X;
  const ascends = upper === transposed;
  for (let step = 0; step < n; step++) {
    const i = ascends ? step : n - 1 - step;
    const row = i * n;
    const from = upper ? i + 1 : 0;
    const to = upper ? n : i;
    const at = i * cols + column;
    if (transposed) {
      // T is read by rows in both cases: a solved unknown is eliminated from the others at once.
      if (!unit) x[at] /= t[row + i];
      for (let j = from; j < to; j++) x[j * cols + column] -= t[row + j] * x[at];
    } else {
      let sum = x[at];
      for (let j = from; j < to; j++) sum -= t[row + j] * x[j * cols + column];
      x[at] = unit ? sum : sum / t[row + i];
    }
  }
}
