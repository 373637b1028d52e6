import { takeRows, type Matrix, type Sparse } from "../../matrix/index.ts";
import { takeSparseRows } from "../../matrix/internal.ts";
import { fullAssigner, type Assigner } from "./assigner.ts";

/** The rows in the form that the algorithms of this room use: dense, sparse or resident in a kernel. */
export interface Points {
  readonly rows: number;
  readonly cols: number;
  /** The largest absolute value, NaN with a cell that is not finite, where loading the rows found it. */
  readonly largest?: number | undefined;
  /** The labels of the rows in the current run, and those that the sums of clusters have. Other calls may move both. */
  labels(): Int32Array;
  summed(): Int32Array;
  /** out[(i - from) K + k] = ||x_i - c_k||^2 for the rows `from` to `to` - 1 and the K rows of C. */
  distances(from: number, to: number, C: Float64Array, K: number, out: Float64Array): void;
  /** Distances for drawing centres, if that is faster than all distances; they are freed when `work` ends. */
  seeding?<T>(weights: Float64Array | undefined, work: (rows: SeedRows) => T): T;
  /** Some of the rows, in the order of this list. */
  take(rows: Int32Array): Points;
  /**
   * Labels the rows by the nearest of K centres, the first among equals; returns how many labels changed. With `known`, a row
   * that has a label keeps it among equals.
   */
  nearest(C: Float64Array, K: number, known: boolean): number;
  /**
   * out[i] = ||x_i - c_{l_i}||^2 for all rows, by differences: the accurate way where the two ways differ. The labels become
   * `labels` first if these are given. Returns the sum, by weights.
   */
  ownDistances(
    C: Float64Array,
    labels: Int32Array | undefined,
    weights: Float64Array | undefined,
    out?: Float64Array,
  ): number;
  /** Rows, `count` of them, move from the clusters that have them (-1: none) to those of their labels, in `sums`, K x cols. */
  move(count: number, weights: Float64Array | undefined, sums: Float64Array): void;
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
  /** min(limit, ||x_i - c_t||^2) of the rows of an ascending list to `count` centres; may be off by 1/64. */
  distances(list: Int32Array, C: Float64Array, count: number): Float64Array;
  /**
   * Adds `count` centres, of which the first one has the number `first`, the label of the rows nearest to it; the sums of w_i
   * times the limit, of SPAN rows each.
   */
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
    ...labeled(rows),
    cols: d,
    nearest: (C, K, known) => nearestOf(points, C, K, known),
    ownDistances: (C, labels, weights, out) =>
      sumOf(points, labels, weights, out, (i, label) => distance(i, C, label)),
    distances(from, to, C, K, out) {
      for (let i = from, at = 0; i < to; i++) for (let k = 0; k < K; k++) out[at++] = distance(i, C, k);
    },
    add(i, factor, target, at) {
      for (let j = 0, p = i * d; j < d; j++) target[at + j] += factor * data[p + j];
    },
    move: (...args) => moveInParts(points, ...args),
    take: (list) => densePoints(takeRows(X, list)),
    assigner: (K) => fullAssigner(points, K),
  };
  return points;
}

/** Room for the labels of so many rows. */
function labeled(rows: number): Pick<Points, "rows" | "labels" | "summed"> {
  let made: Int32Array | undefined;
  let before: Int32Array | undefined;
  return {
    rows,
    labels: () => (made ??= new Int32Array(rows)),
    summed: () => (before ??= new Int32Array(rows)),
  };
}

function nearestOf(points: Points, C: Float64Array, K: number, known: boolean): number {
  const assigner = fullAssigner(points, K);
  assigner.reset(known ? C : undefined);
  return assigner.assign(C).count;
}

function sumOf(
  points: Points,
  given: Int32Array | undefined,
  weights: Float64Array | undefined,
  out: Float64Array = new Float64Array(points.rows),
  distance: (i: number, label: number) => number,
): number {
  const labels = points.labels();
  if (given !== undefined) labels.set(given);
  for (let i = 0; i < labels.length; i++) out[i] = distance(i, labels[i]);
  return weightedSum(out, weights);
}

/** As the kernel does it, with the same bits. */
export function moveInParts(points: Points, ...[count, weights, sums]: Parameters<Points["move"]>): void {
  const { rows, cols } = points;
  const span = Math.ceil(rows / partsOf(count, sums.length / cols, cols));
  for (let start = 0; start < rows; start += span) {
    const own = new Float64Array(sums.length);
    moveRows(points, start, Math.min(rows, start + span), weights, own);
    for (let p = 0; p < sums.length; p++) sums[p] += own[p];
  }
}

/** sum_i w_i v_i */
export function weightedSum(values: Float64Array, weights: Float64Array | undefined): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += weights === undefined ? values[i] : weights[i] * values[i];
  return sum;
}

/** Moves the rows from `start` to `end` - 1 one by one. */
function moveRows(
  { labels, summed, cols: d, add }: Points,
  start: number,
  end: number,
  weights: Float64Array | undefined,
  sums: Float64Array,
): void {
  const [from, to] = [summed(), labels()];
  for (let i = start; i < end; i++) {
    if (from[i] === to[i]) continue;
    const weight = weights === undefined ? 1 : weights[i];
    add(i, weight, sums, to[i] * d);
    if (from[i] >= 0) add(i, -weight, sums, from[i] * d);
    from[i] = to[i];
  }
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
    ...labeled(rows),
    cols: d,
    nearest: (C, K, known) => nearestOf(points, C, K, known),
    ownDistances(C, labels, weights, out) {
      const norms = squaredNorms(C, d);
      return sumOf(points, labels, weights, out, (i, label) => {
        let rest = norms[label];
        let sum = 0;
        for (let p = offsets[i]; p < offsets[i + 1]; p++) {
          const c = C[label * d + indices[p]];
          rest -= c * c;
          sum += (values[p] - c) * (values[p] - c);
        }
        return sum + Math.max(0, rest);
      });
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
    move: (_, weights, sums) => moveRows(points, 0, rows, weights, sums),
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
