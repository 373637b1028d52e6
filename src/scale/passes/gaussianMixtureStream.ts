/**
 * Gaussian mixtures of rows that do not fit into memory: EM (cluster/mixture/gaussianEm.ts) by sums over the
 * rows, one pass each, from the mixture of `gaussianMixture` on a sample. From the same mixture it takes the
 * same steps.
 */
import { extended } from "../../core/result.ts";
import { inputError, option, optionError } from "../../core/errors.ts";
import { given, integer, oneOf, real, type Resolved, type RulesOf } from "../../core/options.ts";
import { progressGate, type OnProgress, type ProgressGate } from "../../core/progress.ts";
import type { CovarianceKind } from "../../cluster/mixture/gaussianCovariance.ts";
import { precisions } from "../../cluster/mixture/gaussianCovariance.ts";
import { DEAD, mixtureFrom, penalty, type EmRun, type Mixture } from "../../cluster/mixture/gaussianEm.ts";
import {
  gaussianMixtureOptions,
  fittedMixture,
  gaussianMixtureInOrder,
  unusedWarning,
  type GaussianMixtureFit,
} from "../../cluster/mixture/gaussianMixture.ts";
import type { GaussianMixtureModel } from "../../cluster/mixture/gaussianMixtureModel.ts";
import { matrix, requireFinite, type Matrix } from "../../matrix/matrix.ts";
import { columnsOf, mergeColumns, type Columns } from "../columnStatistics.ts";
import { requireReopenable, watchedPasses, type LabelledBatch } from "./kmeansStream.ts";
import { extrapolation } from "./extrapolatedMixture.ts";
import { mixtureSumsAccumulator, type MixtureSums } from "./mixtureSums.ts";
import { resolvePassOptions } from "./passOptions.ts";
import { rowBatches, type BatchOptions, type BatchSource, type RowBatch } from "../rowBatches.ts";
import { sampleRows } from "../sampleRows.ts";

export interface GaussianMixtureStreamOptions extends BatchOptions, MixturePassOptions {}

export interface MixturePassOptions {
  /** K; may be left out when `start` is given. */
  readonly clusters?: number;
  /** Default "full", or that of `start`. */
  readonly covariance?: CovarianceKind;
  /** Relative to the mean variance of the columns; default 1e-6. */
  readonly ridge?: number;
  readonly seed?: number;
  /** The mixture for the first step; without it, that of a sample. */
  readonly start?: GaussianMixtureModel;
  /** Rows drawn for the start; default 20000. */
  readonly sample?: number;
  /** Restarts of `gaussianMixture` on the sample; default 10. */
  readonly restarts?: number;
  /** Limit of steps, each a pass over the source; default 100. */
  readonly maxIterations?: number;
  /** Converged when a step adds no more than this to the mean log-likelihood of a row; default 1e-6. */
  readonly tolerance?: number;
  readonly onProgress?: OnProgress;
}

export interface GaussianMixtureStream extends GaussianMixtureFit {
  readonly rows: number;
  readonly names: readonly string[];
  /** Rows of which each component is the most probable. */
  readonly sizes: Float64Array;
  /** Number of passes over the source. */
  readonly passes: number;
  /** One more pass, which gives every row its most probable component, in the order of the source. */
  labels(): AsyncGenerator<LabelledBatch, void, undefined>;
}

const NAME = "gaussianMixtureStream";

/** A mixture of Gaussians over a source of any size that can be read repeatedly. */
export async function gaussianMixtureStream(
  source: BatchSource,
  options: GaussianMixtureStreamOptions,
): Promise<GaussianMixtureStream> {
  const { own, reading } = resolvePassOptions<MixturePassOptions, typeof gaussianMixtureStreamOptions>(
    NAME,
    options,
    gaussianMixtureStreamOptions,
  );
  requireReopenable(NAME, source);
  checkStart(NAME, own);
  const gate = progressGate(own.onProgress);
  const { pass, told, count } = watchedPasses(source, reading, gate);
  let columns: Columns | undefined;
  let names: readonly string[] = [];
  const first = await sampleRows(observed(pass()), own.sample, own.seed, told);
  async function* observed(batches: AsyncIterable<RowBatch>): AsyncGenerator<RowBatch> {
    for await (const batch of batches) {
      requireFinite(batch.X, batch.source);
      const part = columnsOf(batch.X, batch.names);
      columns = columns === undefined ? part : mergeColumns(columns, part);
      names = batch.names;
      yield batch;
    }
  }
  if (columns === undefined || gate.stopped) throw stoppedEarly(NAME);
  const run = await mixtureByPasses(
    {
      name: NAME,
      gate,
      columns,
      drawn: first.X,
      async sumsUnder(mixture, inUnit) {
        const accumulator = mixtureSumsAccumulator(mixture);
        for await (const batch of pass()) {
          accumulator.add(inUnits(batch.X, inUnit.center, inUnit.unit));
          if (!told(batch)) return undefined;
        }
        return accumulator.result();
      },
    },
    own,
  );
  return extended(run.fit, {
    rows: columns.rows,
    names,
    sizes: run.sizes,
    passes: count(),
    warnings: run.warnings,
    async *labels() {
      for await (const { X, ids, source: file, first: before } of rowBatches(source, reading)) {
        yield { labels: run.fit.predict(X), ...(ids && { ids }), source: file, first: before };
      }
    },
  });
}

/** Rows for fitting a mixture, through sums over all of them. */
export interface MixtureRows {
  readonly name: string;
  readonly gate: ProgressGate;
  readonly columns: Pick<Columns, "rows" | "mean" | "squares">;
  /** A sample of the rows, for the start. */
  readonly drawn: Matrix;
  /** The sums under a mixture of (x - center) / unit; undefined if they were stopped. */
  sumsUnder(mixture: Mixture, inUnit: InUnit): Promise<MixtureSums | undefined>;
}

export interface InUnit {
  readonly center: readonly number[];
  readonly unit: number;
}

export interface MixtureByPasses {
  readonly fit: GaussianMixtureFit;
  readonly sizes: Float64Array;
  readonly warnings: readonly string[];
}

/** EM from the mixture of a sample, or from a given one. */
export async function mixtureByPasses(
  { name, gate, columns: { rows, mean: center, squares }, drawn, sumsUnder }: MixtureRows,
  own: MixtureOwn,
): Promise<MixtureByPasses> {
  const asked = own.clusters ?? own.start!.clusters;
  if (asked > rows) throw optionError(`${name}: cannot make ${asked} clusters of ${rows} rows`);
  const warnings: string[] = [];
  const begun = own.start ?? startOf(drawn, own, warnings);
  if (begun.centers.cols !== center.length) {
    throw optionError(
      `${name}: ${option("start")} has ${begun.centers.cols} columns, but the data has ${center.length}`,
    );
  }
  const spread = squares.reduce((sum, square) => sum + square, 0) / rows / center.length;
  const inUnit = { center, unit: spread > 0 ? Math.sqrt(spread) : 1 };
  const settings = { ridge: own.ridge, strength: rows / asked };
  const run = await em((mixture) => sumsUnder(mixture, inUnit), unitMixture(begun, inUnit), {
    ...own,
    ...settings,
    // From a given mixture the steps are those of EM.
    extrapolated: own.start === undefined,
  });
  if (run === undefined) throw stoppedEarly(name);
  if (gate.stopped) warnings.push("stopped by onProgress");
  const fit = fittedMixture(
    { ...run, stopped: gate.stopped },
    { ...inUnit, rows, clusters: asked, ridge: own.ridge, maxIterations: own.maxIterations },
  );
  const all = [...warnings, ...fit.warnings, ...unusedWarning(run.sizes)];
  return { fit, sizes: run.sizes, warnings: all };
}

function stoppedEarly(name: string): Error {
  return inputError(`${name} was stopped by onProgress before the first pass was over`);
}

export const gaussianMixtureStreamOptions: RulesOf<MixturePassOptions> = {
  clusters: integer({ min: 1 }),
  covariance: oneOf(["full", "tied", "diagonal", "spherical"] as const, undefined, {
    says: "shape of the clusters",
    usual: "full",
  }),
  ridge: gaussianMixtureOptions.ridge,
  seed: integer({ min: 0, default: 0 }),
  start: given<GaussianMixtureModel>(
    "a mixture (of a model file: loadGaussianMixture of it)",
    (value) => typeof value === "object" && value !== null && "predict" in value && "covariances" in value,
  ),
  sample: integer({ min: 1, default: 20_000, says: "rows drawn for the start" }),
  restarts: integer({
    min: 1,
    max: 10_000,
    default: 10,
    says: "starts of the mixture of the sample; the best is kept",
  }),
  maxIterations: integer({
    min: 1,
    default: 100,
    says: "maximum number of EM iterations, each a pass over the rows",
  }),
  tolerance: real({
    above: 0,
    default: 1e-6,
    says: "stops when an iteration adds no more than this to the mean log-likelihood",
  }),
  onProgress: given<OnProgress>("a function", (value) => typeof value === "function"),
};

export type MixtureOwn = Resolved<MixturePassOptions, typeof gaussianMixtureStreamOptions>;

export function checkStart(name: string, { clusters, covariance, start, sample }: MixtureOwn): void {
  if (start === undefined) {
    if (clusters === undefined)
      throw optionError(`${name}: ${option("clusters")} is required (an integer at least 1)`);
    if (clusters > sample) {
      throw optionError(
        `${name}: ${option("sample")} (${sample}) must be at least the number of clusters (${clusters})`,
      );
    }
    return;
  }
  if (clusters !== undefined && clusters !== start.clusters) {
    throw optionError(
      `${name}: ${option("clusters")} is ${clusters}, but ${option("start")} has ${start.clusters} components`,
    );
  }
  if (covariance !== undefined && covariance !== start.covariance) {
    throw optionError(
      `${name}: "covariance" is "${covariance}", but that of ${option("start")} is "${start.covariance}"`,
    );
  }
}

function startOf(
  drawn: Matrix,
  { clusters, covariance, ridge, seed, restarts }: MixtureOwn,
  warnings: string[],
): GaussianMixtureModel {
  const start = gaussianMixtureInOrder(drawn, {
    clusters: Math.min(clusters!, drawn.rows),
    seed,
    restarts,
    ridge,
    ...(covariance && { covariance }),
  });
  // Warnings about the mixture of the sample are repeated for all rows if they still apply.
  if (start.clusters < clusters!) {
    warnings.push(`on the sample: ${start.clusters} of ${clusters} components are left`);
  }
  return start;
}

interface Steps extends Omit<EmRun, "R" | "stopped"> {
  readonly sizes: Float64Array;
}

/**
 * Steps until the log-likelihood, minus the penalty, hardly grows; undefined if the first was stopped. A
 * mixture that was extrapolated must be better than the one before, and the last step is one of EM.
 */
async function em(
  sumsUnder: (mixture: Mixture) => Promise<MixtureSums | undefined>,
  start: Mixture,
  settings: {
    readonly ridge: number;
    readonly strength: number;
    readonly maxIterations: number;
    readonly tolerance: number;
    readonly extrapolated: boolean;
  },
): Promise<Steps | undefined> {
  const history: number[] = [];
  const { after, restart } = extrapolation();
  let mixture = start;
  /** What EM makes of the mixture before, if the mixture is another. */
  let plain: Mixture | undefined;
  let died = 0;
  let changed = false;
  let last: MixtureSums | undefined;
  for (;;) {
    const sums = await sumsUnder(mixture);
    if (sums === undefined) break;
    const { kind, weights, covariances, means } = mixture;
    const found = precisions(kind, covariances, weights.length, means.length / weights.length);
    const objective = sums.logLikelihood - penalty(kind, found, sums.rows, settings);
    const before = history.at(-1) ?? -Infinity;
    const little = !(objective - before > settings.tolerance * sums.rows);
    if (plain !== undefined && objective < before) {
      mixture = plain;
      plain = undefined;
      restart();
      continue;
    }
    history.push(Math.max(before, objective));
    last = sums;
    const converged = little && !changed && plain === undefined;
    if (converged || history.length >= settings.maxIterations) {
      return { ...described(sums), history, converged, died };
    }
    const next = nextMixture(sums, settings);
    changed = next.weights.length < weights.length;
    died += weights.length - next.weights.length;
    if (little || changed) restart();
    const further = settings.extrapolated && !little && !changed ? after(mixture, next) : undefined;
    const taken = creeps(history) ? further : undefined;
    plain = taken && next;
    mixture = taken ?? next;
  }
  return last && { ...described(last), history, converged: false, died };
}

/** Whether a step adds more than a tenth of what the step before added: else EM arrives soon by itself. */
function creeps(history: readonly number[]): boolean {
  const [earlier, before, now] = history.slice(-3);
  return now - before > 0.1 * (before - earlier);
}

function described({
  mixture,
  logLikelihood,
  sizes,
}: MixtureSums): Pick<Steps, "mixture" | "logLikelihood" | "sizes"> {
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

function inUnits({ rows, cols, data }: Matrix, center: readonly number[], unit: number): Matrix {
  return matrix(
    rows,
    cols,
    data.map((value, p) => (value - center[p % cols]) / unit),
  );
}

function unitMixture(
  { covariance: kind, weights, centers, covariances }: GaussianMixtureModel,
  { center, unit }: InUnit,
): Mixture {
  const scaled = (S: Matrix): Matrix =>
    matrix(
      S.rows,
      S.cols,
      S.data.map((value) => value / unit / unit),
    );
  return { kind, weights, means: inUnits(centers, center, unit).data, covariances: covariances.map(scaled) };
}
