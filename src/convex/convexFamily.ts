import type { Family } from "./fit.ts";
import { fusionBounds } from "./fusionBounds.ts";
import { groupProblem, type Hints, withConstant } from "./hints.ts";
import type { ConvexProblem, ConvexSolution } from "./problem.ts";
import type { ResolvedOptions } from "./setting.ts";
import { solveConvex } from "./solve.ts";

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
    ...(rows.masses !== undefined && { masses: rows.masses }),
    bounds: fusionBounds(problem),
    solve: (gamma, start) =>
      withConstant(
        solveConvex(problem, { gamma, tolerance, ...(start !== undefined && { start }) }, solver),
        constant,
      ),
  };
}
