import { takeRows, type Matrix } from "../../matrix/matrix.ts";
import { takeSparseRows, type Sparse } from "../../matrix/sparse.ts";
import { fullAssigner, type Assigner } from "./assigner.ts";

/** The rows in the form that the algorithms of this room use: dense, sparse or resident in a kernel. */
export interface Points {
  readonly rows: number;
  readonly cols: number;
  /** out[(i - from) K + k] = ||x_i - c_k||^2 for the rows `from` to `to` - 1 and the K rows of C. */
  distances(from: number, to: number, C: Float64Array, K: number, out: Float64Array): void;
  /** Distances for drawing centres, if that is faster than all distances; they are freed when `work` ends. */
  seeding?<T>(weights: Float64Array | undefined, work: (rows: SeedRows) => T): T;
  /** Some of the rows, in the order of this list. */
  take(rows: Int32Array): Points;
  /**
   * The nearest of K centres for each row, the first among equals, where that is faster than all distances. A row that has
   * one of `labels` keeps it among equals.
   */
  nearest?(C: Float64Array, K: number, labels?: Int32Array): Int32Array;
  /** out[i] = ||x_i - c_{labels[i]}||^2 for all rows, by differences: the accurate way where the two ways differ. */
  ownDistances(C: Float64Array, labels: Int32Array, out: Float64Array): void;
  /**
   * Rows, `count` of them, move from the clusters `from` (-1: none) to those of their labels, in `sums`, K x cols: the same as
   * `add` for each up to rounding, but faster.
   */
  move?(
    count: number,
    from: Int32Array,
    labels: Int32Array,
    weights: Float64Array | undefined,
    sums: Float64Array,
  ): void;
  /** Adds factor x_i to the `cols` numbers of `target` that begin at `at`. */
  add(i: number, factor: number, target: Float64Array, at: number): void;
  /** sum_i w_i (x_i - mean)(x_i - mean)', if that is fast. */
  scatter?(weights: Float64Array | undefined): Matrix;
  /** The fastest assigner to K centres for these points. */
  assigner(K: number): Assigner;
}

/** The squared distances of rows to the nearest centre so far, their limits, and to centres that may follow. */
export interface SeedRows {
  /** Infinity before the first centre. */
  limits(): Float64Array;
  /** The number of that centre. */
  labels(): Int32Array;
  /** min(limit, ||x_i - c_t||^2) of the rows of an ascending list to `count` centres; may be off by 1/64. */
  distances(list: Int32Array, C: Float64Array, count: number): Float64Array;
  /** Adds `count` centres, of which the first one has the number `first`; the sums of w_i times the limit, of SPAN rows each. */
  lower(C: Float64Array, count: number, first: number): Float64Array;
}

/** Parts of a sum over rows that threads share; they are added up in their order. */
export const PARTS = 64;
/** Bytes of the parts of a sum. */
const PARTS_BYTES = 2 ** 26;
/** Moves of a part for each centre, below which it is not worth its sums. */
const MOVES = 32;

/** Parts of the rows for so many moves, each of which has its own sums: one where more would not pay. */
export function partsOf(count: number, K: number, cols: number): number {
  const most = Math.min(PARTS, PARTS_BYTES / (8 * K * cols), count / (MOVES * K));
  return Math.max(1, Math.floor(most));
}

export function densePoints(X: Matrix): Points {
  const { rows, cols: d, data } = X;
  const distance = (i: number, C: Float64Array, k: number): number => {
    let sum = 0;
    for (let p = i * d, q = k * d, end = p + d; p < end; p++, q++) {
      const difference = data[p] - C[q];
      sum += difference * difference;
    }
    return sum;
  };
  const points: Points = {
    rows,
    cols: d,
    ownDistances(C, labels, out) {
      for (let i = 0; i < rows; i++) out[i] = distance(i, C, labels[i]);
    },
    distances(from, to, C, K, out) {
      for (let i = from, at = 0; i < to; i++) for (let k = 0; k < K; k++) out[at++] = distance(i, C, k);
    },
    add(i, factor, target, at) {
      for (let j = 0, p = i * d; j < d; j++) target[at + j] += factor * data[p + j];
    },
    move(count, from, labels, weights, sums) {
      const span = Math.ceil(rows / partsOf(count, sums.length / d, d));
      for (let start = 0; start < rows; start += span) {
        const own = new Float64Array(sums.length);
        for (let i = start; i < Math.min(rows, start + span); i++) {
          if (from[i] === labels[i]) continue;
          const weight = weights === undefined ? 1 : weights[i];
          for (let p = i * d, q = from[i] * d, to = labels[i] * d, end = p + d; p < end; p++, q++, to++) {
            const value = weight * data[p];
            own[to] += value;
            if (q >= 0) own[q] -= value;
          }
        }
        for (let p = 0; p < sums.length; p++) sums[p] += own[p];
      }
    },
    take: (list) => densePoints(takeRows(X, list)),
    assigner: (K) => fullAssigner(points, K),
  };
  return points;
}

/**
 * Sparse rows against dense centres: ||x||^2 - 2 x'c + ||c||^2 touches only the entries of x. `ownDistances` corrects
 * the entries of x one by one instead, which cancels less.
 */
export function sparsePoints(X: Sparse): Points {
  const { rows, cols: d, offsets, indices, values } = X;
  const squares = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    for (let p = offsets[i]; p < offsets[i + 1]; p++) squares[i] += values[p] * values[p];
  }
  const points: Points = {
    rows,
    cols: d,
    ownDistances(C, labels, out) {
      const norms = squaredNorms(C, d);
      for (let i = 0; i < rows; i++) {
        let rest = norms[labels[i]];
        let sum = 0;
        for (let p = offsets[i]; p < offsets[i + 1]; p++) {
          const c = C[labels[i] * d + indices[p]];
          rest -= c * c;
          sum += (values[p] - c) * (values[p] - c);
        }
        out[i] = sum + Math.max(0, rest);
      }
    },
    distances(from, to, C, K, out) {
      // With the centres side by side, one entry of x meets K consecutive numbers.
      const columns = new Float64Array(d * K);
      const norms = squaredNorms(C, d);
      for (let k = 0; k < K; k++) {
        for (let j = 0; j < d; j++) columns[j * K + k] = C[k * d + j];
      }
      for (let i = from, at = 0; i < to; i++, at += K) {
        for (let k = 0; k < K; k++) out[at + k] = 0;
        for (let p = offsets[i]; p < offsets[i + 1]; p++) {
          const value = values[p];
          for (let k = 0, q = indices[p] * K; k < K; k++, q++) out[at + k] += value * columns[q];
        }
        for (let k = 0; k < K; k++) out[at + k] = Math.max(0, squares[i] - 2 * out[at + k] + norms[k]);
      }
    },
    add(i, factor, target, at) {
      for (let p = offsets[i]; p < offsets[i + 1]; p++) target[at + indices[p]] += factor * values[p];
    },
    take: (list) => sparsePoints(takeSparseRows(X, list)),
    assigner: (K) => fullAssigner(points, K),
  };
  return points;
}

function squaredNorms(C: Float64Array, d: number): Float64Array {
  const norms = new Float64Array(C.length / d);
  for (let k = 0, p = 0; k < norms.length; k++) {
    for (const end = p + d; p < end; p++) norms[k] += C[p] * C[p];
  }
  return norms;
}
