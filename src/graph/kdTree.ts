import { parallelKernel, type Matrix, type NearestRows, type ParallelKernel } from "../matrix/index.ts";
import { placed } from "../matrix/internal.ts";
import * as binary from "./kernel/tree.wasm.ts";

/** @param leaf maximum number of points of a leaf, unless they are all the same */
export function kdTree(X: Matrix, leaf: number) {
  const { rows: n, cols: d, data } = X;
  const rows = new Int32Array(n);
  for (let i = 0; i < n; i++) rows[i] = i;
  const most = Math.max(1, 2 * Math.ceil(n / Math.max(1, leaf >> 1)) + 1);
  const starts = new Int32Array(most);
  const ends = new Int32Array(most);
  const left = new Int32Array(most).fill(-1);
  const lows = new Float64Array(most * d);
  const highs = new Float64Array(most * d);
  let nodes = 1;
  ends[0] = n;
  for (let v = 0; v < nodes; v++) {
    const widest = fitBox(X, rows, starts[v], ends[v], lows, highs, v * d);
    const size = ends[v] - starts[v];
    // A box without extent (duplicate rows) stays a leaf for any number of points.
    if (size <= leaf || d === 0 || highs[v * d + widest] === lows[v * d + widest]) continue;
    const middle = starts[v] + (size >> 1);
    selectMiddle(data, d, widest, rows, starts[v], ends[v] - 1, middle);
    left[v] = nodes;
    starts[nodes] = starts[v];
    ends[nodes++] = middle;
    starts[nodes] = middle;
    ends[nodes++] = ends[v];
  }
  const points = new Float64Array(n * d);
  for (let p = 0; p < n; p++) points.set(data.subarray(rows[p] * d, (rows[p] + 1) * d), p * d);
  return {
    dimensions: d,
    /** Row of X at each position; a node's points are a contiguous run of positions. */
    rows,
    /** The points in the order of `rows`. */
    points,
    /** Node v holds positions `starts[v]` to `ends[v]`. */
    starts: starts.slice(0, nodes),
    ends: ends.slice(0, nodes),
    /** The left child, before the right one; -1 at a leaf. */
    left: left.slice(0, nodes),
    /** Box of node v: `lows[v * d + f]` to `highs[v * d + f]`. */
    lows: lows.slice(0, nodes * d),
    highs: highs.slice(0, nodes * d),
  };
}

/**
 * A k-d tree over the rows of X (Bentley; bounding boxes per node), for exact searches in few dimensions.
 *
 * A squared distance is summed over features in ascending order everywhere in this room. A box's lower bound
 * is summed in the same order, and rounding is monotone, so a bound never exceeds the computed distance of a
 * point inside: the pruned search returns the same bits as an exhaustive one, including ties.
 */
export type KdTree = ReturnType<typeof kdTree>;

/** `common[v]` becomes the group that all points of node v have, or -1; `groups` are by position. */
function markUniform(tree: KdTree, groups: Int32Array, common: Int32Array): void {
  // Children come after their parents.
  for (let v = tree.starts.length - 1; v >= 0; v--) {
    if (tree.left[v] >= 0) {
      const a = common[tree.left[v]];
      common[v] = a === common[tree.left[v] + 1] ? a : -1;
      continue;
    }
    common[v] = groups[tree.starts[v]];
    for (let p = tree.starts[v] + 1; p < tree.ends[v]; p++) {
      if (groups[p] !== common[v]) common[v] = -1;
    }
  }
}

/** Returns the feature of largest extent. */
function fitBox(
  X: Matrix,
  rows: Int32Array,
  start: number,
  end: number,
  lows: Float64Array,
  highs: Float64Array,
  at: number,
): number {
  const { cols: d, data } = X;
  for (let f = 0; f < d; f++) {
    lows[at + f] = Infinity;
    highs[at + f] = -Infinity;
  }
  for (let p = start; p < end; p++) {
    const offset = rows[p] * d;
    for (let f = 0; f < d; f++) {
      const x = data[offset + f];
      if (x < lows[at + f]) lows[at + f] = x;
      if (x > highs[at + f]) highs[at + f] = x;
    }
  }
  let widest = 0;
  for (let f = 1; f < d; f++) {
    if (highs[at + f] - lows[at + f] > highs[at + widest] - lows[at + widest]) widest = f;
  }
  return widest;
}

/** Hoare's selection: afterwards no key before position k exceeds a key from k on. */
function selectMiddle(
  data: Float64Array,
  d: number,
  feature: number,
  rows: Int32Array,
  low: number,
  high: number,
  k: number,
): void {
  while (low < high) {
    const pivot = data[rows[(low + high) >> 1] * d + feature];
    let i = low;
    let j = high;
    while (i <= j) {
      while (data[rows[i] * d + feature] < pivot) i++;
      while (data[rows[j] * d + feature] > pivot) j--;
      if (i <= j) {
        const held = rows[i];
        rows[i++] = rows[j];
        rows[j--] = held;
      }
    }
    if (k <= j) high = j;
    else if (k >= i) low = i;
    else return;
  }
}

/** Points of a leaf of the tree that the kernel searches. */
const LEAF = 16;
/** Rows that a search is tried on. */
const PROBES = 100;
/** Queries of one task. */
const SPAN = 128;
/** Number of values of queries and their lists in the kernel's memory at a time. */
const BLOCK_VALUES = 2 ** 21;
/** Rows times neighbours from which several threads are faster than one. */
const PARALLEL = 5e4;

/** The tree of the rows, for `withSearchTree`. */
export function searchTreeOf(X: Matrix): KdTree {
  return kdTree(X, LEAF);
}

/**
 * A k-d tree in the memory of its kernel (kernel/tree.as.ts), for searches that start from every row: nearest
 * neighbours, and the rounds of Boruvka's spanning tree. It is valid until `work` returns.
 *
 * @param tree of these rows, if it was built before
 */
export function withSearchTree<T>(
  X: Matrix,
  work: (tree: SearchTree) => T,
  tree: KdTree = searchTreeOf(X),
): T {
  const kernel = parallelKernel<binary.Exports>("graph/tree", binary, X.rows * 10 > PARALLEL);
  return kernel.scope(() => work(placedTree(kernel, X, tree)));
}

export type SearchTree = ReturnType<typeof placedTree>;

function placedTree(kernel: ParallelKernel<binary.Exports>, { rows: n, cols: d }: Matrix, tree: KdTree) {
  const count = tree.starts.length;
  const nodes = kernel.reserve(16 * count);
  const boxes = kernel.reserve(32 * count * d);
  let panels = 0;
  for (let v = 0; v < count; v++) {
    if (tree.left[v] < 0) panels += Math.ceil((tree.ends[v] - tree.starts[v]) / 4);
  }
  const packed = kernel.reserve(32 * panels * d);
  const [points, order] = [placed(kernel, tree.points), placed(kernel, tree.rows)];
  const node = kernel.i32(nodes, 4 * count);
  const box = kernel.f64(boxes, 4 * count * d);
  const panel = kernel.f64(packed, 4 * panels * d);
  for (let v = 0, next = 0; v < count; v++) {
    const [left, start, end] = [tree.left[v], tree.starts[v], tree.ends[v]];
    node.set([left, left < 0 ? next : left + 1, start, end], 4 * v);
    if (left < 0) {
      for (let p = start; p < end; p++) {
        const at = 4 * d * (next + ((p - start) >> 2)) + ((p - start) & 3);
        for (let f = 0; f < d; f++) panel[at + 4 * f] = tree.points[p * d + f];
      }
      next += Math.ceil((end - start) / 4);
      continue;
    }
    for (let f = 0; f < d; f++) {
      const at = 4 * (v * d + f);
      box[at] = tree.lows[left * d + f];
      box[at + 1] = tree.lows[(left + 1) * d + f];
      box[at + 2] = tree.highs[left * d + f];
      box[at + 3] = tree.highs[(left + 1) * d + f];
    }
  }
  return {
    /** The row at each position of the tree. */
    rows: tree.rows,
    /** The k nearest other rows of every row, by squared distance and then by number. */
    nearest: (k: number): NearestRows =>
      kernel.scope(() => {
        const distances = kernel.reserve(8 * n * k);
        const indices = kernel.reserve(4 * n * k);
        const args = [SPAN, n, d, k, nodes, boxes, packed, points, order, distances, indices, 1] as const;
        kernel.run("nearest", Math.ceil(n / SPAN), 0, args);
        const result = { indices: new Int32Array(n * k), distances: new Float64Array(n * k) };
        const [foundD, foundI] = [kernel.f64(distances, n * k), kernel.i32(indices, n * k)];
        for (let p = 0; p < n; p++) {
          result.distances.set(foundD.subarray(p * k, (p + 1) * k), tree.rows[p] * k);
          result.indices.set(foundI.subarray(p * k, (p + 1) * k), tree.rows[p] * k);
        }
        return result;
      }),
    /** The k nearest rows of every query, in the same order. */
    among(queries: Matrix, k: number): NearestRows {
      const result = {
        indices: new Int32Array(queries.rows * k),
        distances: new Float64Array(queries.rows * k),
      };
      const block = Math.min(queries.rows, Math.max(SPAN, Math.floor(BLOCK_VALUES / (d + 2 * k))));
      return kernel.scope(() => {
        const asked = kernel.reserve(8 * block * d);
        const [distances, indices] = [kernel.reserve(8 * block * k), kernel.reserve(4 * block * k)];
        for (let first = 0; first < queries.rows; first += block) {
          const m = Math.min(block, queries.rows - first);
          kernel.f64(asked, m * d).set(queries.data.subarray(first * d, (first + m) * d));
          const args = [SPAN, m, d, k, nodes, boxes, packed, asked, order, distances, indices, 0] as const;
          kernel.run("nearest", Math.ceil(m / SPAN), 0, args);
          result.distances.set(kernel.f64(distances, m * k), first * k);
          result.indices.set(kernel.i32(indices, m * k), first * k);
        }
        return result;
      });
    },
    /** Estimated share of all points that such a search measures for a row. */
    measured: (k: number): number =>
      kernel.scope(() => {
        const scratch = kernel.reserve(12 * k);
        const step = Math.max(1, Math.floor(n / PROBES));
        return kernel.exports.measured(n, d, k, nodes, boxes, packed, points, order, scratch, step);
      }),
    /** Starts Boruvka's rounds for max(core_i, core_j, |x_i - x_j|), all squared; positions represent rows. */
    exits(coreOfRow: Float64Array) {
      const cores = kernel.reserve(8 * (n + 3));
      const [group, uniform] = [kernel.reserve(4 * n), kernel.reserve(4 * count)];
      const [best, from, to] = [kernel.reserve(8 * n), kernel.reserve(4 * n), kernel.reserve(4 * n)];
      const [known, target] = [kernel.reserve(8 * n), kernel.reserve(4 * n)];
      kernel.f64(cores, n).set(Float64Array.from(tree.rows, (row) => coreOfRow[row]));
      kernel.f64(known, n).set(kernel.f64(cores, n));
      kernel.i32(target, n).fill(-1);
      return {
        /** Lower bounds for the edges that leave the group of each position, and their ends (-1: none). */
        known: kernel.f64(known, n),
        target: kernel.i32(target, n),
        /**
         * The cheapest edge that leaves each group, except `leftOut`.
         *
         * @param groups of each position
         * @param bestOf per group: cost of the cheapest edge that is known, replaced; `fromOf` and `toOf` are its positions
         */
        round(
          groups: Int32Array,
          leftOut: number,
          bestOf: Float64Array,
          fromOf: Int32Array,
          toOf: Int32Array,
        ): void {
          kernel.i32(group, n).set(groups);
          markUniform(tree, groups, kernel.i32(uniform, count));
          kernel.f64(best, n).set(bestOf);
          kernel.i32(from, n).set(fromOf);
          kernel.i32(to, n).set(toOf);
          const space = [n, d, nodes, boxes, packed, points, cores, group, uniform] as const;
          kernel.exports.exits(...space, leftOut, best, from, to, known, target);
          bestOf.set(kernel.f64(best, bestOf.length));
          fromOf.set(kernel.i32(from, bestOf.length));
          toOf.set(kernel.i32(to, bestOf.length));
        },
      };
    },
  };
}
