/**
 * Sparse compositional metric learning, global form (Shi, Bellet and Sha 2014): a metric that is a non-negative
 * combination of given rank-one bases, learned from triplets "i is nearer to j than to l",
 *
 *     minimise mean_t [1 + d_ij - d_il]_+ + sparsity sum_k w_k   over w >= 0,   M = sum_k w_k b_k b_k'
 *
 * The bases are local discriminants of the data (`localDiscriminants`) or the caller's. The paper descends
 * along single triplets; here the convex problem is solved by L-BFGS in w >= 0 with the hinge smoothed over a
 * width that shrinks. The slopes a_t of the hinge are multipliers of the dual,
 *
 *     maximise sum_t a_t   where   0 <= a_t <= 1 / T and sparsity + b_k'G(a) b_k >= 0 for every basis,
 *
 * and scaled to feasibility they are a lower bound of the objective: that is the certificate.
 */
import {
  asMatrix,
  gram,
  identity,
  matrix,
  multiply,
  nearestRows,
  solveTriangular,
  symmetricEigen,
  takeRows,
  tryCholesky,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import {
  columnVariances,
  requireFinite,
  requireModerate,
  matrixRule,
  squaredDistance,
} from "../../matrix/internal.ts";
import { inputError, option, progressGate, rule } from "../../core/internal.ts";
import type { Triplet } from "../../data/index.ts";
import { lbfgs } from "../../optimize/index.ts";
import type { Labeling } from "../../score/index.ts";
import { labelledRows } from "../../score/internal.ts";
import { factorOf, mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import {
  basisScales,
  composed,
  neighborTriplets,
  pairTable,
  tripletLoss,
  tripletProblem,
  type TripletProblem,
} from "./triplets.ts";
import { random } from "../../core/index.ts";
import { shrinkToDiagonal } from "../moments/covariance.ts";

const SHARED = {
  sparsity: rule.real({ above: 0, default: 0.01, says: "weight of the number of directions" }),
  maxIterations: rule.integer({ min: 0, default: 1000, says: "maximum number of iterations" }),
  tolerance: rule.real({ above: 0, below: 1, default: 0.05, says: "residual at which to stop" }),
  names: rule.names,
  onProgress: rule.progress,
};
export const scmlFromTripletsOptions = {
  ...SHARED,
  /** Bases, K x d, one in a row; their length matters, because `sparsity` counts w. */
  basis: rule.required(matrixRule),
};

export type ScmlTripletOptions = rule.OptionsOf<typeof scmlFromTripletsOptions>;

export const scmlOptions = {
  ...SHARED,
  /** Bases, K x d; by default local discriminants, scaled to mean squared length 1 over the pairs of the triplets. */
  basis: matrixRule,
  /** Number of local discriminants (default 5 d, at most two scales of them around each row). */
  bases: rule.integer({
    min: 1,
    says: "directions to choose from",
    usual: "5 for each column, fewer for few rows",
  }),
  /** Nearest rows of the same class, and of other classes, that make the triplets of a row (defaults 3 and 10). */
  neighbors: rule.integer({ min: 1, default: 3, says: "target neighbours of each row" }),
  impostors: rule.integer({ min: 1, default: 10, says: "rows of other classes in the triplets of a row" }),
  seed: rule.integer({ default: 0 }),
};

export type ScmlOptions = rule.OptionsOf<typeof scmlOptions>;

type Settings = rule.ResolvedOptions<typeof SHARED>;

/** From class labels: triplets of each row's nearest rows of its own class and of other classes. */
export function scml(input: MatrixLike, labels: Labeling, options: ScmlOptions = {}): Mahalanobis {
  const X = asMatrix(input, "scml");
  const resolved = rule.resolveOptions("scml", options, scmlOptions);
  const { basis, bases, neighbors, impostors, seed, ...settings } = resolved;
  requireModerate(X);
  const { rows, members } = labelledRows("scml", X, labels);
  if (basis !== undefined && bases !== undefined) {
    throw inputError(`scml: give either ${option("basis")} or "bases", the number of those to be made`);
  }
  const warnings: string[] = [];
  const lists = neighborTriplets(rows, members, neighbors, impostors, warnings);
  const each = Math.min(members.length - 1, X.cols);
  const count = bases ?? Math.min(5 * X.cols, 2 * each * rows.rows);
  const B = basis ?? localDiscriminants(rows, members, count, seed);
  if (B.rows === 0) throw inputError("scml: no direction separates the classes anywhere");
  const problem = tripletProblem(rows, checkedBasis(B, X.cols), lists);
  return fit(basis === undefined ? normalized(problem) : problem, rows, settings, warnings);
}

/** From triplets of row numbers [anchor, nearer, farther]. */
export function scmlFromTriplets(
  input: MatrixLike,
  triplets: readonly Triplet[],
  options: ScmlTripletOptions,
): Mahalanobis {
  const X = asMatrix(input, "scmlFromTriplets");
  const { basis, ...settings } = rule.resolveOptions("scmlFromTriplets", options, scmlFromTripletsOptions);
  requireModerate(X);
  const lists = pairTable("scmlFromTriplets", X.rows, triplets);
  return fit(tripletProblem(X, checkedBasis(basis, X.cols), lists), X, settings, []);
}

const NARROWEST = 1e-4;

function fit(problem: TripletProblem, rows: Matrix, settings: Settings, warnings: string[]): Mahalanobis {
  const { sparsity, maxIterations, tolerance, names, onProgress } = settings;
  const K = problem.B.rows;
  // w_k = u_k / s_k: a step in u changes the mean distance equally for every basis.
  const scales = basisScales(problem).map((value) => (value > 0 ? value : 1));
  const report = progressGate(onProgress);
  const weights = (u: Float64Array): Float64Array => u.map((value, k) => value / scales[k]);
  const judge = (u: Float64Array, width: number): { value: number; gap: number } => {
    const w = weights(u);
    const price = sparsity * w.reduce((sum, value) => sum + value, 0);
    const value = price + tripletLoss(problem, w, 0).value;
    const { slopes, gradient } = tripletLoss(problem, w, width);
    let steepest = 0;
    for (let k = 0; k < K; k++) steepest = Math.max(steepest, -gradient[k]);
    const bound = slopes * Math.min(1, sparsity / steepest);
    return { value, gap: value > 0 ? Math.max(0, (value - bound) / value) : 0 };
  };

  let u = new Float64Array(K);
  let width = 1;
  let precision = tolerance;
  let iterations = 0;
  let stationary = false;
  let { value, gap } = judge(u, width);
  const history = [value];
  while (gap > tolerance && iterations < maxIterations) {
    const label = `iteration ${iterations + 1}`;
    if (!report({ fraction: iterations / maxIterations, label, objective: value })) break;
    const minimum = lbfgs(
      (x, gradient) => {
        const w = weights(x);
        const loss = tripletLoss(problem, w, width);
        let price = 0;
        for (let k = 0; k < K; k++) {
          price += sparsity * w[k];
          gradient[k] = (loss.gradient[k] + sparsity) / scales[k];
        }
        return loss.value + price;
      },
      u,
      { lower: 0, maxIterations: maxIterations - iterations, tolerance: precision },
    );
    iterations += minimum.iterations;
    u = Float64Array.from(minimum.x);
    stationary = minimum.converged || minimum.iterations === 0;
    ({ value, gap } = judge(u, width));
    history.push(value);
    if (gap > tolerance && stationary && width <= NARROWEST) break;
    width /= 4;
    precision /= 4;
  }
  if (gap > tolerance) {
    warnings.push(
      `the duality gap is ${gap.toExponential(1)}` +
        (iterations >= maxIterations ? ` after ${maxIterations} iterations` : ""),
    );
  }
  const factor = factorOf(composed(problem.B, weights(u)));
  if (factor.rows === 0) {
    warnings.push(`the metric is zero: no basis is worth its price; lower "sparsity" (${sparsity})`);
  }
  return mahalanobis({
    method: "scml",
    factor,
    names,
    variances: columnVariances(rows),
    converged: gap <= tolerance || stationary,
    iterations,
    objective: value,
    history,
    certificate: { kind: "duality gap, relative", residual: gap },
    warnings,
  });
}

/** Bases of mean squared length 1 over the pairs, so `sparsity` has the same effect in any units. */
function normalized(problem: TripletProblem): TripletProblem {
  const { B } = problem;
  const scales = basisScales(problem);
  const data = B.data.map((value, p) => {
    const scale = scales[Math.floor(p / B.cols)];
    return scale > 0 ? value / Math.sqrt(scale) : 0;
  });
  return { ...problem, B: { ...B, data } };
}

function checkedBasis(B: Matrix, d: number): Matrix {
  if (B.cols !== d) throw inputError(`scml: ${option("basis")} has ${B.cols} columns, but the data has ${d}`);
  if (B.rows === 0) throw inputError(`scml: ${option("basis")} has no rows`);
  requireFinite(B, `scml: ${option("basis")}`);
  return B;
}

/**
 * Directions that separate the classes locally: for each of a number of regions (k-means centres) Fisher's
 * discriminant of the rows of every class that are nearest to it, at two scales (Shi, Bellet and Sha 2014,
 * section 3.1). Each is a row of unit length. If S_w of so few rows is singular it is shrunk towards its
 * diagonal.
 */

/** Rows of each class around a region's centre, for few and for many columns. */
const SCALES = { few: [10, 20], many: [20, 50] } as const;

/** At most `count` directions, fewer if rows do not differ. */
export function localDiscriminants(
  X: Matrix,
  members: readonly Int32Array[],
  count: number,
  seed: number,
): Matrix {
  const d = X.cols;
  const each = Math.min(members.length - 1, d);
  const regions = Math.min(X.rows, Math.ceil(count / (2 * each)));
  const centers = spreadRows(X, regions, seed);
  const scales = d > 50 ? SCALES.many : SCALES.few;
  const near = members.map((group) => {
    const k = Math.min(group.length, scales[1]);
    return { k, indices: nearestRows(takeRows(X, group), k, { queries: centers }).indices };
  });
  const found: Float64Array[] = [];
  for (const size of scales) {
    for (let r = 0; r < regions && found.length < count; r++) {
      const groups = members.map((group, c) =>
        near[c].indices
          .subarray(r * near[c].k, r * near[c].k + Math.min(size, near[c].k))
          .map((i) => group[i]),
      );
      for (const direction of fisherDirections(X, groups, each))
        if (found.length < count) found.push(direction);
    }
  }
  const B = matrix(found.length, d);
  found.forEach((direction, k) => B.data.set(direction, k * d));
  return B;
}

/** Rows far from each other, k-means++ style: a row is chosen with probability proportional to its squared distance. */
function spreadRows(X: Matrix, count: number, seed: number): Matrix {
  const n = X.rows;
  const stream = random(seed);
  const chosen = new Int32Array(count);
  const distance = new Float64Array(n).fill(Infinity);
  chosen[0] = stream.integer(n);
  for (let c = 0; c < count; c++) {
    let total = 0;
    for (let i = 0; i < n; i++) {
      distance[i] = Math.min(distance[i], squaredDistance(X, i, X, chosen[c]));
      total += distance[i];
    }
    if (c + 1 === count) break;
    let left = stream.uniform() * total;
    let next = 0;
    while (next < n - 1 && (left -= distance[next]) >= 0) next++;
    chosen[c + 1] = next;
  }
  return takeRows(X, chosen);
}

/** Unit vectors along the discriminants of the groups; none if all means coincide. */
function fisherDirections(X: Matrix, groups: readonly Int32Array[], most: number): Float64Array[] {
  const d = X.cols;
  const total = groups.reduce((sum, group) => sum + group.length, 0);
  const centred = matrix(total, d);
  const H = matrix(d, groups.length); // columns sqrt(n_c) (mean of c - mean)
  const mean = new Float64Array(d);
  let r = 0;
  groups.forEach((group, c) => {
    const own = new Float64Array(d);
    for (const i of group) for (let f = 0; f < d; f++) own[f] += X.data[i * d + f] / group.length;
    for (const i of group) {
      for (let f = 0; f < d; f++) centred.data[r * d + f] = X.data[i * d + f] - own[f];
      r++;
    }
    for (let f = 0; f < d; f++) {
      mean[f] += (own[f] * group.length) / total;
      H.data[f * groups.length + c] = own[f];
    }
  });
  groups.forEach((group, c) => {
    for (let f = 0; f < d; f++) {
      const p = f * groups.length + c;
      H.data[p] = Math.sqrt(group.length) * (H.data[p] - mean[f]);
    }
  });
  const within = gram(centred);
  const freedom = Math.max(0, total - groups.length);
  const share = freedom > 2 * d ? 1e-3 : 0.1; // more would turn the directions towards the differences of the means
  const regular = within.data.some((value) => value > 0)
    ? shrinkToDiagonal(within, share, 1e-6)
    : identity(d);
  const factor = tryCholesky(regular);
  if (factor === undefined) return [];
  const A = solveTriangular(factor.L, H); // S_w = LL', A'A has the eigenvalues of S_w^-1 S_b
  const { values, vectors } = symmetricEigen(gram(A));
  const V = solveTriangular(factor.L, multiply(A, vectors), { transposed: true });
  const directions: Float64Array[] = [];
  for (let c = 0; c < most && values[c] > 1e-10 * Math.max(1e-300, values[0]); c++) {
    const direction = Float64Array.from({ length: d }, (_, f) => V.data[f * V.cols + c]);
    const length = Math.sqrt(direction.reduce((sum, value) => sum + value * value, 0));
    if (length > 0 && length < Infinity) directions.push(direction.map((value) => value / length));
  }
  return directions;
}
