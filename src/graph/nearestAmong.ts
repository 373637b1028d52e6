import { kernelBuild, nearestRows, type Matrix, type NearestRows } from "../matrix/index.ts";
import { largestSize } from "../matrix/internal.ts";
import { LEAST_ROWS, TREE_DIMENSIONS } from "./nearestNeighbors.ts";
import type { KdTree } from "./kdTree.ts";
import { searchTreeOf, withSearchTree } from "./searchTree.ts";

/**
 * Share of the rows that a search in the tree may measure and still be faster than blocks of all rows, which spend more on
 * long lists: by timings of 40 sets of 4 to 22 columns, about 0.05 for 5 neighbours and 0.14 for 40.
 */
function mostShare(k: number): number {
  return Math.min(0.15, 0.04 + 0.0025 * k);
}

/**
 * The k nearest rows of X for every query, by squared Euclidean distance and then by row number: bitwise
 * equal to `nearestRows` with `queries`, by a k-d tree if that measures fewer rows.
 */
export function nearestAmong(X: Matrix, k: number, queries: Matrix): NearestRows {
  return searchIn(X)(k, queries);
}

/** `nearestAmong` for several blocks of queries: the tree is built once, so the rows must not change. */
export function searchIn(X: Matrix): (k: number, queries: Matrix) => NearestRows {
  let tree: KdTree | undefined;
  let isSuited: boolean | undefined;
  const shares = new Map<number, number>();
  return (k, queries) => {
    isSuited ??=
      X.cols > 0 &&
      X.cols <= TREE_DIMENSIONS &&
      X.rows >= LEAST_ROWS &&
      kernelBuild() !== undefined &&
      isModerate(X);
    const tried =
      isSuited &&
      X.cols === queries.cols &&
      // A tree has to be built first.
      (tree !== undefined || queries.rows >= X.rows / 20) &&
      k < X.rows &&
      (shares.get(k) ?? 0) <= mostShare(k) &&
      isModerate(queries);
    if (!tried) return nearestRows(X, k, { queries });
    tree ??= searchTreeOf(X);
    const found = withSearchTree(
      X,
      (built) => {
        const share = shares.get(k) ?? built.measured(k);
        shares.set(k, share);
        return share > mostShare(k) ? undefined : built.among(queries, k);
      },
      tree,
    );
    return found ?? nearestRows(X, k, { queries });
  };
}

/** Whether squares of the values stay inside the number range; otherwise `nearestRows` scales or refuses them. */
function isModerate({ data }: Matrix): boolean {
  const largest = largestSize(data);
  return largest < LARGE && largest > 1 / LARGE;
}

const LARGE = 1e120;
