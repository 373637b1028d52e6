import type { OnProgress } from "../../core/index.ts";
import { progressGate } from "../../core/internal.ts";

export interface RestartPlan {
  readonly restarts: number;
  /** Limit of each run, for the warning about runs that reached it. */
  readonly maxIterations: number;
  readonly onProgress?: OnProgress | undefined;
  /** The factor of the rows, hidden from `onProgress`; 1 by default. */
  readonly scale?: number;
}

/** Reports the progress of a run; false asks it to end. */
export type ReportIteration = (iteration: number, objective?: number) => boolean;

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
