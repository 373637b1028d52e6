/**
 * EM (cluster/mixture/gaussianEm.ts) by sums over the rows, of which each step needs a pass. Where a sample of the rows is
 * known, EM goes on by its corrected sums (correctedSums.ts) between the passes. Every mixture that is taken is better than the
 * one before on all rows, and the last step is one of EM.
 */
import type { CovarianceKind } from "../../cluster/index.ts";
import { DEAD, mixtureFrom, penalty, precisions, type EmRun, type Mixture } from "../../cluster/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { correctedSums } from "./correctedSums.ts";
import type { MixtureSums } from "./mixtureSums.ts";

export interface EmPassSettings {
  readonly ridge: number;
  readonly strength: number;
  readonly maxIterations: number;
  /** Converged when a step adds no more than this to the mean log-likelihood of a row. */
  readonly tolerance: number;
  /** Rows of those that are summed, by which steps between the passes are made; without them every step is one of EM. */
  readonly sample?: Matrix;
}

export interface EmPasses extends Omit<EmRun, "R" | "stopped"> {
  readonly sizes: Float64Array;
}

/**
 * Steps until the log-likelihood, minus the penalty, hardly grows.
 *
 * @param sumsUnder undefined if it was stopped; the result is undefined if that was in the first pass.
 */
export async function emByPasses(
  sumsUnder: (mixture: Mixture) => Promise<MixtureSums | undefined>,
  start: Mixture,
  settings: EmPassSettings,
): Promise<EmPasses | undefined> {
  const { maxIterations, tolerance } = settings;
  const history: number[] = [];
  const nearby = settings.sample && bySample(settings.sample, settings);
  let mixture = start;
  /** What EM makes of the mixture before, if the mixture is another. */
  let plain: Mixture | undefined;
  let died = 0;
  let changed = false;
  let last: MixtureSums | undefined;
  for (;;) {
    const sums = await sumsUnder(mixture);
    if (sums === undefined) break;
    const { weights } = mixture;
    const objective = sums.logLikelihood - mixturePenalty(mixture, sums.rows, settings);
    const before = history.at(-1) ?? -Infinity;
    const little = !(objective - before > tolerance * sums.rows);
    if (plain !== undefined && objective < before) {
      nearby?.shorten();
      mixture = plain;
      plain = undefined;
      continue;
    }
    history.push(Math.max(before, objective));
    last = sums;
    const converged = little && !changed && plain === undefined;
    if (converged || history.length >= maxIterations) {
      return { ...described(sums), history, converged, died };
    }
    const next = nextMixture(sums, settings);
    changed = next.weights.length < weights.length;
    died += weights.length - next.weights.length;
    const taken = little || changed ? undefined : await nearby?.from(sums);
    plain = taken && next;
    mixture = taken ?? next;
  }
  return last && { ...described(last), history, converged: false, died };
}

/** What is taken off the log-likelihood of `rows` rows, so that no component collapses. */
export function mixturePenalty(
  { kind, weights, covariances, means }: Mixture,
  rows: number,
  settings: Pick<EmPassSettings, "ridge" | "strength">,
): number {
  const found = precisions(kind, covariances, weights.length, means.length / weights.length);
  return penalty(kind, found, rows, settings);
}

interface Nearby {
  /** Where EM leads by the corrected sums of a sample; undefined if that promises less than another step is worth. */
  from(sums: MixtureSums): Promise<Mixture | undefined>;
  /** What it gave last was worse: the sums are right only nearer to where they were corrected. */
  shorten(): void;
}

function bySample(sample: Matrix, settings: EmPassSettings): Nearby {
  let most = settings.maxIterations;
  let steps = 0;
  return {
    async from(sums) {
      steps = 0;
      if (most < LEAST_STEPS) return undefined;
      const corrected = correctedSums(sums, sample);
      const run = await emByPasses(async (mixture) => corrected(mixture), sums.mixture, {
        ...settings,
        maxIterations: most,
        tolerance: settings.tolerance / FINER,
        sample: undefined,
      });
      if (run === undefined) return undefined;
      const promised = run.history.at(-1)! - run.history[0];
      if (!(promised > settings.tolerance * sums.rows)) return undefined;
      steps = run.history.length;
      return run.mixture;
    },
    shorten() {
      if (steps > 0) most = Math.floor(steps / SHORTER);
    },
  };
}

/** Steps by a sample cost little: they go on until they add this part of what a step over all rows must add. */
const FINER = 10;

/** Of the steps by a sample that misled, the part that is tried next, until it is hardly more than a step of EM. */
const SHORTER = 3;
const LEAST_STEPS = 4;

function described({
  mixture,
  logLikelihood,
  sizes,
}: MixtureSums): Pick<EmPasses, "mixture" | "logLikelihood" | "sizes"> {
  return { mixture, logLikelihood, sizes };
}

/** The M-step: means moved by delta_k, and the scatter about them, sum r (x - mu)(x - mu)' - n_k delta delta'. */
function nextMixture(
  { mixture: { kind, means }, counts, sums, scatter, rows }: MixtureSums,
  settings: { ridge: number; strength: number },
): Mixture {
  const d = sums.cols;
  const kept = Array.from(counts.keys()).filter((k) => counts[k] >= DEAD);
  const own = scatter.map(({ rows: height, cols, data }) => matrix(height, cols, data.slice()));
  const moved = new Float64Array(kept.length * d);
  kept.forEach((k, at) => {
    const delta = sums.data.subarray(k * d, (k + 1) * d).map((sum) => sum / counts[k]);
    delta.forEach((value, f) => (moved[at * d + f] = means[k * d + f] + value));
    recenter(kind, own, k, delta, counts[k]);
  });
  const left = kind === "full" ? kept.map((k) => own[k]) : kind === "tied" ? own : [rowsOf(own[0], kept)];
  return mixtureFrom(
    kind,
    Float64Array.from(kept, (k) => counts[k]),
    moved,
    left,
    rows,
    settings,
  );
}

function recenter(
  kind: CovarianceKind,
  scatter: readonly Matrix[],
  k: number,
  delta: Float64Array,
  count: number,
): void {
  const d = delta.length;
  if (kind === "full" || kind === "tied") {
    const { data } = scatter[kind === "full" ? k : 0];
    for (let a = 0; a < d; a++) for (let b = 0; b < d; b++) data[a * d + b] -= count * delta[a] * delta[b];
    return;
  }
  const [{ data, cols }] = scatter;
  delta.forEach((value, f) => {
    const p = k * cols + (cols === 1 ? 0 : f);
    data[p] = Math.max(0, data[p] - count * value * value);
  });
}

function rowsOf(A: Matrix, rows: readonly number[]): Matrix {
  const taken = matrix(rows.length, A.cols);
  rows.forEach((i, r) => taken.data.set(A.data.subarray(i * A.cols, (i + 1) * A.cols), r * A.cols));
  return taken;
}
