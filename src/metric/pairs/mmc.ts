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
  multiplyTransposeB,
  solveTriangular,
  squaredNorms,
  symmetricEigen,
  takeRows,
  transpose,
  tryCholesky,
  multiplyTransposeVector,
  multiplyVector,
  type MatrixLike,
  type Matrix,
} from "../../matrix/index.ts";
import { columnVariances, diagonalOf, dot, mapped, symmetrize } from "../../matrix/internal.ts";
import { numericError, rule } from "../../core/internal.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { bestThreshold } from "../calibrate.ts";
import { mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { pairedRows, pairDifferences } from "./pairedRows.ts";
import type { OnProgress } from "../../core/index.ts";
import { lbfgs, type Objective } from "../../optimize/index.ts";
import { invertible, isSafelyPositive } from "../moments/covariance.ts";

export const mmcOptions = {
  ...PAIR_RULES,
  /** Learn one weight per column only. */
  diagonal: rule.flag(false, { says: "learns one weight per column only" }),
  /**
   * rho: strength of the term that keeps the spectrum flat; default 0.75, or 0.05 with `diagonal`; 0
   * maximises J alone.
   */
  regularization: rule.real({
    min: 0,
    says: "strength of the term that keeps the spectrum flat; 0 is the exact optimum of the paper",
    usual: "0.75, or 0.05 with diagonal",
  }),
  /**
   * Share of the variances of all pairs in W; default d / (d + must-links), with `diagonal` d / (d + 10), and 0 where
   * `regularization` is 0.
   */
  shrinkage: rule.real({
    min: 0,
    max: 1,
    says: "share of the diagonal in the covariance, 0 to 1",
    usual: "by the number of columns and must-links",
  }),
  /** The gap to the maximum of Phi at which the fit counts as converged. */
  tolerance: rule.real({ above: 0, default: 1e-6, says: "residual at which to stop" }),
  maxIterations: rule.integer({ min: 0, default: 2000, says: "maximum number of iterations" }),
  names: rule.names,
  onProgress: rule.progress,
};

export type MmcOptions = rule.OptionsOf<typeof mmcOptions>;

export interface Mmc extends Mahalanobis {
  /** J, the scale-free objective of the text, at the metric returned. */
  readonly J: number;
}

export function mmc(input: MatrixLike, options: MmcOptions = {}): Mmc {
  const resolved = rule.resolveOptions("mmc", options, mmcOptions);
  const { diagonal, tolerance, maxIterations, names, onProgress, ...given } = resolved;
  const { X, mustLink, cannotLink, warnings } = pairedRows("mmc", input, options, "both");
  const d = X.cols;
  const rho = given.regularization ?? (diagonal ? 0.05 : 0.75);
  const share = given.shrinkage ?? (rho === 0 ? 0 : d / (d + (diagonal ? 10 : mustLink.length)));
  const differences = [pairDifferences(X, mustLink), pairDifferences(X, cannotLink)] as const;
  const pairs = diagonal ? columnPairs(...differences, share) : wholePairs(...differences, share, rho);
  if (pairs.forced > 0) {
    warnings.push(
      `the must-links do not vary in every direction: their scatter is shrunk towards its diagonal by ` +
        pairs.forced.toFixed(2),
    );
  }
  if (!pairs.apart.data.some((value) => value !== 0)) {
    throw numericError("mmc: every cannot-link joins equal rows, so no metric can separate them");
  }

  const fit = maximizePhi(pairs, rho, { tolerance, maxIterations, onProgress });
  if (!fit.converged) {
    const why = fit.reasons.length > 0 ? fit.reasons.join(", ") : `ended after ${fit.iterations} iterations`;
    warnings.push(`${why}: gap ${fit.gap.toExponential(1)} to the maximum`);
  }
  const together = pairs.form.lengths(pairs.near, fit.x);
  const between = pairs.form.lengths(pairs.apart, fit.x);
  const metric = mahalanobis({
    method: "mmc",
    factor: pairs.factor(fit.x),
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
  return Object.assign(metric, { J: total(between) / Math.sqrt(dot(together, together)) });
}

/** The pairs in coordinates in which W is the identity, for one of the forms of R. */
interface Pairs {
  readonly form: Form;
  readonly near: Matrix;
  readonly apart: Matrix;
  /** The amount by which the scatter of the must-links had to be shrunk to be invertible; 0 if none. */
  readonly forced: number;
  /** B = I. */
  readonly start: Float64Array;
  /** L of the metric. */
  factor(x: Float64Array): Matrix;
}

/** How x stands for R, B = R'R; symmetric matrices are given like x. */
interface Form {
  /** |u|_B of every pair. */
  lengths(pairs: Matrix, x: Float64Array): Float64Array;
  /** sum_c w_c u_c u_c'. */
  scatter(pairs: Matrix, w: Float64Array): Float64Array;
  /** R G. */
  times(x: Float64Array, G: Float64Array): Float64Array;
  /** B^-1 and log det B; undefined where B is singular. */
  inverse(x: Float64Array): { readonly matrix: Float64Array; readonly logDeterminant: number } | undefined;
  largestEigenvalue(G: Float64Array): number;
}

/** All of R, row by row. */
const WHOLE: Form = {
  lengths: (pairs, x) => roots(squaredNorms(multiplyTransposeB(pairs, square(x)))),
  scatter({ rows, cols, data }, w) {
    const scaled = matrix(rows, cols);
    for (let c = 0, p = 0; c < rows; c++) {
      const root = Math.sqrt(w[c]);
      for (let f = 0; f < cols; f++, p++) scaled.data[p] = root * data[p];
    }
    return gram(scaled).data;
  },
  times: (x, G) => multiply(square(x), square(G)).data,
  inverse(x) {
    const root = tryCholesky(gram(square(x)));
    return root && { matrix: root.solve(identity(root.L.rows)).data, logDeterminant: root.logDeterminant };
  },
  largestEigenvalue: (G) => symmetricEigen(symmetrize(square(G))).values[0],
};

/** R = diag(z), one weight for each column. The pairs are squares of differences: |u|_B^2 = sum_f u_f^2 z_f^2. */
const DIAGONAL: Form = {
  lengths: (pairs, z) => {
    const squares = z.map((value) => value * value);
    return roots(multiplyVector(pairs, squares));
  },
  scatter: (pairs, w) => multiplyTransposeVector(pairs, w),
  times: (z, G) => z.map((value, f) => value * G[f]),
  inverse(z) {
    if (z.includes(0)) return undefined;
    const logDeterminant = z.reduce((sum, value) => sum + 2 * Math.log(Math.abs(value)), 0);
    return { matrix: z.map((value) => 1 / (value * value)), logDeterminant };
  },
  largestEigenvalue: (G) => G.reduce((most, value) => Math.max(most, value), 0),
};

function square(x: Float64Array): Matrix {
  const d = Math.sqrt(x.length);
  return matrix(d, d, x);
}

function total(values: Float64Array): number {
  let sum = 0;
  for (let p = 0; p < values.length; p++) sum += values[p];
  return sum;
}

/** A cannot-link of length zero has no derivative and does not count. */
function inverses(lengths: Float64Array): Float64Array {
  const inverse = new Float64Array(lengths.length);
  for (let c = 0; c < lengths.length; c++) inverse[c] = lengths[c] > 0 ? 1 / lengths[c] : 0;
  return inverse;
}

/** In place. */
function roots(squares: Float64Array): Float64Array {
  for (let c = 0; c < squares.length; c++) squares[c] = Math.sqrt(squares[c]);
  return squares;
}

/**
 * The solver behind MMC: over positive semidefinite B (d x d), with u_c the cannot-links in the coordinates of the
 * must-links,
 *
 *     maximise  Phi(B) = log mean_c |u_c|_B - 1/2 log(tr(B)/d) + rho/2 (log det B - d log(tr(B)/d)),   |u|_B^2 = u'B u
 *
 * Phi does not change when B is multiplied by a number, and on tr B = 1 it is concave. B = R'R and L-BFGS over R, all of
 * it or its diagonal. By concavity no B has a value above Phi(B) + lambda_max(grad Phi) - <grad Phi, B>, and the last term
 * is (1 + rho d)/2: that gap is the certificate, and decides whether to continue.
 */
function maximizePhi(
  pairs: Pairs,
  rho: number,
  stop: { tolerance: number; maxIterations: number; onProgress?: OnProgress | undefined },
) {
  const { form, apart } = pairs;
  const d = apart.cols;
  /** -Phi up to a constant, and its gradient. */
  const objective: Objective = (x, gradient) => {
    const lengths = form.lengths(apart, x);
    const pull = form.times(x, form.scatter(apart, inverses(lengths)));
    const [sum, trace] = [total(lengths), dot(x, x)];
    for (let p = 0; p < x.length; p++) gradient[p] = -pull[p] / sum + ((1 + rho * d) * x[p]) / trace;
    const value = -Math.log(sum / apart.rows) + ((1 + rho * d) / 2) * Math.log(trace / d);
    if (rho === 0) return value;
    const inverse = form.inverse(x);
    if (inverse === undefined) return Number.POSITIVE_INFINITY;
    const push = form.times(x, inverse.matrix); // R'^-1
    for (let p = 0; p < x.length; p++) gradient[p] -= rho * push[p];
    return value - (rho / 2) * inverse.logDeterminant;
  };
  /** grad Phi = sum u u' / (2 f |u|_B) + rho/2 B^-1 at tr B = 1, where <grad Phi, B> = (1 + rho d)/2. */
  const gapAt = (x: Float64Array): number => {
    const lengths = form.lengths(apart, x);
    const [sum, trace] = [total(lengths), dot(x, x)];
    const G = form.scatter(apart, inverses(lengths)).map((value) => ((trace / 2) * value) / sum);
    if (rho > 0) {
      const inverse = form.inverse(x);
      if (inverse === undefined) return Number.POSITIVE_INFINITY;
      for (let p = 0; p < G.length; p++) G[p] += ((rho * trace) / 2) * inverse.matrix[p];
    }
    return Math.max(0, form.largestEigenvalue(G) - (1 + rho * d) / 2);
  };
  const history: number[] = [];
  let x = pairs.start;
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
    const gap = gapAt(x);
    const converged = gap <= stop.tolerance;
    if (converged || !run.converged || precision < 1e-15) {
      // Warnings say why the last run ended without reaching its gradient.
      return { x, gap, history, iterations: history.length - 1, converged, reasons: run.warnings };
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

/** W is (1 - share) of the must-links' scatter and `share` of the variances of all pairs. */
function wholePairs(near: Matrix, apart: Matrix, share: number, rho: number): Pairs {
  const d = near.cols;
  const scatter = mapped(gram(near), (value) => value / near.rows);
  const pooled = pooledVariances(diagonalOf(scatter), meanSquares(apart));
  for (let p = 0; p < scatter.data.length; p++) scatter.data[p] *= 1 - share;
  for (let f = 0; f < d; f++) scatter.data[f * (d + 1)] += share * pooled[f];
  const { T, forced } = mustCoordinates(scatter, apart, near.rows, rho);
  return {
    form: WHOLE,
    near: multiplyTransposeB(near, T),
    apart: multiplyTransposeB(apart, T),
    forced,
    start: identity(T.rows).data,
    factor: (x) => multiply(square(x), T),
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

/** W is (1 - share) of the must-links' variances and `share` of those of all pairs. */
function columnPairs(near: Matrix, apart: Matrix, share: number): Pairs {
  const d = near.cols;
  const within = meanSquares(near);
  const pooled = pooledVariances(within, meanSquares(apart));
  const blended = within.map((value, f) => (1 - share) * value + share * pooled[f]);
  const { W, forced } = positive(blended, near.rows);
  const squares = (A: Matrix): Matrix => mapped(A, (value, p) => (value * value) / W[p % d]);
  return {
    form: DIAGONAL,
    near: squares(near),
    apart: squares(apart),
    forced,
    start: new Float64Array(d).fill(1),
    factor: (z) => diagonalMatrix(z.map((value, f) => value / Math.sqrt(W[f]))),
  };
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
