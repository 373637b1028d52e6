import { inputError } from "../core/internal.ts";
import { requireCount, requireList } from "../matrix/internal.ts";

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

/** The nodes by breadth-first searches, one component after the other, and where these begin: neighbours are near each other. */
export function breadthFirst({ offsets, neighbors }: Pick<Adjacency, "offsets" | "neighbors">) {
  const nodes = offsets.length - 1;
  const order = new Int32Array(nodes);
  const seen = new Uint8Array(nodes);
  const starts: number[] = [];
  let end = 0;
  const visit = (node: number): void => {
    if (seen[node] === 1) return;
    seen[node] = 1;
    order[end++] = node;
  };
  for (let source = 0, next = 0; source < nodes; source++) {
    if (seen[source] === 0) starts.push(end);
    visit(source);
    for (; next < end; next++) {
      for (let p = offsets[order[next]]; p < offsets[order[next] + 1]; p++) visit(neighbors[p]);
    }
  }
  return { order, starts };
}

/**
 * A graph from given index pairs and weights, checked: rows in range, no loops, no pair twice, weights finite
 * and not negative. Pairs of weight zero do not exist in the result.
 */
export function edgeList(
  nodes: number,
  pairs: ArrayLike<readonly [number, number]>,
  weights?: ArrayLike<number>,
): Edges {
  requireCount(nodes, "the number of nodes");
  requireList(pairs, "the edges");
  if (weights !== undefined) requireList(weights, "the weights");
  if (weights !== undefined && weights.length !== pairs.length) {
    throw inputError(`there are ${pairs.length} edges, but ${weights.length} weights`);
  }
  for (let e = 0; e < pairs.length; e++) requireList(pairs[e], `edge ${e}`);
  const from = Int32Array.from({ length: pairs.length }, (_, e) => Math.min(pairs[e][0], pairs[e][1]));
  const to = Int32Array.from({ length: pairs.length }, (_, e) => Math.max(pairs[e][0], pairs[e][1]));
  for (let e = 0; e < pairs.length; e++) {
    for (const end of pairs[e]) {
      if (!Number.isInteger(end)) throw inputError(`edge ${e} has an end that is not a row number: ${end}`);
    }
  }
  const ones = new Float64Array(pairs.length).fill(1);
  return requireEdges({ nodes, from, to, weights: weights ? Float64Array.from(weights) : ones });
}

/** The graph without its edges of weight zero, ordered by (from, to); an error names the first bad edge. */
export function requireEdges(graph: Edges): Edges {
  const { nodes, from, to, weights } = graph;
  if (to.length !== from.length || weights.length !== from.length) {
    throw inputError(
      `a graph needs as many "to" and "weights" as "from": ${from.length}, ${to.length}, ${weights.length}`,
    );
  }
  for (let e = 0; e < from.length; e++) {
    const name = `edge ${e} (${from[e]}, ${to[e]})`;
    if (from[e] < 0 || to[e] < 0 || from[e] >= nodes || to[e] >= nodes) {
      throw inputError(`${name} leaves the rows 0 to ${nodes - 1}`);
    }
    if (from[e] === to[e]) throw inputError(`${name} joins a row with itself`);
    if (!Number.isFinite(weights[e]) || weights[e] < 0) {
      throw inputError(`${name} has weight ${weights[e]}; weights must be finite and not negative`);
    }
  }
  const order = Int32Array.from({ length: from.length }, (_, e) => e).filter((e) => weights[e] > 0);
  const low = from.map((i, e) => Math.min(i, to[e]));
  const high = from.map((i, e) => Math.max(i, to[e]));
  order.sort((a, b) => low[a] - low[b] || high[a] - high[b] || a - b);
  for (let p = 1; p < order.length; p++) {
    if (low[order[p]] === low[order[p - 1]] && high[order[p]] === high[order[p - 1]]) {
      throw inputError(
        `edges ${order[p - 1]} and ${order[p]} join the same rows ${low[order[p]]} and ${high[order[p]]}`,
      );
    }
  }
  return {
    nodes,
    from: order.map((e) => low[e]),
    to: order.map((e) => high[e]),
    weights: Float64Array.from(order, (e) => weights[e]),
  };
}
