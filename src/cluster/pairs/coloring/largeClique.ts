import type { ExclusionGraph } from "./exclusionGraph.ts";

/**
 * A large clique, the largest if the search ends within its budget (typical if rows have few pairs each);
 * stops at `enough` nodes.
 */
export function largeClique(graph: ExclusionGraph, enough: number): number[] {
  const { count, offsets, neighbors } = graph;
  const degree = (v: number): number => offsets[v + 1] - offsets[v];
  const order = Array.from({ length: count }, (_, v) => v).sort((a, b) => degree(b) - degree(a));
  const rank = new Int32Array(count);
  order.forEach((v, r) => (rank[v] = r));
  const edges = new Set<number>();
  for (let v = 0; v < count; v++) {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) edges.add(v * count + neighbors[e]);
  }
  let best: number[] = [];
  let steps = 0;
  const finished = (): boolean => best.length >= enough || steps > CLIQUE_STEPS;
  const grow = (clique: number[], candidates: readonly number[]): void => {
    if (clique.length > best.length) best = clique;
    for (let at = 0; at < candidates.length; at++) {
      if (finished() || clique.length + candidates.length - at <= best.length) return;
      steps++;
      const v = candidates[at];
      const common = candidates.slice(at + 1).filter((u) => edges.has(v * count + u));
      grow([...clique, v], common);
    }
  };
  for (const v of order) {
    if (finished()) break;
    const later = Array.from(neighbors.subarray(offsets[v], offsets[v + 1])).filter((u) => rank[u] > rank[v]);
    grow([v], later);
  }
  return best;
}

const CLIQUE_STEPS = 100_000;
