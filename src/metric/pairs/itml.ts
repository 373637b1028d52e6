/**
 * The same in plain loops: test/metric/pairs/itmlReference.ts.
 *
 * Information-theoretic metric learning (Davis, Kulis, Jain, Sra and Dhillon 2007): the metric closest to a prior M_0, in
 * the LogDet divergence, that brings must-links under u and cannot-links over l as far as slack allows,
 *
 *     minimise  D(M, M_0) + gamma sum_c D(xi_c, b_c),   D(A, B) = tr(A B^-1) - log det(A B^-1) - d
 *     subject to  v_c'M v_c <= xi_c (must-links, b_c = u),   v_c'M v_c >= xi_c (cannot-links, b_c = l)
 *
 * The exact projection on one constraint moves its multiplier by gamma/(gamma + 1) (1/p - 1/xi): derived from
 * 1/p - alpha = 1/xi + alpha/gamma. The printed Algorithm 1 has 1/2 (1/p - gamma/xi), which agrees for gamma = 1 only.
 * All constraints are solved together here (`logDetNewton`); the minimiser is the same, and unique.
 */
import {
  matrix,
  multiply,
  multiplyTransposeB,
  squaredNorms,
  takeRows,
  engine,
  identity,
  multiplyTransposeA,
  symmetricEigen,
  transpose,
  tryCholesky,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { columnVariances, dot, mapped, symmetrize, spectral, diagonal } from "../../matrix/internal.ts";
import {
  inputError,
  option,
  optionError,
  progressGate,
  rule,
  type ProgressGate,
} from "../../core/internal.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { calibratedBy } from "../calibrate.ts";
import { distancePercentiles } from "../distancePercentiles.ts";
import { pairDifferences, pairedRows, priorFactor, priorRule } from "./pairedRows.ts";
import { mahalanobis, type Mahalanobis } from "../mahalanobis.ts";

export const itmlOptions = {
  ...PAIR_RULES,
  /** Weight of the bounds against the prior. */
  gamma: rule.real({ above: 0, default: 1, says: "weight of the bounds on the pairs" }),
  /**
   * [u, l] on squared distances; or their source: the 5th and 95th percentile of the Euclidean distances
   * between the rows, unsquared (`percentile`, the default and metric-learn's choice) or squared (`squared`).
   */
  bounds: {
    ...rule.given<"percentile" | "squared" | readonly [number, number]>(
      '"percentile", "squared" or two numbers [u, l]',
      (value) =>
        value === "percentile" || value === "squared" || (Array.isArray(value) && value.length === 2),
      "percentile",
    ),
    control: {
      kind: "choice" as const,
      says: "bounds on the distances: percentiles of distances, or of squared distances",
      choices: ["percentile", "squared"],
    },
  },
  prior: priorRule,
  /** The relative KKT residual at which the fit counts as converged. */
  tolerance: rule.real({ above: 0, default: 1e-8, says: "residual at which to stop" }),
  maxIterations: rule.integer({ min: 0, default: 200, says: "maximum number of iterations" }),
  names: rule.names,
  onProgress: rule.progress,
};

export type ItmlOptions = rule.OptionsOf<typeof itmlOptions>;

export interface Itml extends Mahalanobis {
  /** [u, l], the bounds on squared distances that were used. */
  readonly bounds: readonly [number, number];
  /** Pairs that keep their bound, to a relative 1e-6. */
  readonly satisfied: { readonly mustLink: number; readonly cannotLink: number };
}

/** The metric nearest to a prior that brings must-links under one distance and cannot-links over another. */
export function itml(input: MatrixLike, options: ItmlOptions = {}): Itml {
  const resolved = rule.resolveOptions("itml", options, itmlOptions);
  const { gamma, bounds, prior, tolerance, maxIterations, names, onProgress } = resolved;
  const { X, mustLink, cannotLink, warnings } = pairedRows("itml", input, options, "any");
  const [u, l] =
    typeof bounds === "string"
      ? distancePercentiles(X, [5, 95], bounds === "squared")
      : checkedBounds(bounds);
  const L0 = priorFactor("itml", X, prior, warnings);
  const alike = multiplyTransposeB(pairDifferences(X, mustLink), L0);
  const all = multiplyTransposeB(pairDifferences(X, cannotLink), L0);
  const different = takeRows(all, distinct(all, requireUsable(alike, all, [u, l])));
  if (different.rows < cannotLink.length) {
    warnings.push(
      `${cannotLink.length - different.rows} cannot-links join equal rows, which no metric can separate; ` +
        `they are left out`,
    );
  }

  const V = matrix(alike.rows + different.rows, X.cols);
  V.data.set(alike.data);
  V.data.set(different.data, alike.data.length);
  const sign = Int8Array.from({ length: V.rows }, (_, c) => (c < alike.rows ? 1 : -1));
  const bound = Float64Array.from(sign, (side) => (side > 0 ? u : l));
  const report = progressGate(onProgress);
  const solution = logDetNewton({ V, sign, bound, gamma }, { tolerance, maxIterations }, report);
  if (!solution.converged) {
    const why = report.stopped ? "stopped by onProgress" : "did not converge";
    warnings.push(
      `${why} after ${solution.iterations} iterations at KKT residual ${solution.residual.toExponential(1)}`,
    );
  }

  const kept = { mustLink: 0, cannotLink: 0 };
  solution.squares.forEach((square, c) => {
    if (sign[c] * (square / bound[c] - 1) <= 1e-6) kept[sign[c] > 0 ? "mustLink" : "cannotLink"]++;
  });
  const metric = mahalanobis({
    method: "itml",
    factor: multiply(solution.R, L0),
    names,
    variances: columnVariances(X),
    converged: solution.converged,
    iterations: solution.iterations,
    objective: solution.value - X.cols,
    history: solution.history.map((value) => value - X.cols),
    certificate: {
      kind: "KKT |L (M_0^-1 + sum lambda v v') L' - I| / sqrt(d), lambda > 0 only where p = xi",
      residual: solution.residual,
    },
    warnings,
  });
  return Object.assign(calibratedBy(metric, X, { mustLink, cannotLink }), {
    bounds: [u, l] as const,
    satisfied: kept,
  });
}

function checkedBounds([u, l]: readonly [number, number]): readonly [number, number] {
  for (const bound of [u, l]) {
    if (!(bound > 0) || !Number.isFinite(bound)) {
      throw optionError(`itml: ${option("bounds")} must be two numbers above 0, got ${bound}`);
    }
  }
  return [u, l];
}

/** The largest squared distance of a pair. Sizes that cannot be squared in floating point are refused. */
function requireUsable(alike: Matrix, different: Matrix, bounds: readonly number[]): number {
  let largest = 0;
  for (const V of [alike, different]) {
    for (const square of squaredNorms(V)) largest = Math.max(largest, square);
  }
  for (const size of largest > 0 ? [...bounds, largest] : bounds) {
    if (!(size > 1e-100 && size < 1e100)) {
      throw inputError(
        `itml: squared distances and bounds of size ${size} are out of range; scale the columns`,
      );
    }
  }
  return largest;
}

/** Pairs that differ by more than rounding: |v|^2 above 1e-24 of the largest. */
function distinct(V: Matrix, largest: number): number[] {
  const kept: number[] = [];
  squaredNorms(V).forEach((square, c) => {
    if (square > 1e-24 * largest) kept.push(c);
  });
  return kept;
}

/**
 * The solver behind ITML: over positive definite B (d x d),
 *
 *     minimise F(B) = tr B - log det B + sum_c h_c(p_c),   p_c = v_c'B v_c
 *     h_c(p) = gamma (p/xi_c - log(p/xi_c) - 1) where the bound xi_c is broken (p > xi_c for a must-link, p < xi_c for a
 *              cannot-link), else 0
 *
 * It is ITML with the slack variables eliminated: for given B the best slack is xi = p where the bound is broken and
 * xi = xi_c where it holds, with multiplier lambda_c = |h_c'(p)| = gamma |1/xi_c - 1/p|. So lambda > 0 only
 * if p = xi: complementarity is exact at every step, and the remaining KKT condition is B^-1 = I + sum
 * h_c'(p_c) v_c v_c'.
 *
 * Cyclic Bregman projections (Davis et al., Algorithm 1) are coordinate ascent on the dual of F and need hundreds of
 * sweeps. This is Newton's method in the coordinates where the current B is the identity: there the Hessian
 * is X + sum k_c (u_c'X u_c) u_c u_c' with k_c |u_c|^4 = gamma, for any scale of the data, so conjugate
 * gradients take a few steps. Near the minimum steps are straight, B = R'(I + X)R, in which the bounds are
 * linear. Far from it distances can be many times their bound, and a straight step would make them negative:
 * there steps follow B = R'exp(X)R, whose second derivative has (A X + X A)/2, A = I + gradient, instead of
 * X, and which shrink such distances by a factor.
 */

interface LogDetProblem {
  /** Row c is v_c. */
  readonly V: Matrix;
  /** +1: p_c <= xi_c is wanted (must-link); -1: p_c >= xi_c. */
  readonly sign: Int8Array;
  /** xi_c > 0. */
  readonly bound: Float64Array;
  readonly gamma: number;
}

function logDetNewton(
  problem: LogDetProblem,
  stop: { tolerance: number; maxIterations: number },
  report: ProgressGate,
) {
  let point = evaluate(problem, bestMultiple(problem));
  const history = [point.value];
  for (let iteration = 0; ; iteration++) {
    const { U, gradient, residual } = linearize(problem, point);
    const converged = residual <= stop.tolerance;
    const found = { ...point, history, residual, iterations: iteration, converged };
    if (converged || iteration >= stop.maxIterations) return found;
    const fraction = iteration / stop.maxIterations;
    if (!report({ fraction, label: `iteration ${iteration + 1}`, objective: point.value })) return found;

    const precision = Math.min(0.1, residual);
    const straight = (): Point | undefined =>
      straightStep(problem, point, gradient, newtonDirection(U, gradient, identity(U.cols), precision));
    const curved = (): Point | undefined =>
      curvedStep(problem, point, gradient, newtonDirection(U, gradient, curvature(gradient), precision));
    const next = residual < 1 ? (straight() ?? curved()) : (curved() ?? straight());
    if (next === undefined) return found;
    point = next;
    history.push(point.value);
  }
}

/**
 * sqrt(s) I with the smallest F(s I): this matches the units of distances and bounds before the first step.
 */
function bestMultiple({ V, sign, bound, gamma }: LogDetProblem): Matrix {
  const squares = squaredNorms(V);
  // s F'(s), which has the sign of F' and increases at its zero.
  const slope = (s: number): number => {
    let sum = V.cols * (s - 1);
    for (let c = 0; c < squares.length; c++) {
      const ratio = (s * squares[c]) / bound[c];
      if (sign[c] * (ratio - 1) > 0) sum += gamma * (ratio - 1);
    }
    return sum;
  };
  let low = -250;
  let high = 250;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (slope(Math.exp(middle)) > 0) high = middle;
    else low = middle;
  }
  const root = Math.exp((low + high) / 4);
  return diagonal(new Float64Array(V.cols).fill(Math.abs(root - 1) < 1e-12 ? 1 : root));
}

interface Point {
  /** R, upper triangular, B = R'R. */
  readonly R: Matrix;
  /** Row c is u_c = R v_c. */
  readonly U: Matrix;
  /** p_c at B. */
  readonly squares: Float64Array;
  readonly value: number;
}

/** F at B = R'R. */
function evaluate({ V, sign, bound, gamma }: LogDetProblem, R: Matrix): Point {
  const U = multiplyTransposeB(V, R);
  const squares = squaredNorms(U);
  let value = dot(R.data, R.data);
  for (let f = 0; f < R.rows; f++) value -= 2 * Math.log(R.data[f * R.cols + f]);
  for (let c = 0; c < squares.length; c++) {
    const ratio = squares[c] / bound[c];
    if (sign[c] * (ratio - 1) > 0) value += gamma * (ratio - Math.log(ratio) - 1);
  }
  return { R, U, squares, value };
}

/**
 * Gradient at B in the coordinates of R, the broken pairs there, row c scaled by k_c^(1/4), k_c = gamma / p_c^2, and the
 * residual |R (I + sum h_c' v_c v_c') R' - I|_F / sqrt(d).
 */
function linearize({ sign, bound, gamma }: LogDetProblem, { R, U, squares }: Point) {
  const d = R.rows;
  const broken: number[] = [];
  for (let c = 0; c < squares.length; c++) if (sign[c] * (squares[c] - bound[c]) > 0) broken.push(c);
  const scaled = matrix(broken.length, d);
  const weighted = matrix(broken.length, d);
  for (let b = 0; b < broken.length; b++) {
    const c = broken[b];
    const root = (gamma / (squares[c] * squares[c])) ** 0.25;
    const weight = (gamma * (1 / bound[c] - 1 / squares[c])) / root; // h'(p) over the scale of the other factor
    for (let f = 0; f < d; f++) {
      scaled.data[b * d + f] = root * U.data[c * d + f];
      weighted.data[b * d + f] = weight * U.data[c * d + f];
    }
  }
  const gradient = multiplyTransposeA(scaled, weighted);
  const RRt = multiplyTransposeB(R, R);
  for (let p = 0; p < gradient.data.length; p++) gradient.data[p] += RRt.data[p];
  for (let f = 0; f < d; f++) gradient.data[f * d + f] -= 1;
  symmetrize(gradient);
  return { U: scaled, gradient, residual: Math.sqrt(dot(gradient.data, gradient.data) / d) };
}

/**
 * A = I + G with the negative eigenvalues of G set to 0: the Hessian must stay positive where cannot-links
 * pull outwards.
 */
function curvature(G: Matrix): Matrix {
  const { values, vectors } = symmetricEigen(G);
  return spectral(vectors, (r) => 1 + Math.max(0, values[r]));
}

/** Solves (A X + X A)/2 + sum (u'X u) u u' = -G by conjugate gradients, to `precision` of |G|. */
function newtonDirection(U: Matrix, G: Matrix, A: Matrix, precision: number): Matrix {
  const m = U.rows;
  const d = U.cols;
  const X = matrix(d, d);
  const residual = G.data.map((value) => -value);
  const P = matrix(d, d, residual.slice());
  const image = new Float64Array(d * d);
  const UP = new Float64Array(m * d);
  let energy = dot(residual, residual);
  const goal = precision * precision * energy;
  for (let step = 0; step < 500 && energy > goal; step++) {
    const AP = multiply(A, P);
    for (let i = 0; i < d; i++) {
      for (let j = 0; j < d; j++) image[i * d + j] = (AP.data[i * d + j] + AP.data[j * d + i]) / 2;
    }
    if (m > 0) {
      UP.fill(0);
      engine().product(m, d, d, 1, U.data, false, P.data, false, UP);
      for (let c = 0; c < m; c++) {
        let q = 0;
        for (let f = c * d; f < (c + 1) * d; f++) q += UP[f] * U.data[f];
        for (let f = c * d; f < (c + 1) * d; f++) UP[f] = q * U.data[f];
      }
      engine().product(d, d, m, 1, U.data, true, UP, false, image);
    }
    const length = energy / dot(P.data, image);
    for (let p = 0; p < d * d; p++) {
      X.data[p] += length * P.data[p];
      residual[p] -= length * image[p];
    }
    const next = dot(residual, residual);
    for (let p = 0; p < d * d; p++) P.data[p] = residual[p] + (next / energy) * P.data[p];
    energy = next;
  }
  symmetrize(X);
  return X;
}

/** B(t) = R'(I + t H)R for t = 1, 1/2, ... 1/8; undefined when none of them lowers F sufficiently. */
function straightStep(problem: LogDetProblem, point: Point, G: Matrix, H: Matrix): Point | undefined {
  const d = H.rows;
  const slope = dot(G.data, H.data);
  for (let t = 1; t >= 1 / 8; t /= 2) {
    const S = mapped(H, (value) => t * value);
    for (let f = 0; f < d; f++) S.data[f * d + f] += 1;
    const next = lowered(problem, point, S, t * slope);
    if (next !== undefined) return next;
  }
  return undefined;
}

/** Backtracking along B(t) = R'exp(t H)R; undefined when no step lowers F beyond rounding. */
function curvedStep(problem: LogDetProblem, point: Point, G: Matrix, H: Matrix): Point | undefined {
  const d = H.rows;
  const slope = dot(G.data, H.data);
  const { values, vectors } = symmetricEigen(H);
  // A factor of e^10 in one step is far enough, and its Cholesky factor still keeps its digits.
  const longest = 10 / Math.max(Math.abs(values[0]), Math.abs(values[d - 1]));
  for (let trial = 0, t = Math.min(1, longest); trial < 40; trial++, t /= 2) {
    const S = spectral(vectors, (r) => Math.exp(t * values[r]));
    const next = lowered(problem, point, S, t * slope);
    if (next !== undefined) return next;
  }
  return undefined;
}

/** The point B = R'S R if S is positive definite and F falls by a fair part of `expected` (Armijo), to rounding. */
function lowered(problem: LogDetProblem, point: Point, S: Matrix, expected: number): Point | undefined {
  const root = tryCholesky(S);
  if (root === undefined) return undefined;
  // R'(C C')R: the new factor C'R is upper triangular again.
  const next = evaluate(problem, multiply(transpose(root.L), point.R));
  const rounding = 1e-13 * Math.abs(point.value);
  return next.value <= point.value + 1e-4 * expected + rounding ? next : undefined;
}
