import { unionFind } from "../graph/index.ts";
import { multiply, takeRows, type Matrix } from "../matrix/index.ts";
import { centered, columnMeans } from "../matrix/internal.ts";
import { leadingAxes } from "./factors.ts";

/** A minimum spanning tree of the rows, cheapest edge first. */
interface SpanningEdges {
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/**
 * Genie (Gagolewski, Bartoszuk and Cena 2016): single linkage, but while the Gini index of the sizes exceeds `gini`, a
 * smallest cluster is merged next. The result has the merges of all numbers of clusters.
 */
export function genieTree({ from, to }: SpanningEdges, gini: number): (clusters: number) => Int32Array {
  const n = from.length + 1;
  const sets = unionFind(n);
  const used = new Uint8Array(n);
  const merges: number[] = [];
  const bySize = new Int32Array(n + 1);
  bySize[1] = n;
  let first = 0;
  for (let count = n; count > 1; count--) {
    while (used[first] === 1) first++;
    let edge = first;
    if (giniIndex(bySize, count, n) > gini) {
      let least = 1;
      while (bySize[least] === 0) least++;
      while (used[edge] === 1 || (sets.size(from[edge]) !== least && sets.size(to[edge]) !== least)) edge++;
    }
    used[edge] = 1;
    merges.push(edge);
    const [a, b] = [sets.size(from[edge]), sets.size(to[edge])];
    bySize[a]--;
    bySize[b]--;
    bySize[a + b]++;
    sets.union(from[edge], to[edge]);
  }
  return (clusters) => {
    const own = unionFind(n);
    for (let m = 0; m < n - clusters; m++) own.union(from[merges[m]], to[merges[m]]);
    return own.labels();
  };
}

/** Of `count` sizes that sum to n, given how many have each size: 0 all equal, 1 all rows in one. */
function giniIndex(bySize: Int32Array, count: number, n: number): number {
  let sum = 0;
  let rank = 0;
  for (let size = 1; rank < count; size++) {
    const own = bySize[size];
    // sum of (2 rank - count - 1) size over these ranks.
    if (own > 0) sum += own * size * (2 * rank + own - count);
    rank += own;
  }
  return count < 2 ? 0 : sum / ((count - 1) * n);
}

/**
 * Clusters as dense regions (Campello and others 2013): single linkage under the mutual reachability distance. From the
 * top, the tree is cut until K parts have at least `least(K)` rows; smaller parts join the part that the tree connects
 * them to first.
 */
export function densityTree(
  { from, to }: SpanningEdges,
  least: (clusters: number) => number,
): (clusters: number) => Int32Array | undefined {
  const n = from.length + 1;
  return (clusters) => {
    const bar = Math.max(2, least(clusters));
    const sets = unionFind(n);
    let large = 0;
    let cut = -1;
    for (let e = 0; e < n - 1; e++) {
      const [a, b] = [sets.size(from[e]), sets.size(to[e])];
      sets.union(from[e], to[e]);
      large += Number(a + b >= bar) - Number(a >= bar) - Number(b >= bar);
      if (large === clusters) cut = e;
    }
    if (cut < 0) return undefined;
    const parts = unionFind(n);
    for (let e = 0; e <= cut; e++) parts.union(from[e], to[e]);
    for (let e = cut + 1; e < n - 1; e++) {
      if (parts.size(from[e]) < bar || parts.size(to[e]) < bar) parts.union(from[e], to[e]);
    }
    return parts.count === clusters ? parts.labels() : undefined;
  };
}

/**
 * The rows divided again and again by their largest direction: the part that varies most along its first principal axis is
 * cut at its mean (Boley 1998; as a start of k-means, Su and Dy 2007). The result has the parts of all numbers of clusters.
 */
export function principalParts(X: Matrix): (clusters: number) => Int32Array {
  const parts = [
    partOf(
      X,
      Int32Array.from({ length: X.rows }, (_, i) => i),
    ),
  ];
  const labels = new Int32Array(X.rows);
  const cuts: Int32Array[] = [labels.slice()];
  return (clusters) => {
    while (cuts.length < clusters) {
      const widest = parts.reduce((a, b, k) => (b.variation > parts[a].variation ? k : a), 0);
      const { rows, scores } = parts[widest];
      const right = rows.filter((_, p) => scores[p] > 0);
      for (const i of right) labels[i] = parts.length;
      parts.push(partOf(X, right));
      parts[widest] = partOf(
        X,
        rows.filter((_, p) => scores[p] <= 0),
      );
      cuts.push(labels.slice());
    }
    return cuts[clusters - 1];
  };
}

/** Rows with their scores on the first principal axis, and the sum of their squares. */
function partOf(X: Matrix, rows: Int32Array) {
  const own = takeRows(X, rows);
  const Y = centered(own, columnMeans(own));
  const { values, axes } = leadingAxes(Y, 1, 1e-4);
  return { rows, scores: multiply(Y, axes).data, variation: values[0] };
}
