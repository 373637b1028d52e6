import { progressGate, sizesOf, type ProgressGate } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import {
  requireCount,
  requireList,
  requireMatrix,
  squaredDistance,
  requireNotHuge,
} from "../matrix/internal.ts";
import { withSearchTree } from "./kdTree.ts";
import type { Neighbors } from "./nearestNeighbors.ts";
import { unionFind, type UnionFind } from "./unionFind.ts";

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
  for (const list of [from, to, costs]) requireList(list, "each of the lists of edges");
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

/**
 * Prim's algorithm: the tree grows by the node that is nearest to it.
 *
 * @param from the distances of a node to all nodes; read before the next call
 * @param lengths what decides between equal distances
 */
export function primTree(
  n: number,
  from: (i: number) => Float64Array,
  lengths?: (i: number) => Float64Array,
): Joins {
  requireCount(n, "the number of rows");
  const { from: starts, to, distances } = emptyTree(n);
  const outside = Int32Array.from({ length: n - 1 }, (_, i) => i + 1);
  const nearest = new Int32Array(n);
  const least = new Float64Array(n).fill(Infinity);
  const shortest = new Float64Array(n);
  for (let m = 0, added = 0; m < n - 1; m++) {
    const toAdded = from(added);
    const length = lengths?.(added);
    const count = n - 1 - m;
    let best = 0;
    for (let p = 0; p < count; p++) {
      const i = outside[p];
      const own = length === undefined ? 0 : length[i];
      if (toAdded[i] < least[i] || (toAdded[i] === least[i] && own < shortest[i])) {
        least[i] = toAdded[i];
        shortest[i] = own;
        nearest[i] = added;
      }
      const first = outside[best];
      if (least[i] < least[first] || (least[i] === least[first] && shortest[i] < shortest[first])) best = p;
    }
    added = outside[best];
    outside[best] = outside[count - 1];
    starts[m] = nearest[added];
    to[m] = added;
    distances[m] = least[added];
  }
  return { from: starts, to, distances };
}

/** Edges between rows, with squared lengths. */
export interface Joins {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly distances: Float64Array;
}

/**
 * A minimum spanning tree over groups of rows, where the distance of two groups is that of their closest
 * rows.
 *
 * @param groups the group of each row, 0 .. count - 1 (Euclidean spanning tree of all rows: each its own group)
 */
export function joinGroups(X: Matrix, groups: Int32Array): Joins {
  requireMatrix(X, "joinGroups");
  requireNotHuge(X);
  requireList(groups, "the groups");
  const sets = unionFind(X.rows);
  const first = new Map<number, number>();
  groups.forEach((group, i) => {
    if (!first.has(group)) first.set(group, i);
    sets.union(first.get(group)!, i);
  });
  return boruvka(X, sets, new Float64Array(X.rows), undefined, progressGate(undefined));
}

/**
 * A minimum spanning tree of all rows under the mutual reachability distance
 *
 *     max(core_i, core_j, |x_i - x_j|)
 *
 * (R. J. G. B. Campello, D. Moulavi and J. Sander, 2013), cheapest edges first. To read: test/graph/prim.ts, the same costs by
 * Prim's algorithm.
 *
 * All edges from a row to the rows within its core distance cost the same. Among these the shorter ones come
 * first, so the first join of a row does not depend on the order of the rows.
 *
 * @param cores squared core distances
 * @param near nearest neighbours of every row
 * @param gate when it stops the work, groups that are not joined yet are as far apart as any two rows could be
 */
export function reachabilityTree(
  X: Matrix,
  cores: Float64Array,
  near: Neighbors,
  gate: ProgressGate = progressGate(undefined),
): Joins {
  const tree = boruvka(X, unionFind(X.rows), cores, near, gate);
  return shorterFirst(byCost(gate.stopped ? joinedUp(tree, X, cores) : tree), X, cores, near);
}

/**
 * Among edges of one cost c, those of smallest length (Kruskal). An edge that is shorter than its cost leads
 * from a row of core distance c to one of its neighbours, so besides the edges of the tree only these have to
 * be examined.
 */
function shorterFirst(tree: Joins, X: Matrix, cores: Float64Array, near: Neighbors): Joins {
  const { rows: n } = X;
  const { distances } = tree;
  const from = tree.from.slice();
  const to = tree.to.slice();
  const sets = unionFind(n);
  for (let start = 0, end = 0; start < n - 1; start = end) {
    const cost = distances[start];
    while (end < n - 1 && distances[end] === cost) end++;
    if (end - start > 1) {
      const edges: { i: number; j: number; length: number }[] = [];
      const seen = new Set<number>();
      const around = (i: number): void => {
        if (cores[i] !== cost || seen.has(i)) return;
        seen.add(i);
        for (let p = i * near.count; p < (i + 1) * near.count; p++) {
          const j = near.indices[p];
          if (cores[j] > cost || near.distances[p] > cost || sets.find(i) === sets.find(j)) continue;
          edges.push({ i: Math.min(i, j), j: Math.max(i, j), length: near.distances[p] });
        }
      };
      for (let e = start; e < end; e++) {
        const [i, j] = [tree.from[e], tree.to[e]];
        edges.push({ i: Math.min(i, j), j: Math.max(i, j), length: squaredDistance(X, i, X, j) });
        around(i);
        around(j);
      }
      edges.sort((a, b) => a.length - b.length || a.i - b.i || a.j - b.j);
      let at = start;
      for (const { i, j } of edges) {
        if (!sets.union(i, j)) continue;
        from[at] = i;
        to[at++] = j;
      }
    } else sets.union(from[start], to[start]);
  }
  return { from, to, distances };
}

function byCost({ from, to, distances }: Joins): Joins {
  const order = Int32Array.from(from.keys());
  order.sort((a, b) => distances[a] - distances[b] || from[a] - from[b] || to[a] - to[b]);
  const sorted = Float64Array.from(order, (e) => distances[e]);
  return { from: order.map((e) => from[e]), to: order.map((e) => to[e]), distances: sorted };
}

/**
 * The tree that joins the sets under max(core_i, core_j, |x_i - x_j|), by Boruvka's rounds on a k-d tree (as W. B. March, P. Ram
 * and A. G. Gray, 2010): in each round every set but the largest finds its cheapest edge to a row outside. Edges to the
 * neighbours come first; a row is searched from only while no bound shows a cheaper edge of its set. It is exact; memory is
 * proportional to n (d + k). In many dimensions the boxes of the tree exclude little, and the time is at most that of
 * measuring all pairs a few times.
 */
function boruvka(
  X: Matrix,
  sets: UnionFind,
  cores: Float64Array,
  near: Neighbors | undefined,
  gate: ProgressGate,
): Joins {
  const n = X.rows;
  const edges = emptyTree(sets.count);
  let made = 0;
  withSearchTree(X, (tree) => {
    const { rows } = tree;
    const exits = tree.exits(cores);
    const positions = new Int32Array(n);
    rows.forEach((row, p) => (positions[row] = p));
    while (sets.count > 1) {
      if (!gate({ fraction: 0.5 + 0.4 * (made / n), label: "spanning tree" })) return;
      const groups = new Int32Array(n);
      const labels = sets.labels();
      for (let p = 0; p < n; p++) groups[p] = labels[rows[p]];
      const best = new Float64Array(sets.count).fill(Infinity);
      const from = new Int32Array(sets.count).fill(-1);
      const to = new Int32Array(sets.count).fill(-1);
      const offer = (p: number, q: number, cost: number): void => {
        if (cost >= best[groups[p]]) return;
        best[groups[p]] = cost;
        from[groups[p]] = p;
        to[groups[p]] = q;
      };
      for (let p = 0; p < n; p++) {
        const i = rows[p];
        const { known, target } = exits;
        if (target[p] >= 0 && groups[target[p]] !== groups[p]) offer(p, target[p], known[p]);
        if (near === undefined || cores[i] >= best[groups[p]]) continue;
        for (let at = i * near.count; at < (i + 1) * near.count; at++) {
          const q = positions[near.indices[at]];
          if (groups[q] === groups[p]) continue;
          offer(p, q, Math.max(cores[i], cores[near.indices[at]], near.distances[at]));
        }
      }
      const sizes = sizesOf(groups, sets.count);
      const largest = sizes.indexOf(sizes.reduce((a, b) => Math.max(a, b), 0));
      exits.round(groups, largest, best, from, to);
      // In the order of cost; edges that close a cycle have the same cost as those that they meet.
      const order = Array.from(best.keys()).filter((g) => g !== largest);
      order.sort((a, b) => best[a] - best[b] || a - b);
      for (const g of order) {
        const [i, j] = [rows[from[g]], rows[to[g]]];
        if (!sets.union(i, j)) continue;
        edges.from[made] = Math.min(i, j);
        edges.to[made] = Math.max(i, j);
        edges.distances[made++] = best[g];
      }
    }
  });
  return edges;
}

/** A tree of the edges found in time, and of others at a distance that none exceeds. */
function joinedUp(found: Joins, { rows: n, cols: d, data }: Matrix, cores: Float64Array): Joins {
  let diagonal = 0;
  for (let f = 0; f < d; f++) {
    let [low, high] = [Infinity, -Infinity];
    for (let p = f; p < data.length; p += d) {
      low = Math.min(low, data[p]);
      high = Math.max(high, data[p]);
    }
    diagonal += (high - low) ** 2;
  }
  const far = cores.reduce((a, b) => Math.max(a, b), diagonal);
  const edges = emptyTree(n);
  const sets = unionFind(n);
  let made = 0;
  const add = (i: number, j: number, distance: number): void => {
    if (!sets.union(i, j)) return;
    edges.from[made] = i;
    edges.to[made] = j;
    edges.distances[made++] = distance;
  };
  // Unused slots of edges hold row 0 twice.
  found.from.forEach((i, e) => add(i, found.to[e], found.distances[e]));
  for (let i = 1; i < n; i++) add(0, i, far);
  return edges;
}

function emptyTree(n: number): Joins {
  const length = Math.max(0, n - 1);
  return {
    from: new Int32Array(length),
    to: new Int32Array(length),
    distances: new Float64Array(length),
  };
}
