import type { Matrix } from "../matrix/matrix.ts";
import { nearestRows, type NearestRows } from "../matrix/nearest.ts";
import { kernelBuild } from "../matrix/wasm.ts";
import { LEAST_ROWS, TREE_DIMENSIONS, TREE_SHARE } from "./nearestNeighbors.ts";
import { withSearchTree } from "./searchTree.ts";

/**
 * The k nearest rows of X for every query, by squared Euclidean distance and then by row number: bitwise
 * equal to `nearestRows` with `queries`, by a k-d tree if that measures fewer rows.
 */
export function nearestAmong(X: Matrix, k: number, queries: Matrix): NearestRows {
  const tried =
    X.cols > 0 &&
    X.cols <= TREE_DIMENSIONS &&
    X.cols === queries.cols &&
    X.rows >= LEAST_ROWS &&
    // A tree has to be built first.
    queries.rows >= X.rows / 20 &&
    k < X.rows &&
    kernelBuild() !== undefined &&
    isModerate(X) &&
    isModerate(queries);
  const found = tried
    ? withSearchTree(X, (tree) => (tree.measured(k) > TREE_SHARE ? undefined : tree.among(queries, k)))
    : undefined;
  return found ?? nearestRows(X, k, { queries });
}

/**
 * Whether squares of the values stay inside the number range; otherwise `nearestRows` scales or refuses
 * them.
 */
function isModerate({ data }: Matrix): boolean {
  let largest = 0;
  for (let p = 0; p < data.length; p++) {
    const size = Math.abs(data[p]);
    // Also if it is NaN.
    if (!(size < LARGE)) return false;
    if (size > largest) largest = size;
  }
  return largest > 1 / LARGE;
}

const LARGE = 1e120;
