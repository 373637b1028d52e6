import { withTotalVariation } from "../../graph/internal.ts";
import { matrix, transpose } from "../../matrix/index.ts";
import type { ConvexProblem, ConvexSolution } from "./problem.ts";

/**
 * One total variation per feature k with its own gammas[k], the fidelity of feature k weighted by b_k. Z is in the
 * units of the whole problem: |z_lk| <= b_k gammas[k] w_l.
 */
export function solveFeatures(
  { X, graph, masses, metric }: ConvexProblem,
  gammas: Float64Array,
  start?: Pick<ConvexSolution, "U" | "Z">,
) {
  const [n, d, m] = [X.rows, X.cols, graph.from.length];
  const warm = start !== undefined;
  const y = transpose(X).data;
  const u = warm ? transpose(start.U).data : new Float64Array(d * n);
  const flows = warm ? transpose(start.Z).data : new Float64Array(d * m);
  const diagonal = metric instanceof Float64Array ? metric : undefined;
  if (diagonal !== undefined && warm) scaleRows(flows, m, (k) => 1 / diagonal[k]);
  withTotalVariation(graph, masses, d, (tv) => tv.solve({ y, gammas, u, flows, warm }));
  if (diagonal !== undefined) scaleRows(flows, m, (k) => diagonal[k]);
  return { U: transpose(matrix(d, n, u)), Z: transpose(matrix(d, m, flows)) };
}

function scaleRows(values: Float64Array, length: number, factor: (row: number) => number): void {
  for (let k = 0; k * length < values.length; k++) {
    const f = factor(k);
    for (let p = k * length; p < (k + 1) * length; p++) values[p] *= f;
  }
}
