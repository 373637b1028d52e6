import { optionError } from "../../core/internal.ts";
import { admm } from "./admm.ts";
import { solveL1 } from "./l1.ts";
import { solveL2 } from "./l2.ts";
import { solveLinf } from "./linf.ts";
import type { ConvexProblem, ConvexSolution, SolveOptions } from "./problem.ts";

/**
 * "default": the exact or certified method of each norm. "admm": Algorithms 1 and 2 of the papers, the
 * reference.
 */
export type SolverName = "default" | "admm";

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
