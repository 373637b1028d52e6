import { solveConvex, type PathStep } from "../convex/index.ts";
import {
  availableCounts,
  clusterPath,
  COMMON,
  distinctCount,
  fusionTree,
  gaps,
  makeSetting,
  squareLoss,
} from "../convex/internal.ts";
import { option, optionError, plain, progressGate, rule } from "../core/internal.ts";
import { components, type Edges } from "../graph/index.ts";
import { asMatrix, type Matrix, type MatrixLike } from "../matrix/index.ts";
import type { ClusterPath } from "./result.ts";

/** The options of convex clustering that concern the path; it makes no choice. */
export const convexPathOptions = {
  ...rule.without(COMMON, "clusters", "gamma", "protocol", "merge", "choose", "mustLink", "cannotLink"),
  /** Largest ratio of neighbouring gammas where the number of clusters changes. */
  ratio: rule.real({
    above: 1,
    max: 100,
    default: 1.25,
    says: "largest ratio of neighbouring gammas where the number of clusters changes",
  }),
  /** Ends the path when this share of the rows is separate. */
  until: rule.real({
    above: 0,
    max: 1,
    default: 1,
    says: "ends the path when this share of the rows is separate",
  }),
  /**
   * Receives every step with its centres U (n x d, in scaled units) and edge duals Z (one row per edge of the
   * graph) once, in the order of solving.
   */
  onStep: rule.callback<(step: PathStep, centers: Matrix, duals: Matrix) => void>(),
};

export type ConvexPathOptions = rule.OptionsOf<typeof convexPathOptions>;

export interface ConvexPath extends ClusterPath {
  readonly graph: Edges;
  /** Connected components of the graph: the smallest number of clusters at any gamma. */
  readonly components: number;
  readonly availableCounts: readonly number[];
  /** Every solve reached its tolerance, and the path ran to its end. */
  readonly converged: boolean;
  readonly warnings: readonly string[];
  toJSON(): object;
}

/** The whole clusterpath of convex clustering, from complete fusion until the rows are separate. */
export function convexPath(input: MatrixLike, options?: ConvexPathOptions): ConvexPath {
  const X = asMatrix(input, "convexPath");
  const { ratio, until, onStep, ...rest } = rule.resolveOptions("convexPath", options, convexPathOptions);
  if (rest.gammas !== undefined && (options?.ratio !== undefined || options?.until !== undefined)) {
    const other = options.ratio !== undefined ? "ratio" : "until";
    throw optionError(
      `convexPath: ${option("gammas")} sets every gamma; it cannot be combined with ${option(other)}`,
    );
  }
  const resolved = { ...rule.resolveOptions("convexPath", {}, COMMON), ...rest };
  const setting = makeSetting("convexPath", X, resolved, { solve: solveConvex });
  const { scaled, graph, warnings } = setting;
  const parts = components(graph).count;
  // Duplicate rows need not separate at any gamma.
  const most = Math.max(parts, distinctCount(scaled.X));
  const path = clusterPath({
    ...squareLoss({ X: scaled.X, graph, norm: resolved.norm }, setting),
    ...(resolved.gammas !== undefined && { gammas: resolved.gammas }),
    ratio,
    enough: ({ clusters }) => clusters >= parts + until * (most - parts),
    maxSteps: 2000,
    visit: (step, { U, Z }) => onStep?.(step, U, Z),
    progress: progressGate(resolved.onProgress),
  });
  const { steps } = path;
  const unproven = steps.filter((step) => !step.converged).length;
  if (unproven > 0) warnings.push(`${unproven} of ${steps.length} solves did not reach the tolerance`);
  if (!path.complete) warnings.push(`the path was stopped early, after ${steps.length} gammas`);
  return plain({
    ...path,
    ...fusionTree(steps, X.rows),
    gaps: gaps(steps),
    graph,
    components: parts,
    availableCounts: availableCounts(steps),
    converged: unproven === 0 && path.complete,
    warnings,
  });
}
