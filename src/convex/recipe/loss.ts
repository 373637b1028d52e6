import type { Matrix } from "../../matrix/index.ts";
import type { Family, Fit } from "../path/fit.ts";
import { fusionBounds } from "../path/fusionBounds.ts";
import { groupProblem, type GroupProblem, type Hints, withConstant } from "../path/hints.ts";
import type { Solved } from "../path/path.ts";
import type { Setting } from "../path/setting.ts";
import type { ConvexProblem, ConvexSolution } from "../solve/problem.ts";

/**
 * A recipe of convex clustering is a list of parts; each is a function from a setting to an `Outcome`:
 *
 *     loss          how centres pay for their distance from the rows, with its solver and certificate (below, rcc, scc)
 *     penalty       w_l ||u_i - u_j||_q over the edges: `Setting.solve`, one solver for each q
 *     weights       `Setting.graph`: mutual neighbours, given edges, or edges between must-link groups
 *     metric        B of the loss: I, or learned (ccml, ccscml)
 *     path, choice  the gammas, and the partition that is taken (path/fit.ts)
 *
 * src/recipes makes the setting from rows and options, and the result from the outcome.
 */
export interface Outcome<S extends Solved = Solved, More extends object = object> {
  readonly setting: Setting;
  readonly fit: Fit<S>;
  /** B on the scaled features; absent for the identity. */
  readonly B?: Matrix;
  readonly history: readonly HalfStep[];
  /** Warnings beyond those of the setting and the fit. */
  readonly warnings?: readonly string[];
  /** What the result has beyond that of every recipe. */
  readonly more?: More;
}

/** The objective after half an alternation. */
export interface HalfStep {
  readonly step: "centers" | "metric" | "projection";
  readonly gamma: number;
  readonly objective: number;
}

/** 1/2 sum_i m_i (x_i - u_i)' B (x_i - u_i), over gamma. */
export function squareLoss(
  rows: ConvexProblem,
  { options: { tolerance, solver }, solve, hints }: Pick<Setting, "options" | "solve" | "hints">,
): Family<ConvexSolution> {
  return lossOf(rows, hints, ({ problem, constant }) => ({
    bounds: fusionBounds(problem),
    solve: (gamma, start) => withConstant(solve(problem, { gamma, tolerance, start }, solver), constant),
  }));
}

/**
 * A loss over gamma, on must-link groups if there are any.
 *
 * @param rows X has the rows; the graph is between rows or, with hints, between must-link groups, and so is U then
 */
export function lossOf<S extends Solved>(
  rows: ConvexProblem,
  hints: Hints | undefined,
  loss: (grouped: GroupProblem) => Pick<Family<S>, "bounds" | "solve">,
): Family<S> {
  return {
    graph: rows.graph,
    group: hints?.constraints.group,
    masses: rows.masses,
    ...loss(groupProblem(rows, hints)),
  };
}

/** The U step in the history. */
export function centersStep({ step: { gamma, certificate } }: Fit<Solved>): HalfStep {
  return { step: "centers", gamma, objective: certificate.primal };
}

/** Values of the kept features at their positions among all; 0 for the others. */
export function spread(values: Float64Array, kept: readonly number[], features: number): Float64Array {
  const all = new Float64Array(features);
  kept.forEach((column, f) => (all[column] = values[f]));
  return all;
}
