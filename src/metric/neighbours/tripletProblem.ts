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
import {
  loadKernel,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  type Matrix,
} from "../../matrix/index.ts";
import { columnMeans, padRows, unpadRows } from "../../matrix/internal.ts";
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
  /** Room for one evaluation, reused by the next. */
  readonly scratch: {
    /** n x d. */
    readonly forces: Matrix;
  };
}

export function tripletProblem(rows: Matrix, B: Matrix, lists: TripletLists): TripletProblem {
  const means = columnMeans(rows);
  const X = matrix(rows.rows, rows.cols);
  for (let i = 0, p = 0; i < X.rows; i++) {
    for (let f = 0; f < X.cols; f++, p++) X.data[p] = rows.data[p] - means[f];
  }
  return { X, B, ...lists, scratch: { forces: matrix(X.rows, X.cols) } };
}

export interface TripletLoss {
  /** With the hinge smoothed over the given width (0: the exact hinge). */
  readonly value: number;
  /** Sum over the triplets of the hinge's slope, divided by their number: the value of the multipliers in the dual. */
  readonly slopes: number;
  /** Derivatives in w. */
  readonly gradient: Float64Array;
}

export function tripletLoss(problem: TripletProblem, w: Float64Array, width: number): TripletLoss {
  const { X, B, count } = problem;
  const { value, slopes } = hingeSums(problem, multiply(X, composed(B, w)), width);
  const gradient = basisForms(problem);
  for (let k = 0; k < gradient.length; k++) gradient[k] /= count;
  return { value: value / count, slopes: slopes / count, gradient };
}

/** The same at any M, with the derivative in M, d x d. */
export function tripletLossAt(
  problem: TripletProblem,
  M: Matrix,
  width: number,
): { value: number; slopes: number; G: Matrix } {
  const { X, count, scratch } = problem;
  const { value, slopes } = hingeSums(problem, multiply(X, M), width);
  const G = multiplyTransposeA(scratch.forces, X);
  for (let p = 0; p < G.data.length; p++) G.data[p] /= count;
  return { value: value / count, slopes: slopes / count, G };
}

interface Sums {
  readonly value: number;
  readonly slopes: number;
}

/**
 * Sums of the hinge and of its slopes, with distances (x_i - x_j)'(y_i - y_j); leaves in the scratch the forces, over the
 * pairs the slope times x_i - x_j on row i and the opposite on row j.
 */
export function hingeSums(problem: TripletProblem, Y: Matrix, width: number): Sums {
  const { X, pairs, groups, scratch } = problem;
  const { rows: n, cols: d } = X;
  const s = (d + 1) & ~1;
  const count = pairs.length / 2;
  const kernel = loadKernel<binary.Exports>("metric/triplets", binary);
  return kernel.scope(() => {
    const at = {
      X: kernel.reserve(8 * n * s),
      Y: kernel.reserve(8 * n * s),
      pairs: kernel.reserve(4 * pairs.length),
      groups: kernel.reserve(4 * groups.length),
      distances: kernel.reserve(8 * count),
      slopes: kernel.reserve(8 * count),
      forces: kernel.reserve(8 * n * s),
      sums: kernel.reserve(16),
    };
    padRows(X, s, kernel.f64(at.X, n * s));
    padRows(Y, s, kernel.f64(at.Y, n * s));
    kernel.i32(at.pairs, pairs.length).set(pairs);
    kernel.i32(at.groups, groups.length).set(groups);
    kernel.exports.distances(count, s, at.X, at.Y, at.pairs, at.distances);
    kernel.exports.hinge(groups.length / 4, count, width, at.groups, at.distances, at.slopes, at.sums);
    kernel.exports.forces(count, n, s, at.X, at.pairs, at.slopes, at.forces);
    unpadRows(kernel.f64(at.forces, n * s), s, scratch.forces);
    const [value, slopes] = kernel.f64(at.sums, 2);
    return { value, slopes };
  });
}

/** Mean over the pairs of (b_k'(x_i - x_j))^2, for every basis. */
export function basisScales(problem: TripletProblem): Float64Array {
  const count = problem.pairs.length / 2;
  addForces(problem, new Float64Array(count).fill(1 / count));
  return basisForms(problem);
}

/** B' diag(w) B. */
export function composed(B: Matrix, w: Float64Array): Matrix {
  const scaled = matrix(B.rows, B.cols);
  for (let k = 0, p = 0; k < B.rows; k++) {
    for (let f = 0; f < B.cols; f++, p++) scaled.data[p] = w[k] * B.data[p];
  }
  return multiplyTransposeA(B, scaled);
}

function addForces({ X, pairs, scratch }: TripletProblem, weights: Float64Array): void {
  const d = X.cols;
  const F = scratch.forces.data.fill(0);
  for (let p = 0; p < weights.length; p++) {
    const weight = weights[p];
    if (weight === 0) continue;
    let a = pairs[2 * p] * d;
    let b = pairs[2 * p + 1] * d;
    for (const end = a + d; a < end; a++, b++) {
      const step = weight * (X.data[a] - X.data[b]);
      F[a] += step;
      F[b] -= step;
    }
  }
}

/** b_k'(F'X) b_k of the forces F, which is b_k'(sum over pairs of weight (x_i - x_j)(x_i - x_j)') b_k. */
function basisForms({ X, B, scratch }: TripletProblem): Float64Array {
  const d = X.cols;
  const BG = multiplyTransposeB(B, multiplyTransposeA(scratch.forces, X)); // G is symmetric
  const forms = new Float64Array(B.rows);
  for (let k = 0, p = 0; k < B.rows; k++) {
    let sum = 0;
    for (let f = 0; f < d; f++, p++) sum += BG.data[p] * B.data[p];
    forms[k] = sum;
  }
  return forms;
}
