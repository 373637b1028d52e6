/**
 * Triplets (i, j, l), "i is nearer to j than to l", for metrics M = sum_k w_k b_k b_k': value and gradient in w of
 *
 *     mean_t [1 + d_ij - d_il]_+,   d_ij = (x_i - x_j)'M(x_i - x_j) = sum_k w_k (b_k'(x_i - x_j))^2
 *
 * Distances are measured under M (d x d) and the gradient is b_k'G b_k with G = sum of the pairs' weights times their outer
 * products, so no matrix of triplets by bases is made: time is O(pairs d + n d^2 + K d^2) and memory O(pairs + n d).
 */
import { columnMeans } from "../matrix/distances.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { multiply, multiplyTransposeA, multiplyTransposeB } from "../matrix/multiply.ts";

export interface TripletLists {
  /** Pairs of rows, two entries each. */
  readonly pairs: Int32Array;
  /**
   * Groups of triplets, four entries each: the pairs a .. b - 1, (i, j), are to be nearer than each of the pairs c .. d - 1,
   * (i, l).
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
  /** Room for one evaluation, reused by the next: distances and weights of the pairs, and n x d numbers. */
  readonly scratch: {
    readonly distances: Float64Array;
    readonly weights: Float64Array;
    readonly forces: Matrix;
  };
}

export function tripletProblem(rows: Matrix, B: Matrix, lists: TripletLists): TripletProblem {
  const means = columnMeans(rows);
  const X = matrix(rows.rows, rows.cols);
  for (let i = 0, p = 0; i < X.rows; i++) {
    for (let f = 0; f < X.cols; f++, p++) X.data[p] = rows.data[p] - means[f];
  }
  const count = lists.pairs.length / 2;
  const scratch = {
    distances: new Float64Array(count),
    weights: new Float64Array(count),
    forces: matrix(X.rows, X.cols),
  };
  return { X, B, ...lists, scratch };
}

export interface TripletLoss {
  /** With the hinge rounded off over the width asked for (0: the hinge itself). */
  readonly value: number;
  /** Sum over the triplets of the hinge's slope, divided by their number: the value of the multipliers in the dual. */
  readonly slopes: number;
  /** Derivatives in w. */
  readonly gradient: Float64Array;
}

export function tripletLoss(problem: TripletProblem, w: Float64Array, width: number): TripletLoss {
  const { groups, count, scratch } = problem;
  const D = pairDistances(problem, w);
  const weights = scratch.weights.fill(0);
  let value = 0;
  let slopes = 0;
  for (let g = 0; g < groups.length; g += 4) {
    const first = groups[g];
    const last = groups[g + 1];
    let farthest = 0;
    for (let p = first; p < last; p++) farthest = Math.max(farthest, D[p]);
    for (let q = groups[g + 2]; q < groups[g + 3]; q++) {
      const spare = 1 - D[q];
      if (spare + farthest <= 0) continue;
      for (let p = first; p < last; p++) {
        const z = spare + D[p];
        if (z <= 0) continue;
        const slope = z < width ? z / width : 1;
        value += z < width ? (z * z) / (2 * width) : z - width / 2;
        slopes += slope;
        weights[p] += slope;
        weights[q] -= slope;
      }
    }
  }
  for (let p = 0; p < weights.length; p++) weights[p] /= count;
  return { value: value / count, slopes: slopes / count, gradient: basisForms(problem, weights) };
}

/** Mean over the pairs of (b_k'(x_i - x_j))^2, for every basis. */
export function basisScales(problem: TripletProblem): Float64Array {
  const { weights } = problem.scratch;
  return basisForms(problem, weights.fill(1 / weights.length));
}

/** B' diag(w) B. */
export function composed(B: Matrix, w: Float64Array): Matrix {
  const scaled = matrix(B.rows, B.cols);
  for (let k = 0, p = 0; k < B.rows; k++) {
    for (let f = 0; f < B.cols; f++, p++) scaled.data[p] = w[k] * B.data[p];
  }
  return multiplyTransposeA(B, scaled);
}

function pairDistances({ X, B, pairs, scratch }: TripletProblem, w: Float64Array): Float64Array {
  const d = X.cols;
  const Y = multiply(X, composed(B, w)).data;
  const x = X.data;
  const D = scratch.distances;
  for (let p = 0; p < D.length; p++) {
    let a = pairs[2 * p] * d;
    let b = pairs[2 * p + 1] * d;
    let sum = 0;
    for (const end = a + d; a < end; a++, b++) sum += (x[a] - x[b]) * (Y[a] - Y[b]);
    D[p] = Math.max(0, sum);
  }
  return D;
}

/** b_k' (sum over pairs of weight (x_i - x_j)(x_i - x_j)') b_k. */
function basisForms({ X, B, pairs, scratch }: TripletProblem, weights: Float64Array): Float64Array {
  const d = X.cols;
  const x = X.data;
  const F = scratch.forces;
  F.data.fill(0);
  for (let p = 0; p < weights.length; p++) {
    const weight = weights[p];
    if (weight === 0) continue;
    let a = pairs[2 * p] * d;
    let b = pairs[2 * p + 1] * d;
    for (const end = a + d; a < end; a++, b++) {
      const step = weight * (x[a] - x[b]);
      F.data[a] += step;
      F.data[b] -= step;
    }
  }
  const BG = multiplyTransposeB(B, multiplyTransposeA(F, X)); // G is symmetric
  const forms = new Float64Array(B.rows);
  for (let k = 0, p = 0; k < B.rows; k++) {
    let sum = 0;
    for (let f = 0; f < d; f++, p++) sum += BG.data[p] * B.data[p];
    forms[k] = sum;
  }
  return forms;
}
