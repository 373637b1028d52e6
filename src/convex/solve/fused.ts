import type { Edges } from "../../graph/index.ts";
import type { Matrix } from "../../matrix/index.ts";

/** Edges whose ends have bitwise the same centre: levels are exact, so no tolerance is needed. */
export function fusedEdges(graph: Edges, U: Matrix): Uint8Array {
  const d = U.cols;
  const fused = new Uint8Array(graph.from.length);
  for (let e = 0; e < fused.length; e++) {
    const i = graph.from[e] * d;
    const j = graph.to[e] * d;
    let k = 0;
    while (k < d && U.data[i + k] === U.data[j + k]) k++;
    fused[e] = k === d ? 1 : 0;
  }
  return fused;
}
