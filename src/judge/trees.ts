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
