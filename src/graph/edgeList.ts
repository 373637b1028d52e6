import { inputError } from "../core/internal.ts";
import type { Edges } from "./edges.ts";

/**
 * A graph from given index pairs and weights, checked: rows in range, no loops, no pair twice, weights finite
 * and not negative. Pairs of weight zero do not exist in the result.
 */
export function edgeList(
  nodes: number,
  pairs: ArrayLike<readonly [number, number]>,
  weights?: ArrayLike<number>,
): Edges {
  if (weights !== undefined && weights.length !== pairs.length) {
    throw inputError(`there are ${pairs.length} edges, but ${weights.length} weights`);
  }
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
    weights: pick(weights, order),
  };
}

function pick(values: Float64Array, order: Int32Array): Float64Array {
  return Float64Array.from(order, (e) => values[e]);
}
