import type { Edges } from "../../graph/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import type { Certificate, ConvexProblem, ConvexSolution } from "./problem.ts";

/** Centres and edge duals with their proof. */
interface Proved extends Pick<ConvexSolution, "gamma" | "U" | "Z" | "iterations"> {
  readonly proof: Certificate;
}

/** The solution of a problem: whether its proof reaches the tolerance, and which edges are fused. */
export function solutionOf(
  { graph }: Pick<ConvexProblem, "graph">,
  { gamma, U, Z, iterations, proof }: Proved,
  tolerance: number,
): ConvexSolution {
  const converged = proof.relativeGap <= tolerance;
  return { gamma, U, Z, certificate: proof, converged, iterations, fused: fusedEdges(graph, U) };
}

/** Edges whose ends have bitwise the same centre: levels are exact, so no tolerance is needed. */
export function fusedEdges(graph: Edges, U: Matrix): Uint8Array {
  const d = U.cols;
  return edgesWhere(graph, (from, to) => {
    const [i, j] = [from * d, to * d];
    let k = 0;
    while (k < d && U.data[i + k] === U.data[j + k]) k++;
    return k === d;
  });
}

/** 1 for each edge whose ends meet the condition. */
export function edgesWhere({ from, to }: Edges, holds: (i: number, j: number) => boolean): Uint8Array {
  const marks = new Uint8Array(from.length);
  for (let e = 0; e < marks.length; e++) marks[e] = holds(from[e], to[e]) ? 1 : 0;
  return marks;
}
