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
import {
  cholesky,
  gram,
  identity,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  solveTriangular,
  squaredNorms,
  symmetricEigen,
  takeRows,
  transpose,
  tryCholesky,
  type MatrixLike,
  type Matrix,
} from "../../matrix/index.ts";
import { columnVariances, diagonalOf, dot, mapped, symmetrize } from "../../matrix/internal.ts";
import {
  flag,
  integer,
  namesRule,
  numericError,
  progressRule,
  real,
  resolveOptions,
  type OptionsOf,
} from "../../core/internal.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { bestThreshold } from "../calibrate.ts";
import { mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { pairedRows, pairDifferences, pairScatter } from "./pairedRows.ts";
import type { OnProgress } from "../../core/index.ts";
import { lbfgs, type Objective } from "../../optimize/index.ts";
import type { Pair } from "../../data/index.ts";
import { invertible, isSafelyPositive } from "../moments/covariance.ts";

export const mmcOptions = {
  ...PAIR_RULES,
  /** Learn one weight per column only. */
  diagonal: flag(false, { says: "learns one weight per column only" }),
  /**
   * rho: strength of the term that keeps the spectrum flat; default 0.75, or 0.05 with `diagonal`; 0
   * maximises J alone.
   */
  regularization: real({
    min: 0,
    says: "strength of the term that keeps the spectrum flat; 0 is the exact optimum of the paper",
    usual: "0.75, or 0.05 with diagonal",
  }),
  /**
   * Share of the variances of all pairs in W; default d / (d + must-links), with `diagonal` d / (d + 10), and 0 where
   * `regularization` is 0.
   */
  shrinkage: real({
    min: 0,
    max: 1,
    says: "share of the diagonal in the covariance, 0 to 1",
    usual: "by the number of columns and must-links",
  }),
  /** The gap to the maximum of Phi at which the fit counts as converged. */
  tolerance: real({ above: 0, default: 1e-6, says: "residual at which to stop" }),
  maxIterations: integer({ min: 0, default: 2000, says: "maximum number of iterations" }),
  names: namesRule,
  onProgress: progressRule,
};

export type MmcOptions = OptionsOf<typeof mmcOptions>;

export interface Mmc extends Mahalanobis {
  /** J, the scale-free objective of the text, at the metric returned. */
  readonly J: number;
}

export function mmc(input: MatrixLike, options: MmcOptions = {}): Mmc {
  const { diagonal, tolerance, maxIterations, names, onProgress, ...given } = resolveOptions(
    "mmc",
    options,
    mmcOptions,
  );
  const { X, mustLink, cannotLink, warnings } = pairedRows("mmc", input, options, "both");
  const d = X.cols;
  const rho = given.regularization ?? (diagonal ? 0.05 : 0.75);
  const share = given.shrinkage ?? (rho === 0 ? 0 : d / (d + (diagonal ? 10 : mustLink.length)));
  const problem = (diagonal ? diagonalProblem : wholeProblem)(X, mustLink, cannotLink, { rho, share });
  if (problem.forced > 0) {
    warnings.push(
      `the must-links do not vary in every direction: their scatter is shrunk towards its diagonal by ` +
        problem.forced.toFixed(2),
    );
  }
  if (!problem.tellsApart) {
    throw numericError("mmc: every cannot-link joins equal rows, so no metric can separate them");
  }

  const fit = maximizePhi(problem, { tolerance, maxIterations, onProgress });
  if (!fit.converged) {
    const why = fit.reasons.length > 0 ? fit.reasons.join(", ") : `ended after ${fit.iterations} iterations`;
    warnings.push(`${why}: gap ${fit.gap.toExponential(1)} to the maximum`);
  }
  const { together, between } = fit;
  const squares = together.reduce((sum, length) => sum + length * length, 0);
  const apart = between.reduce((sum, length) => sum + length, 0);
  const metric = mahalanobis({
    method: "mmc",
    factor: problem.factor(fit.x),
    names,
    variances: columnVariances(X),
    threshold: bestThreshold(together, between),
    converged: fit.converged,
    iterations: fit.iterations,
    objective: fit.history[fit.history.length - 1],
    history: fit.history,
    certificate: { kind: "gap lambda_max(grad Phi) - (1 + rho d)/2 at tr B = 1", residual: fit.gap },
    warnings,
  });
  return Object.assign(metric, { J: apart / Math.sqrt(squares) });
}

/**
 * The solver behind MMC: over positive semidefinite B (d x d), with u_c the cannot-links in the coordinates of the
 * must-links,
 *
 *     maximise  Phi(B) = log mean_c |u_c|_B - 1/2 log(tr(B)/d) + rho/2 (log det B - d log(tr(B)/d)),   |u|_B^2 = u'B u
 *
 * Phi does not change when B is multiplied by a number, and on tr B = 1 it is concave. B = R'R and L-BFGS over R, all of
 * it or its diagonal. By concavity no B has a value above Phi(B) +
 * lambda_max(grad Phi) - <grad Phi, B>, and the last term is (1 + rho d)/2: that gap is the certificate, and
 * decides whether to continue.
 */

/** Phi of given pairs, in variables x that represent R. */
interface PhiProblem {
  /** The amount by which the scatter of the must-links had to be shrunk to be invertible; 0 if none. */
  readonly forced: number;
  /** The longest cannot-link is not zero. */
  readonly tellsApart: boolean;
  /** B = I. */
  readonly start: Float64Array;
  /** -Phi up to a constant, and its gradient. */
  readonly objective: Objective;
  measure(x: Float64Array): Measured;
  /** L of the metric. */
  factor(x: Float64Array): Matrix;
}

interface Measured {
  /** No B has a Phi above this one's by more than the gap. */
  readonly gap: number;
  /** Lengths of the must-links and of the cannot-links under the metric. */
  readonly together: Float64Array;
  readonly between: Float64Array;
}

function maximizePhi(
  { start, objective, measure }: PhiProblem,
  stop: { tolerance: number; maxIterations: number; onProgress?: OnProgress | undefined },
) {
  const history: number[] = [];
  let x = start;
  // A small gradient does not imply a small gap if a cannot-link is almost zero, so the gradient is
  // tightened.
  for (let precision = stop.tolerance / 1000; ; precision /= 100) {
    const done = Math.max(0, history.length - 1);
    const run = lbfgs(objective, x, {
      maxIterations: stop.maxIterations - done,
      tolerance: precision,
      onProgress: stop.onProgress,
    });
    x = run.x;
    for (let at = history.length === 0 ? 0 : 1; at < run.history.length; at++) history.push(-run.history[at]);
    const measured = measure(x);
    const converged = measured.gap <= stop.tolerance;
    if (converged || !run.converged || precision < 1e-15) {
      // Warnings say why the last run ended without reaching its gradient.
      return { ...measured, x, history, iterations: history.length - 1, converged, reasons: run.warnings };
    }
  }
}

/**
 * The variances of all pairs in the scale of the must-links: c t, t_f the mean of both scatters, c the mean
 * of within_f / t_f over the columns that vary, so every column counts in any unit.
 */
function pooledVariances(within: Float64Array, apart: Float64Array): Float64Array {
  const t = new Float64Array(within.length);
  let ratios = 0;
  let varying = 0;
  for (let f = 0; f < t.length; f++) {
    t[f] = (within[f] + apart[f]) / 2;
    if (!(t[f] > 0)) continue;
    ratios += within[f] / t[f];
    varying++;
  }
  for (let f = 0; f < t.length; f++) t[f] *= ratios / Math.max(1, varying);
  return t;
}

/**
 * Phi over all of R, where x is R, row by row; and over diagonal R = diag(z), one weight per column. There only
 * squares of differences matter, because |u|_B^2 = sum_f u_f^2 z_f^2, so they are computed once and a step costs pairs x
 * columns.
 */

/** W is (1 - share) of the must-links' scatter and `share` of the variances of all pairs. */
function wholeProblem(
  X: Matrix,
  mustLink: readonly Pair[],
  cannotLink: readonly Pair[],
  { rho, share }: { rho: number; share: number },
): PhiProblem {
  const d = X.cols;
  const near = pairDifferences(X, mustLink);
  const apart = pairDifferences(X, cannotLink);
  const scatter = pairScatter(X, mustLink);
  const pooled = pooledVariances(diagonalOf(scatter), meanSquares(apart));
  for (let p = 0; p < scatter.data.length; p++) scatter.data[p] *= 1 - share;
  for (let f = 0; f < d; f++) scatter.data[f * (d + 1)] += share * pooled[f];
  const { T, forced } = mustCoordinates(scatter, apart, mustLink.length, rho);
  const r = T.rows;
  const U = multiplyTransposeB(apart, T);
  const factor = (x: Float64Array): Matrix => multiply(matrix(r, r, x), T);
  return {
    forced,
    tellsApart: U.data.some((value) => value !== 0),
    start: identity(r).data,
    objective: wholeObjective(U, rho),
    measure: (x) => {
      const L = factor(x);
      return {
        gap: certifiedGap(U, matrix(r, r, x), rho),
        together: lengthsUnder(near, L),
        between: lengthsUnder(apart, L),
      };
    },
    factor,
  };
}

/** Mean squares, in units of the must-links', below which a direction counts as constant. */
const STILL = 1e-10;

/**
 * T with T W T' = I. If no pair varies in some direction, for example with dependent columns, J alone does
 * not depend on it (rho = 0): T leaves it out, and the optimum is that of the other directions. If only the
 * must-links do not vary, J has no maximum: their scatter is shrunk.
 */
function mustCoordinates(
  scatter: Matrix,
  apart: Matrix,
  mustLinks: number,
  rho: number,
): { readonly T: Matrix; readonly forced: number } {
  const d = scatter.rows;
  if (rho === 0 && !isSafelyPositive(scatter)) {
    const scales = diagonalOf(scatter).map(
      (square, f) => Math.sqrt(square > 0 ? square : meanSquares(apart)[f]) || 1,
    );
    const scaled = mapped(scatter, (value, p) => value / scales[Math.floor(p / d)] / scales[p % d]);
    const { values, vectors } = symmetricEigen(symmetrize(scaled));
    const moving = values.filter((value) => value > STILL * d).length;
    const directions = mapped(transpose(vectors), (value, p) => value / scales[p % d]);
    const still = Array.from(values.keys()).slice(moving);
    const squares = meanSquares(multiplyTransposeB(apart, takeRows(directions, still)));
    if (moving > 0 && squares.every((square) => square <= STILL * d)) {
      const roots = values.slice(0, moving).map(Math.sqrt);
      const T = matrix(moving, d, directions.data.slice(0, moving * d));
      return { T: mapped(T, (value, p) => value / roots[Math.floor(p / d)]), forced: 0 };
    }
  }
  const { matrix: W, share: forced } = invertible(scatter, mustLinks);
  return { T: solveTriangular(cholesky(W).L, identity(d)), forced };
}

/** -Phi of B = R'R, up to a constant, and its gradient in R. */
function wholeObjective(U: Matrix, rho: number): Objective {
  const d = U.cols;
  return (x, gradient) => {
    const R = matrix(d, d, x);
    const { sum, unit } = unitRows(multiplyTransposeB(U, R));
    const G = multiplyTransposeA(unit, U);
    const trace = dot(x, x);
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

/** Sum of the lengths of the rows, and the rows at length 1 (a zero row stays zero). */
function unitRows(Z: Matrix): { sum: number; unit: Matrix } {
  const { rows, cols } = Z;
  const unit = matrix(rows, cols);
  const squares = squaredNorms(Z);
  let sum = 0;
  for (let c = 0, p = 0; c < rows; c++) {
    const length = Math.sqrt(squares[c]);
    const inverse = length > 0 ? 1 / length : 0;
    sum += length;
    for (let f = 0; f < cols; f++, p++) unit.data[p] = Z.data[p] * inverse;
  }
  return { sum, unit };
}

/** grad Phi = sum u u' / (2 f |u|_B) + rho/2 B^-1 at tr B = 1, where <grad Phi, B> = (1 + rho d)/2. */
function certifiedGap(U: Matrix, R: Matrix, rho: number): number {
  const d = U.cols;
  const trace = dot(R.data, R.data);
  const squares = squaredNorms(multiplyTransposeB(U, R));
  const weighted = matrix(U.rows, d);
  let sum = 0;
  for (let c = 0; c < U.rows; c++) {
    const length = Math.sqrt(squares[c] / trace);
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
  return Math.max(0, symmetricEigen(symmetrize(G)).values[0] - (1 + rho * d) / 2);
}

/** |L a| of every row of A. */
function lengthsUnder(A: Matrix, L: Matrix): Float64Array {
  return squaredNorms(multiplyTransposeB(A, L)).map(Math.sqrt);
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

/** W is (1 - share) of the must-links' variances and `share` of those of all pairs. */
function diagonalProblem(
  X: Matrix,
  mustLink: readonly Pair[],
  cannotLink: readonly Pair[],
  { rho, share }: { rho: number; share: number },
): PhiProblem {
  const d = X.cols;
  const rows = cannotLink.length;
  const near = squaredDifferences(X, mustLink);
  const apart = squaredDifferences(X, cannotLink);
  const pooled = pooledVariances(near.means, apart.means);
  const blended = near.means.map((value, f) => (1 - share) * value + share * pooled[f]);
  const { W, forced } = positive(blended, mustLink.length);
  const weights = new Float64Array(d);
  const lengths = new Float64Array(apart.squares.length / d);

  /** Makes the weights z_f^2 / W_f of the columns; returns tr B. */
  const weigh = (z: Float64Array): number => {
    let trace = 0;
    for (let f = 0; f < d; f++) {
      const square = z[f] * z[f];
      weights[f] = square / W[f];
      trace += square;
    }
    return trace;
  };

  return {
    forced,
    tellsApart: apart.means.some((value) => value > 0),
    start: new Float64Array(d).fill(1),
    objective: (z, gradient) => {
      const trace = weigh(z);
      const sum = sumOfLengths(apart.squares, weights, lengths, gradient);
      let value = -Math.log(sum / rows) + ((1 + rho * d) / 2) * Math.log(trace / d);
      const pull = (1 + rho * d) / trace;
      for (let f = 0; f < d; f++) {
        gradient[f] = z[f] * (pull - gradient[f] / (sum * W[f]));
        if (rho === 0) continue;
        if (z[f] === 0) return Number.POSITIVE_INFINITY;
        gradient[f] -= rho / z[f];
        value -= rho * Math.log(Math.abs(z[f]));
      }
      return value;
    },
    measure: (z) => {
      const trace = weigh(z);
      const derivatives = new Float64Array(d);
      const sum = sumOfLengths(apart.squares, weights, lengths, derivatives);
      let largest = 0; // entry of the gradient's diagonal, at tr B = 1
      for (let f = 0; f < d; f++) {
        const bend = rho > 0 ? rho / (z[f] * z[f]) : 0;
        largest = Math.max(largest, (trace / 2) * (derivatives[f] / (sum * W[f]) + bend));
      }
      const together = new Float64Array(near.squares.length / d);
      sumOfLengths(near.squares, weights, together, derivatives);
      return {
        gap: Math.max(0, largest - (1 + rho * d) / 2),
        together: together.slice(0, mustLink.length),
        between: lengths.slice(0, rows),
      };
    },
    factor: (z) => diagonalMatrix(z.map((value, f) => value / Math.sqrt(W[f]))),
  };
}

/**
 * Number of rows that `sumOfLengths` processes at a time, so weights and derivatives are read once for all
 * of them.
 */
const TILE = 4;

/** Row p is (x_i - x_j)^2 of pair p, column by column; zero rows fill the last tile. */
function squaredDifferences(
  { cols: d, data }: Matrix,
  pairs: readonly Pair[],
): { squares: Float64Array; means: Float64Array } {
  const squares = new Float64Array(Math.ceil(pairs.length / TILE) * TILE * d);
  const means = new Float64Array(d);
  for (let p = 0, at = 0; p < pairs.length; p++) {
    const i = pairs[p][0] * d;
    const j = pairs[p][1] * d;
    for (let f = 0; f < d; f++, at++) {
      const difference = data[i + f] - data[j + f];
      const square = difference * difference;
      squares[at] = square;
      means[f] += square;
    }
  }
  for (let f = 0; f < d; f++) means[f] /= pairs.length;
  return { squares, means };
}

/** Writes the lengths of the rows and sum_c squares_cf / length_c, twice the derivatives by the weights; returns their sum. */
function sumOfLengths(
  squares: Float64Array,
  weights: Float64Array,
  lengths: Float64Array,
  derivatives: Float64Array,
): number {
  const d = weights.length;
  derivatives.fill(0);
  let sum = 0;
  for (let c = 0, at = 0; c < lengths.length; c += TILE, at += TILE * d) {
    let first = 0;
    let second = 0;
    let third = 0;
    let fourth = 0;
    for (let f = 0, p = at, q = p + d, r = q + d, t = r + d; f < d; f++, p++, q++, r++, t++) {
      const weight = weights[f];
      first += squares[p] * weight;
      second += squares[q] * weight;
      third += squares[r] * weight;
      fourth += squares[t] * weight;
    }
    sum += lengths[c] = Math.sqrt(first);
    sum += lengths[c + 1] = Math.sqrt(second);
    sum += lengths[c + 2] = Math.sqrt(third);
    sum += lengths[c + 3] = Math.sqrt(fourth);
    first = inverse(lengths[c]);
    second = inverse(lengths[c + 1]);
    third = inverse(lengths[c + 2]);
    fourth = inverse(lengths[c + 3]);
    for (let f = 0, p = at, q = p + d, r = q + d, t = r + d; f < d; f++, p++, q++, r++, t++) {
      derivatives[f] += squares[p] * first + squares[q] * second + squares[r] * third + squares[t] * fourth;
    }
  }
  return sum;
}

/** A cannot-link of length zero has no derivative and does not count. */
function inverse(length: number): number {
  return length > 0 ? 1 / length : 0;
}

/** Variances that are safe divisors. */
function positive(W: Float64Array, samples: number): { W: Float64Array; forced: number } {
  if (W.every((value) => value > 0)) return { W, forced: 0 };
  const { matrix: shrunk, share } = invertible(diagonalMatrix(W), samples);
  return { W: W.map((_, f) => shrunk.data[f * (W.length + 1)]), forced: share };
}

function diagonalMatrix(z: Float64Array): Matrix {
  const R = matrix(z.length, z.length);
  for (let f = 0; f < z.length; f++) R.data[f * (z.length + 1)] = z[f];
  return R;
}
