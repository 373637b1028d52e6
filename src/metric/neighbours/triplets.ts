/**
 * A metric from triplets "i is nearer to j than to l", over all positive semidefinite M (C. Shen, J. Kim, L. Wang and A. van
 * den Hengel, 2009, "Positive semidefinite metric learning with boosting", with the hinge of SCML):
 *
 *     minimise mean_t [1 + d_ij - d_il]_+ + price tr(S M)   over M >= 0,   d_ij = (x_i - x_j)'M(x_i - x_j)
 *
 * S the variances of the columns, which makes units irrelevant. M = L'L with L as large as M has no local
 * minimum besides the global ones, so L-BFGS in L suffices, with the hinge smoothed over a width that
 * shrinks. The slopes a_t of the hinge are multipliers of the dual,
 *
 *     maximise sum_t a_t   where   0 <= a_t <= 1 / T and price S + G(a) is positive semidefinite,
 *
 * and scaled to feasibility they are a lower bound of the objective: that is the certificate.
 */
import {
  asMatrix,
  gram,
  identity,
  matrix,
  multiply,
  symmetricEigen,
  loadKernel,
  multiplyTransposeA,
  multiplyTransposeB,
  nearestRows,
  takeRows,
  type Matrix,
  type MatrixLike,
  squaredNorms,
} from "../../matrix/index.ts";
import {
  columnVariances,
  requireModerate,
  centered,
  columnMeans,
  mapped,
  placed,
  placedRows,
  unpadded,
  diagonal,
  dot,
  requireList,
} from "../../matrix/internal.ts";
import { inputError, progressGate, rule } from "../../core/internal.ts";
import type { Triplet } from "../../data/index.ts";
import { lbfgs } from "../../optimize/index.ts";
import { factorOf, mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import * as binary from "../kernel/triplets.wasm.ts";

export const tripletsOptions = {
  /** The price of a mean squared distance of 1 against the triplets (default 0.01). */
  price: rule.real({
    above: 0,
    default: 0.01,
    says: "price of long distances, against that of violated triplets",
  }),
  /** The relative duality gap at which to stop (default 1e-3). */
  tolerance: rule.real({ above: 0, below: 1, default: 1e-3, says: "relative duality gap at which to stop" }),
  maxIterations: rule.integer({ min: 0, default: 5000, says: "maximum number of iterations" }),
  names: rule.names,
  onProgress: rule.progress,
};

export type TripletOptions = rule.OptionsOf<typeof tripletsOptions>;

/** @param triplets row numbers [anchor, nearer, farther] */
export function triplets(
  input: MatrixLike,
  given: readonly Triplet[],
  options: TripletOptions = {},
): Mahalanobis {
  const X = asMatrix(input, "triplets");
  const resolved = rule.resolveOptions("triplets", options, tripletsOptions);
  const { price, tolerance, maxIterations, names, onProgress } = resolved;
  requireModerate(X);
  const d = X.cols;
  const lists = pairTable("triplets", X.rows, given);
  const variances = columnVariances(X);
  const spreads = variances.map(Math.sqrt);
  if (!spreads.some((spread) => spread > 0)) throw inputError("triplets: every column is constant");
  const scaled = mapped(X, (value, p) => (spreads[p % d] > 0 ? value / spreads[p % d] : 0));
  const problem = tripletProblem(scaled, identity(d), lists);
  const report = progressGate(onProgress);
  const warnings: string[] = [];
  const history: number[] = [];

  let L = start(problem);
  // If no direction is worth its price, the answer is 0.
  const zero = { L: matrix(d, d), ...judge(problem, matrix(d, d), price, 1) };
  let best = { ...zero, gap: Math.max(0, (zero.value - zero.bound) / zero.value) };
  let iterations = 0;
  let width = 1;
  let stationary = 0;
  while (best.gap > tolerance && stationary < 2) {
    const minimum = lbfgs(
      (x, gradient) => {
        const at = matrix(d, d, Float64Array.from(x));
        const { value, G } = tripletLossAt(problem, gram(at), width);
        for (let f = 0; f < d; f++) G.data[f * d + f] += price;
        const slope = multiply(at, G).data;
        let size = 0;
        for (let p = 0; p < slope.length; p++) {
          gradient[p] = 2 * slope[p];
          size += x[p] * x[p];
        }
        return value + price * size;
      },
      L.data,
      { maxIterations: maxIterations - iterations, tolerance: tolerance * width },
    );
    iterations += minimum.iterations;
    L = matrix(d, d, Float64Array.from(minimum.x));
    const judged = judge(problem, L, price, width);
    const bound = Math.max(best.bound, judged.bound);
    if (judged.value < best.value) best = { ...best, L, value: judged.value };
    best = { ...best, bound, gap: best.value > 0 ? Math.max(0, (best.value - bound) / best.value) : 0 };
    history.push(best.value);
    if (best.gap <= tolerance || iterations >= maxIterations) break;
    const label = `triplets, gap ${best.gap.toExponential(1)}`;
    if (!report({ fraction: iterations / maxIterations, label, objective: best.value })) break;
    // A lost direction of L that would pay.
    if (judged.escape !== undefined) L = lifted(L, judged.escape);
    if (width > NARROWEST) width /= 4;
    else stationary++;
  }
  // Directions that the descent has almost removed.
  const thin = thinned(best.L);
  const { value } = judge(problem, thin, price, width);
  best = { ...best, L: thin, value, gap: value > 0 ? Math.max(0, (value - best.bound) / value) : 0 };
  if (best.gap > tolerance) {
    const why = report.stopped ? " when stopped by onProgress" : ` after ${iterations} iterations`;
    warnings.push(`the duality gap is ${best.gap.toExponential(1)}${why}`);
  }
  const M = mapped(gram(best.L), (value, p) => {
    const spread = spreads[p % d] * spreads[Math.floor(p / d)];
    return spread > 0 ? value / spread : 0;
  });
  const factor = factorOf(M);
  if (factor.rows === 0) {
    warnings.push(`the metric is zero: no direction is worth its price; lower "price" (${price})`);
  }
  return mahalanobis({
    method: "triplets",
    factor,
    names,
    variances,
    converged: best.gap <= tolerance,
    iterations,
    objective: best.value,
    history,
    certificate: { kind: "duality gap, relative", residual: best.gap },
    warnings,
  });
}

/** Of the rounded hinge. */
const NARROWEST = 1e-7;

/** A factor of L'L without the eigenvalues below 1e-8 of the largest. */
function thinned(L: Matrix): Matrix {
  const { values, vectors } = symmetricEigen(gram(L));
  const d = L.cols;
  const thin = matrix(d, d);
  for (let r = 0; r < d && values[r] > 1e-8 * values[0]; r++) {
    for (let f = 0; f < d; f++) thin.data[r * d + f] = Math.sqrt(values[r]) * vectors.data[f * d + r];
  }
  return thin;
}

/** The identity, scaled to a mean squared distance of 1 over the pairs. */
function start({ X, pairs }: TripletProblem): Matrix {
  const d = X.cols;
  let mean = 0;
  for (let p = 0; p < pairs.length; p += 2) {
    for (let f = 0; f < d; f++) {
      mean += (2 / pairs.length) * (X.data[pairs[p] * d + f] - X.data[pairs[p + 1] * d + f]) ** 2;
    }
  }
  return diagonal(new Float64Array(d).fill(mean > 0 ? 1 / Math.sqrt(mean) : 1));
}

/** The objective, its lower bound, and a direction that is worth its price, if there is one. */
function judge(
  problem: TripletProblem,
  L: Matrix,
  price: number,
  width: number,
): { value: number; bound: number; escape?: Float64Array } {
  const M = gram(L);
  const size = dot(L.data, L.data);
  const value = tripletLossAt(problem, M, 0).value + price * size;
  const { slopes, G } = tripletLossAt(problem, M, width);
  const { values, vectors } = symmetricEigen(G);
  const d = L.cols;
  const steepest = -values[d - 1];
  const bound = slopes * Math.min(1, steepest > 0 ? price / steepest : 1);
  if (steepest <= price) return { value, bound };
  return { value, bound, escape: Float64Array.from({ length: d }, (_, f) => vectors.data[f * d + d - 1]) };
}

/** L with a little of the direction added to its shortest row. */
function lifted({ rows, cols: d, data }: Matrix, direction: Float64Array): Matrix {
  const L = matrix(rows, d, data.slice());
  const sizes = squaredNorms(L);
  const [least, longest] = [Math.min(...sizes), Math.max(...sizes)];
  const shortest = sizes.indexOf(least);
  for (let f = 0; f < d; f++) L.data[shortest * d + f] += 1e-3 * Math.sqrt(longest || 1) * direction[f];
  return L;
}

/**
 * The same in plain loops: test/metric/neighbours/tripletReference.ts.
 *
 * Triplets (i, j, l), "i is nearer to j than to l", for metrics M = sum_k w_k b_k b_k': value and gradient in w of
 *
 *     mean_t [1 + d_ij - d_il]_+,   d_ij = (x_i - x_j)'M(x_i - x_j) = sum_k w_k (b_k'(x_i - x_j))^2
 *
 * Distances are measured under M (d x d) and the gradient is b_k'G b_k with G = sum of the pairs' weights times their outer
 * products, so no matrix of triplets by bases is made: time is O(pairs d + n d^2 + K d^2) and memory O(pairs + n d).
 */

interface TripletLists {
  /** Pairs of rows, two entries each. */
  readonly pairs: Int32Array;
  /**
   * Groups of triplets, four entries each: the pairs a .. b - 1, (i, j), should be nearer than each of the
   * pairs c .. d - 1, (i, l).
   */
  readonly groups: Int32Array;
  /** Triplets in all. */
  readonly count: number;
}

export interface TripletProblem extends TripletLists {
  /** Rows less their mean. */
  readonly X: Matrix;
  /** Bases, K x d. */
  readonly B: Matrix;
}

export function tripletProblem(rows: Matrix, B: Matrix, lists: TripletLists): TripletProblem {
  return { X: centered(rows, columnMeans(rows)), B, ...lists };
}

/**
 * The value with the hinge smoothed over a width (0: the exact hinge), the mean over the triplets of the hinge's slope,
 * which is the value of the multipliers in the dual, and the derivatives in w.
 */
export function tripletLoss(problem: TripletProblem, w: Float64Array, width: number) {
  const { X, B, count } = problem;
  const { value, slopes, forces } = hingeSums(problem, multiply(X, composed(B, w)), width);
  const gradient = basisForms(problem, forces);
  for (let k = 0; k < gradient.length; k++) gradient[k] /= count;
  return { value: value / count, slopes: slopes / count, gradient };
}

/** The same at any M, with the derivative in M, d x d. */
function tripletLossAt(problem: TripletProblem, M: Matrix, width: number) {
  const { X, count } = problem;
  const { value, slopes, forces } = hingeSums(problem, multiply(X, M), width);
  const G = multiplyTransposeA(forces, X);
  for (let p = 0; p < G.data.length; p++) G.data[p] /= count;
  return { value: value / count, slopes: slopes / count, G };
}

/**
 * Sums of the hinge, of its slopes and forces (over the pairs the slope times x_i - x_j on row i, and the opposite on row j),
 * with distances (x_i - x_j)'(y_i - y_j).
 */
export function hingeSums(problem: TripletProblem, Y: Matrix, width: number) {
  const { X, pairs, groups } = problem;
  const { rows: n, cols: d } = X;
  const s = (d + 1) & ~1;
  const count = pairs.length / 2;
  const kernel = loadKernel<binary.Exports>("metric/triplets", binary);
  return kernel.scope(() => {
    const at = {
      X: placedRows(kernel, X, s),
      Y: placedRows(kernel, Y, s),
      pairs: placed(kernel, pairs),
      groups: placed(kernel, groups),
      distances: kernel.reserve(8 * count),
      slopes: kernel.reserve(8 * count),
      forces: kernel.reserve(8 * n * s),
      sums: kernel.reserve(16),
    };
    kernel.exports.distances(count, s, at.X, at.Y, at.pairs, at.distances);
    kernel.exports.hinge(groups.length / 4, count, width, at.groups, at.distances, at.slopes, at.sums);
    kernel.exports.forces(count, n, s, at.X, at.pairs, at.slopes, at.forces);
    const [value, slopes] = kernel.f64(at.sums, 2);
    return { value, slopes, forces: unpadded(kernel.f64(at.forces, n * s), s, d) };
  });
}

/** Mean over the pairs of (b_k'(x_i - x_j))^2, for every basis. */
export function basisScales(problem: TripletProblem): Float64Array {
  const { X, pairs } = problem;
  const d = X.cols;
  const forces = matrix(X.rows, d);
  for (let p = 0; p < pairs.length; p += 2) {
    let [a, b] = [pairs[p] * d, pairs[p + 1] * d];
    for (const end = a + d; a < end; a++, b++) {
      const step = (2 / pairs.length) * (X.data[a] - X.data[b]);
      forces.data[a] += step;
      forces.data[b] -= step;
    }
  }
  return basisForms(problem, forces);
}

/** B' diag(w) B. */
export function composed(B: Matrix, w: Float64Array): Matrix {
  return multiplyTransposeA(
    B,
    mapped(B, (value, p) => w[Math.floor(p / B.cols)] * value),
  );
}

/** b_k'(F'X) b_k of the forces F, which is b_k'(sum over pairs of weight (x_i - x_j)(x_i - x_j)') b_k. */
function basisForms({ X, B }: TripletProblem, forces: Matrix): Float64Array {
  const d = X.cols;
  const BG = multiplyTransposeB(B, multiplyTransposeA(forces, X)); // G is symmetric
  const forms = new Float64Array(B.rows);
  for (let k = 0, p = 0; k < B.rows; k++) {
    let sum = 0;
    for (let f = 0; f < d; f++, p++) sum += BG.data[p] * B.data[p];
    forms[k] = sum;
  }
  return forms;
}

/** Every combination of a row's near rows of its class with its near rows of other classes. */
export function neighborTriplets(
  X: Matrix,
  members: readonly Int32Array[],
  neighbors: number,
  impostors: number,
  warnings: string[],
): TripletLists {
  const sizes = members.map((group) => ({
    own: Math.min(neighbors, group.length - 1),
    other: Math.min(impostors, X.rows - group.length),
  }));
  const sum = (per: (own: number, other: number) => number): number =>
    members.reduce((total, group, c) => total + group.length * per(sizes[c].own, sizes[c].other), 0);
  const pairs = new Int32Array(2 * sum((own, other) => (own === 0 ? 0 : own + other)));
  const groups = new Int32Array(4 * sum((own) => (own === 0 ? 0 : 1)));
  let pair = 0;
  let place = 0;
  members.forEach((group, c) => {
    const { own, other } = sizes[c];
    if (own === 0) return;
    const rest = Int32Array.from(
      members.filter((another) => another !== group).flatMap((rows) => Array.from(rows)),
    );
    const queries = takeRows(X, group);
    const inside = nearestRows(queries, own).indices;
    const outside = nearestRows(takeRows(X, rest), other, { queries }).indices;
    group.forEach((i, a) => {
      groups.set([pair, pair + own, pair + own, pair + own + other], place);
      place += 4;
      for (let p = 0; p < own; p++, pair++) {
        pairs[2 * pair] = i;
        pairs[2 * pair + 1] = group[inside[a * own + p]];
      }
      for (let q = 0; q < other; q++, pair++) {
        pairs[2 * pair] = i;
        pairs[2 * pair + 1] = rest[outside[a * other + q]];
      }
    });
  });
  const small = sizes.filter(({ own }) => own < neighbors).length;
  if (groups.length === 0) {
    throw inputError("scml needs a class with at least two rows; every class has only one");
  }
  if (small > 0)
    warnings.push(`${small} classes have at most ${neighbors} rows: their rows have fewer triplets`);
  return { pairs, groups, count: sum((own, other) => own * other) };
}

/** The distinct pairs of a list of triplets. */
export function pairTable(method: string, rows: number, triplets: readonly Triplet[]): TripletLists {
  requireList(triplets, `${method}: the triplets`);
  if (triplets.length === 0) throw inputError(`${method}: there are no triplets`);
  const known = new Map<number, number>();
  const pairs: number[] = [];
  const place = (i: number, j: number): number => {
    const key = Math.min(i, j) * rows + Math.max(i, j);
    let at = known.get(key);
    if (at === undefined) {
      at = pairs.length / 2;
      known.set(key, at);
      pairs.push(i, j);
    }
    return at;
  };
  const groups = new Int32Array(4 * triplets.length);
  triplets.forEach((triplet, t) => {
    if (!(triplet?.length === 3)) throw inputError(`triplet ${t} must be three row numbers`);
    const [i, j, l] = triplet;
    for (const index of [i, j, l]) {
      if (!Number.isInteger(index) || index < 0 || index >= rows) {
        throw inputError(
          `triplet ${t} (${i}, ${j}, ${l}): there is no row ${index}; rows are numbered 0 to ${rows - 1}`,
        );
      }
    }
    if (i === j || i === l || j === l) throw inputError(`triplet ${t} (${i}, ${j}, ${l}) names a row twice`);
    const near = place(i, j);
    const far = place(i, l);
    groups.set([near, near + 1, far, far + 1], 4 * t);
  });
  return { pairs: Int32Array.from(pairs), groups, count: triplets.length };
}
