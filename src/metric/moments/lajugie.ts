/**
 * Large-margin metric for clustering (Lajugie, Bach and Arlot 2014): the metric under which the known partition beats every
 * other one, relaxed to projectors of the same rank, by a margin as large as the two differ. With C = JJ' the projector of
 * the partition (rank k - 1 on centred rows) and Delta(P, C) = ||P - C||^2,
 *
 *     minimise lambda/2 ||M||^2 + max_P { ||P - C||^2 + <P - C, XMX'> }   over M positive semidefinite
 *
 * The inner maximum (loss-augmented decoding) is the sum of the k - 1 largest eigenvalues of XMX' - 2C, a matrix that lives
 * in the span of X and J: with X = U S V' it is a problem of order d + k - 1, whatever the number of rows.
 *
 * The text descends along subgradients. The dual, with W in the convex hull of the projectors (0 <= W <= I, tr W = k - 1),
 *
 *     maximise 2(k - 1) - 2 <W, C> - ||[X'(C - W)X]_+||^2 / (2 lambda),   M = [X'(C - W)X]_+ / lambda
 *
 * is smooth and is climbed by accelerated projected gradients (Beck and Teboulle 2009, with the restarts of O'Donoghue and
 * Candes 2015); the difference of the two values is the certificate.
 */
import { asMatrix, type MatrixLike } from "../../matrix/asMatrix.ts";
import { flag, given, integer, real, resolveOptions, type RulesOf } from "../../core/options.ts";
import { progressGate, type OnProgress } from "../../core/progress.ts";
import { symmetricEigen } from "../../matrix/factor/eigen.ts";
import { columnMeans } from "../../matrix/distances.ts";
import { matrix, requireModerate, type Matrix } from "../../matrix/matrix.ts";
import { gram, multiply, multiplyTransposeA, multiplyTransposeB } from "../../matrix/multiply.ts";
import { numericError } from "../../core/errors.ts";
import type { Labeling } from "../../score/labels.ts";
import { labelledRows, type LabelledRows } from "./labelledRows.ts";
import { factorOf, mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { columnVariances } from "../pairs/pairDifferences.ts";
import { whitenedRows, type WhitenedRows } from "./whitenedRows.ts";

export interface LajugieOptions {
  /** lambda (default 0.01); M is measured on rows of unit mean variance. */
  regularization?: number;
  /**
   * Measure ||M|| in coordinates in which the rows have covariance I (default true), so that neither units nor correlations
   * of columns matter; false takes the columns as they are, as the text does.
   */
  whiten?: boolean;
  maxIterations?: number;
  /** The relative duality gap at which to stop. */
  tolerance?: number;
  names?: readonly string[];
  onProgress?: OnProgress;
}

export const lajugieOptions: RulesOf<LajugieOptions> = {
  regularization: real({ above: 0, default: 0.01, says: "weight of the size of the metric" }),
  whiten: flag(true, { says: "measures the size of the metric in whitened columns" }),
  maxIterations: integer({ min: 1, default: 2000, says: "iterations at most" }),
  tolerance: real({ above: 0, below: 1, default: 1e-3, says: "relative duality gap at which to stop" }),
  names: given<readonly string[]>("an array of column names", Array.isArray),
  onProgress: given<OnProgress>("a function", (value) => typeof value === "function"),
};

export function lajugie(input: MatrixLike, labels: Labeling, options: LajugieOptions = {}): Mahalanobis {
  const X = asMatrix(input, "lajugie");
  const { regularization, whiten, maxIterations, tolerance, names, onProgress } = resolveOptions<
    LajugieOptions,
    typeof lajugieOptions
  >("lajugie", options, lajugieOptions);
  requireModerate(X);
  const labelled = labelledRows("lajugie", X, labels);
  const white = whitenedRows("lajugie", labelled.rows);
  const scales = whiten ? white.variances.map(() => 1) : relativeSpreads(white.variances);
  const problem = reduce(labelled, white, scales, regularization);
  const solved = climb(problem, { maxIterations, tolerance, onProgress });
  // x -> (its principal components, in units of `scales`) -> L.
  const basis = matrix(
    white.basis.rows,
    X.cols,
    white.basis.data.map((value, p) => scales[Math.floor(p / X.cols)] * value),
  );
  const converged = solved.gap <= tolerance;
  return mahalanobis({
    method: "lajugie",
    factor: multiply(factorOf(solved.M), basis),
    ...(names === undefined ? {} : { names }),
    variances: columnVariances(labelled.rows),
    center: columnMeans(labelled.rows),
    converged,
    iterations: solved.iterations,
    objective: solved.objective,
    history: solved.history,
    certificate: { kind: "duality gap, relative", residual: solved.gap },
    warnings: converged
      ? []
      : [`the duality gap is ${solved.gap.toExponential(1)} after ${solved.iterations} iterations`],
  });
}

/** The problem in the orthonormal coordinates [U, Q] of the span of X and J. */
interface Reduced {
  /** q, the rank of X; the order of W is q + k - 1. */
  readonly q: number;
  /** k - 1. */
  readonly rank: number;
  readonly scales: Float64Array;
  readonly lambda: number;
  /** J in these coordinates: [U'J; the rest]. */
  readonly J: Matrix;
  /** J J'. */
  readonly C: Matrix;
}

function relativeSpreads(variances: Float64Array): Float64Array {
  const mean = variances.reduce((sum, value) => sum + value, 0) / variances.length;
  return variances.map((value) => Math.sqrt(value / mean));
}

function reduce(
  { rows, codes, members }: LabelledRows,
  { Z }: WhitenedRows,
  scales: Float64Array,
  lambda: number,
): Reduced {
  const n = rows.rows;
  const q = Z.cols;
  const k = members.length;
  // Unit indicators less their mean: J J' is the projector of the partition without the constant vector.
  const Y = matrix(n, k);
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < k; c++) {
      const size = members[c].length;
      Y.data[i * k + c] = (codes[i] === c ? 1 : 0) / Math.sqrt(size) - Math.sqrt(size) / n;
    }
  }
  const { values, vectors } = symmetricEigen(gram(Y)); // k - 1 ones and a zero
  const rank = k - 1;
  const turn = matrix(k, rank);
  for (let c = 0; c < k; c++) {
    for (let r = 0; r < rank; r++) turn.data[c * rank + r] = vectors.data[c * k + r] / Math.sqrt(values[r]);
  }
  // U = Z / sqrt(n); what of J lies outside the span of U is known by its inner products I - P'P alone.
  const P = multiply(multiplyTransposeA(Z, Y), turn);
  for (let p = 0; p < P.data.length; p++) P.data[p] /= Math.sqrt(n);
  if (!P.data.some((value) => Math.abs(value) > 1e-12)) {
    throw numericError("lajugie: all classes have the same mean, so no linear metric can tell them apart");
  }
  const rest = gram(P);
  for (let p = 0; p < rest.data.length; p++) rest.data[p] = (p % (rank + 1) === 0 ? 1 : 0) - rest.data[p];
  const outside = symmetricEigen(rest);
  const J = matrix(q + rank, rank);
  J.data.set(P.data);
  for (let r = 0; r < rank; r++) {
    const root = Math.sqrt(Math.max(0, outside.values[r]));
    for (let c = 0; c < rank; c++) J.data[(q + r) * rank + c] = root * outside.vectors.data[c * rank + r];
  }
  return { q, rank, scales, lambda, J, C: multiplyTransposeB(J, J) };
}

interface Climb {
  readonly M: Matrix;
  readonly objective: number;
  readonly gap: number;
  readonly iterations: number;
  readonly history: readonly number[];
}

/** Iterations between two looks at the gap, which costs an eigenproblem of its own. */
const LOOK = 5;

function climb(
  problem: Reduced,
  options: { maxIterations: number; tolerance: number; onProgress: OnProgress | undefined },
): Climb {
  const { maxIterations, tolerance, onProgress } = options;
  const { lambda, scales, C } = problem;
  const report = progressGate(onProgress);
  const step = lambda / Math.max(...scales) ** 4; // 1 / Lipschitz constant of the dual's gradient
  const size = C.data.length;
  let W = matrix(C.rows, C.rows, C.data.slice());
  let V = W;
  let momentum = 1;
  let best = primal(problem, matrix(problem.q, problem.q));
  let M = matrix(problem.q, problem.q);
  let gap = 1;
  const history = [best];
  let iterations = 0;
  while (iterations < maxIterations) {
    const { M: at } = metricOf(problem, V);
    const A = augmented(problem, at);
    const moved = matrix(C.rows, C.rows);
    for (let p = 0; p < size; p++) moved.data[p] = V.data[p] + step * A.data[p];
    const next = fantopeProjection(moved, problem.rank);
    // Gradient restart: momentum that points downhill is dropped.
    let uphill = 0;
    for (let p = 0; p < size; p++) uphill += (next.data[p] - V.data[p]) * (next.data[p] - W.data[p]);
    if (uphill < 0) momentum = 1;
    const grown = (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
    const weight = (momentum - 1) / grown;
    const ahead = matrix(C.rows, C.rows);
    for (let p = 0; p < size; p++) ahead.data[p] = next.data[p] + weight * (next.data[p] - W.data[p]);
    [W, V, momentum] = [next, ahead, grown];
    iterations++;
    if (iterations % LOOK !== 0 && iterations < maxIterations) continue;

    const { M: candidate, dual } = metricOf(problem, W);
    const value = primal(problem, candidate);
    if (value < best) [best, M] = [value, candidate];
    history.push(best);
    gap = Math.max(0, (best - dual) / Math.max(best, Number.MIN_VALUE));
    if (gap <= tolerance) break;
    if (!report({ fraction: iterations / maxIterations, label: `iteration ${iterations}`, objective: best }))
      break;
  }
  return { M, objective: best, gap, iterations, history };
}

/** M = [S (C - W) S]_+ / lambda over the span of X, and the dual value of W. */
function metricOf({ q, rank, scales, lambda, C }: Reduced, W: Matrix): { M: Matrix; dual: number } {
  const G = matrix(q, q);
  let overlap = 0;
  for (let p = 0; p < C.data.length; p++) overlap += W.data[p] * C.data[p];
  for (let f = 0; f < q; f++) {
    for (let g = 0; g < q; g++) {
      const p = f * C.rows + g;
      G.data[f * q + g] = (scales[f] * scales[g] * (C.data[p] - W.data[p])) / lambda;
    }
  }
  const M = gram(factorOf(G));
  let square = 0;
  for (const value of M.data) square += value * value;
  return { M, dual: 2 * rank - 2 * overlap - (lambda / 2) * square };
}

/** XMX' - 2C. */
function augmented({ q, scales, C }: Reduced, M: Matrix): Matrix {
  const A = matrix(
    C.rows,
    C.rows,
    C.data.map((value) => -2 * value),
  );
  for (let f = 0; f < q; f++) {
    for (let g = 0; g < q; g++) A.data[f * C.rows + g] += scales[f] * scales[g] * M.data[f * q + g];
  }
  return A;
}

/** The objective at M: loss-augmented decoding takes the k - 1 leading eigenvectors of XMX' - 2C. */
function primal(problem: Reduced, M: Matrix): number {
  const { q, rank, scales, lambda, C } = problem;
  const { values } = symmetricEigen(augmented(problem, M));
  let value = 2 * rank;
  for (let r = 0; r < rank; r++) value += values[r];
  for (let f = 0; f < q; f++) {
    for (let g = 0; g < q; g++) {
      const entry = M.data[f * q + g];
      value += (lambda / 2) * entry * entry - scales[f] * scales[g] * entry * C.data[f * C.rows + g];
    }
  }
  return value;
}

/** The nearest matrix with eigenvalues between 0 and 1 that sum to `rank`: they move by one amount and are clipped. */
function fantopeProjection(A: Matrix, rank: number): Matrix {
  const n = A.rows;
  const { values, vectors } = symmetricEigen(A);
  const clipped = (shift: number): Float64Array =>
    values.map((value) => Math.min(1, Math.max(0, value - shift)));
  let low = values[n - 1] - 1;
  let high = values[0];
  for (let step = 0; step < 100 && high - low > 1e-15 * (1 + Math.abs(low)); step++) {
    const middle = (low + high) / 2;
    if (clipped(middle).reduce((sum, value) => sum + value, 0) > rank) low = middle;
    else high = middle;
  }
  const kept = clipped((low + high) / 2);
  const scaled = matrix(n, n);
  for (let i = 0; i < n; i++) {
    for (let r = 0; r < n; r++) scaled.data[i * n + r] = vectors.data[i * n + r] * Math.sqrt(kept[r]);
  }
  return multiplyTransposeB(scaled, scaled);
}
