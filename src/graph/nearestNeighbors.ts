import { optionError } from "../core/errors.ts";
import { type Matrix, requireModerate } from "../matrix/matrix.ts";
import { nearestRows } from "../matrix/nearest.ts";
import { kernelBuild } from "../matrix/wasm.ts";
import { boxDistance, type KdTree, kdTree } from "./kdTree.ts";
import { withSearchTree } from "./searchTree.ts";

/** The k nearest other rows of every row: row i's neighbours are entries i k to (i + 1) k, nearest first. */
export interface Neighbors {
  readonly count: number;
  readonly indices: Int32Array;
  /** Squared Euclidean distances. */
  readonly distances: Float64Array;
}

/**
 * Exact k-nearest-neighbour search by squared Euclidean distance, in memory that grows with n k. Equal distances are
 * ordered by row number, so the answer does not depend on the search; a row is never its own neighbour, and a
 * duplicate of it is one at distance 0.
 */
export function nearestNeighbors(X: Matrix, k: number): Neighbors {
  if (!Number.isInteger(k) || k < 1 || k > X.rows - 1) {
    throw optionError(
      `nearestNeighbors: k must be an integer from 1 to ${X.rows - 1} (one less than the number of rows), got ${k}`,
    );
  }
  if (X.cols > TREE_DIMENSIONS || X.rows < LEAST_ROWS) return { count: k, ...nearestRows(X, k) };
  requireModerate(X);
  if (kernelBuild() !== undefined) {
    const found = withSearchTree(X, (tree) => (tree.measured(k) > TREE_SHARE ? undefined : tree.nearest(k)));
    return { count: k, ...(found ?? nearestRows(X, k)) };
  }
  const indices = new Int32Array(X.rows * k).fill(-1);
  const distances = new Float64Array(X.rows * k).fill(Infinity);
  searchTree(X, k, indices, distances);
  return { count: k, indices, distances };
}

/** Beyond, a tree is not tried. */
const TREE_DIMENSIONS = 24;
const LEAST_ROWS = 1000;
/** Share of the rows that a search in the tree may measure to be faster than blocks of all; by timings. */
const TREE_SHARE = 0.06;

function searchTree(X: Matrix, k: number, indices: Int32Array, distances: Float64Array): void {
  const tree = kdTree(X);
  const { data, cols: d } = X;
  // Rows in the tree's order: consecutive searches touch the same leaves.
  for (let p = 0; p < tree.rows.length; p++) {
    const i = tree.rows[p];
    searchNode(tree, 0, i, data, i * d, k, indices, distances);
  }
}

function searchNode(
  tree: KdTree,
  v: number,
  i: number,
  data: Float64Array,
  offset: number,
  k: number,
  indices: Int32Array,
  distances: Float64Array,
): void {
  const last = i * k + k - 1;
  const { left, right, rows, points, dimensions: d } = tree;
  if (left[v] < 0) {
    for (let p = tree.starts[v]; p < tree.ends[v]; p++) {
      const j = rows[p];
      if (j === i) continue;
      const at = p * d;
      let sum = 0;
      for (let f = 0; f < d; f++) {
        const difference = data[offset + f] - points[at + f];
        sum += difference * difference;
      }
      if (sum <= distances[last]) insert(indices, distances, last, k, j, sum);
    }
    return;
  }
  const toLeft = boxDistance(tree, left[v], data, offset);
  const toRight = boxDistance(tree, right[v], data, offset);
  const [near, nearest, far, farthest] =
    toLeft <= toRight ? [left[v], toLeft, right[v], toRight] : [right[v], toRight, left[v], toLeft];
  if (nearest <= distances[last]) searchNode(tree, near, i, data, offset, k, indices, distances);
  if (farthest <= distances[last]) searchNode(tree, far, i, data, offset, k, indices, distances);
}

/** Insertion into a list of k ordered by (distance, index), whose last position is `last`. */
function insert(
  indices: Int32Array,
  distances: Float64Array,
  last: number,
  k: number,
  j: number,
  distance: number,
): void {
  if (distance === distances[last] && indices[last] >= 0 && j > indices[last]) return;
  let p = last;
  const first = last - k + 1;
  while (
    p > first &&
    (distances[p - 1] > distance || (distances[p - 1] === distance && indices[p - 1] > j))
  ) {
    distances[p] = distances[p - 1];
    indices[p] = indices[p - 1];
    p--;
  }
  distances[p] = distance;
  indices[p] = j;
}
