import type { ExclusionGraph } from "./exclusionGraph.ts";

/**
 * Finds nearby nodes that K colours cannot colour: the neighbours of a node v have only K - 1 colours, those
 * of a node among these K - 2, and so on down to two colours, where an odd cycle is a proof. So a clique of K
 * - 2 whose common neighbours contain an odd cycle (for K = 3 an odd wheel) is found at once, however large
 * the rest of the graph. Undefined proves nothing.
 */
export function neighborhoodConflict(graph: ExclusionGraph, K: number): Int32Array | undefined {
  const { count, offsets, neighbors } = graph;
  if (K < 2) return undefined;
  /** The innermost nested set of a node. */
  const level = new Int32Array(count);
  const degree = new Int32Array(count);
  const parent = new Int32Array(count);
  const side = new Int8Array(count);
  let steps = 0;
  const found = search(
    Array.from({ length: count }, (_, v) => v),
    K,
    0,
  );
  return found === undefined ? undefined : Int32Array.from(found);

  /** @param set the nodes of this level, which have k colours */
  function search(set: readonly number[], k: number, depth: number): number[] | undefined {
    const core = peel(set, k, depth);
    if (core.length <= k) return undefined;
    if (k === 2) return oddCycle(core, depth);
    for (const v of core) {
      if (steps > MOST_STEPS) return undefined;
      const around = inside(v, depth);
      for (const u of around) level[u] = depth + 1;
      const conflict = search(around, k - 1, depth + 1);
      for (const u of around) level[u] = depth;
      if (conflict !== undefined) return [v, ...conflict];
    }
    return undefined;
  }

  function inside(v: number, depth: number): number[] {
    const around: number[] = [];
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      if (level[neighbors[e]] === depth) around.push(neighbors[e]);
    }
    steps += offsets[v + 1] - offsets[v];
    return around;
  }

  /** Nodes with fewer than k neighbours inside the set leave it. */
  function peel(set: readonly number[], k: number, depth: number): number[] {
    const gone: number[] = [];
    for (const v of set) {
      degree[v] = inside(v, depth).length;
      if (degree[v] < k) gone.push(v);
    }
    for (const v of gone) level[v] = depth - 1;
    for (let head = 0; head < gone.length; head++) {
      for (const u of inside(gone[head], depth)) {
        if (--degree[u] >= k) continue;
        level[u] = depth - 1;
        gone.push(u);
      }
    }
    return gone.length === 0 ? [...set] : set.filter((v) => level[v] === depth);
  }

  function oddCycle(set: readonly number[], depth: number): number[] | undefined {
    for (const v of set) side[v] = 0;
    for (const root of set) {
      if (side[root] !== 0) continue;
      side[root] = 1;
      parent[root] = root;
      const queue = [root];
      for (const v of queue) {
        for (const u of inside(v, depth)) {
          if (side[u] === side[v]) return joinedPaths(v, u);
          if (side[u] !== 0) continue;
          side[u] = side[v] === 1 ? -1 : 1;
          parent[u] = v;
          queue.push(u);
        }
      }
    }
    return undefined;
  }

  /** The cycle through the edge (v, u) and the tree of the search. */
  function joinedPaths(v: number, u: number): number[] {
    const up = [v];
    while (parent[up[up.length - 1]] !== up[up.length - 1]) up.push(parent[up[up.length - 1]]);
    const cycle: number[] = [];
    for (let w = u; !up.includes(w); w = parent[w]) cycle.push(w);
    const meeting = cycle.length === 0 ? u : parent[cycle[cycle.length - 1]];
    return [...up.slice(0, up.indexOf(meeting) + 1), ...cycle];
  }
}

/** Neighbour checks before the search ends without a result. */
const MOST_STEPS = 20_000_000;
