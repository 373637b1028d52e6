/**
 * A weighted undirected graph as flat arrays: edge e joins `from[e]` < `to[e]` with weight `weights[e]` > 0. Edges with
 * weight zero do not exist, and no edge occurs twice.
 */
export interface Edges {
  readonly nodes: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly weights: Float64Array;
}

export function noEdges(nodes: number): Edges {
  return { nodes, from: new Int32Array(0), to: new Int32Array(0), weights: new Float64Array(0) };
}

/** For each node the edges that touch it: entries `offsets[i]` to `offsets[i + 1]` of the other three arrays. */
export interface Adjacency {
  readonly offsets: Int32Array;
  readonly neighbors: Int32Array;
  /** Index into the edge list. */
  readonly edges: Int32Array;
  /** +1 if the node is the edge's `from`, -1 if it is its `to`. */
  readonly signs: Int8Array;
}

/** The neighbours of every node, in one list. */
export function adjacency(graph: Edges): Adjacency {
  const { nodes, from, to } = graph;
  const offsets = new Int32Array(nodes + 1);
  for (let e = 0; e < from.length; e++) {
    offsets[from[e] + 1]++;
    offsets[to[e] + 1]++;
  }
  for (let i = 0; i < nodes; i++) offsets[i + 1] += offsets[i];
  const next = offsets.slice(0, nodes);
  const neighbors = new Int32Array(2 * from.length);
  const edges = new Int32Array(2 * from.length);
  const signs = new Int8Array(2 * from.length);
  for (let e = 0; e < from.length; e++) {
    const atFrom = next[from[e]]++;
    neighbors[atFrom] = to[e];
    edges[atFrom] = e;
    signs[atFrom] = 1;
    const atTo = next[to[e]]++;
    neighbors[atTo] = from[e];
    edges[atTo] = e;
    signs[atTo] = -1;
  }
  return { offsets, neighbors, edges, signs };
}
