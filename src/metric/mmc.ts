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
import { cholesky, tryCholesky } from "../matrix/cholesky.ts";
import { symmetricEigen } from "../matrix/eigen.ts";
import { identity, matrix, requireFinite, transpose, type Matrix } from "../matrix/matrix.ts";
import { gram, multiply, multiplyTransposeA, multiplyTransposeB } from "../matrix/multiply.ts";
import { solveTriangular } from "../matrix/triangular.ts";
import { lbfgs } from "../optimize/lbfgs.ts";
import type { Objective } from "../optimize/minimum.ts";
import { calibrate } from "./calibrate.ts";
import { mahalanobis, type Mahalanobis } from "./mahalanobis.ts";
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
  const scatter = pairScatter(X, mustLink);
  const variances = pairScatter(X, cannotLink);
  const blended = towardsAllPairs(diagonal ? diagonalOf(scatter) : scatter, variances, share);
  const { matrix: W, share: forced } = invertible(blended, mustLink.length);
  if (forced > 0) {
    warnings.push(
      `the must-links do not vary in every direction: their scatter is shrunk towards its diagonal by ` +
        forced.toFixed(2),
    );
  }
  const T = solveTriangular(cholesky(W).L, identity(d)); // T W T' = I
  const U = multiplyTransposeB(pairDifferences(X, cannotLink), T);
  if (U.data.every((value) => value === 0)) {
    throw numericError("mmc: every cannot-link joins equal rows, so no metric can tell them apart");
  }

  const objective = diagonal ? diagonalObjective(U, rho) : fullObjective(U, rho);
  const start = diagonal ? new Float64Array(d).fill(1) : identity(d).data;
  const run = lbfgs(objective, start, {
    maxIterations,
    tolerance: tolerance / 1000, // the gap grows with the square root of the distance where a cannot-link is near zero
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  const R = diagonal ? diagonalMatrix(run.x) : matrix(d, d, run.x);
  const gap = certifiedGap(U, R, rho, diagonal);
  const converged = gap <= tolerance;
  if (!converged) {
    warnings.push(`did not converge in ${run.iterations} iterations: gap ${gap.toExponential(1)}`);
  }
  const metric = mahalanobis({
    method: "mmc",
    factor: multiply(R, T),
    ...(names === undefined ? {} : { names }),
    variances: columnVariances(X),
    converged,
    iterations: run.iterations,
    objective: -run.value,
    history: run.history.map((value) => -value),
    certificate: { kind: "gap lambda_max(grad Phi) - (1 + rho d)/2 at tr B = 1", residual: gap },
    warnings,
  });
  const both = { mustLink, cannotLink };
  return Object.assign(calibrate(metric, X, both), { J: scaleFreeObjective(metric.factor, X, both) });
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

/** -Phi of B = R'R, up to a constant, and its gradient in R. */
function fullObjective(U: Matrix, rho: number): Objective {
  const d = U.cols;
  return (x, gradient) => {
    const R = matrix(d, d, x);
    const { sum, unit } = lengths(multiplyTransposeB(U, R));
    const G = multiplyTransposeA(unit, U);
    const trace = inner(x, x);
    for (let p = 0; p < x.length; p++) gradient[p] = -G.data[p] / sum + ((1 + rho * d) * x[p]) / trace;
    const value = -Math.log(sum) + ((1 + rho * d) / 2) * Math.log(trace);
    if (rho === 0) return value;
    const root = tryCholesky(gram(R));
    if (root === undefined) return Number.POSITIVE_INFINITY;
    const inverse = multiply(R, root.solve(identity(d))); // R'^-1
    for (let p = 0; p < x.length; p++) gradient[p] -= rho * inverse.data[p];
    return value - (rho / 2) * root.logDeterminant;
  };
}

/** The same over R = diag(z), where |u|_B^2 = sum u_f^2 z_f^2. */
function diagonalObjective(U: Matrix, rho: number): Objective {
  const { rows, cols: d } = U;
  const squares = U.data.map((value) => value * value);
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
    let value = -Math.log(sum) + ((1 + rho * d) / 2) * Math.log(trace);
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
function certifiedGap(U: Matrix, R: Matrix, rho: number, diagonal: boolean): number {
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
  const largest = diagonal
    ? G.data.filter((_, p) => p % (d + 1) === 0).reduce((a, b) => Math.max(a, b))
    : symmetricEigen(symmetrized(G)).values[0];
  return Math.max(0, largest - (1 + rho * d) / 2);
}

/** J of M = L'L. */
function scaleFreeObjective(L: Matrix, X: Matrix, { mustLink, cannotLink }: Constraints): number {
  const apart = lengths(multiplyTransposeB(pairDifferences(X, cannotLink), L)).sum;
  const together = multiplyTransposeB(pairDifferences(X, mustLink), L);
  return apart / Math.sqrt(inner(together.data, together.data));
}

/** (1 - share) S + share c diag(t), t the variances of all pairs, c the mean of S_ff / t_f: both count in every unit. */
function towardsAllPairs(S: Matrix, D: Matrix, share: number): Matrix {
  const d = S.rows;
  const t = Float64Array.from({ length: d }, (_, f) => (S.data[f * (d + 1)] + D.data[f * (d + 1)]) / 2);
  const varying = t.filter((value) => value > 0).length;
  let c = 0;
  for (let f = 0; f < d; f++) if (t[f] > 0) c += S.data[f * (d + 1)] / t[f] / varying;
  const W = matrix(
    d,
    d,
    S.data.map((value) => (1 - share) * value),
  );
  for (let f = 0; f < d; f++) W.data[f * (d + 1)] += share * c * t[f];
  return W;
}

function diagonalOf(S: Matrix): Matrix {
  const d = S.rows;
  return matrix(
    d,
    d,
    S.data.map((value, p) => (p % (d + 1) === 0 ? value : 0)),
  );
}

function diagonalMatrix(z: Float64Array): Matrix {
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

function inner(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let p = 0; p < a.length; p++) sum += a[p] * b[p];
  return sum;
}
