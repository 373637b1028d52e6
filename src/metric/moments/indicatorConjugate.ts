/**
 * The indicator regression of sparse rows without a d x d matrix: conjugate gradients on the normal equations
 * (CGLS; Hestenes and Stiefel 1952, Björck 1996 section 7.4), one system per target, all in step so that one
 * pass over the rows serves them all. Started from zero they tend to the solution of least norm, W = pinv(X)
 * J.
 *
 * Centring is implicit, with m the mean:  Z v = X v - (m'v) 1,  Z'u = X'u - (1'u) m. The rows stay sparse.
 */
import {
  matrix,
  multiply,
  multiplyTransposeA,
  takeRows,
  type Matrix,
  type Sparse,
} from "../../matrix/index.ts";
import { requireFiniteSparse } from "../../matrix/internal.ts";
import type { Labeling } from "../../score/index.ts";
import { labelledRows } from "../../score/internal.ts";
import { requireSignal, type Regression, type Targets } from "./indicatorRegression.ts";

/** @param tolerance the relative residual of the normal equations to reach */
export function regressionFromSparse(
  X: Sparse,
  labels: Labeling,
  center: boolean,
  tolerance: number,
  maxIterations: number,
  targets: Targets,
): Regression {
  requireFiniteSparse(X);
  const { rows, codes, classes, ...sizes } = labelledRows("mlca", X, labels);
  const counts = Float64Array.from(sizes.counts);
  const { mean, variances } = columnMoments(rows);
  const Z = centredRows(rows, center ? mean : new Float64Array(X.cols));
  const T = targets(counts);
  const t = T.cols;
  const d = X.cols;

  const R = takeRows(T, codes); // J - Z W
  const W = matrix(d, t);
  let S = Z.transposeTimes(R); // Z'(J - Z W), the residual of the normal equations
  requireSignal(S, variances.reduce((sum, value) => sum + value, 0) * rows.rows);
  const P = matrix(d, t, S.data.slice());
  const first = columnSquares(S);
  const goal = Math.sqrt(first.reduce((sum, value) => sum + value, 0)) * tolerance;
  let gamma = first;
  let iterations = 0;
  const alpha = new Float64Array(t);
  const beta = new Float64Array(t);
  while (length(gamma) > goal && iterations < maxIterations) {
    const Q = Z.times(P);
    const curvature = columnSquares(Q);
    // A target that is solved, or that this direction no longer affects, rests while the others continue.
    for (let c = 0; c < t; c++) {
      alpha[c] = gamma[c] > 1e-32 * first[c] && curvature[c] > 0 ? gamma[c] / curvature[c] : 0;
    }
    addScaledColumns(W, alpha, 1, P);
    addScaledColumns(R, alpha, -1, Q);
    S = Z.transposeTimes(R);
    const next = columnSquares(S);
    for (let c = 0; c < t; c++) beta[c] = gamma[c] > 0 ? next[c] / gamma[c] : 0;
    for (let f = 0, p = 0; f < d; f++) {
      for (let c = 0; c < t; c++, p++) P.data[p] = S.data[p] + beta[c] * P.data[p];
    }
    gamma = next;
    iterations++;
  }
  const residual = length(gamma) / length(first);
  const late = `did not converge in ${maxIterations} iterations (residual ${residual.toExponential(1)})`;
  return {
    W,
    classes,
    counts,
    mean,
    variances,
    residual,
    converged: residual <= tolerance,
    iterations,
    warnings: residual <= tolerance ? [] : [late],
  };
}

/** Products with X - 1 mean'. */
function centredRows(X: Sparse, mean: Float64Array) {
  return {
    times(V: Matrix): Matrix {
      const t = V.cols;
      const shift = new Float64Array(t);
      for (let f = 0, p = 0; f < V.rows; f++) {
        for (let c = 0; c < t; c++, p++) shift[c] += mean[f] * V.data[p];
      }
      const C = multiply(X, V);
      for (let i = 0, p = 0; i < C.rows; i++) for (let c = 0; c < t; c++, p++) C.data[p] -= shift[c];
      return C;
    },
    transposeTimes(U: Matrix): Matrix {
      const t = U.cols;
      const sums = new Float64Array(t);
      for (let i = 0, p = 0; i < U.rows; i++) for (let c = 0; c < t; c++, p++) sums[c] += U.data[p];
      const C = multiplyTransposeA(X, U);
      for (let f = 0, p = 0; f < C.rows; f++) {
        for (let c = 0; c < t; c++, p++) C.data[p] -= mean[f] * sums[c];
      }
      return C;
    },
  };
}

/** A += sign B diag(factors). */
function addScaledColumns(A: Matrix, factors: Float64Array, sign: number, B: Matrix): void {
  for (let i = 0, p = 0; i < A.rows; i++) {
    for (let c = 0; c < A.cols; c++, p++) A.data[p] += sign * factors[c] * B.data[p];
  }
}

function columnMoments(X: Sparse): { mean: Float64Array; variances: Float64Array } {
  const mean = new Float64Array(X.cols);
  const squares = new Float64Array(X.cols);
  for (let p = 0; p < X.values.length; p++) {
    mean[X.indices[p]] += X.values[p] / X.rows;
    squares[X.indices[p]] += X.values[p] ** 2 / X.rows;
  }
  return { mean, variances: squares.map((value, f) => Math.max(0, value - mean[f] ** 2)) };
}

function columnSquares(A: Matrix): Float64Array {
  const sums = new Float64Array(A.cols);
  for (let i = 0, p = 0; i < A.rows; i++) {
    for (let c = 0; c < A.cols; c++, p++) sums[c] += A.data[p] * A.data[p];
  }
  return sums;
}

/** Norm of a matrix whose columns have these squared lengths. */
function length(squares: Float64Array): number {
  return Math.sqrt(squares.reduce((sum, value) => sum + value, 0));
}
