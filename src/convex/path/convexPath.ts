import { asMatrix, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import {
  given,
  option,
  optionError,
  plain,
  progressGate,
  real,
  resolveOptions,
  type RulesOf,
} from "../../core/internal.ts";
import { densePoints, distinctRows } from "../../cluster/internal.ts";
import { components, type Edges } from "../../graph/index.ts";
import { convexFamily } from "../recipe/convexFamily.ts";
import { availableCounts } from "./fit.ts";
import { fusionTree, gaps } from "./fusionTree.ts";
import { clusterPath, type PathStep } from "./path.ts";
import type { ClusterPath } from "./result.ts";
import { COMMON, type ConvexOptions, makeSetting, type ResolvedOptions } from "./setting.ts";

/** The options of convex clustering that concern the path; it makes no choice. */
export interface ConvexPathOptions extends Pick<
  ConvexOptions,
  | "gammas"
  | "norm"
  | "solver"
  | "tolerance"
  | "neighbors"
  | "kind"
  | "alpha"
  | "rawAlpha"
  | "graph"
  | "join"
  | "scale"
  | "batch"
  | "onProgress"
> {
  /** Largest ratio of neighbouring gammas where the number of clusters changes. */
  readonly ratio?: number;
  /** Ends the path when this share of the rows is separate. */
  readonly until?: number;
  /**
   * Receives every step with its centres U (n x d, in scaled units) and edge duals Z (one row per edge of the
   * graph) once, in the order of solving.
   */
  readonly onStep?: (step: PathStep, centers: Matrix, duals: Matrix) => void;
}

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

export const convexPathOptions: RulesOf<ConvexPathOptions> = {
  gammas: COMMON.gammas,
  norm: COMMON.norm,
  solver: COMMON.solver,
  tolerance: COMMON.tolerance,
  neighbors: COMMON.neighbors,
  kind: COMMON.kind,
  alpha: COMMON.alpha,
  rawAlpha: COMMON.rawAlpha,
  graph: COMMON.graph,
  join: COMMON.join,
  scale: COMMON.scale,
  batch: COMMON.batch,
  onProgress: COMMON.onProgress,
  ratio: real({
    above: 1,
    max: 100,
    default: 1.25,
    says: "largest ratio of neighbouring gammas where the number of clusters changes",
  }),
  until: real({
    above: 0,
    max: 1,
    default: 1,
    says: "ends the path when this share of the rows is separate",
  }),
  onStep: given<NonNullable<ConvexPathOptions["onStep"]>>(
    "a function",
    (value) => typeof value === "function",
  ),
};

/** The whole clusterpath of convex clustering, from complete fusion until the rows are separate. */
export function convexPath(input: MatrixLike, options?: ConvexPathOptions): ConvexPath {
  const X = asMatrix(input, "convexPath");
  const { ratio, until, onStep, ...rest } = resolveOptions<ConvexPathOptions, typeof convexPathOptions>(
    "convexPath",
    options,
    convexPathOptions,
  );
  if (rest.gammas !== undefined && (options?.ratio !== undefined || options?.until !== undefined)) {
    const other = options.ratio !== undefined ? "ratio" : "until";
    throw optionError(
      `convexPath: ${option("gammas")} sets every gamma; it cannot be combined with ${option(other)}`,
    );
  }
  const resolved = { protocol: "strict", merge: "largest", choose: "wss", ...rest } as ResolvedOptions;
  const { scaled, graph, warnings } = makeSetting("convexPath", X, resolved);
  const parts = components(graph).count;
  // Duplicate rows need not separate at any gamma.
  const most = Math.max(parts, distinctRows(densePoints(scaled.X), undefined, X.rows));
  const path = clusterPath({
    ...convexFamily({ X: scaled.X, graph, norm: resolved.norm }, resolved),
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
