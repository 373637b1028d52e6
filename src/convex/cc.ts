import { resolveOptions } from "../core/options.ts";
import type { Matrix } from "../matrix/matrix.ts";
import { type Family, fitPath } from "./fit.ts";
import { fusionBounds } from "./fusionBounds.ts";
import { groupProblem, type Hints, withConstant } from "./hints.ts";
import type { ConvexProblem, ConvexSolution } from "./problem.ts";
import { type ConvexClustering, convexClustering } from "./result.ts";
import { COMMON, type ConvexOptions, makeSetting, type ResolvedOptions, warnComponents } from "./setting.ts";
import { solveConvex } from "./solve.ts";

/**
 * Convex clustering (E. C. Chi and K. Lange, 2015; P0 (1)):
 *
 *     min_U 1/2 sum_i ||x_i - u_i||^2 + gamma sum_l w_l ||u_i - u_j||_q
 *
 * over a path of gammas; rows whose centres are equal along edges are one cluster. Deterministic.
 */
export function cc(X: Matrix, options?: ConvexOptions): ConvexClustering {
  const setting = makeSetting("cc", X, resolveOptions("cc", options, COMMON) as ResolvedOptions);
  const resolved = setting.options;
  warnComponents(setting);
  const problem: ConvexProblem = { X: setting.scaled.X, graph: setting.graph, norm: resolved.norm };
  const fit = fitPath(convexFamily(problem, resolved, setting.hints), resolved, setting.judge);
  const { gamma, certificate } = fit.step;
  return convexClustering({
    setting,
    fit,
    history: [{ step: "centers", gamma, objective: certificate.primal }],
  });
}

/**
 * A convex problem as a family over gamma.
 *
 * @param rows X has the rows; the graph is between rows or, with hints, between must-link groups, and so is U then
 */
export function convexFamily(
  rows: ConvexProblem,
  { tolerance, solver }: Pick<ResolvedOptions, "tolerance" | "solver">,
  hints?: Hints,
): Family<ConvexSolution> {
  const { problem, constant } = groupProblem(rows, hints);
  return {
    graph: problem.graph,
    ...(hints !== undefined && { group: hints.constraints.group }),
    bounds: fusionBounds(problem),
    solve: (gamma, start) =>
      withConstant(
        solveConvex(problem, { gamma, tolerance, ...(start !== undefined && { start }) }, solver),
        constant,
      ),
  };
}
