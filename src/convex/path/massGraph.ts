import type { Edges } from "../../graph/index.ts";

/**
 * The weights of a graph between points that represent m_i rows each: w_ij min(m_i, m_j). This corresponds to
 * neighbours among the rows, with a fixed number for every row: each row of the smaller group has a partner
 * in the larger one. If all groups have the same size, the weights grow with the masses, so a set in which
 * every row occurs r times has the path of the distinct rows, at the same gammas.
 */
export function massGraph(graph: Edges, masses: Float64Array | undefined): Edges {
  if (masses === undefined) return graph;
  const { nodes, from, to, weights } = graph;
  return { nodes, from, to, weights: weights.map((w, e) => w * Math.min(masses[from[e]], masses[to[e]])) };
}
