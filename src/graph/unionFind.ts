import { sizesOf } from "../core/internal.ts";
import { requireCount } from "../matrix/internal.ts";
import type { Edges } from "./edges.ts";

/** Disjoint sets (Tarjan): union by size, path halving. The sets' names are their roots, one of their members. */
export interface UnionFind {
  /** The number of sets. */
  readonly count: number;
  find(i: number): number;
  /** Joins the sets of i and j; false if they were already one. */
  union(i: number, j: number): boolean;
  /** The size of i's set. */
  size(i: number): number;
  /** The sets numbered 0 .. count - 1 in the order of their first member. */
  labels(): Int32Array;
}

export function unionFind(nodes: number): UnionFind {
  requireCount(nodes, "the number of nodes");
  const parent = new Int32Array(nodes);
  const sizes = new Int32Array(nodes).fill(1);
  for (let i = 0; i < nodes; i++) parent[i] = i;
  let count = nodes;

  const find = (i: number): number => {
    while (parent[i] !== i) {
      parent[i] = parent[parent[i]];
      i = parent[i];
    }
    return i;
  };

  return {
    get count() {
      return count;
    },
    find,
    union(i, j) {
      let a = find(i);
      let b = find(j);
      if (a === b) return false;
      if (sizes[a] < sizes[b]) [a, b] = [b, a];
      parent[b] = a;
      sizes[a] += sizes[b];
      count--;
      return true;
    },
    size: (i) => sizes[find(i)],
    labels() {
      const names = new Int32Array(nodes).fill(-1);
      const labels = new Int32Array(nodes);
      let next = 0;
      for (let i = 0; i < nodes; i++) {
        const root = find(i);
        if (names[root] < 0) names[root] = next++;
        labels[i] = names[root];
      }
      return labels;
    },
  };
}

export interface Components {
  readonly count: number;
  /** Component of each node, numbered in the order of their first node. */
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
}

/** Connected components of the graph, or of the part of it whose edges are marked in `kept`. */
export function components(graph: Edges, kept?: ArrayLike<number>): Components {
  const sets = unionFind(graph.nodes);
  const { from, to } = graph;
  for (let e = 0; e < from.length; e++) {
    if (kept === undefined || kept[e] !== 0) sets.union(from[e], to[e]);
  }
  const labels = sets.labels();
  return { count: sets.count, labels, sizes: sizesOf(labels, sets.count) };
}
