import { random } from "../core/random.ts";
import { columnMeans } from "../matrix/distances.ts";
import type { Matrix } from "../matrix/matrix.ts";
import { nearestRows, type NearestRows } from "../matrix/nearest.ts";
import { valueOrder } from "../matrix/valueOrder.ts";
import { buildProblem, loadKernel } from "../matrix/wasm.ts";
import * as binary from "./kernel/descent.wasm.ts";

export interface ApproximateNeighbors extends NearestRows {
  /** Estimated share of the true neighbours that were found. */
  readonly recall: number;
}

/** Rows of a leaf; a larger leaf finds more and costs more. */
const LEAF = 96;
/** A round that changes a smaller share of the lists is the last. */
const LEAST_CHANGE = 0.02;
const MOST_ROUNDS = 12;
/** Random projection trees. */
const TREES = 4;
/**
 * Minimum number of neighbours, extra ones beyond k, and lengths of the lists of new and known rows in
 * NN-descent. With fewer the graph is too thin; if the first lengths do not suffice, for example for rows
 * that fill many dimensions, the second are used, for about twice the time.
 */
const WIDTHS = [
  { least: 12, beyond: 2, most: 24 },
  { least: 24, beyond: 14, most: 32 },
] as const;
/** Below this recall wider lists do not help enough either. */
const HOPELESS = 0.5;
/** Number of rows that estimate the recall. */
const SAMPLE = 160;

/**
 * Nearest neighbours, most of them: random projection trees give every row its first neighbours, and
 * neighbours of neighbours are tried until hardly any list changes (NN-descent, W. Dong, M. Charikar and K.
 * Li, 2011). Distances are those of `nearestRows`, in single precision while searching. The same seed gives
 * the same answer, for every order of the rows. Lists become longer if fewer than `enough` of the neighbours
 * are found. If `goOn` returns false, the current lists are the answer.
 */
export function approximateNeighbors(
  X: Matrix,
  k: number,
  seed: number,
  enough: number,
  goOn: (fraction: number) => boolean = () => true,
): ApproximateNeighbors {
  const { rows: n, cols: d } = X;
  const soughtOf = ({ least, beyond }: (typeof WIDTHS)[number]): number =>
    Math.min(n - 1, Math.max(k + beyond, least));
  let sought = soughtOf(WIDTHS[0]);
  const stream = random(seed);
  const build = buildProblem(binary, "relaxed") === undefined ? "relaxed" : "simd";
  const kernel = loadKernel<binary.Exports>("graph/descent", binary, { build });
  return kernel.scope(() => {
    const bytes = 4 * ((d + 3) & ~3);
    const rows = kernel.reserve(n * bytes);
    const norms = kernel.reserve(4 * n);
    let [heapD, heapI] = [kernel.reserve(4 * n * sought), kernel.reserve(4 * n * sought)];
    const [order, plane] = [kernel.reserve(4 * n), kernel.reserve(bytes)];
    const stack = kernel.reserve(16 * n);
    const { most } = WIDTHS[1];
    const [fresh, known] = [kernel.reserve(4 * n * most), kernel.reserve(4 * n * most)];
    const [counts, list] = [kernel.reserve(8 * n), kernel.reserve(8 * most)];
    kernel.exports.setUp(rows, bytes, norms, sought, heapD, heapI);
    const means = columnMeans(X);
    const scale = unitScale(X, means);
    const drawn = (): number => 1 + stream.integer(2 ** 31 - 2);
    const numbers = Int32Array.from({ length: n }, (_, i) => i);
    const grow = (leaves: number): number => {
      kernel.i32(order, n).set(numbers);
      return kernel.exports.tree(n, Math.max(LEAF, 2 * sought), drawn(), leaves, order, plane, stack);
    };
    // Rows are first sorted by their values, so the order of the input does not matter; then by the leaves of
    // the first tree, so rows that are near in space are near in memory.
    const byValue = valueOrder(X);
    prepare(byValue);
    const count = grow(fresh);
    const leaves = kernel.i32(fresh, 2 * count).slice();
    const rowAt = kernel.i32(order, n).map((place) => byValue[place]);
    prepare(rowAt);
    kernel.i32(order, n).set(numbers);
    for (let p = 0; p < leaves.length; p += 2) {
      const size = leaves[p + 1] - leaves[p];
      kernel.exports.join(order + 4 * leaves[p], size, size);
    }
    const steps = TREES + 2 * MOST_ROUNDS;
    for (let t = 1; t < TREES && goOn(t / steps); t++) grow(0);
    const sample = stream.sample(Math.min(SAMPLE, n - (n % 4)), n);
    const limits = exactLimits();
    let share = 0;
    for (const [w, { most }] of WIDTHS.entries()) {
      if (w > 0 && soughtOf(WIDTHS[w]) === sought) break;
      if (w > 0) widen(soughtOf(WIDTHS[w]));
      const from = TREES + w * MOST_ROUNDS;
      for (let round = 0; round < MOST_ROUNDS && goOn((from + round) / steps); round++) {
        const changed = kernel.exports.descend(n, most, drawn(), fresh, known, counts, list);
        if (changed < LEAST_CHANGE * n * sought) break;
      }
      share = recall();
      if (share >= enough || share < HOPELESS || !goOn(from / steps)) break;
    }
    const found = kernel.i32(heapI, n * sought).map((entry) => entry >> 1);
    // Lists that are not full, for example with few rows: all rows are compared.
    if (found.includes(-1)) return { ...nearestRows(X, k), recall: 1 };
    return { ...measured(X, k, sought, found, roughly().slice(), rowAt), recall: share };

    function roughly(): Float32Array {
      return new Float32Array(kernel.memory.buffer, heapD, n * sought);
    }

    /** Longer lists that begin with the known entries, all marked as new. */
    function widen(to: number): void {
      const [rough, entries] = [roughly().slice(), kernel.i32(heapI, n * sought).slice()];
      [heapD, heapI] = [kernel.reserve(4 * n * to), kernel.reserve(4 * n * to)];
      const distances = new Float32Array(kernel.memory.buffer, heapD, n * to).fill(Infinity);
      const numbersOf = kernel.i32(heapI, n * to).fill(-1);
      // The empty slots come first: a parent is never nearer than its children.
      for (let i = 0; i < n; i++) {
        for (let p = 0; p < sought; p++) {
          distances[(i + 1) * to - sought + p] = rough[i * sought + p];
          numbersOf[(i + 1) * to - sought + p] = entries[i * sought + p] | 1;
        }
      }
      sought = to;
      kernel.exports.setUp(rows, bytes, norms, sought, heapD, heapI);
    }

    function prepare(positions: Int32Array): void {
      kernel.scope(() => {
        const center = kernel.reserve(8 * d);
        const part = Math.max(1, Math.min(n, Math.floor(2 ** 16 / d)));
        const source = kernel.reserve(8 * part * d);
        kernel.f64(center, d).set(means);
        const values = kernel.f64(source, part * d);
        for (let first = 0; first < n; first += part) {
          const count = Math.min(part, n - first);
          for (let p = 0; p < count; p++) {
            const i = positions[first + p];
            values.set(X.data.subarray(i * d, (i + 1) * d), p * d);
          }
          kernel.exports.prepare(count, d, source, center, scale, first);
        }
      });
    }

    /** The distance of the k-th nearest of all rows, for each row of the sample. */
    function exactLimits(): Float32Array {
      const count = sample.length;
      return kernel.scope(() => {
        const [rowsOf, D, I] = [
          kernel.reserve(4 * count),
          kernel.reserve(4 * count * k),
          kernel.reserve(4 * count * k),
        ];
        kernel.i32(rowsOf, count).set(sample);
        const exact = new Float32Array(kernel.memory.buffer, D, count * k).fill(Infinity);
        kernel.exports.scan(rowsOf, count, n, k, D, I);
        return Float32Array.from(sample, (_, q) => exact[q * k]);
      });
    }

    /** The share of rows within the distance of the true k-th neighbour that were found. */
    function recall(): number {
      const rough = roughly();
      let right = 0;
      sample.forEach((i, q) => {
        for (let p = i * sought; p < (i + 1) * sought; p++) if (rough[p] <= limits[q]) right++;
      });
      return Math.min(1, right / (sample.length * k));
    }
  });
}

/** A power of two that brings the largest entry to about 1. */
function unitScale({ data, cols }: Matrix, means: Float64Array): number {
  let largest = 0;
  for (let p = 0, f = 0; p < data.length; p++, f = f + 1 === cols ? 0 : f + 1) {
    const size = Math.abs(data[p] - means[f]);
    if (size > largest) largest = size;
  }
  return largest > 0 ? 2 ** -Math.max(-1022, Math.min(1022, Math.floor(Math.log2(largest)))) : 1;
}

/** Distances of row i to four rows, features in ascending order. */
function fourDistances(
  { cols: d, data }: Matrix,
  i: number,
  near: Int32Array,
  at: number,
  to: Float64Array,
): void {
  let a = near[at] * d;
  let b = near[at + 1] * d;
  let c = near[at + 2] * d;
  let e = near[at + 3] * d;
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (let p = i * d; p < (i + 1) * d; p++) {
    const x = data[p];
    const u = x - data[a++];
    const v = x - data[b++];
    const w = x - data[c++];
    const z = x - data[e++];
    s0 += u * u;
    s1 += v * v;
    s2 += w * w;
    s3 += z * z;
  }
  to[at] = s0;
  to[at + 1] = s1;
  to[at + 2] = s2;
  to[at + 3] = s3;
}

/**
 * The first k of the rows found for each row, measured in double precision; positions are converted to rows.
 */
function measured(
  X: Matrix,
  k: number,
  sought: number,
  found: Int32Array,
  rough: Float32Array,
  rowAt: Int32Array,
): NearestRows {
  const n = X.rows;
  const indices = new Int32Array(n * k);
  const distances = new Float64Array(n * k);
  const room = (k + 3) & ~3;
  const near = new Int32Array(sought + 3);
  const rank = new Float64Array(sought);
  const exact = new Float64Array(room);
  for (let at = 0; at < n; at++) {
    const i = rowAt[at];
    for (let p = 0; p < sought; p++)
      insert(near, rank, p, rowAt[found[at * sought + p]], rough[at * sought + p]);
    for (let p = k; p < room; p++) near[p] = near[0];
    for (let p = 0; p < room; p += 4) fourDistances(X, i, near, p, exact);
    const [own, lengths] = [indices.subarray(i * k, (i + 1) * k), distances.subarray(i * k, (i + 1) * k)];
    for (let p = 0; p < k; p++) insert(own, lengths, p, near[p], exact[p]);
  }
  return { indices, distances };
}

/** Into a list of `length`, ordered by distance and then by row. */
function insert(
  rows: Int32Array,
  distances: Float64Array,
  length: number,
  j: number,
  distance: number,
): void {
  let p = length;
  for (; p > 0 && (distances[p - 1] > distance || (distances[p - 1] === distance && rows[p - 1] > j)); p--) {
    rows[p] = rows[p - 1];
    distances[p] = distances[p - 1];
  }
  rows[p] = j;
  distances[p] = distance;
}
