import type { Matrix } from "../matrix/index.ts";

const LEAF = 12;

/** @param leaf maximum number of points of a leaf, unless they are all the same */
export function kdTree(X: Matrix, leaf: number = LEAF) {
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

/** Squared distance from a point (at `offset` of `data`) to the box of node v; zero inside. */
export function boxDistance(tree: KdTree, v: number, data: Float64Array, offset: number): number {
  const { lows, highs, dimensions: d } = tree;
  const at = v * d;
  let sum = 0;
  for (let f = 0; f < d; f++) {
    const x = data[offset + f];
    const below = lows[at + f] - x;
    const gap = below > 0 ? below : x - highs[at + f];
    if (gap > 0) sum += gap * gap;
  }
  return sum;
}

/** `common[v]` becomes the group that all points of node v have, or -1; `groups` are by position. */
export function markUniform(tree: KdTree, groups: Int32Array, common: Int32Array): void {
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
