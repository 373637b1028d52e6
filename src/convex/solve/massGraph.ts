import type { Edges } from "../../graph/edges.ts";

/**
 * The weights of a graph between points that stand for m_i rows each: w_ij min(m_i, m_j). It is what neighbours in the
 * rows amount to, of which every row has a fixed number: each row of the smaller group has a partner in the larger one.
 * Where all groups are equally large, the weights grow as the masses do, so a set in which every row occurs r times has
 * the path of the distinct rows, at the same gammas.
 */
export function massGraph(graph: Edges, masses: Float64Array | undefined): Edges {
  if (masses === undefined) return graph;
  const { nodes, from, to, weights } = graph;
  return { nodes, from, to, weights: weights.map((w, e) => w * Math.min(masses[from[e]], masses[to[e]])) };
}
