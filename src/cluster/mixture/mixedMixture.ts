/**
 * A mixture for tables of numbers and categories: Gaussians with one covariance times independent multinomials
 * (location model without interactions, Hunt and Jorgensen 1999),
 *
 *     maximise  sum_i log sum_k pi_k N(z_i; mu_k, S) prod_v theta_{k v c_iv}
 *
 * over the first principal components z of the numeric features, by EM (mixedEm.ts) from k-means, spectral and random
 * starts. One covariance for all components keeps the number of parameters small and depends less on column
 * scales than k-means. Without a number of clusters, K is the smallest whose ICL (Biernacki, Celeux and Govaert
 * 2000) comes near the best. BIC would also divide a group with skewed numbers or dependent levels into
 * overlapping parts.
 */
import { random } from "../../core/index.ts";
import {
  flag,
  given,
  inputError,
  integer,
  optionError,
  plain,
  progressGate,
  real,
  resolveOptions,
  type ProgressGate,
  type OptionsOf,
  type ResolvedOptions,
  seedRule,
  progressRule,
} from "../../core/internal.ts";
import {
  asMatrix,
  gram,
  matrix,
  multiply,
  multiplyTransposeB,
  restoreMatrix,
  storeMatrix,
  topEigen,
  type Matrix,
  type MatrixLike,
  type StoredMatrix,
} from "../../matrix/index.ts";
import { requireFinite, requireSquares } from "../../matrix/internal.ts";
import { neighborGraph } from "../../graph/index.ts";
import { kmeansInOrder } from "../kmeans/kmeans.ts";
import { affinityOf, normalizedAffinity, type Affinity } from "../spectral/spectralGraph.ts";
import {
  expected,
  inverted,
  mixedEm,
  type CodedColumn,
  type MixedParameters,
  type MixedRun,
  type MixedSettings,
} from "./mixedEm.ts";

export type { CodedColumn } from "./mixedEm.ts";

export const mixedMixtureOptions = {
  /** K; chosen by ICL if it is not given. */
  clusters: integer({ min: 1 }),
  /**
   * Largest number of clusters to try if K is not given; default 30, and never more than the square root of
   * the rows.
   */
  mostClusters: integer({
    min: 1,
    default: 30,
    says: "maximum number of clusters to try, if K is not given",
  }),
  /**
   * Maximum number of principal components of the numeric features; default 30, and never more than a tenth
   * of the rows.
   */
  components: integer({ min: 1, default: 30, says: "maximum number of principal components of the numbers" }),
  /** Added to the variances, as a share of the largest; default .03. */
  ridge: real({ above: 0, default: 0.03, says: "minimum variance, relative to the largest" }),
  /** Rows added to every level of every component; default .5. */
  prior: real({ above: 0, default: 0.5, says: "rows added to every level of every component" }),
  /** Random starts in addition to those from k-means and from the neighbour graph; default 2. */
  restarts: integer({
    min: 0,
    max: 10_000,
    default: 2,
    says: "random starts in addition to k-means and the neighbour graph",
  }),
  seed: seedRule,
  /** Maximum number of EM iterations for each start; default 500. */
  maxIterations: integer({ min: 1, default: 500, says: "maximum number of EM iterations in each start" }),
  /** Converged when an iteration adds no more than this to the mean log-likelihood of a row; default 1e-6. */
  tolerance: real({
    above: 0,
    default: 1e-6,
    says: "stops when an iteration adds no more than this to the mean log-likelihood",
  }),
  /** The rows for k-means and the neighbour graph; default: X beside scaled indicators of the categories. */
  space: given<Matrix>("a matrix", (value) => typeof value === "object" && value !== null && "data" in value),
  /** Whether the result has `posteriors`; default false. */
  posteriors: flag(false),
  onProgress: progressRule,
};

export type MixedMixtureOptions = OptionsOf<typeof mixedMixtureOptions>;

export interface MixedMixture {
  readonly method: "mixed-mixture";
  readonly clusters: number;
  /** The most probable component of each row. */
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  /** Means of the components in the units of X, K x columns of X. */
  readonly centers: Matrix;
  /** The penalised log-likelihood. */
  readonly objective: number;
  readonly logLikelihood: number;
  readonly parameters: number;
  /** -2 logLikelihood + parameters log n: smaller is better (Schwarz 1978). */
  readonly bic: number;
  /** bic + 2 x the entropy of the component probabilities: a penalty for overlap. */
  readonly icl: number;
  /** The objective after each iteration of the returned run; never falls. */
  readonly history: readonly number[];
  readonly iterations: number;
  readonly converged: boolean;
  /** The numbers of clusters tried, with their BIC and ICL; one entry if K was given. */
  readonly tried: readonly { readonly clusters: number; readonly bic: number; readonly icl: number }[];
  readonly warnings: readonly string[];
  /** n x K probabilities of the components, on request. */
  readonly posteriors?: Matrix;
  /** Places new rows with `assignMixedMixture`. */
  readonly model: MixedMixtureModel;
  /** The JSON form: typed arrays as arrays. */
  toJSON(): object;
}

/** Plain JSON. */
export interface MixedMixtureModel {
  readonly method: "mixed-mixture";
  readonly weights: readonly number[];
  readonly means: StoredMatrix;
  readonly covariance: StoredMatrix;
  /** For each categorical column K x levels probabilities. */
  readonly levels: readonly StoredMatrix[];
  /** z = (x - center) projection. */
  readonly center: readonly number[];
  readonly projection: StoredMatrix;
}

/** The neighbour graph is not built beyond this many rows. */
const GRAPH_ROWS = 20_000;
const MANY_NUMBERS = 8;
/** Without a given K: the smallest with this share of the most that ICL gains over one cluster. */
const ENOUGH_GAIN = 0.95;
/** Starts run until an iteration adds no more than this to the mean log-likelihood of a row. */
const ROUGH = 1e-4;
/** The search for K ends after this many consecutive numbers that are worse than the best. */
const WORSE_IN_A_ROW = 3;

export function mixedMixture(
  input: MatrixLike,
  codes: readonly CodedColumn[],
  options: MixedMixtureOptions,
): MixedMixture {
  const X = asMatrix(input, "mixedMixture");
  const settings = resolveOptions("mixedMixture", options, mixedMixtureOptions);
  const n = check(X, codes, settings);
  const gate = progressGate(settings.onProgress);
  const { center, projection, Z } = components(
    X,
    Math.min(settings.components, Math.max(2, Math.floor(n / 10))),
  );
  const data: Prepared = {
    Z,
    codes,
    n,
    ridge: settings.ridge * largestVariance(Z),
    space: settings.space,
    graph: {},
    ownGraph: {},
  };
  const warnings: string[] = [];
  const most = Math.min(settings.mostClusters, Math.max(1, Math.floor(Math.sqrt(n))));
  const fits: Fit[] = [];
  const told = new Map<Fit, readonly string[]>();
  if (settings.clusters !== undefined) {
    fits.push(fitOf(settings.clusters, data, settings, gate, (fraction) => fraction, warnings));
  } else {
    for (let K = 1; K <= most && !gate.stopped; K++) {
      // What befell a number of clusters that is only tried is not told.
      const own: string[] = [];
      fits.push(fitOf(K, data, settings, gate, (fraction) => (K - 1 + fraction) / most, own));
      told.set(fits[fits.length - 1], own);
      const best = Math.min(...fits.map((fit) => fit.icl));
      const last = fits.slice(-WORSE_IN_A_ROW);
      if (K >= 5 && last.length === WORSE_IN_A_ROW && last.every((fit) => fit.icl > best)) break;
    }
  }
  if (gate.stopped) warnings.push("stopped by onProgress");
  const chosen = chosenFit(fits);
  warnings.push(...(told.get(chosen) ?? []));
  const { run, bic, icl, parameters } = finished(chosen, data, settings, gate);
  const K = run.parameters.weights.length;
  if (settings.clusters !== undefined && K < settings.clusters) {
    warnings.push(`${settings.clusters - K} of ${settings.clusters} components lost all their rows`);
  }
  if (!run.converged && !run.stopped) {
    warnings.push(`EM had not converged after ${settings.maxIterations} iterations`);
  }
  const { labels, sizes } = mostProbable(run.posteriors);
  const empty = sizes.filter((size) => size === 0).length;
  if (empty > 0) warnings.push(`${empty} of ${K} components are most probable for no row`);
  const { weights, means, covariance, levels } = run.parameters;
  const centers = multiplyTransposeB(means, projection);
  for (let p = 0; p < centers.data.length; p++) centers.data[p] += center[p % X.cols];
  return plain({
    method: "mixed-mixture",
    clusters: K,
    labels,
    sizes,
    centers,
    objective: run.history[run.history.length - 1],
    logLikelihood: run.logLikelihood,
    parameters,
    bic,
    icl,
    history: run.history,
    iterations: run.history.length,
    converged: run.converged,
    tried: fits.map((fit) => ({ clusters: fit.clusters, bic: fit.bic, icl: fit.icl })),
    warnings: [...new Set(warnings)],
    ...(settings.posteriors && { posteriors: run.posteriors }),
    model: {
      method: "mixed-mixture",
      weights: Array.from(weights),
      means: storeMatrix(means),
      covariance: storeMatrix(covariance),
      levels: levels.map(storeMatrix),
      center: Array.from(center),
      projection: storeMatrix(projection),
    },
  });
}

/** The most probable component of other rows, and the probabilities of all. */
export function assignMixedMixture(
  model: MixedMixtureModel,
  X: Matrix,
  codes: readonly CodedColumn[],
): { labels: Int32Array; posteriors: Matrix; logDensities: Float64Array } {
  const projection = restoreMatrix(model.projection, "the projection of the mixture");
  if (X.cols !== projection.rows) {
    throw inputError(`the mixture has ${projection.rows} numeric columns, but these rows have ${X.cols}`);
  }
  if (codes.length !== model.levels.length) {
    throw inputError(
      `the mixture has ${model.levels.length} categories, but these rows have ${codes.length}`,
    );
  }
  requireFinite(X);
  const levels = model.levels.map((theta) => restoreMatrix(theta, "the levels of the mixture"));
  const known = codes.map((column, v) => {
    const L = levels[v].cols;
    // A level that the mixture does not know carries no information.
    return { codes: column.codes.map((code) => (code < L ? code : -1)), levels: L };
  });
  const parameters: MixedParameters = {
    weights: Float64Array.from(model.weights),
    means: restoreMatrix(model.means, "the means of the mixture"),
    covariance: restoreMatrix(model.covariance, "the covariance of the mixture"),
    levels,
  };
  const { posteriors, logDensities } = expected(parameters, projected(X, model.center, projection), known);
  return { labels: mostProbable(posteriors).labels, posteriors, logDensities };
}

/**
 * The mixture as sums: up to a term common to all components, the logarithm of the probability of component k
 * is bias_k + x' weights_k + sum_v logs_v[k, level], because one covariance leaves no square of x (Fisher
 * 1936).
 */
export interface LinearMixture {
  readonly bias: Float64Array;
  /** Numeric columns x K. */
  readonly weights: Matrix;
  /** For each categorical column K x levels. */
  readonly logs: readonly Matrix[];
}

export function linearMixture(model: MixedMixtureModel): LinearMixture {
  const projection = restoreMatrix(model.projection, "the projection of the mixture");
  const means = restoreMatrix(model.means, "the means of the mixture");
  const covariance = restoreMatrix(model.covariance, "the covariance of the mixture");
  const bias = Float64Array.from(model.weights, Math.log);
  const K = bias.length;
  const weights = matrix(projection.rows, K);
  if (means.cols > 0) {
    const A = multiply(means, inverted(covariance).inverse);
    weights.data.set(multiplyTransposeB(projection, A).data);
    for (let k = 0; k < K; k++) {
      for (let f = 0; f < means.cols; f++) {
        bias[k] -= (means.data[k * means.cols + f] * A.data[k * means.cols + f]) / 2;
      }
      for (let f = 0; f < projection.rows; f++) bias[k] -= model.center[f] * weights.data[f * K + k];
    }
  }
  const logs = model.levels.map((theta) => {
    const own = restoreMatrix(theta, "the levels of the mixture");
    return matrix(own.rows, own.cols, Float64Array.from(own.data, Math.log));
  });
  return { bias, weights, logs };
}

type Settings = ResolvedOptions<typeof mixedMixtureOptions>;

/** The data shared by all numbers of clusters; the space and its graph are made on first use. */
interface Prepared {
  readonly Z: Matrix;
  readonly codes: readonly CodedColumn[];
  readonly n: number;
  readonly ridge: number;
  space: Matrix | undefined;
  readonly graph: Graph;
  readonly ownGraph: Graph;
}

interface Graph {
  affinity?: Affinity;
  embedding?: Matrix;
}

interface Fit {
  readonly clusters: number;
  readonly run: MixedRun;
  readonly bic: number;
  readonly icl: number;
  readonly parameters: number;
}

function check(X: Matrix, codes: readonly CodedColumn[], { clusters, space }: Settings): number {
  const n = X.rows;
  requireFinite(X);
  requireSquares(X, "mixedMixture");
  if (n === 0 || (X.cols === 0 && codes.length === 0)) {
    throw inputError(
      `mixedMixture: the data is empty (${n} rows, ${X.cols} numbers, ${codes.length} categories)`,
    );
  }
  codes.forEach(({ codes: own, levels }, v) => {
    if (own.length !== n) {
      throw inputError(`mixedMixture: categorical column ${v} has ${own.length} rows, but X has ${n}`);
    }
    const bad = own.findIndex((code) => code < -1 || code >= levels);
    if (bad >= 0) {
      throw inputError(
        `mixedMixture: row ${bad} of categorical column ${v} has code ${own[bad]}; codes are 0 to ${levels - 1}, ` +
          "and -1 where missing",
      );
    }
  });
  if (clusters !== undefined && clusters > n) {
    throw optionError(`mixedMixture: cannot make ${clusters} clusters of ${n} ${n === 1 ? "row" : "rows"}`);
  }
  if (space !== undefined && space.rows !== n) {
    throw optionError(`mixedMixture: "space" has ${space.rows} rows, but X has ${n}`);
  }
  return n;
}

function fitOf(
  K: number,
  data: Prepared,
  settings: Settings,
  gate: ProgressGate,
  part: (fraction: number) => number,
  warnings: string[],
): Fit {
  const { Z, codes, n, ridge } = data;
  const starts = startsOf(K, data, settings, warnings);
  let best: MixedRun | undefined;
  starts.forEach((labels, s) => {
    if (gate.stopped && best !== undefined) return;
    const report = (iteration: number, objective: number): boolean =>
      gate({
        fraction: part((s + iteration / (iteration + 30)) / starts.length),
        label: `${K} clusters, start ${s + 1} of ${starts.length}`,
        objective,
      });
    const rough = { ...emSettings(ridge, settings, report), tolerance: Math.max(ROUGH, settings.tolerance) };
    const run = mixedEm(Z, codes, indicators(labels, n), rough);
    if (best === undefined || better(run, best)) best = run;
  });
  return described(best!, data);
}

function described(run: MixedRun, { Z, codes, n }: Prepared): Fit {
  const made = run.parameters.weights.length;
  const d = Z.cols;
  let parameters = made - 1 + made * d + (d * (d + 1)) / 2;
  for (const { levels } of codes) parameters += made * Math.max(0, levels - 1);
  const bic = -2 * run.logLikelihood + parameters * Math.log(n);
  let entropy = 0;
  for (const p of run.posteriors.data) if (p > 0) entropy -= p * Math.log(p);
  return { clusters: made, run, parameters, bic, icl: bic + 2 * entropy };
}

/** Starts are followed roughly; the returned one is run to convergence. */
function finished(fit: Fit, data: Prepared, settings: Settings, gate: ProgressGate): Fit {
  const left = settings.maxIterations - fit.run.history.length;
  if (gate.stopped || !fit.run.converged || settings.tolerance >= ROUGH || left < 1) return fit;
  const report = (_: number, objective: number): boolean =>
    gate({ fraction: 0.99, label: "the best start", objective });
  const rules = { ...emSettings(data.ridge, settings, report), maxIterations: left };
  const run = mixedEm(data.Z, data.codes, fit.run.posteriors, rules, fit.run.history);
  return described({ ...run, died: run.died + fit.run.died }, data);
}

function emSettings(
  ridge: number,
  { prior, maxIterations, tolerance }: Settings,
  report: MixedSettings["report"],
): MixedSettings {
  return { ridge, prior, maxIterations, tolerance, report };
}

/** More remaining components first, then the larger objective. */
function better(a: MixedRun, b: MixedRun): boolean {
  const more = a.parameters.weights.length - b.parameters.weights.length;
  return more > 0 || (more === 0 && a.history[a.history.length - 1] > b.history[b.history.length - 1]);
}

function chosenFit(fits: readonly Fit[]): Fit {
  let best = fits[0];
  for (const fit of fits) if (fit.icl < best.icl) best = fit;
  const worst = fits[0].icl;
  return fits.find((fit) => fit.icl <= best.icl + (1 - ENOUGH_GAIN) * (worst - best.icl)) ?? best;
}

function startsOf(K: number, data: Prepared, settings: Settings, warnings: string[]): Int32Array[] {
  const { n } = data;
  if (K === 1) return [new Int32Array(n)];
  const { seed, restarts } = settings;
  const space = (data.space ??= sideBySide(data.Z, data.codes));
  if (space.cols === 0) {
    warnings.push("all rows are equal: there is one cluster");
    return [new Int32Array(n)];
  }
  const near = kmeansInOrder(space, { clusters: K, restarts: 5, seed });
  warnings.push(...near.warnings);
  const starts = [near.labels];
  if (n <= GRAPH_ROWS && n > 11) {
    starts.push(spectralStart(K, data.graph, space, settings));
    // Indicators of a category can outweigh many numbers between neighbours, so the numbers also start on
    // their own.
    if (data.codes.length > 0 && data.Z.cols >= MANY_NUMBERS) {
      starts.push(spectralStart(K, data.ownGraph, data.Z, settings));
    }
  }
  const stream = random(seed);
  for (let r = 0; r < restarts; r++) {
    const rows = stream.sample(near.clusters, n);
    const initialCenters = matrix(rows.length, space.cols);
    rows.forEach((i, k) => {
      initialCenters.data.set(space.data.subarray(i * space.cols, (i + 1) * space.cols), k * space.cols);
    });
    starts.push(kmeansInOrder(space, { initialCenters, maxIterations: 5 }).labels);
  }
  return starts;
}

/** As in spectral.ts, but the eigenvectors are found once for many K. */
function spectralStart(K: number, data: Graph, space: Matrix, { clusters, seed }: Settings): Int32Array {
  const n = space.rows;
  let { embedding } = data;
  if (embedding === undefined || embedding.cols < Math.min(K, n)) {
    data.affinity ??= affinityOf(
      neighborGraph(space, { neighbors: 10, kind: "union", alpha: 0, join: true }).graph,
      "mixedMixture",
    );
    const { degrees } = data.affinity;
    const count = Math.min(n, clusters ?? Math.max(8, 2 * (K - 1)));
    const { vectors } = topEigen(normalizedAffinity(data.affinity), count, { seed, tolerance: 1e-6 });
    embedding = matrix(
      n,
      count,
      vectors.data.map((value, p) => value / Math.sqrt(degrees[Math.floor(p / count)] || 1)),
    );
    data.embedding = embedding;
  }
  const first = matrix(n, K);
  for (let i = 0; i < n; i++) {
    first.data.set(embedding.data.subarray(i * embedding.cols, i * embedding.cols + K), i * K);
  }
  return kmeansInOrder(first, { clusters: K, restarts: 4, seed }).labels;
}

/** Numbers beside indicators; each category has the variance of one standardised number. */
function sideBySide(Z: Matrix, codes: readonly CodedColumn[]): Matrix {
  const n = Z.rows;
  const width = codes.reduce((sum, { levels }) => sum + levels, Z.cols);
  const S = matrix(n, width);
  let total = 0;
  for (const value of Z.data) total += (value * value) / n;
  const one = Z.cols > 0 && total > 0 ? Math.sqrt(total / Z.cols) : 1;
  for (let i = 0; i < n; i++) S.data.set(Z.data.subarray(i * Z.cols, (i + 1) * Z.cols), i * width);
  let first = Z.cols;
  for (const { codes: own, levels } of codes) {
    const shares = new Float64Array(levels);
    let present = 0;
    for (const code of own) {
      if (code < 0) continue;
      shares[code]++;
      present++;
    }
    let variance = 0;
    for (let c = 0; c < levels; c++) {
      shares[c] /= Math.max(1, present);
      variance += shares[c] * (1 - shares[c]);
    }
    const scale = variance > 0 ? one / Math.sqrt(variance) : 0;
    for (let i = 0; i < n; i++) {
      if (own[i] < 0) continue;
      for (let c = 0; c < levels; c++) S.data[i * width + first + c] = -shares[c] * scale;
      S.data[i * width + first + own[i]] += scale;
    }
    first += levels;
  }
  return S;
}

function components(X: Matrix, most: number): { center: Float64Array; projection: Matrix; Z: Matrix } {
  const { rows: n, cols: d } = X;
  const center = new Float64Array(d);
  for (let p = 0; p < X.data.length; p++) center[p % d] += X.data[p] / n;
  if (d === 0) return { center, projection: matrix(0, 0), Z: matrix(n, 0) };
  const all = matrix(
    n,
    d,
    X.data.map((value, p) => value - center[p % d]),
  );
  const { values, vectors } = topEigen(gram(all), Math.min(d, most), { tolerance: 1e-9 });
  let used = 0;
  while (used < values.length && values[used] > 1e-12 * values[0]) used++;
  const projection = matrix(d, used);
  for (let f = 0; f < d; f++)
    for (let r = 0; r < used; r++) projection.data[f * used + r] = vectors.data[f * vectors.cols + r];
  return { center, projection, Z: used === 0 ? matrix(n, 0) : multiply(all, projection) };
}

function projected(X: Matrix, center: readonly number[], projection: Matrix): Matrix {
  if (projection.cols === 0) return matrix(X.rows, 0);
  const moved = matrix(
    X.rows,
    X.cols,
    X.data.map((value, p) => value - center[p % X.cols]),
  );
  return multiply(moved, projection);
}

function largestVariance({ rows, cols, data }: Matrix): number {
  const variances = new Float64Array(cols);
  for (let p = 0; p < data.length; p++) variances[p % cols] += data[p] ** 2 / rows;
  return variances.reduce((most, value) => Math.max(most, value), 0);
}

function indicators(labels: Int32Array, n: number): Matrix {
  const K = labels.reduce((most, label) => Math.max(most, label), 0) + 1;
  const R = matrix(n, K);
  labels.forEach((label, i) => (R.data[i * K + label] = 1));
  return R;
}

function mostProbable({ rows, cols: K, data }: Matrix): { labels: Int32Array; sizes: Int32Array } {
  const labels = new Int32Array(rows);
  const sizes = new Int32Array(K);
  for (let i = 0; i < rows; i++) {
    for (let k = 1; k < K; k++) if (data[i * K + k] > data[i * K + labels[i]]) labels[i] = k;
    sizes[labels[i]]++;
  }
  return { labels, sizes };
}
