import { engine } from "../../matrix/engine.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import {
  covariancesFrom,
  precisions,
  weightedScatter,
  type CovarianceKind,
  type Covariances,
  type Precisions,
} from "./gaussianCovariance.ts";

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
  let responsibilities = R;
  for (let iteration = 1; ; iteration++) {
    const alive = withoutDead(responsibilities, X.rows);
    died += alive.died;
    responsibilities = alive.R;
    const mixture = maximize(X, kind, responsibilities, settings);
    const { logLikelihood, objective } = expect(X, mixture, responsibilities, settings);
    const last = history.length > 0 ? history[history.length - 1] : -Infinity;
    // A decrease from rounding near the optimum is not recorded.
    history.push(Math.max(last, objective));
    const converged = objective - last <= tolerance * X.rows && alive.died === 0;
    const stopped = !report(iteration, objective);
    if (converged || stopped || iteration >= maxIterations) {
      return { mixture, logLikelihood, history, converged, stopped, died, R: responsibilities };
    }
  }
}

function withoutDead(R: Float64Array, n: number): { R: Float64Array; died: number } {
  const K = R.length / n;
  const counts = columnSums(R, K);
  const kept = Array.from(counts.keys()).filter((k) => counts[k] >= DEAD);
  if (kept.length === K) return { R, died: 0 };
  const left = new Float64Array(n * kept.length);
  for (let i = 0, p = 0; i < n; i++) for (const k of kept) left[p++] = R[i * K + k];
  return { R: left, died: K - kept.length };
}

function maximize(X: Matrix, kind: CovarianceKind, R: Float64Array, settings: EmSettings): Mixture {
  const { rows: n, cols: d } = X;
  const K = R.length / n;
  const counts = columnSums(R, K);
  const means = new Float64Array(K * d);
  engine().product(K, d, n, 1, R, true, X.data, false, means);
  for (let p = 0; p < K * d; p++) means[p] /= counts[Math.floor(p / d)];
  const scatter = weightedScatter(kind, X, R, K, means);
  return mixtureFrom(kind, counts, means, scatter, X.rows, settings);
}

/** The M-step, from sums over all rows. */
export function mixtureFrom(
  kind: CovarianceKind,
  counts: Float64Array,
  means: Float64Array,
  scatter: readonly Matrix[],
  rows: number,
  { ridge, strength }: Pick<EmSettings, "ridge" | "strength">,
): Mixture {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const d = means.length / counts.length;
  return {
    kind,
    weights: counts.map((count) => count / total),
    means,
    covariances: covariancesFrom(kind, scatter, counts, d, { rows, ridge, strength }),
  };
}

/** Fills R; returns the log-likelihood, and the same minus the penalty. */
function expect(
  X: Matrix,
  mixture: Mixture,
  R: Float64Array,
  settings: EmSettings,
): { logLikelihood: number; objective: number } {
  const found = precisions(mixture.kind, mixture.covariances, mixture.weights.length, X.cols);
  const logLikelihood = responsibilities(X, mixture, found, R).reduce((sum, value) => sum + value, 0);
  return { logLikelihood, objective: logLikelihood - penalty(mixture.kind, found, X.rows, settings) };
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
  { weights, means }: Mixture,
  { logDeterminants, distances }: Precisions,
  R: Float64Array,
): Float64Array {
  const K = weights.length;
  distances(X, means, R);
  const constants = weights.map(
    (weight, k) => Math.log(weight) - (X.cols * Math.log(2 * Math.PI) + logDeterminants[k]) / 2,
  );
  const logs = new Float64Array(X.rows);
  for (let i = 0, at = 0; i < X.rows; i++, at += K) {
    let largest = -Infinity;
    for (let k = 0; k < K; k++) {
      R[at + k] = constants[k] - R[at + k] / 2;
      if (R[at + k] > largest) largest = R[at + k];
    }
    let sum = 0;
    for (let k = 0; k < K; k++) sum += R[at + k] = Math.exp(R[at + k] - largest);
    for (let k = 0; k < K; k++) R[at + k] /= sum;
    logs[i] = largest + Math.log(sum);
  }
  return logs;
}

function columnSums(R: Float64Array, K: number): Float64Array {
  const sums = new Float64Array(K);
  for (let p = 0; p < R.length; p += K) for (let k = 0; k < K; k++) sums[k] += R[p + k];
  return sums;
}
