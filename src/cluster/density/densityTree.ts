import type { ProgressGate } from "../../core/internal.ts";
import { nearestNeighbors, primTree } from "../../graph/index.ts";
import { reachabilityTree } from "../../graph/internal.ts";
import { row, takeRows, type Matrix } from "../../matrix/index.ts";
import { requireFinite, requireSquares, valueOrder } from "../../matrix/internal.ts";
import { requireDistances } from "../givenDistances.ts";
import type { Merges } from "../linkage/linkageChain.ts";

/** The minimum spanning tree under the mutual reachability distance, cheapest edges first, with the core distance of each row. */
export interface DensityTree extends Merges {
  readonly cores: Float64Array;
}

/**
 * All components of the graph of all max(core_i, core_j, |x_i - x_j|) <= e, for every e: what HDBSCAN*, DBSCAN and Genie cut.
 * core_i is the distance of row i to its neighbour of this rank, 0 for rank 0. X is rows, or the distances between them.
 */
export function densityTree(
  method: string,
  X: Matrix,
  rank: number,
  metric: "euclidean" | "precomputed",
  gate: ProgressGate,
): DensityTree {
  if (metric === "precomputed") {
    requireDistances(method, X);
    return givenTree(X, rank);
  }
  requireFinite(X);
  requireSquares(X, method);
  const n = X.rows;
  // In the order of their values: edges of one length are then found in the same order, however the rows came.
  const order = valueOrder(X);
  const sorted = takeRows(X, order);
  const listed = Math.max(1, rank);
  const near = nearestNeighbors(sorted, listed, { search: "exact" });
  const sortedCores = Float64Array.from({ length: n }, (_, p) =>
    rank === 0 ? 0 : near.distances[(p + 1) * listed - 1],
  );
  const edges = reachabilityTree(sorted, sortedCores, near, gate);
  const [from, to] = [edges.from, edges.to].map((ends) => ends.map((p) => order[p]));
  const cores = new Float64Array(n);
  order.forEach((i, p) => (cores[i] = Math.sqrt(sortedCores[p])));
  return { from, to, heights: edges.distances.map(Math.sqrt), cores };
}

function givenTree(D: Matrix, rank: number): DensityTree {
  const n = D.rows;
  // Each row is its own first neighbour, at distance 0.
  const cores = Float64Array.from({ length: n }, (_, i) => row(D, i).toSorted()[rank]);
  const reach = new Float64Array(n);
  const tree = primTree(
    n,
    (i) => {
      row(D, i).forEach((d, j) => (reach[j] = Math.max(d, cores[i], cores[j])));
      return reach;
    },
    (i) => row(D, i),
  );
  const order = Int32Array.from(tree.from.keys()).sort(
    (a, b) => tree.distances[a] - tree.distances[b] || a - b,
  );
  return {
    from: order.map((e) => tree.from[e]),
    to: order.map((e) => tree.to[e]),
    heights: Float64Array.from(order, (e) => tree.distances[e]),
    cores,
  };
}
