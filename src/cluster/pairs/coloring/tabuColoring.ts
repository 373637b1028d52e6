import type { Random } from "../../../core/index.ts";
import type { ExclusionGraph } from "./exclusionGraph.ts";

/**
 * A. Hertz and D. de Werra (1987), "Using tabu search techniques for graph coloring": from given colours,
 * makes the move of a conflicting node that leaves the fewest conflicts; its old colour is forbidden for a
 * while. Removes the last few conflicts after annealing; undefined proves nothing.
 */
export function tabuColoring(
  graph: ExclusionGraph,
  K: number,
  start: Int32Array,
  steps: number,
  stream: Random,
): Int32Array | undefined {
  const { count, offsets, neighbors } = graph;
  const colors = start.slice();
  const taken = new Int32Array(count * K);
  for (let v = 0; v < count; v++) {
    for (let e = offsets[v]; e < offsets[v + 1]; e++) taken[v * K + colors[neighbors[e]]]++;
  }
  const until = new Int32Array(count * K);
  const conflicting = new Int32Array(count);
  const place = new Int32Array(count).fill(-1);
  let wrong = 0;
  const update = (v: number): void => {
    const bad = taken[v * K + colors[v]] > 0;
    if (bad === place[v] >= 0) return;
    if (bad) {
      place[v] = wrong;
      conflicting[wrong++] = v;
      return;
    }
    const last = conflicting[--wrong];
    conflicting[place[v]] = last;
    place[last] = place[v];
    place[v] = -1;
  };
  for (let v = 0; v < count; v++) update(v);
  for (let step = 1; step <= steps; step++) {
    if (wrong === 0) return colors;
    let node = -1;
    let color = -1;
    let least = Infinity;
    let equal = 0;
    for (let s = 0; s < wrong; s++) {
      const v = conflicting[s];
      const at = v * K;
      for (let k = 0; k < K; k++) {
        if (k === colors[v]) continue;
        const change = taken[at + k] - taken[at + colors[v]];
        // A forbidden move is taken only if it removes all conflicts of the node.
        if (until[at + k] >= step && taken[at + k] > 0) continue;
        if (change < least) {
          least = change;
          equal = 1;
        } else if (change > least || stream.integer(++equal) > 0) continue;
        node = v;
        color = k;
      }
    }
    if (node < 0) continue;
    const old = colors[node];
    until[node * K + old] = step + 7 + stream.integer(10) + Math.floor(0.6 * wrong);
    colors[node] = color;
    update(node);
    for (let e = offsets[node]; e < offsets[node + 1]; e++) {
      const u = neighbors[e];
      taken[u * K + old]--;
      taken[u * K + color]++;
      update(u);
    }
  }
  return wrong === 0 ? colors : undefined;
}
