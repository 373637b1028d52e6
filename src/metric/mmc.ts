/**
 * Mahalanobis metric for clustering (Xing, Ng, Jordan and Russell 2003): cannot-links far apart, must-links together. The
 * text's problem, maximise the sum of cannot-link distances while the squared must-link distances sum to at most 1, has
 * the scale-free form
 *
 *     J(M) = sum_D |v|_M / sqrt(sum_S |v|_M^2),   |v|_M^2 = v'M v
 *
 * Its maximiser is close to rank one and clusters worse than a flatter metric. So by default a second term keeps the
 * spectrum flat, in the coordinates where the must-link scatter W = sum_S v v' is the identity (M = T'B T, T W T' = I):
 *
 *     maximise  Phi(B) = log J(B) + rho/2 (log det B - d log(tr(B)/d)),   J(B) = sum_D |T v|_B / sqrt(tr B)
 *
 * and W is shrunk towards the variances of all pairs, because few pairs do not determine it. rho = 0 is the text's
 * problem, rho -> infinity whitens the must-links (RCA). On tr B = 1 Phi is concave, and lambda_max(grad Phi) -
 * (1 + rho d)/2 bounds how far the value is from the maximum: that is the certificate. B = R'R is found by L-BFGS over R
 * (with `diagonal`, over diagonal R).
 */
import { inputError, numericError } from "../core/errors.ts";
import { flag, given, integer, real, resolveOptions } from "../core/options.ts";
import type { OnProgress } from "../core/progress.ts";
import { checkConstraints, type Constraints } from "../data/constraints.ts";
import { cholesky } from "../matrix/cholesky.ts";
import { squaredNorms } from "../matrix/distances.ts";
import { identity, matrix, requireFinite, transpose, type Matrix } from "../matrix/matrix.ts";
import { multiplyTransposeB } from "../matrix/multiply.ts";
import { solveTriangular } from "../matrix/triangular.ts";
import { bestThreshold } from "./calibrate.ts";
import { mahalanobis, withThreshold, type Mahalanobis } from "./mahalanobis.ts";
import { diagonalMatrix, maximizePhi } from "./mmcPhi.ts";
import { columnVariances, pairDifferences, pairScatter } from "./pairDifferences.ts";
import { invertible } from "./shrink.ts";

export interface MmcOptions {
  /** Learn one weight per column only. */
  diagonal?: boolean;
  /** rho: how flat the spectrum is kept; default 0.75, or 0.05 with `diagonal`; 0 maximises J alone. */
  regularization?: number;
  /**
   * Share of the variances of all pairs in W; default d / (d + must-links), with `diagonal` d / (d + 10), and 0 where
   * `regularization` is 0.
   */
  shrinkage?: number;
  /** The gap to the maximum of Phi at which the fit counts as converged. */
  tolerance?: number;
  maxIterations?: number;
  names?: readonly string[];
  onProgress?: OnProgress;
}

export interface Mmc extends Mahalanobis {
  /** J, the scale-free objective of the text, at the metric returned. */
  readonly J: number;
}

export function mmc(X: Matrix, constraints: Constraints, options: MmcOptions = {}): Mmc {
  const { diagonal, tolerance, maxIterations, names, onProgress, ...given } = resolveOptions<
    MmcOptions,
    typeof RULES
  >("mmc", options, RULES);
  requireFinite(X);
  const { mustLink, cannotLink } = checkConstraints(X.rows, constraints);
  if (mustLink.length === 0 || cannotLink.length === 0) {
    throw inputError("mmc needs must-link and cannot-link pairs, at least one of each");
  }
  const d = X.cols;
  const warnings: string[] = [];
  const rho = given.regularization ?? (diagonal ? 0.05 : 0.75);
  const share = given.shrinkage ?? (rho === 0 ? 0 : d / (d + (diagonal ? 10 : mustLink.length)));
  const near = pairDifferences(X, mustLink);
  const apart = pairDifferences(X, cannotLink);
  const scatter = diagonal ? diagonalMatrix(meanSquares(near)) : pairScatter(X, mustLink);
  const blended = towardsAllPairs(scatter, meanSquares(apart), share);
  const { matrix: W, share: forced } = varies(blended, diagonal)
    ? { matrix: blended, share: 0 }
    : invertible(blended, mustLink.length);
  if (forced > 0) {
    warnings.push(
      `the must-links do not vary in every direction: their scatter is shrunk towards its diagonal by ` +
        forced.toFixed(2),
    );
  }
  // T W T' = I
  const T = diagonal
    ? diagonalMatrix(diagonalOf(W).map((value) => 1 / Math.sqrt(value)))
    : solveTriangular(cholesky(W).L, identity(d));
  const U = transformed(apart, T, diagonal);
  if (largest(U) === 0) {
    throw numericError("mmc: every cannot-link joins equal rows, so no metric can tell them apart");
  }

  const fit = maximizePhi({ U, rho, diagonal }, { tolerance, maxIterations, onProgress });
  if (!fit.converged) {
    const why = fit.reasons.length > 0 ? fit.reasons.join(", ") : `ended after ${fit.iterations} iterations`;
    warnings.push(`${why}: gap ${fit.gap.toExponential(1)} to the maximum`);
  }
  const factor = transformed(fit.R, transpose(T), diagonal);
  const metric = mahalanobis({
    method: "mmc",
    factor,
    ...(names === undefined ? {} : { names }),
    variances: columnVariances(X),
    converged: fit.converged,
    iterations: fit.iterations,
    objective: fit.history[fit.history.length - 1],
    history: fit.history,
    certificate: { kind: "gap lambda_max(grad Phi) - (1 + rho d)/2 at tr B = 1", residual: fit.gap },
    warnings,
  });
  const together = lengths(near, factor, diagonal);
  const between = lengths(apart, factor, diagonal);
  let squares = 0;
  for (let p = 0; p < together.length; p++) squares += together[p] * together[p];
  const J = between.reduce((sum, length) => sum + length, 0) / Math.sqrt(squares);
  return Object.assign(withThreshold(metric, bestThreshold(together, between)), { J });
}

const RULES = {
  diagonal: flag(false),
  regularization: real({ min: 0 }),
  shrinkage: real({ min: 0, max: 1 }),
  tolerance: real({ above: 0, default: 1e-6 }),
  maxIterations: integer({ min: 0, default: 2000 }),
  names: given<readonly string[]>("an array of column names", Array.isArray),
  onProgress: given<OnProgress>("a function", (value) => typeof value === "function"),
};

/** A L', L diagonal or not. */
function transformed(A: Matrix, L: Matrix, diagonal: boolean): Matrix {
  if (!diagonal) return multiplyTransposeB(A, L);
  const d = A.cols;
  const moved = matrix(A.rows, d);
  for (let i = 0, p = 0; i < A.rows; i++) {
    for (let f = 0; f < d; f++, p++) moved.data[p] = A.data[p] * L.data[f * (d + 1)];
  }
  return moved;
}

/** Mean of the squares in each column. */
function meanSquares(A: Matrix): Float64Array {
  const means = new Float64Array(A.cols);
  for (let i = 0, p = 0; i < A.rows; i++) {
    for (let f = 0; f < A.cols; f++, p++) means[f] += A.data[p] * A.data[p];
  }
  for (let f = 0; f < A.cols; f++) means[f] /= A.rows;
  return means;
}

/** Whether a diagonal scatter can be inverted as it is. */
function varies(W: Matrix, diagonal: boolean): boolean {
  return diagonal && diagonalOf(W).every((value) => value > 0);
}

/** (1 - share) S + share c diag(t), t the variances of all pairs, c the mean of S_ff / t_f: both count in every unit. */
function towardsAllPairs(S: Matrix, apart: Float64Array, share: number): Matrix {
  const d = S.rows;
  const t = apart.map((square, f) => (S.data[f * (d + 1)] + square) / 2);
  const varying = t.filter((value) => value > 0).length;
  let c = 0;
  for (let f = 0; f < d; f++) if (t[f] > 0) c += S.data[f * (d + 1)] / t[f] / varying;
  const W = matrix(d, d);
  for (let p = 0; p < W.data.length; p++) W.data[p] = (1 - share) * S.data[p];
  for (let f = 0; f < d; f++) W.data[f * (d + 1)] += share * c * t[f];
  return W;
}

function diagonalOf({ rows: d, data }: Matrix): Float64Array {
  const values = new Float64Array(d);
  for (let f = 0; f < d; f++) values[f] = data[f * (d + 1)];
  return values;
}

/** |L a| of every row of A. */
function lengths(A: Matrix, L: Matrix, diagonal: boolean): Float64Array {
  if (!diagonal) return squaredNorms(multiplyTransposeB(A, L)).map(Math.sqrt);
  const d = A.cols;
  const weights = diagonalOf(L);
  const values = new Float64Array(A.rows);
  for (let i = 0, p = 0; i < A.rows; i++) {
    let square = 0;
    for (let f = 0; f < d; f++, p++) square += (weights[f] * A.data[p]) ** 2;
    values[i] = Math.sqrt(square);
  }
  return values;
}

function largest({ data }: Matrix): number {
  let most = 0;
  for (let p = 0; p < data.length; p++) most = Math.max(most, Math.abs(data[p]));
  return most;
}
