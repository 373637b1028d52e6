import type { Edges } from "./edges.ts";
import { unionFind } from "./unionFind.ts";

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
  const sizes = new Int32Array(sets.count);
  for (let i = 0; i < labels.length; i++) sizes[labels[i]]++;
  return { count: sets.count, labels, sizes };
}
