import type { Random } from "../../core/index.ts";
import { lloyd, type CenterRule, type LloydRun } from "./lloyd.ts";
import type { Assigner, Points } from "./points.ts";
import { bestOfRestarts, type RestartPlan } from "./restarts.ts";
import { seedCenters } from "./seeding.ts";

export interface LloydPlan extends Omit<RestartPlan, "restarts"> {
  readonly points: Points;
  readonly weights: Float64Array | undefined;
  readonly clusters: number;
  /** The assignment rule. */
  readonly assigner: Assigner;
  /** The centre rule; the means by default. */
  readonly rule?: CenterRule;
  /** The given centres, from which there is one run; without them each run starts from centres by k-means++. */
  readonly initial: Float64Array | undefined;
  /** 10 by default. */
  readonly restarts: number | undefined;
  readonly tolerance: number;
  /** The labels of k-means++ are those of a first assignment: nothing but the nearest centre decides. */
  readonly free: boolean;
}

/** Lloyd's algorithm from each start; the best run. */
export function bestLloyd(plan: LloydPlan, streams: Random, warnings: string[]): LloydRun {
  const { points, weights, clusters, assigner, rule, initial, maxIterations, tolerance } = plan;
  const drawn = initial === undefined;
  return bestOfRestarts(
    { ...plan, restarts: drawn ? (plan.restarts ?? 10) : 1 },
    warnings,
    ({ history }) => history[history.length - 1],
    (_, report) => {
      const centers = initial ?? seedCenters(points, clusters, weights, streams.split());
      const limits = { maxIterations, tolerance, report };
      return lloyd(points, weights, centers, assigner, limits, rule, drawn && plan.free);
    },
  );
}
