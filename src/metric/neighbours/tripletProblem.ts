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
import { inputError } from "../../core/internal.ts";
import type { Triplet } from "../../data/index.ts";
import {
  loadKernel,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  nearestRows,
  takeRows,
  type Matrix,
} from "../../matrix/index.ts";
import { centered, columnMeans, mapped, placed, placedRows, unpadded } from "../../matrix/internal.ts";
import * as binary from "../kernel/triplets.wasm.ts";

export interface TripletLists {
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
export function tripletLossAt(problem: TripletProblem, M: Matrix, width: number) {
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
  triplets.forEach(([i, j, l], t) => {
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
