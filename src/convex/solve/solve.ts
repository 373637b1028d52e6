import { optionError } from "../../core/internal.ts";
import { admm } from "./admm.ts";
import { solveL1 } from "./l1.ts";
import { solveL2 } from "./l2.ts";
import { solveLinf } from "./linf.ts";
import type { ConvexProblem, ConvexSolution, SolveOptions, SolverName } from "./problem.ts";
import { sparseCenters, type SccOptions, type SccSolution } from "./scc.ts";

/** Solves one convex clustering problem at one gamma, for any norm and metric. */
export function solveConvex(
  problem: ConvexProblem,
  options: SolveOptions,
  solver: SolverName = "default",
): ConvexSolution {
  if (solver === "admm") return admm(problem, options);
  if (problem.norm === 1) return solveL1(problem, options);
  if (problem.norm === 2) return solveL2(problem, options);
  if (problem.norm === "inf") return solveLinf(problem, options);
  throw optionError(`the norm must be 1, 2 or "inf", got ${String(problem.norm)}`);
}

/** Sparse convex clustering at one gamma (scc.ts). */
export function solveScc(problem: ConvexProblem, options: SccOptions): SccSolution {
  return sparseCenters(problem, options, solveConvex);
}
