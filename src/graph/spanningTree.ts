import { sizesOf } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { boxDistance, type KdTree, kdTree, markUniform } from "./kdTree.ts";
import { unionFind } from "./unionFind.ts";

/**
 * Kruskal's minimum spanning forest of an edge list: the numbers of the chosen edges, cheapest first. Equal costs are
 * taken in the order of the list.
 */
export function minimumSpanningTree(
  nodes: number,
  from: ArrayLike<number>,
  to: ArrayLike<number>,
  costs: ArrayLike<number>,
): Int32Array {
  const order = Int32Array.from({ length: from.length }, (_, e) => e);
  order.sort((a, b) => costs[a] - costs[b] || a - b);
  const sets = unionFind(nodes);
  const chosen: number[] = [];
  for (const e of order) {
    if (sets.union(from[e], to[e])) chosen.push(e);
    if (sets.count === 1) break;
  }
  return Int32Array.from(chosen);
}

/** The edges that join groups of rows with the smallest total squared Euclidean distance. */
export interface Joins {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly distances: Float64Array;
}

/**
 * A minimum spanning tree over groups of rows, where the distance of two groups is that of their closest
 * rows: Boruvka's rounds on a k-d tree, in memory proportional to n. In each round every group except the
 * largest finds its closest row outside; that edge belongs to the tree (cut property), so at least half of
 * the groups disappear, and the many rows of the largest group are never searched from. Ties go to the lower
 * pair of rows.
 *
 * @param groups the group of each row, 0 .. count - 1 (Euclidean spanning tree of all rows: each its own group)
 */
export function joinGroups(X: Matrix, groups: Int32Array): Joins {
  const n = X.rows;
  const sets = unionFind(n);
  const first = new Map<number, number>();
  for (let i = 0; i < n; i++) {
    const other = first.get(groups[i]);
    if (other === undefined) first.set(groups[i], i);
    else sets.union(other, i);
  }
  const tree = kdTree(X);
  const common = new Int32Array(tree.starts.length);
  const from: number[] = [];
  const to: number[] = [];
  const distances: number[] = [];
  while (sets.count > 1) {
    const labels = sets.labels();
    const best = cheapestExits(X, tree, labels, sets.count, common);
    // Adding in the order of cost keeps the list sorted within a round and the result independent of labels.
    const order = best.filter((exit) => exit.row >= 0).sort(compareExits);
    for (const exit of order) {
      if (!sets.union(exit.row, exit.other)) continue;
      from.push(Math.min(exit.row, exit.other));
      to.push(Math.max(exit.row, exit.other));
      distances.push(exit.distance);
    }
  }
  return {
    from: Int32Array.from(from),
    to: Int32Array.from(to),
    distances: Float64Array.from(distances),
  };
}

interface Exit {
  row: number;
  other: number;
  distance: number;
}

const STRIDE = 16;

function compareExits(a: Exit, b: Exit): number {
  return (
    a.distance - b.distance ||
    Math.min(a.row, a.other) - Math.min(b.row, b.other) ||
    Math.max(a.row, a.other) - Math.max(b.row, b.other)
  );
}

function cheapestExits(
  X: Matrix,
  tree: KdTree,
  labels: Int32Array,
  count: number,
  common: Int32Array,
): Exit[] {
  markUniform(
    tree,
    tree.rows.map((row) => labels[row]),
    common,
  );
  const sizes = sizesOf(labels, count);
  const largest = sizes.indexOf(sizes.reduce((a, b) => Math.max(a, b), 0));
  const best = Array.from({ length: count }, (): Exit => ({ row: -1, other: -1, distance: Infinity }));
  for (const i of tree.rows) {
    if (labels[i] !== largest) searchExit(X, tree, 0, i, labels, common, best[labels[i]]);
  }
  return best;
}

function searchExit(
  X: Matrix,
  tree: KdTree,
  v: number,
  i: number,
  labels: Int32Array,
  common: Int32Array,
  best: Exit,
): void {
  if (common[v] === labels[i]) return;
  const d = X.cols;
  const offset = i * d;
  if (tree.left[v] < 0) {
    for (let p = tree.starts[v]; p < tree.ends[v]; p++) {
      const j = tree.rows[p];
      if (labels[j] === labels[i]) continue;
      let sum = 0;
      let f = 0;
      // In many dimensions most sums exceed the best long before their end.
      while (f < d && sum <= best.distance) {
        for (const stop = Math.min(d, f + STRIDE); f < stop; f++) {
          const difference = X.data[offset + f] - tree.points[p * d + f];
          sum += difference * difference;
        }
      }
      if (sum > best.distance) continue;
      const found = { row: i, other: j, distance: sum };
      if (best.row < 0 || compareExits(found, best) < 0) Object.assign(best, found);
    }
    return;
  }
  const left = tree.left[v];
  const toLeft = boxDistance(tree, left, X.data, offset);
  const toRight = boxDistance(tree, left + 1, X.data, offset);
  const near = toLeft <= toRight ? left : left + 1;
  if (Math.min(toLeft, toRight) <= best.distance) searchExit(X, tree, near, i, labels, common, best);
  if (Math.max(toLeft, toRight) > best.distance) return;
  searchExit(X, tree, near === left ? left + 1 : left, i, labels, common, best);
}
