import type { ExclusionGraph } from "./exclusionGraph.ts";

/**
 * A colouring under construction, with the data for DSATUR (D. Brelaz, 1979): the uncoloured nodes in lists
 * by saturation, the number of colours of their neighbours. Colouring and undoing cost one step per
 * neighbour.
 *
 * @param nodes those that wait for a colour, all by default; the others are ignored until they are coloured
 */
export function partialColoring(graph: ExclusionGraph, K: number, nodes?: ArrayLike<number>) {
  const { count, offsets, neighbors } = graph;
  const colors = new Int32Array(count).fill(-1);
  const taken = new Int32Array(count * K);
  const saturation = new Int32Array(count);
  const head = new Int32Array(K + 1).fill(-1);
  const next = new Int32Array(count).fill(-1);
  const previous = new Int32Array(count).fill(OUTSIDE);
  let top = 0;

  const insert = (v: number): void => {
    const s = saturation[v];
    const first = head[s];
    next[v] = first;
    if (first >= 0) previous[first] = v;
    previous[v] = -1;
    head[s] = v;
    if (s > top) top = s;
  };
  const remove = (v: number): void => {
    const before = previous[v];
    if (before === OUTSIDE) return;
    const after = next[v];
    if (before < 0) head[saturation[v]] = after;
    else next[before] = after;
    if (after >= 0) previous[after] = before;
    previous[v] = OUTSIDE;
  };
  const move = (u: number, by: 1 | -1): void => {
    const listed = previous[u] !== OUTSIDE;
    if (listed) remove(u);
    saturation[u] += by;
    if (listed) insert(u);
  };
  const color = (v: number, k: number): void => {
    remove(v);
    colors[v] = k;
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      if (taken[neighbors[e] * K + k]++ === 0) move(neighbors[e], 1);
    }
  };
  const uncolor = (v: number): void => {
    const k = colors[v];
    for (let e = offsets[v]; e < offsets[v + 1]; e++) {
      if (--taken[neighbors[e] * K + k] === 0) move(neighbors[e], -1);
    }
    colors[v] = -1;
    insert(v);
  };
  for (let s = (nodes?.length ?? count) - 1; s >= 0; s--) insert(nodes === undefined ? s : nodes[s]);
  return {
    /** -1: none yet. */
    colors,
    /** How many neighbours of v have colour k, at v K + k. */
    taken,
    color,
    uncolor,
    /** An uncoloured node of the highest saturation, with the largest `score` among the first few; -1: none left. */
    pick(score: (v: number) => number): number {
      while (top > 0 && head[top] < 0) top--;
      let best = -1;
      let highest = -Infinity;
      for (let v = head[top], looked = 0; v >= 0 && looked < LOOKED; v = next[v], looked++) {
        const value = score(v);
        if (value > highest) {
          highest = value;
          best = v;
        }
      }
      return best;
    },
    /** Adds v to the nodes that wait for a colour. */
    enter(v: number): void {
      if (previous[v] === OUTSIDE && colors[v] < 0) insert(v);
    },
    /** Removes v's colour, if it has one, and v from the waiting nodes. */
    leave(v: number): void {
      if (colors[v] >= 0) uncolor(v);
      remove(v);
    },
  };
}

const OUTSIDE = -2;
/** Number of nodes compared by score; a bound, so the cost of a step does not grow with the graph. */
const LOOKED = 64;
