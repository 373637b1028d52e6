/**
 * Gaussian mixtures of rows that do not fit into memory: EM (cluster/mixture/gaussianEm.ts) by sums over the
 * rows, one pass each, from the mixture of `gaussianMixture` on a sample. From the same mixture it takes the
 * same steps.
 */
import { random } from "../../core/index.ts";
import { extended, option, optionError, rule } from "../../core/internal.ts";
import {
  gaussianMixtureOptions,
  type GaussianMixtureFit,
  type GaussianMixtureModel,
} from "../../cluster/index.ts";
import {
  fittedMixture,
  gaussianMixtureInOrder,
  unusedWarning,
  type Mixture,
} from "../../cluster/internal.ts";
import { matrix, takeRows, type Matrix } from "../../matrix/index.ts";
import { columnsOf, mergeColumns, type Columns } from "../columnStatistics.ts";
import { sampleSums } from "./correctedSums.ts";
import { emByPasses, mixturePenalty, type EmPasses, type EmPassSettings } from "./emByPasses.ts";
import { mixtureSumsAccumulator, type MixtureSums } from "./mixtureSums.ts";
import { checkStart, resolvePassOptions, startRules, stoppedEarly, type RowPasses } from "./rowPasses.ts";
import { streamPasses, type LabelledBatch } from "./streamPasses.ts";
import type { BatchOptions, BatchSource } from "../rowBatches.ts";

export interface GaussianMixtureStreamOptions extends BatchOptions, MixturePassOptions {}

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
  const { own, reading } = resolvePassOptions(NAME, options, gaussianMixtureStreamOptions);
  const rows = streamPasses(NAME, source, reading, own);
  checkMixtureStart(NAME, own);
  let columns: Columns | undefined;
  const drawn = await rows.sample(
    (d) => rowsToDraw(own, d),
    ({ X, names }) => {
      const part = columnsOf(X, names);
      columns = columns === undefined ? part : mergeColumns(columns, part);
    },
  );
  if (columns === undefined || drawn === undefined) throw stoppedEarly(NAME);
  const { rows: count } = columns;
  const { fit, sizes, warnings } = await mixtureByPasses(rows, columns, drawn.X, own, (mixture, inUnit) => {
    const sums = mixtureSumsAccumulator(mixture);
    return rows.summed({ ...sums, add: (X) => sums.add(inUnits(X, inUnit)) });
  });
  return extended(fit, {
    rows: count,
    names: rows.names(),
    sizes,
    passes: rows.count(),
    warnings,
    labels: () => rows.labels(fit.predict),
  });
}

export interface InUnit {
  readonly center: readonly number[];
  readonly unit: number;
}

interface MixtureByPasses {
  readonly fit: GaussianMixtureFit;
  readonly sizes: Float64Array;
  readonly warnings: readonly string[];
}

/**
 * EM from the mixture of a sample, or from a given one.
 *
 * @param drawn a sample of the rows, for the start
 * @param sumsUnder the sums under a mixture of (x - center) / unit; undefined if they were stopped
 */
export async function mixtureByPasses(
  { name, gate, report }: Pick<RowPasses, "name" | "gate" | "report">,
  { rows, mean: center, squares }: Pick<Columns, "rows" | "mean" | "squares">,
  drawn: Matrix,
  own: MixtureOwn,
  sumsUnder: (mixture: Mixture, inUnit: InUnit) => Promise<MixtureSums | undefined>,
): Promise<MixtureByPasses> {
  const asked = own.clusters ?? own.start!.clusters;
  if (asked > rows) throw optionError(`${name}: cannot make ${asked} clusters of ${rows} rows`);
  const warnings: string[] = [];
  const begun = own.start ?? startOf(drawn, own, report, warnings);
  if (begun.centers.cols !== center.length) {
    throw optionError(
      `${name}: ${option("start")} has ${begun.centers.cols} columns, but the data has ${center.length}`,
    );
  }
  const spread = squares.reduce((sum, square) => sum + square, 0) / rows / center.length;
  const inUnit = { center, unit: spread > 0 ? Math.sqrt(spread) : 1 };
  const settings = { ridge: own.ridge, strength: rows / asked };
  const ofAll = inUnits(drawn, inUnit);
  // From a given mixture the steps are those of EM.
  const sample = own.start === undefined ? ofAll : undefined;
  const first = unitMixture(begun, inUnit);
  const { maxIterations, tolerance } = own;
  const steps = { ...settings, maxIterations, tolerance };
  const fromSample =
    sample && (await ofSample(sample, first, report, { ...steps, strength: sample.rows / asked }));
  const begin = fromSample ?? first;
  const finished = gate.stopped
    ? undefined
    : await emByPasses((mixture) => sumsUnder(mixture, inUnit), begin, { ...steps, sample });
  const run = finished ?? judgedBySample(begin, ofAll, rows, settings);
  if (finished === undefined) warnings.push(stoppedOnSample(drawn.rows, rows, own.start !== undefined));
  else if (gate.stopped) warnings.push("stopped by onProgress");
  const fit = fittedMixture(
    { ...run, stopped: gate.stopped },
    { ...inUnit, rows, clusters: asked, ridge: own.ridge, maxIterations: own.maxIterations },
  );
  const all = [...warnings, ...fit.warnings, ...unusedWarning(run.sizes)];
  return { fit, sizes: run.sizes, warnings: all };
}

/** A mixture before the first pass under it: likelihood and sizes are those of the sample, for so many rows. */
function judgedBySample(
  mixture: Mixture,
  sample: Matrix,
  rows: number,
  settings: Pick<EmPassSettings, "ridge" | "strength">,
): EmPasses {
  const found = sampleSums(sample, mixture);
  const factor = rows / sample.rows;
  const logLikelihood = factor * found.logLikelihood;
  let before = 0;
  const sizes = found.sizes.map((_, k) => {
    const upTo = Math.round(factor * found.sizes.subarray(0, k + 1).reduce((sum, size) => sum + size, 0));
    const size = upTo - before;
    before = upTo;
    return size;
  });
  const objective = logLikelihood - mixturePenalty(mixture, rows, settings);
  return { mixture, logLikelihood, sizes, history: [objective], converged: false, died: 0 };
}

function stoppedOnSample(sample: number, rows: number, given: boolean): string {
  const which = given ? `the mixture is the given one` : `the mixture is that of a sample of ${sample} rows`;
  return (
    `stopped by onProgress before the first step over all ${rows} rows: ${which}, ` +
    `and likelihood and sizes are estimated from ${given ? `${sample} rows` : "it"}`
  );
}

export const gaussianMixtureStreamOptions = {
  /** K; may be left out when `start` is given. */
  clusters: rule.integer({ min: 1 }),
  /** Default "full", or that of `start`. */
  covariance: rule.oneOf(["full", "tied", "diagonal", "spherical"], undefined, {
    says: "shape of the clusters",
    usual: "full",
  }),
  /** Relative to the mean variance of the columns. */
  ridge: gaussianMixtureOptions.ridge,
  seed: rule.seed,
  /** The mixture for the first step; without it, that of a sample. */
  start: rule.given<GaussianMixtureModel>(
    "a mixture (of a model file: loadGaussianMixture of it)",
    (value) => typeof value === "object" && value !== null && "predict" in value && "covariances" in value,
  ),
  ...startRules("the mixture of"),
  /** Limit of steps, each a pass over the source. */
  maxIterations: rule.integer({
    min: 1,
    default: 100,
    says: "maximum number of EM iterations, each a pass over the rows",
  }),
  /** Converged when a step adds no more than this to the mean log-likelihood of a row. */
  tolerance: rule.real({
    above: 0,
    default: 1e-6,
    says: "stops when an iteration adds no more than this to the mean log-likelihood",
  }),
  onProgress: rule.progress,
};

export type MixturePassOptions = rule.OptionsOf<typeof gaussianMixtureStreamOptions>;
export type MixtureOwn = rule.ResolvedOptions<typeof gaussianMixtureStreamOptions>;

export function checkMixtureStart(name: string, options: MixtureOwn): void {
  const { covariance, start } = options;
  checkStart(name, options, start && { option: "start", clusters: start.clusters, parts: "components" });
  if (start === undefined || covariance === undefined || covariance === start.covariance) return;
  throw optionError(
    `${name}: "covariance" is "${covariance}", but that of ${option("start")} is "${start.covariance}"`,
  );
}

/**
 * Rows of the sample: those of the start, and more for the steps between the passes, unless they are too wide to keep.
 * Few rows for the start do not mean few for these steps: steps on few rows lead astray, and passes undo them.
 */
export function rowsToDraw({ sample }: Pick<MixtureOwn, "sample">, columns: number): number {
  return Math.max(sample, Math.min(Math.max(MORE * sample, FOR_STEPS), Math.floor(KEPT_NUMBERS / columns)));
}

const MORE = 10;
const FOR_STEPS = 200_000;
const KEPT_NUMBERS = 4e6;

/** The mixture of all rows of the sample. */
async function ofSample(
  sample: Matrix,
  first: Mixture,
  report: RowPasses["report"],
  settings: EmPassSettings,
): Promise<Mixture | undefined> {
  let step = 0;
  const sums = async (mixture: Mixture): Promise<MixtureSums | undefined> =>
    report(`EM on the sample, step ${++step}`) ? sampleSums(sample, mixture) : undefined;
  const run = await emByPasses(sums, first, settings);
  return run?.mixture;
}

function startOf(
  drawn: Matrix,
  { clusters, covariance, ridge, seed, restarts, sample, tolerance }: MixtureOwn,
  report: RowPasses["report"],
  warnings: string[],
): GaussianMixtureModel {
  const few =
    drawn.rows <= sample ? drawn : takeRows(drawn, random(seed).sample(sample, drawn.rows).toSorted());
  const start = gaussianMixtureInOrder(few, {
    clusters: Math.min(clusters!, few.rows),
    seed,
    restarts,
    ridge,
    tolerance,
    ...(covariance && { covariance }),
    onProgress: ({ label }) => report(`the sample: ${label}`),
  });
  // Warnings about the mixture of the sample are repeated for all rows if they still apply.
  if (start.clusters < clusters!) {
    warnings.push(`on the sample: ${start.clusters} of ${clusters} components are left`);
  }
  return start;
}

function inUnits({ rows, cols, data }: Matrix, { center, unit }: InUnit): Matrix {
  return matrix(
    rows,
    cols,
    data.map((value, p) => (value - center[p % cols]) / unit),
  );
}

function unitMixture(
  { covariance: kind, weights, centers, covariances }: GaussianMixtureModel,
  inUnit: InUnit,
): Mixture {
  const { unit } = inUnit;
  const scaled = (S: Matrix): Matrix =>
    matrix(
      S.rows,
      S.cols,
      S.data.map((value) => value / unit / unit),
    );
  return { kind, weights, means: inUnits(centers, inUnit).data, covariances: covariances.map(scaled) };
}
