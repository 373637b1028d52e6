import type { CheckedConstraints, Pair } from "../../../data/index.ts";
import { adjacency } from "../../../graph/index.ts";
import { breadthFirst } from "../../../graph/internal.ts";

/**
 * Cannot-links between must-link groups as a graph on the affected groups: nodes 0 .. count - 1, node v
 * representing the group `groups[v]`. A partition into K clusters that respects all pairs is a colouring of
 * this graph with K colours; groups without a cannot-link are free.
 */
export interface ExclusionGraph {
  readonly count: number;
  /** The must-link group of each node. */
  readonly groups: Int32Array;
  /** Neighbours of v: `neighbors[offsets[v]]` .. `neighbors[offsets[v + 1] - 1]`. */
  readonly offsets: Int32Array;
  readonly neighbors: Int32Array;
  /** For each entry of `neighbors` the cannot-link, as rows, behind it. */
  readonly pairs: readonly Pair[];
  /** Nodes of each connected component. */
  readonly parts: readonly Int32Array[];
}

export function exclusionGraph(constraints: CheckedConstraints): ExclusionGraph {
  const { group, groups: total, cannotLink } = constraints;
  const node = new Int32Array(total).fill(-1);
  const groups: number[] = [];
  const nodeOf = (row: number): number => {
    const g = group[row];
    if (node[g] < 0) {
      node[g] = groups.length;
      groups.push(g);
    }
    return node[g];
  };
  const from: number[] = [];
  const to: number[] = [];
  const links: Pair[] = [];
  const seen = new Set<number>();
  for (const pair of cannotLink) {
    const [a, b] = [nodeOf(pair[0]), nodeOf(pair[1])];
    const key = Math.min(a, b) * total + Math.max(a, b);
    if (seen.has(key)) continue;
    seen.add(key);
    from.push(a);
    to.push(b);
    links.push(pair);
  }
  const count = groups.length;
  const { offsets, neighbors, edges } = adjacency({
    nodes: count,
    from: Int32Array.from(from),
    to: Int32Array.from(to),
    weights: new Float64Array(links.length),
  });
  const pairs = Array.from(edges, (e) => links[e]);
  const parts = connectedParts(offsets, neighbors);
  return { count, groups: Int32Array.from(groups), offsets, neighbors, pairs, parts };
}

/**
 * The same edges between the given nodes only, renumbered in their order; `edge` may exclude further ones.
 */
export function subgraph(
  graph: ExclusionGraph,
  nodes: ArrayLike<number>,
  keep: (entry: number) => boolean = () => true,
): ExclusionGraph {
  const place = new Int32Array(graph.count).fill(-1);
  for (let s = 0; s < nodes.length; s++) place[nodes[s]] = s;
  const offsets = new Int32Array(nodes.length + 1);
  const neighbors: number[] = [];
  const pairs: Pair[] = [];
  for (let s = 0; s < nodes.length; s++) {
    const v = nodes[s];
    for (let e = graph.offsets[v]; e < graph.offsets[v + 1]; e++) {
      const t = place[graph.neighbors[e]];
      if (t < 0 || !keep(e)) continue;
      neighbors.push(t);
      pairs.push(graph.pairs[e]);
    }
    offsets[s + 1] = neighbors.length;
  }
  const list = Int32Array.from(neighbors);
  return {
    count: nodes.length,
    groups: Int32Array.from({ length: nodes.length }, (_, s) => graph.groups[nodes[s]]),
    offsets,
    neighbors: list,
    pairs,
    parts: connectedParts(offsets, list),
  };
}

function connectedParts(offsets: Int32Array, neighbors: Int32Array): Int32Array[] {
  const { order, starts } = breadthFirst({ offsets, neighbors });
  return starts.map((start, part) => order.slice(start, starts[part + 1]));
}
