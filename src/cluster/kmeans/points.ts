import { matrix, squaredNorms, takeRows, type Matrix, type Sparse } from "../../matrix/index.ts";
import { takeSparseRows } from "../../matrix/internal.ts";
import { SPAN } from "./kernelRows.ts";

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
  /** Distances for drawing centres; they are freed when `work` ends. */
  seeding<T>(weights: Float64Array | undefined, work: (rows: SeedRows) => T): T;
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

/** The rows that changed cluster in one assignment step. Other calls may move both arrays. */
export interface Moves {
  readonly count: number;
  /** The rows; their new clusters are in the labels of the points. */
  readonly rows: Int32Array;
  /** ||x - c_from||^2 - ||x - c_to||^2 > 0; for a row that had no cluster, -||x - c_to||^2. */
  readonly gains: Float64Array;
}

/** State of one run of Lloyd's algorithm between its assignment steps; the labels are those of the points. */
export interface Assigner {
  /** Begins a run without bounds, from the labels that the rows have by centres C, or with all labels -1. */
  reset(C?: Float64Array): void;
  /**
   * Gives each row the nearest of the K centres C. A row leaves its cluster only for a strictly nearer
   * centre, so ties cannot make the algorithm cycle; among equally near new centres, the first is taken.
   */
  assign(C: Float64Array): Moves;
  /** Gives row i the label `to` by other means, so its stored bounds are invalid. */
  relabeled(i: number, to: number): void;
  /** Whether row i may be alone in the empty cluster k; if absent, every row may. */
  allows?(i: number, k: number): boolean;
}

/** Points that compute all distances at every step: the reference, and the form for rows that the kernel does not hold. */
export interface PlainPoints extends Pick<Points, "rows" | "cols" | "distances" | "add" | "take"> {
  /** ||x_i - c_k||^2 by differences. */
  distanceTo(C: Float64Array): (i: number, k: number) => number;
  /** A row moves only for a centre that is nearer by more than this share of its distance, which may be rounding; default 0. */
  readonly slack?: number;
  /** Sums of moves are added up as the kernel does it, with the same bits. */
  readonly inParts?: boolean;
}

export function plainPoints(parts: PlainPoints): Points {
  const { rows, distanceTo, slack = 0, inParts = false } = parts;
  let labels: Int32Array | undefined;
  let summed: Int32Array | undefined;
  const points: Points = {
    ...parts,
    labels: () => (labels ??= new Int32Array(rows)),
    summed: () => (summed ??= new Int32Array(rows)),
    nearest(C, K, known) {
      const assigner = points.assigner(K);
      assigner.reset(known ? C : undefined);
      return assigner.assign(C).count;
    },
    ownDistances(C, given, weights, out = new Float64Array(rows)) {
      const distance = distanceTo(C);
      const own = points.labels();
      if (given !== undefined) own.set(given);
      for (let i = 0; i < rows; i++) out[i] = distance(i, own[i]);
      return weightedSum(out, weights);
    },
    move(count, weights, sums) {
      if (inParts) moveInParts(points, count, weights, sums);
      else moveRows(points, 0, rows, weights, sums);
    },
    assigner: (K) => fullAssigner(points, K, slack),
    seeding: (weights, work) => work(seedRows(points, weights)),
  };
  return points;
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
  return plainPoints({
    rows,
    cols: d,
    inParts: true,
    distanceTo: (C) => (i, k) => distance(i, C, k),
    distances(from, to, C, K, out) {
      for (let i = from, at = 0; i < to; i++) for (let k = 0; k < K; k++) out[at++] = distance(i, C, k);
    },
    add(i, factor, target, at) {
      for (let j = 0, p = i * d; j < d; j++) target[at + j] += factor * data[p + j];
    },
    take: (list) => densePoints(takeRows(X, list)),
  });
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
  return plainPoints({
    rows,
    cols: d,
    distanceTo(C) {
      const norms = squaredNorms(matrix(C.length / d, d, C));
      return (i, k) => {
        let rest = norms[k];
        let sum = 0;
        for (let p = offsets[i]; p < offsets[i + 1]; p++) {
          const c = C[k * d + indices[p]];
          rest -= c * c;
          sum += (values[p] - c) * (values[p] - c);
        }
        return sum + Math.max(0, rest);
      };
    },
    distances(from, to, C, K, out) {
      // With the centres side by side, one entry of x meets K consecutive numbers.
      const columns = new Float64Array(d * K);
      const norms = squaredNorms(matrix(C.length / d, d, C));
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
  });
}

/** Distances for drawing centres, for rows of every kind. */
function seedRows(points: Points, weights: Float64Array | undefined): SeedRows {
  const n = points.rows;
  const limits = new Float64Array(n).fill(Infinity);
  const labels = points.labels();
  return {
    limits: () => limits,
    distances(list, C, count) {
      const D = new Float64Array(list.length * count);
      const rows = list.length === n ? points : points.take(list);
      rows.distances(0, list.length, C, count, D);
      for (let p = 0; p < D.length; p++) D[p] = Math.min(D[p], limits[list[Math.floor(p / count)]]);
      return D;
    },
    lower(C, count, first) {
      const D = new Float64Array(n * count);
      points.distances(0, n, C, count, D);
      const masses = new Float64Array(Math.ceil(n / SPAN));
      for (let i = 0, at = 0; i < n; i++) {
        for (let t = 0; t < count; t++, at++) {
          if (!(D[at] < limits[i])) continue;
          limits[i] = D[at];
          labels[i] = first + t;
        }
        masses[Math.floor(i / SPAN)] += weights === undefined ? limits[i] : weights[i] * limits[i];
      }
      return masses;
    },
  };
}

function fullAssigner(points: Points, K: number, slack: number): Assigner {
  const n = points.rows;
  const block = Math.max(1, Math.min(n, Math.floor(65536 / K)));
  const D = new Float64Array(block * K);
  const rows = new Int32Array(n);
  const gains = new Float64Array(n);
  return {
    reset(C) {
      if (C === undefined) points.labels().fill(-1);
    },
    assign(C) {
      const labels = points.labels();
      let count = 0;
      for (let first = 0; first < n; first += block) {
        const last = Math.min(n, first + block);
        points.distances(first, last, C, K, D);
        for (let i = first, at = 0; i < last; i++, at += K) {
          const own = labels[i];
          const before = own < 0 ? Infinity : D[at + own];
          let nearest = own;
          let least = before * (1 - slack);
          for (let k = 0; k < K; k++) {
            if (D[at + k] < least) {
              least = D[at + k];
              nearest = k;
            }
          }
          if (nearest === own) continue;
          labels[i] = nearest;
          rows[count] = i;
          gains[count++] = own < 0 ? -least : before - least;
        }
      }
      return { count, rows, gains };
    },
    relabeled(i, to) {
      points.labels()[i] = to;
    },
  };
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

/** Moves the rows in parts, as the kernel does, with the same bits. */
function moveInParts(points: Points, ...[count, weights, sums]: Parameters<Points["move"]>): void {
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
