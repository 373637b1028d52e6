/**
 * The solver behind MMC: over positive semidefinite B (d x d), with u_c the cannot-links in the coordinates of the
 * must-links,
 *
 *     maximise  Phi(B) = log mean_c |u_c|_B - 1/2 log(tr(B)/d) + rho/2 (log det B - d log(tr(B)/d)),   |u|_B^2 = u'B u
 *
 * Phi does not change when B is multiplied by a number, and on tr B = 1 it is concave. B = R'R and L-BFGS over R (all of
 * it, or its diagonal). By concavity no B has a value above Phi(B) + lambda_max(grad Phi) - <grad Phi, B>, and the last
 * term is (1 + rho d)/2: that gap is the certificate, and decides whether to go on.
 */
import type { OnProgress } from "../core/progress.ts";
import { tryCholesky } from "../matrix/cholesky.ts";
import { symmetricEigen } from "../matrix/eigen.ts";
import { identity, matrix, transpose, type Matrix } from "../matrix/matrix.ts";
import { gram, multiply, multiplyTransposeA, multiplyTransposeB } from "../matrix/multiply.ts";
import { lbfgs } from "../optimize/lbfgs.ts";
import type { Objective } from "../optimize/minimum.ts";

export interface PhiProblem {
  /** Row c is u_c. */
  readonly U: Matrix;
  readonly rho: number;
  readonly diagonal: boolean;
}

export interface PhiMaximum {
  /** B = R'R. */
  readonly R: Matrix;
  /** No B has a Phi above this one's by more than the gap. */
  readonly gap: number;
  readonly history: readonly number[];
  readonly iterations: number;
  readonly converged: boolean;
  /** Why the last run ended, where it did not reach its gradient. */
  readonly reasons: readonly string[];
}

export function maximizePhi(
  problem: PhiProblem,
  stop: { tolerance: number; maxIterations: number; onProgress?: OnProgress | undefined },
): PhiMaximum {
  const { U, rho, diagonal } = problem;
  const d = U.cols;
  const squares = diagonal ? squared(U.data) : U.data;
  const objective = diagonal ? diagonalObjective(squares, d, rho) : fullObjective(U, rho);
  const history: number[] = [];
  let x: Float64Array = diagonal ? new Float64Array(d).fill(1) : identity(d).data;
  // A small gradient does not mean a small gap where a cannot-link is almost zero, so the gradient is tightened.
  for (let precision = stop.tolerance / 1000; ; precision /= 100) {
    const done = Math.max(0, history.length - 1);
    const run = lbfgs(objective, x, {
      maxIterations: stop.maxIterations - done,
      tolerance: precision,
      ...(stop.onProgress === undefined ? {} : { onProgress: stop.onProgress }),
    });
    x = run.x;
    history.push(...run.history.slice(history.length === 0 ? 0 : 1).map((value) => -value));
    const R = diagonal ? diagonalMatrix(x) : matrix(d, d, x);
    const gap = diagonal ? diagonalGap(squares, x, rho) : certifiedGap(U, R, rho);
    const converged = gap <= stop.tolerance;
    if (converged || !run.converged || precision < 1e-15) {
      return { R, gap, history, iterations: history.length - 1, converged, reasons: run.warnings };
    }
  }
}

/** -Phi of B = R'R, up to a constant, and its gradient in R. */
function fullObjective(U: Matrix, rho: number): Objective {
  const d = U.cols;
  return (x, gradient) => {
    const R = matrix(d, d, x);
    const { sum, unit } = lengths(multiplyTransposeB(U, R));
    const G = multiplyTransposeA(unit, U);
    const trace = inner(x, x);
    for (let p = 0; p < x.length; p++) gradient[p] = -G.data[p] / sum + ((1 + rho * d) * x[p]) / trace;
    const value = -Math.log(sum / U.rows) + ((1 + rho * d) / 2) * Math.log(trace / d);
    if (rho === 0) return value;
    const root = tryCholesky(gram(R));
    if (root === undefined) return Number.POSITIVE_INFINITY;
    const inverse = multiply(R, root.solve(identity(d))); // R'^-1
    for (let p = 0; p < x.length; p++) gradient[p] -= rho * inverse.data[p];
    return value - (rho / 2) * root.logDeterminant;
  };
}

/** The same over R = diag(z), where |u|_B^2 = sum u_f^2 z_f^2. */
function diagonalObjective(squares: Float64Array, d: number, rho: number): Objective {
  const rows = squares.length / d;
  const weights = new Float64Array(d);
  return (z, gradient) => {
    for (let f = 0; f < d; f++) weights[f] = z[f] * z[f];
    gradient.fill(0);
    let sum = 0;
    for (let c = 0; c < rows; c++) {
      const at = c * d;
      let square = 0;
      for (let f = 0; f < d; f++) square += squares[at + f] * weights[f];
      if (square === 0) continue;
      const length = Math.sqrt(square);
      sum += length;
      for (let f = 0; f < d; f++) gradient[f] -= squares[at + f] / length;
    }
    const trace = inner(z, z);
    let value = -Math.log(sum / rows) + ((1 + rho * d) / 2) * Math.log(trace / d);
    for (let f = 0; f < d; f++) {
      gradient[f] = (gradient[f] * z[f]) / sum + ((1 + rho * d) * z[f]) / trace;
      if (rho === 0) continue;
      if (z[f] === 0) return Number.POSITIVE_INFINITY;
      gradient[f] -= rho / z[f];
      value -= rho * Math.log(Math.abs(z[f]));
    }
    return value;
  };
}

/** Sum of the lengths of the rows, and the rows at length 1 (a zero row stays zero). */
function lengths(Z: Matrix): { sum: number; unit: Matrix } {
  const { rows, cols } = Z;
  const unit = matrix(rows, cols);
  let sum = 0;
  for (let c = 0; c < rows; c++) {
    let square = 0;
    for (let p = c * cols; p < (c + 1) * cols; p++) square += Z.data[p] ** 2;
    if (square === 0) continue;
    const length = Math.sqrt(square);
    sum += length;
    for (let p = c * cols; p < (c + 1) * cols; p++) unit.data[p] = Z.data[p] / length;
  }
  return { sum, unit };
}

/** grad Phi = sum u u' / (2 f |u|_B) + rho/2 B^-1 at tr B = 1, where <grad Phi, B> = (1 + rho d)/2. */
function certifiedGap(U: Matrix, R: Matrix, rho: number): number {
  const d = U.cols;
  const trace = inner(R.data, R.data);
  const Z = multiplyTransposeB(U, R);
  const weighted = matrix(U.rows, d);
  let sum = 0;
  for (let c = 0; c < U.rows; c++) {
    let square = 0;
    for (let p = c * d; p < (c + 1) * d; p++) square += Z.data[p] ** 2;
    const length = Math.sqrt(square / trace);
    sum += length;
    if (length > 0) {
      for (let p = c * d; p < (c + 1) * d; p++) weighted.data[p] = U.data[p] / (2 * length);
    }
  }
  const G = multiplyTransposeA(U, weighted);
  for (let p = 0; p < G.data.length; p++) G.data[p] /= sum;
  if (rho > 0) {
    const root = tryCholesky(gram(R));
    if (root === undefined) return Number.POSITIVE_INFINITY;
    const inverse = root.solve(identity(d));
    for (let p = 0; p < G.data.length; p++) G.data[p] += ((rho * trace) / 2) * inverse.data[p];
  }
  return Math.max(0, symmetricEigen(symmetrized(G)).values[0] - (1 + rho * d) / 2);
}

/** The same over diagonal B = diag(z)^2: the largest entry of the gradient's diagonal. */
function diagonalGap(squares: Float64Array, z: Float64Array, rho: number): number {
  const d = z.length;
  const trace = inner(z, z);
  const G = new Float64Array(d);
  let sum = 0;
  for (let at = 0; at < squares.length; at += d) {
    let square = 0;
    for (let f = 0; f < d; f++) square += squares[at + f] * z[f] * z[f];
    const length = Math.sqrt(square / trace);
    sum += length;
    if (length > 0) for (let f = 0; f < d; f++) G[f] += squares[at + f] / (2 * length);
  }
  let largest = 0;
  for (let f = 0; f < d; f++) {
    const bend = rho > 0 ? (rho * trace) / (2 * z[f] * z[f]) : 0;
    largest = Math.max(largest, G[f] / sum + bend);
  }
  return Math.max(0, largest - (1 + rho * d) / 2);
}

export function diagonalMatrix(z: Float64Array): Matrix {
  const R = matrix(z.length, z.length);
  for (let f = 0; f < z.length; f++) R.data[f * z.length + f] = z[f];
  return R;
}

function symmetrized(A: Matrix): Matrix {
  const T = transpose(A);
  return matrix(
    A.rows,
    A.cols,
    A.data.map((value, p) => (value + T.data[p]) / 2),
  );
}

function squared(values: Float64Array): Float64Array {
  const squares = new Float64Array(values.length);
  for (let p = 0; p < values.length; p++) squares[p] = values[p] * values[p];
  return squares;
}

function inner(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let p = 0; p < a.length; p++) sum += a[p] * b[p];
  return sum;
}
