/**
 * A dendrogram: the n - 1 merges of n rows by rising height, in the form of scipy's linkage matrix. Rows are
 * 0 to n - 1, merge m makes cluster n + m and joins `merges[2 m]` < `merges[2 m + 1]`.
 */
import { inputError, optionError } from "../../core/internal.ts";
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

/**
 * The height at which two rows come into one cluster (Sokal and Rohlf 1962), for all pairs i < j in the order of scipy's
 * condensed form: (0, 1), (0, 2), ..., (1, 2), ...
 */
export function copheneticDistances(tree: Dendrogram): Float64Array {
  const { rows: n, merges, heights } = tree;
  const D = new Float64Array((n * (n - 1)) / 2);
  const order = leafOrder(tree);
  // In the order of the leaves a cluster is a range, and its merge is the border between two ranges.
  const first = new Int32Array(n + heights.length);
  const last = new Int32Array(n + heights.length);
  order.forEach((leaf, p) => (first[leaf] = last[leaf] = p));
  for (let m = 0; m < heights.length; m++) {
    const [a, b] = [merges[2 * m], merges[2 * m + 1]];
    for (let p = first[a]; p <= last[a]; p++) {
      for (let q = first[b]; q <= last[b]; q++) {
        const i = Math.min(order[p], order[q]);
        const j = Math.max(order[p], order[q]);
        D[i * n - (i * (i + 1)) / 2 + j - i - 1] = heights[m];
      }
    }
    first[n + m] = Math.min(first[a], first[b]);
    last[n + m] = Math.max(last[a], last[b]);
  }
  return D;
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

/** The linkage matrix: a row [a, b, height, size] for each merge. */
export function linkageMatrix({ merges, heights, sizes }: Dendrogram): number[][] {
  return Array.from(heights, (height, m) => [merges[2 * m], merges[2 * m + 1], height, sizes[m]]);
}

/** Makes a dendrogram from a linkage matrix, after checking that it is one. */
export function fromLinkageMatrix(linkage: readonly (readonly number[])[]): Dendrogram {
  const rows = linkage.length + 1;
  const used = new Uint8Array(2 * rows - 1);
  const merges = new Int32Array(2 * linkage.length);
  const sizes = new Int32Array(linkage.length);
  const size = (node: number): number => (node < rows ? 1 : sizes[node - rows]);
  linkage.forEach(([a, b, height], m) => {
    for (const node of [a, b]) {
      if (!Number.isInteger(node) || node < 0 || node >= rows + m || used[node]++ > 0) {
        throw inputError(`merge ${m} joins ${a} and ${b}, which are not two clusters that exist then`);
      }
    }
    if (!(height >= (m === 0 ? 0 : linkage[m - 1][2])) || height === Infinity) {
      throw inputError(`merge ${m} has height ${height}; heights must be finite and never fall`);
    }
    merges[2 * m] = Math.min(a, b);
    merges[2 * m + 1] = Math.max(a, b);
    sizes[m] = size(a) + size(b);
  });
  return { rows, merges, heights: Float64Array.from(linkage, (merge) => merge[2]), sizes };
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
