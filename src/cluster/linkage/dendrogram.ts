/**
 * A dendrogram: the n - 1 merges of n rows by rising height, in the form of scipy's linkage matrix. Rows are
 * 0 to n - 1, merge m makes cluster n + m and joins `merges[2 m]` < `merges[2 m + 1]`.
 */
import { optionError } from "../../core/internal.ts";
import { unionFind } from "../../graph/index.ts";
import type { Merges } from "./linkageChain.ts";

export interface Dendrogram {
  readonly rows: number;
  readonly merges: Int32Array;
  /** Never falling. */
  readonly heights: Float64Array;
  /** Number of rows of the cluster that each merge makes. */
  readonly sizes: Int32Array;
}

/** Orders merges that name clusters by one of their rows; children come before their parents. */
export function dendrogram(rows: number, { from, to, heights }: Merges): Dendrogram {
  const count = from.length;
  // Merges were found children first, so a stable sort by height keeps that order in ties.
  const order = Array.from({ length: count }, (_, m) => m).sort((a, b) => heights[a] - heights[b] || a - b);
  const sets = unionFind(rows);
  const names = Int32Array.from({ length: rows }, (_, i) => i);
  const merges = new Int32Array(2 * count);
  const sizes = new Int32Array(count);
  order.forEach((m, at) => {
    const a = names[sets.find(from[m])];
    const b = names[sets.find(to[m])];
    merges[2 * at] = Math.min(a, b);
    merges[2 * at + 1] = Math.max(a, b);
    sets.union(from[m], to[m]);
    names[sets.find(from[m])] = rows + at;
    sizes[at] = sets.size(from[m]);
  });
  return { rows, merges, heights: Float64Array.from(order, (m) => heights[m]), sizes };
}

/** Where to cut: into this many clusters, or above every merge of at most this height. */
export type Cut = { readonly clusters: number } | { readonly height: number };

/** The clusters of a cut, numbered in the order of their first row. */
export function cutDendrogram(tree: Dendrogram, cut: Cut): Int32Array {
  const { rows, heights } = tree;
  if ("height" in cut) {
    if (!(cut.height >= 0))
      throw optionError(`a dendrogram is cut at a height of at least 0, not ${cut.height}`);
    let below = 0;
    while (below < heights.length && heights[below] <= cut.height) below++;
    return joined(tree, below);
  }
  const { clusters } = cut;
  if (!Number.isInteger(clusters) || clusters < 1 || clusters > rows) {
    throw optionError(`a dendrogram of ${rows} rows cannot be cut into ${clusters} clusters`);
  }
  return joined(tree, rows - clusters);
}

/** The rows from left to right in a drawing without crossings. */
export function leafOrder({ rows, merges }: Dendrogram): Int32Array {
  const order = new Int32Array(rows);
  const stack = [2 * rows - 2];
  for (let p = 0; stack.length > 0;) {
    const node = stack.pop()!;
    if (node < rows) order[p++] = node;
    else stack.push(merges[2 * (node - rows) + 1], merges[2 * (node - rows)]);
  }
  return order;
}

/** The clusters after the first `count` merges. */
function joined({ rows, merges }: Dendrogram, count: number): Int32Array {
  const sets = unionFind(rows);
  const member = new Int32Array(rows + count); // a row of each cluster
  for (let i = 0; i < rows; i++) member[i] = i;
  for (let m = 0; m < count; m++) {
    member[rows + m] = member[merges[2 * m]];
    sets.union(member[merges[2 * m]], member[merges[2 * m + 1]]);
  }
  return sets.labels();
}
