import type { Matrix } from "../../matrix/index.ts";
import { constrained } from "./constrainedCovariances.ts";
import type { CovarianceModel } from "./covarianceModels.ts";
import {
  covariancesFrom,
  precisions,
  type CovarianceKind,
  type Covariances,
  type Precisions,
} from "./gaussianCovariance.ts";
import { densityOf, withMixtureRows } from "./mixtureRows.ts";

/** A mixture of K Gaussians. */
export interface Mixture {
  readonly kind: CovarianceKind;
  /** pi_k, adding to 1. */
  readonly weights: Float64Array;
  /** K x d. */
  readonly means: Float64Array;
  readonly covariances: Covariances;
}

export interface EmRun {
  readonly mixture: Mixture;
  readonly logLikelihood: number;
  /** The log-likelihood minus the penalty of the ridge, after each iteration; never falls. */
  readonly history: readonly number[];
  readonly converged: boolean;
  readonly stopped: boolean;
  /** Components that lost all their rows and were removed. */
  readonly died: number;
  /** n x K responsibilities of the last iteration. */
  readonly R: Float64Array;
}

export interface EmSettings {
  /** Added to variances; in the units of X. */
  readonly ridge: number;
  /** See `covariancesFrom`. */
  readonly strength: number;
  readonly maxIterations: number;
  /** Converged when an iteration adds no more than this to the mean log-likelihood of a row. */
  readonly tolerance: number;
  /** A constraint on the covariances; the kind holds them. */
  readonly model?: CovarianceModel;
  /** False stops the run. */
  readonly report: (iteration: number, objective: number) => boolean;
}

/** A component that is responsible for less than this many rows is dead. */
export const DEAD = 1e-6;

/** Expectation-maximisation (Dempster, Laird and Rubin 1977) from responsibilities R, n x K, which are overwritten. */
export function gaussianEm(
  X: Matrix,
  kind: CovarianceKind,
  R: Float64Array,
  settings: EmSettings,
  before: readonly number[] = [],
): EmRun {
  const { maxIterations, tolerance, report } = settings;
  const history = [...before];
  let died = 0;
  return withMixtureRows(X, kind, R, (rows) => {
    let weighed = rows.weigh();
    let mixture: Mixture | undefined;
    for (let iteration = 1; ; iteration++) {
      const alive = Array.from(weighed.counts.keys()).filter((k) => weighed.counts[k] >= DEAD);
      const dead = weighed.counts.length - alive.length;
      if (dead > 0) {
        died += dead;
        rows.keep(alive);
        weighed = rows.weigh();
      }
      const { counts, sums } = weighed;
      const means = sums.map((sum, p) => sum / counts[Math.floor(p / X.cols)]);
      const before = dead > 0 ? undefined : mixture?.covariances;
      mixture = mixtureFrom(kind, counts, means, rows.scatter(means), X.rows, settings, before);
      const found = precisions(kind, mixture.covariances, counts.length, X.cols);
      const { logLikelihood, ...next } = rows.expect(densityOf(mixture, found));
      const objective = logLikelihood - penalty(kind, found, X.rows, settings);
      const last = history.length > 0 ? history[history.length - 1] : -Infinity;
      // A decrease from rounding near the optimum is not recorded.
      history.push(Math.max(last, objective));
      const converged = objective - last <= tolerance * X.rows && dead === 0;
      const stopped = !report(iteration, objective);
      if (converged || stopped || iteration >= maxIterations) {
        return { mixture, logLikelihood, history, converged, stopped, died, R: rows.responsibilities() };
      }
      weighed = next;
    }
  });
}

/** The M-step, from sums over all rows. */
export function mixtureFrom(
  kind: CovarianceKind,
  counts: Float64Array,
  means: Float64Array,
  scatter: readonly Matrix[],
  rows: number,
  { ridge, strength, model }: Pick<EmSettings, "ridge" | "strength" | "model">,
  before?: Covariances,
): Mixture {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const d = means.length / counts.length;
  const free = covariancesFrom(kind, scatter, counts, d, { rows, ridge, strength });
  return {
    kind,
    weights: counts.map((count) => count / total),
    means,
    covariances: model === undefined ? free : constrained(model, free, counts, before),
  };
}

/** (strength ridge / 2) sum_k tr S_k^-1. */
export function penalty(
  kind: CovarianceKind,
  { inverseTraces }: Precisions,
  rows: number,
  { ridge, strength }: Pick<EmSettings, "ridge" | "strength">,
): number {
  const traces = inverseTraces.reduce((sum, trace) => sum + trace, 0);
  return ((kind === "tied" ? rows : strength) * ridge * traces) / 2;
}

/** Fills R with the probability of each component given the row; returns the log-density of each row. */
export function responsibilities(
  X: Matrix,
  mixture: Mixture,
  found: Precisions,
  R: Float64Array,
): Float64Array {
  const logs = new Float64Array(X.rows);
  withMixtureRows(X, mixture.kind, R, (rows) => {
    rows.expect(densityOf(mixture, found), logs);
    rows.responsibilities();
  });
  return logs;
}
