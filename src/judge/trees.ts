import type { Matrix } from "../matrix/index.ts";
import { unionFind } from "../graph/index.ts";

/** A minimum spanning tree of the rows, cheapest edge first. */
interface SpanningEdges {
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** Prim's tree of a full matrix of distances. */
function spanningEdges(D: Matrix, core?: Float64Array): SpanningEdges {
  const n = D.rows;
  const near = new Float64Array(n).fill(Infinity);
  const parent = new Int32Array(n).fill(-1);
  const inside = new Uint8Array(n);
  const edges: { from: number; to: number; length: number }[] = [];
  for (let i = 0, step = 0; step < n; step++) {
    inside[i] = 1;
    if (parent[i] >= 0) edges.push({ from: parent[i], to: i, length: near[i] });
    let next = -1;
    for (let j = 0; j < n; j++) {
      if (inside[j] === 1) continue;
      let length = D.data[i * n + j];
      if (core !== undefined) length = Math.max(length, core[i], core[j]);
      if (length < near[j]) [near[j], parent[j]] = [length, i];
      if (next < 0 || near[j] < near[next]) next = j;
    }
    i = next;
  }
  edges.sort((a, b) => a.length - b.length || a.from - b.from || a.to - b.to);
  return { from: Int32Array.from(edges, (e) => e.from), to: Int32Array.from(edges, (e) => e.to) };
}

/**
 * Genie (Gagolewski, Bartoszuk and Cena 2016): single linkage, but while the Gini index of the sizes exceeds `gini`, a
 * smallest cluster is merged next. The result has the merges of all numbers of clusters.
 */
export function genieTree(D: Matrix, gini: number): (clusters: number) => Int32Array {
  const n = D.rows;
  const { from, to } = spanningEdges(D);
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
 * Clusters as dense regions (Campello and others 2013): single linkage under the mutual reachability distance
 * max(core_i, core_j, d_ij), core the distance to the k-th neighbour. From the top, the tree is cut until K parts have
 * at least `least(K)` rows; smaller parts join the part that the tree connects them to first.
 */
export function densityTree(
  D: Matrix,
  neighbors: number,
  least: (clusters: number) => number,
): (clusters: number) => Int32Array | undefined {
  const n = D.rows;
  const k = Math.min(neighbors, n - 1);
  const core = Float64Array.from({ length: n }, (_, i) => D.data.slice(i * n, (i + 1) * n).sort()[k]);
  const { from, to } = spanningEdges(D, core);
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
