/**
 * Gaussian mixture: the density sum_k pi_k N(x; mu_k, S_k) with the largest likelihood, by EM
 * (gaussianEm.ts),
 *
 *     maximise  sum_i log sum_k pi_k N(x_i; mu_k, S_k) - (n ridge / 2 K) sum_k tr S_k^-1
 *
 * Without the second, tiny term the likelihood has no maximum: a component that shrinks onto a row makes it
 * infinite. Runs start from k-means; the promising ones are carried to the end and the best is returned.
 */
import {
  asGiven,
  inValueOrder,
  isReordered,
  mapped,
  reorderedRows,
  requireFinite,
  requireSquares,
} from "../../matrix/internal.ts";
import { requireClusters } from "../clusterInput.ts";
import { asMatrix, matrix, takeRows, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { random, type Random } from "../../core/index.ts";
import { extended, progressGate, rule } from "../../core/internal.ts";
import { COVARIANCE_MODELS, kindOf, modelParameters, type CovarianceModel } from "./covarianceModels.ts";
import { covarianceParameters, precisions, type CovarianceKind } from "./gaussianCovariance.ts";
import { gaussianEm, type EmRun, type EmSettings, type Mixture } from "./gaussianEm.ts";
import { indicators, mostProbable, unusedWarning } from "./memberships.ts";
import { startThreadsFor } from "./mixtureRows.ts";
import { mixtureModel, type GaussianMixtureModel } from "./gaussianMixtureModel.ts";
import { RUN_RULES } from "../kmeans/restarts.ts";
import { kmeansLabels } from "../kmeans/kmeans.ts";
import type { Iterated } from "../clustered.ts";

export const gaussianMixtureOptions = {
  ...rule.without(RUN_RULES, "weights"),
  /** K. */
  clusters: rule.required(rule.integer({ min: 1 })),
  covariance: rule.oneOf(["full", "tied", "diagonal", "spherical", ...COVARIANCE_MODELS] as const, "full", {
    says: "shape of the clusters; with three letters as in mclust: volume, shape, orientation",
  }),
  ridge: rule.real({ above: 0, default: 1e-6, says: "minimum variance, relative to the mean variance" }),
  maxIterations: rule.integer({
    min: 1,
    default: 1000,
    says: "maximum number of EM iterations in each start",
  }),
  tolerance: rule.real({
    above: 0,
    default: 1e-8,
    says: "stops when an iteration adds no more than this to the mean log-likelihood",
  }),
};

export type GaussianMixtureOptions = rule.OptionsOf<typeof gaussianMixtureOptions>;

export interface GaussianMixture extends GaussianMixtureFit {
  /** The most probable component of each row. */
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
}

/** A fitted mixture, without the per-row results. */
export interface GaussianMixtureFit extends GaussianMixtureModel, Iterated {
  readonly logLikelihood: number;
  /** -2 logLikelihood + parameters log n: smaller is better (Schwarz 1978). */
  readonly bic: number;
  /** -2 logLikelihood + 2 parameters. */
  readonly aic: number;
  readonly parameters: number;
  /** The log-likelihood minus the penalty of the ridge. */
  readonly objective: number;
  readonly converged: boolean;
  readonly warnings: readonly string[];
}

/** All runs are followed roughly at first, and this many of them to convergence. */
const ROUGH = 1e-5;
const FOLLOWED = 3;
/** Starts from drawn rows for each from k-means, for the models of mclust. */
const DRAWN = 4;
/** A direction whose variance is below this many times the ridge belongs to the ridge, not to the data. */
const COLLAPSED = 20;

export function gaussianMixture(input: MatrixLike, options: GaussianMixtureOptions): GaussianMixture {
  const X = asMatrix(input, "gaussianMixture");
  startThreadsFor(X, storedKind(options?.covariance ?? "full"), options?.clusters);
  return inValueOrder(X, options, [], gaussianMixtureInOrder, asGiven(), reorderedRows);
}

/** The same on rows with a fixed order, which random starts and ties follow. */
export function gaussianMixtureInOrder(X: Matrix, options: GaussianMixtureOptions): GaussianMixture {
  const resolved = rule.resolveOptions("gaussianMixture", options, gaussianMixtureOptions);
  const { clusters } = resolved;
  const given = isReordered(X) ? X.given : X;
  if (Number.isNaN(requireSquares(given, "gaussianMixture"))) requireFinite(given);
  const n = X.rows;
  requireClusters("gaussianMixture", X, clusters);
  const warnings: string[] = [];
  const { Z, center, unit } = standardized(X);
  const run = bestRun(Z, resolved, warnings);
  const { labels, sizes } = mostProbable(matrix(n, run.mixture.weights.length, run.R));
  const { covariance } = resolved;
  const fit = fittedMixture(run, { ...resolved, center, unit, rows: n, model: modelOf(covariance) });
  return extended(fit, {
    labels,
    sizes,
    warnings: [...warnings, ...fit.warnings, ...unusedWarning(sizes)],
  });
}

/** What a run was made from. */
interface RunOf extends Pick<Options, "clusters" | "ridge" | "maxIterations"> {
  readonly center: ArrayLike<number>;
  readonly unit: number;
  readonly rows: number;
  readonly model?: CovarianceModel | undefined;
}

type Covariance = rule.ResolvedOptions<typeof gaussianMixtureOptions>["covariance"];

/** A constraint that the kind itself does not have. */
function modelOf(covariance: Covariance): CovarianceModel | undefined {
  const model = COVARIANCE_MODELS.find((name) => name === covariance);
  return model === undefined || PLAIN.has(model) ? undefined : model;
}

const PLAIN: ReadonlySet<string> = new Set(["VVV", "EEE", "VVI", "VII"]);

function storedKind(covariance: Covariance): CovarianceKind {
  const model = COVARIANCE_MODELS.find((name) => name === covariance);
  return model === undefined ? (covariance as CovarianceKind) : kindOf(model);
}

/** The result of a run in the units of Z = (X - center) / unit, converted to those of X. */
export function fittedMixture(
  run: Omit<EmRun, "R">,
  { center, unit, rows: n, clusters, ridge, maxIterations, model: constraint }: RunOf,
): GaussianMixtureFit {
  const { kind, weights, means, covariances } = run.mixture;
  const K = weights.length;
  const d = center.length;
  const warnings: string[] = [];
  if (run.died > 0) {
    const noun =
      run.died === 1 ? "component lost all its rows and was" : "components lost all their rows and were";
    warnings.push(`${run.died} ${noun} removed: ${K} of ${clusters} are left`);
  }
  if (!run.converged && !run.stopped) warnings.push(`EM had not converged after ${maxIterations} iterations`);
  const collapsed = collapsedWarning(run.mixture, d, ridge, clusters, n);
  if (collapsed !== undefined) warnings.push(collapsed);
  const model = mixtureModel({
    covariance: kind,
    clusters: K,
    weights,
    centers: mapped(matrix(K, d, means), (value, p) => value * unit + center[p % d]),
    covariances: covariances.map((S) => mapped(S, (value) => value * (unit * unit))),
  });
  // Densities of X are those of Z divided by unit^d.
  const shift = n * d * Math.log(unit);
  const logLikelihood = run.logLikelihood - shift;
  const ofCovariances =
    constraint === undefined ? covarianceParameters(kind, K, d) : modelParameters(constraint, K, d);
  const parameters = K * d + K - 1 + ofCovariances;
  const history = run.history.map((value) => value - shift);
  return extended(model, {
    logLikelihood,
    bic: -2 * logLikelihood + parameters * Math.log(n),
    aic: -2 * logLikelihood + 2 * parameters,
    parameters,
    objective: history[history.length - 1],
    history,
    iterations: history.length,
    converged: run.converged,
    warnings,
  });
}

type Options = rule.ResolvedOptions<typeof gaussianMixtureOptions>;

function bestRun(Z: Matrix, options: Options, warnings: string[]) {
  const { clusters, covariance, ridge, restarts, seed, maxIterations, tolerance } = options;
  const kind = storedKind(covariance);
  const model = modelOf(covariance);
  const gate = progressGate(options.onProgress);
  const streams = random(seed);
  const settings = (part: number, parts: number, label: string): EmSettings => ({
    ridge,
    strength: Z.rows / clusters,
    ...(model !== undefined && { model }),
    maxIterations,
    tolerance: Math.max(tolerance, ROUGH),
    report: (iteration, objective) =>
      gate({ fraction: (part + iteration / (iteration + 30)) / parts, label, objective }),
  });
  // The models of mclust are compared by their likelihood, which clusters of unequal width reach from elsewhere than k-means.
  const count = COVARIANCE_MODELS.some((name) => name === covariance) ? (1 + DRAWN) * restarts : restarts;
  const parts = count + FOLLOWED;
  const runs: EmRun[] = [];
  let distinct = clusters;
  for (let restart = 0; restart < count && !gate.stopped; restart++) {
    const start =
      restart < restarts
        ? kmeansLabels(Z, { clusters, restarts: 1, seed: streams.integer(2 ** 31) })
        : nearestDrawn(Z, distinct, streams);
    distinct = start.clusters;
    if (restart === 0) warnings.push(...start.warnings);
    const label = `restart ${restart + 1} of ${count}`;
    runs.push(
      gaussianEm(Z, kind, indicators(start.labels, start.clusters).data, settings(restart, parts, label)),
    );
  }
  // Starts with the same result count once.
  const ranked = runs.toSorted((a, b) => better(b, a));
  const promising = ranked.filter((run, r) => r === 0 || last(ranked[r - 1]) - last(run) > ROUGH * Z.rows);
  const finished = promising.slice(0, FOLLOWED).map((run, r): EmRun => {
    if (gate.stopped || !run.converged) return run;
    const more = { ...settings(count + r, parts, "the best runs"), tolerance };
    const left = Math.max(1, maxIterations - run.history.length);
    const end = gaussianEm(Z, kind, run.R, { ...more, maxIterations: left }, run.history);
    return { ...end, died: run.died + end.died };
  });
  if (gate.stopped) warnings.push("stopped by onProgress");
  return finished.reduce((a, b) => (better(b, a) > 0 ? b : a));
}

/** Rows by the nearest of as many rows, drawn at random. */
function nearestDrawn(Z: Matrix, clusters: number, stream: Random) {
  const initialCenters = takeRows(Z, stream.sample(clusters, Z.rows));
  return kmeansLabels(Z, { initialCenters, maxIterations: 1 });
}

/** Above 0 if a is better: more remaining components first, then the larger objective. */
function better(a: EmRun, b: EmRun): number {
  return a.mixture.weights.length - b.mixture.weights.length || last(a) - last(b);
}

function last({ history }: EmRun): number {
  return history.at(-1)!;
}

function collapsedWarning(
  { kind, weights, covariances }: Mixture,
  d: number,
  ridge: number,
  asked: number,
  n: number,
): string | undefined {
  const { leastVariances } = precisions(kind, covariances, weights.length, d);
  // The variance that the ridge alone gives component k: (n / K) ridge / n_k.
  const flat = Array.from(leastVariances.keys()).filter((k) => {
    const own = kind === "tied" ? ridge : (n / asked / (weights[k] * n)) * ridge;
    return leastVariances[k] < COLLAPSED * own;
  });
  if (flat.length === 0) return undefined;
  const which = kind === "tied" ? "the covariance is" : `${flat.length} of ${weights.length} components are`;
  return `${which} flat in some direction, where the variance comes from the ridge alone: the likelihood depends on it`;
}

/** Z = (X - center) / unit, of columns with mean 0 and mean variance 1. */
function standardized(X: Matrix) {
  const { rows, cols } = X;
  const Z = isReordered(X) ? takeRows(X.given, X.order) : matrix(rows, cols, X.data.slice());
  const values = Z.data;
  const center = new Float64Array(cols);
  for (let p = 0; p < values.length;) for (let f = 0; f < cols; f++) center[f] += values[p++];
  for (let f = 0; f < cols; f++) center[f] /= rows;
  let squares = 0;
  for (let p = 0; p < values.length;) {
    for (let f = 0; f < cols; f++, p++) {
      values[p] -= center[f];
      squares += values[p] * values[p];
    }
  }
  const unit = squares > 0 ? Math.sqrt(squares / values.length) : 1;
  for (let p = 0; p < values.length; p++) values[p] /= unit;
  return { Z, center, unit };
}
