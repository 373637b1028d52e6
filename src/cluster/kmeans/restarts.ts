import { matrixRule } from "../../matrix/internal.ts";
import type { OnProgress, Random } from "../../core/index.ts";
import { progressGate, rule } from "../../core/internal.ts";
import { lloyd, type LloydParts, type LloydRun, type ReportIteration } from "./lloyd.ts";
import { seedCenters } from "./seeding.ts";

export interface LloydPlan extends LloydParts, Omit<RestartPlan, "restarts"> {
  readonly clusters: number;
  /** The given centres, from which there is one run; without them each run starts from centres by k-means++. */
  readonly initial: Float64Array | undefined;
  /** 10 by default. */
  readonly restarts: number | undefined;
  /** The labels of k-means++ are those of a first assignment: nothing but the nearest centre decides. */
  readonly free: boolean;
}

/** Lloyd's algorithm from each start; the best run. */
export function bestLloyd(plan: LloydPlan, streams: Random, warnings: string[]): LloydRun {
  const { points, weights, clusters, initial } = plan;
  const drawn = initial === undefined;
  return bestOfRestarts(
    { ...plan, restarts: drawn ? (plan.restarts ?? 10) : 1 },
    warnings,
    ({ history }) => history[history.length - 1],
    (_, report) => {
      const centers = initial ?? seedCenters(points, clusters, weights, streams.split());
      return lloyd(plan, centers, report, drawn && plan.free);
    },
  );
}

export interface RestartPlan {
  readonly restarts: number;
  /** Limit of each run, for the warning about runs that reached it. */
  readonly maxIterations: number;
  readonly onProgress?: OnProgress | undefined;
  /** The factor of the rows, hidden from `onProgress`; 1 by default. */
  readonly scale?: number;
}

/**
 * The run with the smallest objective, the first one in a tie. Runs that did not converge are counted in a
 * warning; a stop by `onProgress` gives another warning, and ends the restarts.
 */
export function bestOfRestarts<R extends { readonly converged: boolean }>(
  { restarts, maxIterations, onProgress, scale = 1 }: RestartPlan,
  warnings: string[],
  objectiveOf: (run: R) => number,
  runFrom: (restart: number, report: ReportIteration, best: R | undefined) => R,
): R {
  const gate = progressGate(onProgress);
  let best: R | undefined;
  let least = Infinity;
  let capped = 0;
  for (let restart = 0; restart < restarts; restart++) {
    const report: ReportIteration = (iteration, objective) =>
      gate({
        fraction: (restart + iteration / (iteration + 20)) / restarts,
        label: restarts === 1 ? `iteration ${iteration}` : `restart ${restart + 1} of ${restarts}`,
        ...(objective === undefined ? {} : { objective: Math.min(objective, least) / scale / scale }),
      });
    const run = runFrom(restart, report, best);
    if (best === undefined || objectiveOf(run) < least) {
      best = run;
      least = objectiveOf(run);
    }
    if (gate.stopped) {
      warnings.push(`stopped by onProgress in restart ${restart + 1} of ${restarts}`);
      break;
    }
    if (!run.converged) capped++;
  }
  if (capped > 0) {
    warnings.push(
      `${capped} of ${restarts} ${restarts === 1 ? "run" : "runs"} had not converged after ${maxIterations} iterations`,
    );
  }
  return best!;
}

/**
 * Options that methods with restarts and iterations declare in the same way; a method with other defaults
 * overrides them.
 */
export const RUN_RULES = {
  restarts: rule.integer({ min: 1, max: 10_000, default: 10, says: "independent starts; the best is kept" }),
  seed: rule.seed,
  /** One weight >= 0 per row; a weight of 2 is the same as the row occurring twice. */
  weights: rule.given<ArrayLike<number>>("an array of numbers", rule.isList),
  maxIterations: rule.integer({ min: 1, default: 300, says: "maximum number of iterations of each start" }),
  onProgress: rule.progress,
};

/** For methods that take the number of clusters or the starting centres; with the latter there is one run. */
export const START_RULES = {
  /** K; may be left out when `initialCenters` is given. */
  clusters: rule.integer({ min: 1 }),
  /** K x d; cluster k of the result grows from row k. */
  initialCenters: matrixRule,
  restarts: rule.integer({
    min: 1,
    max: 10_000,
    says: "independent starts; the best is kept",
    usual: "10, or 1 from given centres",
  }),
};
