import type { Family } from "../path/fit.ts";
import { fusionBounds } from "../path/fusionBounds.ts";
import { groupProblem, type Hints, withConstant } from "../path/hints.ts";
import type { ConvexProblem, ConvexSolution } from "../solve/problem.ts";
import type { ResolvedOptions } from "../path/setting.ts";
import { solveConvex } from "../solve/solve.ts";

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
