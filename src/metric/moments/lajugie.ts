/**
 * Large-margin metric for clustering (Lajugie, Bach and Arlot 2014): the metric under which the known
 * partition beats every other one, relaxed to projectors of the same rank, by a margin that equals their
 * difference. With C = JJ' the projector of the partition (rank k - 1 on centred rows) and Delta(P, C) = ||P
 * - C||^2,
 *
 *     minimise lambda/2 ||M||^2 + max_P { ||P - C||^2 + <P - C, XMX'> }   over M positive semidefinite
 *
 * The inner maximum (loss-augmented decoding) is the sum of the k - 1 largest eigenvalues of XMX' - 2C, a
 * matrix in the span of X and J: with X = U S V' it is a problem of order d + k - 1, for any number of rows.
 *
 * The text descends along subgradients. The dual, with W in the convex hull of the projectors (0 <= W <= I, tr W = k - 1),
 *
 *     maximise 2(k - 1) - 2 <W, C> - ||[X'(C - W)X]_+||^2 / (2 lambda),   M = [X'(C - W)X]_+ / lambda
 *
 * is smooth and is climbed by accelerated projected gradients (Beck and Teboulle 2009, with the restarts of O'Donoghue and
 * Candes 2015); the difference of the two values is the certificate.
 *
 * For several sets, such as series or images, each with its own partition ((10) of Law et al. 2016), the mean
 * over the sets of the inner maxima replaces the single one; every set has its own W.
 */
import {
  asMatrix,
  gram,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  symmetricEigen,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import {
  centered,
  columnMeans,
  columnsAsRows,
  columnVariances,
  dot,
  leadingColumns,
  mapped,
  requireModerate,
  scaledColumns,
  symmetrize,
} from "../../matrix/internal.ts";
import type { OnProgress } from "../../core/index.ts";
import { inputError, numericError, progressGate, rule } from "../../core/internal.ts";
import { acceleration } from "../../optimize/internal.ts";
import type { Labeling } from "../../score/index.ts";
import { labelledRows, type LabelledRows } from "../../score/internal.ts";
import { factorOf, mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { whitenedRows } from "./whitenedRows.ts";

export const lajugieOptions = {
  /** lambda (default 0.01); M is measured on rows of unit mean variance. */
  regularization: rule.real({ above: 0, default: 0.01, says: "weight of the size of the metric" }),
  /**
   * Measure ||M|| in coordinates in which the rows have covariance I (default true), so that neither units
   * nor correlations of columns matter; false uses the original columns, as in the paper.
   */
  whiten: rule.flag(true, { says: "measures the size of the metric in whitened columns" }),
  maxIterations: rule.integer({ min: 1, default: 2000, says: "maximum number of iterations" }),
  /** The relative duality gap at which to stop. */
  tolerance: rule.real({ above: 0, below: 1, default: 1e-3, says: "relative duality gap at which to stop" }),
  names: rule.names,
  onProgress: rule.progress,
};

export type LajugieOptions = rule.OptionsOf<typeof lajugieOptions>;

export function lajugie(input: MatrixLike, labels: Labeling, options: LajugieOptions = {}): Mahalanobis {
  return lajugieSets([{ X: input, labels }], options);
}

/** Rows with their own partition; classes of different sets need not correspond. */
export interface LabelledSet {
  readonly X: MatrixLike;
  readonly labels: Labeling;
}

/** From several sets: only rows of the same set are compared. */
export function lajugieSets(sets: readonly LabelledSet[], options: LajugieOptions = {}): Mahalanobis {
  const resolved = rule.resolveOptions("lajugie", options, lajugieOptions);
  const { regularization, whiten, maxIterations, tolerance, names, onProgress } = resolved;
  if (sets.length === 0) throw inputError("lajugie: there are no sets");
  const several = sets.length > 1;
  const labelled = sets.map(({ X: input, labels }, s) => {
    const X = asMatrix(input, "lajugie");
    requireModerate(X);
    return labelledRows(several ? `lajugie: set ${s}` : "lajugie", X, labels);
  });
  const d = labelled[0].rows.cols;
  const odd = labelled.findIndex(({ rows }) => rows.cols !== d);
  if (odd > 0) throw inputError(`lajugie: set ${odd} has ${labelled[odd].rows.cols} columns, set 0 has ${d}`);
  const centred = stackCentred(labelled.map(({ rows }) => rows));
  const white = whitenedRows("lajugie", centred);
  const scales = whiten ? white.variances.map(() => 1) : relativeSpreads(white.variances);
  // Rows in coordinates in which M is sought, of unit mean variance in a set of mean size.
  const unit = Math.sqrt(sets.length / centred.rows);
  const q = white.Z.cols;
  let first = 0;
  const reduced = labelled.map((one) => {
    const Z = matrix(one.rows.rows, q);
    for (let p = 0; p < Z.data.length; p++) Z.data[p] = unit * scales[p % q] * white.Z.data[first * q + p];
    first += one.rows.rows;
    return reduce(one, Z);
  });
  if (
    reduced.every(({ J, A }) => !J.data.subarray(0, A.rows * J.cols).some((value) => Math.abs(value) > 1e-12))
  ) {
    throw numericError("lajugie: all classes have the same mean, so no linear metric can separate them");
  }
  const problem = { q, sets: reduced, lambda: regularization };
  const solved = climb(problem, { maxIterations, tolerance, onProgress });
  // x -> (its principal components, in units of `scales`) -> L.
  const basis = mapped(white.basis, (value, p) => scales[Math.floor(p / d)] * value);
  const converged = solved.gap <= tolerance;
  return mahalanobis({
    method: "lajugie",
    factor: multiply(factorOf(solved.M), basis),
    names,
    variances: columnVariances(several ? centred : labelled[0].rows),
    ...(several ? {} : { center: columnMeans(labelled[0].rows) }),
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

/** All rows, those of each set minus its mean. */
function stackCentred(parts: readonly Matrix[]): Matrix {
  const d = parts[0].cols;
  const all = matrix(
    parts.reduce((sum, { rows }) => sum + rows, 0),
    d,
  );
  let at = 0;
  for (const part of parts) {
    all.data.set(centered(part, columnMeans(part)).data, at);
    at += part.data.length;
  }
  return all;
}

interface Problem {
  /** The order of M. */
  readonly q: number;
  readonly sets: readonly Reduced[];
  readonly lambda: number;
}

/** One set in the orthonormal coordinates [U, Q] of the span of X = U A and J. */
interface Reduced {
  /** rank(X) x q; the order of W is rank(X) + k - 1. */
  readonly A: Matrix;
  /** k - 1. */
  readonly rank: number;
  /** J in these coordinates: [U'J; the rest]. */
  readonly J: Matrix;
  /** J J'. */
  readonly C: Matrix;
}

function relativeSpreads(variances: Float64Array): Float64Array {
  const mean = variances.reduce((sum, value) => sum + value, 0) / variances.length;
  return variances.map((value) => Math.sqrt(value / mean));
}

function reduce({ codes, members }: LabelledRows, X: Matrix): Reduced {
  const n = X.rows;
  const k = members.length;
  // Unit indicators minus their mean: J J' is the projector of the partition without the constant vector.
  const Y = matrix(n, k);
  for (let i = 0; i < n; i++) {
    for (let c = 0; c < k; c++) {
      const size = members[c].length;
      Y.data[i * k + c] = (codes[i] === c ? 1 : 0) / Math.sqrt(size) - Math.sqrt(size) / n;
    }
  }
  const { values, vectors } = symmetricEigen(gram(Y)); // k - 1 ones and a zero
  const rank = k - 1;
  const turn = mapped(leadingColumns(vectors, rank), (value, p) => value / Math.sqrt(values[p % rank]));
  const { A, inverse } = thinFactor(X);
  const q = A.rows;
  // U'J = inverse X'J; the part of J outside the span of U is known only by its inner products I - P'P.
  const P = multiply(inverse, multiply(multiplyTransposeA(X, Y), turn));
  const rest = gram(P);
  for (let p = 0; p < rest.data.length; p++) rest.data[p] = (p % (rank + 1) === 0 ? 1 : 0) - rest.data[p];
  const outside = symmetricEigen(rest);
  const roots = outside.values.map((value) => Math.sqrt(Math.max(0, value)));
  const J = matrix(q + rank, rank);
  J.data.set(P.data);
  J.data.set(columnsAsRows(outside.vectors, rank, (value, r) => roots[r] * value).data, q * rank);
  return { A, rank, J, C: multiplyTransposeB(J, J) };
}

/** X = U A, U with orthonormal columns: X'X = V S^2 V', A = S V', and U'= S^-1 V'X'. */
function thinFactor(X: Matrix): { A: Matrix; inverse: Matrix } {
  const q = X.cols;
  const { values, vectors } = symmetricEigen(gram(X));
  const roots = values.filter((value) => value > 1e-12 * q * values[0]).map(Math.sqrt);
  return {
    A: columnsAsRows(vectors, roots.length, (value, r) => roots[r] * value),
    inverse: columnsAsRows(vectors, roots.length, (value, r) => value / roots[r]),
  };
}

/** Iterations between two checks of the gap, which needs its own eigenproblem. */
const LOOK = 5;

function climb(
  problem: Problem,
  options: { maxIterations: number; tolerance: number; onProgress: OnProgress | undefined },
) {
  const { maxIterations, tolerance, onProgress } = options;
  const { lambda, sets, q } = problem;
  const report = progressGate(onProgress);
  // 1 / Lipschitz constant of the dual's gradient, where the inner product of the W is a mean over the sets.
  const steepness = sets.reduce((sum, { A }) => sum + largestSquare(A) ** 2, 0) / sets.length;
  const step = lambda / steepness;
  const run = acceleration(Float64Array.from(sets.flatMap(({ C }) => Array.from(C.data))));
  let M = matrix(q, q);
  let best = primal(problem, M);
  let gap = 1;
  const history = [best];
  let iterations = 0;
  while (iterations < maxIterations) {
    const V = parts(sets, run.ahead);
    const { M: at } = metricOf(problem, V);
    const next = new Float64Array(run.x.length);
    const W = parts(sets, next);
    sets.forEach((set, s) => {
      const moved = augmented(set, at);
      for (let p = 0; p < moved.data.length; p++) moved.data[p] = V[s].data[p] + step * moved.data[p];
      W[s].data.set(fantopeProjection(moved, set.rank).data);
    });
    run.advance(next);
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

/** The W of each set, one after the other in `all`. */
function parts(sets: readonly Reduced[], all: Float64Array): Matrix[] {
  let at = 0;
  return sets.map(({ C }) => matrix(C.rows, C.rows, all.subarray(at, (at += C.data.length))));
}

/** The largest eigenvalue of AA'. */
function largestSquare(A: Matrix): number {
  return symmetricEigen(multiplyTransposeB(A, A)).values[0];
}

/** M = [mean over the sets of A'(C - W)A]_+ / lambda over the span of X, and the dual value of W. */
function metricOf({ q, sets, lambda }: Problem, W: readonly Matrix[]): { M: Matrix; dual: number } {
  const G = matrix(q, q);
  let linear = 0;
  sets.forEach(({ A, C, rank }, s) => {
    linear += (2 * rank - 2 * dot(W[s].data, C.data)) / sets.length;
    const inside = matrix(A.rows, A.rows);
    for (let f = 0; f < A.rows; f++) {
      for (let g = 0; g < A.rows; g++) {
        const p = f * C.rows + g;
        inside.data[f * A.rows + g] = (C.data[p] - W[s].data[p]) / (lambda * sets.length);
      }
    }
    const own = multiplyTransposeA(A, multiply(inside, A));
    for (let p = 0; p < G.data.length; p++) G.data[p] += own.data[p];
  });
  const M = gram(factorOf(symmetrize(G)));
  return { M, dual: linear - (lambda / 2) * dot(M.data, M.data) };
}

/** XMX' - 2C. */
function augmented({ A, C }: Reduced, M: Matrix): Matrix {
  const B = mapped(C, (value) => -2 * value);
  const inside = multiplyTransposeB(multiply(A, M), A);
  for (let f = 0; f < A.rows; f++) {
    for (let g = 0; g < A.rows; g++) {
      B.data[f * C.rows + g] += (inside.data[f * A.rows + g] + inside.data[g * A.rows + f]) / 2;
    }
  }
  return B;
}

/** The objective at M: loss-augmented decoding takes the k - 1 leading eigenvectors of XMX' - 2C. */
function primal({ sets, lambda }: Problem, M: Matrix): number {
  let value = 0;
  for (const entry of M.data) value += (lambda / 2) * entry * entry;
  for (const set of sets) {
    const { A, C, rank } = set;
    const B = augmented(set, M);
    const { values } = symmetricEigen(B);
    let own = 2 * rank;
    for (let r = 0; r < rank; r++) own += values[r];
    for (let f = 0; f < A.rows; f++) {
      for (let g = 0; g < A.rows; g++) {
        const p = f * C.rows + g;
        own -= (B.data[p] + 2 * C.data[p]) * C.data[p];
      }
    }
    value += own / sets.length;
  }
  return value;
}

/**
 * The nearest matrix with eigenvalues between 0 and 1 that sum to `rank`: they are shifted by one amount and
 * clipped.
 */
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
  const inside = clipped((low + high) / 2);
  const scaled = scaledColumns(vectors, (r) => Math.sqrt(inside[r]));
  return multiplyTransposeB(scaled, scaled);
}
