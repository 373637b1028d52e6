/**
 * A mixture for tables of numbers and categories: Gaussians with one covariance times independent multinomials
 * (location model without interactions, Hunt and Jorgensen 1999),
 *
 *     maximise  sum_i log sum_k pi_k N(z_i; mu_k, S) prod_v theta_{k v c_iv}
 *
 * over the first principal components z of the numeric features, by EM (mixedEm.ts) from k-means, spectral and random
 * starts (`mixedStarts`). One covariance for all components keeps the number of parameters small and depends less on
 * column scales than k-means. Without a number of clusters, K is the fewest whose ICL (Biernacki, Celeux and Govaert 2000)
 * is the smallest but for its standard error.
 * BIC would also divide a group with skewed numbers or dependent levels into overlapping parts.
 */
import { random } from "../../core/index.ts";
import {
  inputError,
  optionError,
  plain,
  progressGate,
  rule,
  type ProgressGate,
} from "../../core/internal.ts";
import {
  asMatrix,
  gram,
  matrix,
  multiply,
  multiplyTransposeB,
  storeMatrix,
  takeRows,
  topEigen,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import {
  centered,
  columnVariances,
  leadingColumns,
  requireFinite,
  requireSquares,
  matrixRule,
  columnMeans,
} from "../../matrix/internal.ts";
import { requireCount } from "../clusterInput.ts";
import type { Iterated, Partitioned } from "../clustered.ts";
import { indicators, mostProbable, unusedWarning } from "./memberships.ts";
import { kmeansInOrder } from "../kmeans/kmeans.ts";
import { spectralFamily, spectralInOrder } from "../spectral/spectral.ts";
import type { MixedMixtureModel } from "./mixedMixtureModel.ts";
import { mixedEm, type CodedColumn, type MixedRun } from "./mixedEm.ts";

export type { CodedColumn } from "./mixedEm.ts";

export const mixedMixtureOptions = {
  /** K; chosen by ICL if it is not given. */
  clusters: rule.integer({ min: 1 }),
  /**
   * Largest number of clusters to try if K is not given; default 30, and never more than the square root of
   * the rows.
   */
  mostClusters: rule.integer({
    min: 1,
    default: 30,
    says: "maximum number of clusters to try, if K is not given",
  }),
  /**
   * Maximum number of principal components of the numeric features; default 30, and never more than a tenth
   * of the rows.
   */
  components: rule.integer({
    min: 1,
    default: 30,
    says: "maximum number of principal components of the numbers",
  }),
  ridge: rule.real({ above: 0, default: 0.03, says: "minimum variance, relative to the largest" }),
  prior: rule.real({ above: 0, default: 0.5, says: "rows added to every level of every component" }),
  restarts: rule.integer({
    min: 0,
    max: 10_000,
    default: 2,
    says: "random starts in addition to k-means and the neighbour graph",
  }),
  seed: rule.seed,
  maxIterations: rule.integer({
    min: 1,
    default: 500,
    says: "maximum number of EM iterations in each start",
  }),
  tolerance: rule.real({
    above: 0,
    default: 1e-6,
    says: "stops when an iteration adds no more than this to the mean log-likelihood",
  }),
  /** The rows for k-means and the neighbour graph; default: X beside scaled indicators of the categories. */
  space: matrixRule,
  /** Labels from which EM begins, instead of k-means and the neighbour graph. */
  starts: rule.given<readonly Int32Array[]>("arrays of labels", rule.isList),
  /** Whether the result has `posteriors`; default false. */
  posteriors: rule.flag(false),
  onProgress: rule.progress,
};

export type MixedMixtureOptions = rule.OptionsOf<typeof mixedMixtureOptions>;

/** The labels are the most probable components, the objective is the penalised log-likelihood, which never falls. */
export interface MixedMixture extends Partitioned, Iterated {
  readonly method: "mixed-mixture";
  /** Means of the components in the units of X, K x columns of X. */
  readonly centers: Matrix;
  readonly logLikelihood: number;
  readonly parameters: number;
  /** -2 logLikelihood + parameters log n: smaller is better (Schwarz 1978). */
  readonly bic: number;
  /** bic + 2 x the entropy of the component probabilities: a penalty for overlap. */
  readonly icl: number;
  /** The numbers of clusters tried, with their BIC and ICL; one entry if K was given. */
  readonly tried: readonly { readonly clusters: number; readonly bic: number; readonly icl: number }[];
  /** n x K probabilities of the components, on request. */
  readonly posteriors?: Matrix;
  /** Places new rows with `assignMixedMixture`. */
  readonly model: MixedMixtureModel;
}

/** Starts run until an iteration adds no more than this to the mean log-likelihood of a row. */
const ROUGH = 1e-4;

export function mixedMixture(
  input: MatrixLike,
  codes: readonly CodedColumn[],
  options: MixedMixtureOptions,
): MixedMixture {
  const X = asMatrix(input, "mixedMixture");
  const settings = rule.resolveOptions("mixedMixture", options, mixedMixtureOptions);
  const n = check(X, codes, settings);
  const gate = progressGate(settings.onProgress);
  const { center, projection, Z } = components(
    X,
    Math.min(settings.components, Math.max(2, Math.floor(n / 10))),
  );
  const most = settings.clusters ?? Math.min(settings.mostClusters, Math.max(1, Math.floor(Math.sqrt(n))));
  const starts = settings.starts
    ? () => [...settings.starts!]
    : mixedStarts(Z, codes, settings.space, most, settings);
  const data: Prepared = { Z, codes, n, ridge: settings.ridge * Math.max(0, ...columnVariances(Z)), starts };
  const warnings: string[] = [];
  const fits: Fit[] = [];
  for (let K = settings.clusters ?? 1; K <= most && !gate.stopped; K++) {
    const share = settings.clusters === undefined ? most : 1;
    fits.push(
      fitOf(K, data, settings, gate, (fraction) => (share === 1 ? fraction : (K - 1 + fraction) / most)),
    );
    // Its ICL is no less than its BIC, and more clusters add the same to the penalty for less and less likelihood.
    if (fits.length > 1 && fits[fits.length - 1].bic > Math.min(...fits.map((fit) => fit.icl))) break;
  }
  if (gate.stopped) warnings.push("stopped by onProgress");
  const chosen = chosenFit(fits);
  warnings.push(...chosen.warnings);
  const { run, bic, icl, parameters } = finished(chosen, data, settings, gate);
  const K = run.parameters.weights.length;
  if (settings.clusters !== undefined && K < settings.clusters) {
    warnings.push(`${settings.clusters - K} of ${settings.clusters} components lost all their rows`);
  }
  if (!run.converged && !run.stopped) {
    warnings.push(`EM had not converged after ${settings.maxIterations} iterations`);
  }
  const { labels, sizes } = mostProbable(run.posteriors);
  warnings.push(...unusedWarning(sizes));
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

type Settings = rule.ResolvedOptions<typeof mixedMixtureOptions>;

/** The data shared by all numbers of clusters. */
interface Prepared {
  readonly Z: Matrix;
  readonly codes: readonly CodedColumn[];
  readonly n: number;
  readonly ridge: number;
  readonly starts: ReturnType<typeof mixedStarts>;
}

interface Fit {
  readonly clusters: number;
  readonly run: MixedRun;
  readonly bic: number;
  readonly icl: number;
  /** The part of each row in the ICL, without the penalty. */
  readonly costs: Float64Array;
  readonly parameters: number;
  readonly warnings: readonly string[];
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
  requireCount("mixedMixture", clusters ?? 1, n);
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
): Fit {
  const { Z, codes, ridge } = data;
  const warnings: string[] = [];
  const starts = data.starts(K, warnings);
  let best: MixedRun | undefined;
  starts.forEach((labels, s) => {
    if (gate.stopped && best !== undefined) return;
    const report = (iteration: number, objective: number): boolean =>
      gate({
        fraction: part((s + iteration / (iteration + 30)) / starts.length),
        label: `${K} clusters, start ${s + 1} of ${starts.length}`,
        objective,
      });
    const rough = { ...settings, ridge, report, tolerance: Math.max(ROUGH, settings.tolerance) };
    const groups = labels.reduce((k, label) => Math.max(k, label + 1), 1);
    const run = mixedEm(Z, codes, indicators(labels, groups), rough);
    if (best === undefined || better(run, best)) best = run;
  });
  return described(best!, data, warnings);
}

function described(run: MixedRun, { Z, codes, n }: Prepared, warnings: readonly string[]): Fit {
  const made = run.parameters.weights.length;
  const d = Z.cols;
  let parameters = made - 1 + made * d + (d * (d + 1)) / 2;
  for (const { levels } of codes) parameters += made * Math.max(0, levels - 1);
  const bic = -2 * run.logLikelihood + parameters * Math.log(n);
  const costs = run.logDensities.map((log) => -2 * log);
  run.posteriors.data.forEach((p, at) => {
    if (p > 0) costs[Math.floor(at / made)] -= 2 * p * Math.log(p);
  });
  const entropy = costs.reduce((sum, cost) => sum + cost, 0) / 2 + run.logLikelihood;
  return { clusters: made, run, parameters, bic, icl: bic + 2 * entropy, costs, warnings };
}

/** Starts are followed roughly; the returned one is run to convergence. */
function finished(fit: Fit, data: Prepared, settings: Settings, gate: ProgressGate): Fit {
  const left = settings.maxIterations - fit.run.history.length;
  if (gate.stopped || !fit.run.converged || settings.tolerance >= ROUGH || left < 1) return fit;
  const report = (_: number, objective: number): boolean =>
    gate({ fraction: 0.99, label: "the best start", objective });
  const rules = { ...settings, ridge: data.ridge, report, maxIterations: left };
  const run = mixedEm(data.Z, data.codes, fit.run.posteriors, rules, fit.run.history);
  return described({ ...run, died: run.died + fit.run.died }, data, fit.warnings);
}

/** More remaining components first, then the larger objective. */
function better(a: MixedRun, b: MixedRun): boolean {
  const more = a.parameters.weights.length - b.parameters.weights.length;
  return more > 0 || (more === 0 && a.history[a.history.length - 1] > b.history[b.history.length - 1]);
}

/**
 * The fewest clusters whose ICL is within a standard error of the smallest (the rule of L. Breiman, J. Friedman, R. Olshen and
 * C. Stone, 1984, section 3.4.3). The difference of two ICLs is a sum over rows, whose error is that of Q. H. Vuong (1989).
 */
function chosenFit(fits: readonly Fit[]): Fit {
  const best = fits.reduce((least, fit) => (fit.icl < least.icl ? fit : least));
  const within = (fit: Fit): boolean => {
    const differences = fit.costs.map((cost, i) => cost - best.costs[i]);
    const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
    const squares = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return fit.icl - best.icl <= Math.sqrt(squares);
  };
  return fits.find(within) ?? best;
}

function components(X: Matrix, most: number) {
  const { rows: n, cols: d } = X;
  const center = columnMeans(X);
  if (d === 0) return { center, projection: matrix(0, 0), Z: matrix(n, 0) };
  const all = centered(X, center);
  const { values, vectors } = topEigen(gram(all), Math.min(d, most), { tolerance: 1e-9 });
  let used = 0;
  while (used < values.length && values[used] > 1e-12 * values[0]) used++;
  const projection = leadingColumns(vectors, used);
  return { center, projection, Z: used === 0 ? matrix(n, 0) : multiply(all, projection) };
}

/** The neighbour graph is not built beyond this many rows: k-means is the better start for its time. */
const GRAPH_ROWS = 20_000;
const NEIGHBORS = 10;
/** Numbers from which they also start alone: indicators of a category can outweigh many numbers between neighbours. */
const MANY_NUMBERS = 8;
/** Starts of the k-means inside a start: one each, and some more, for a poor one costs a whole run of EM. */
const RESTARTS = 5;

/**
 * Labels from which EM begins, for each number of clusters up to `most`: k-means, spectral clusters of the neighbour
 * graph, and k-means of few steps from rows drawn at random.
 *
 * @param given the rows for k-means and the neighbour graph, instead of numbers beside scaled indicators
 */
function mixedStarts(
  Z: Matrix,
  codes: readonly CodedColumn[],
  given: Matrix | undefined,
  most: number,
  { seed, restarts }: { readonly seed: number; readonly restarts: number },
): (K: number, warnings: string[]) => Int32Array[] {
  const n = Z.rows;
  let space: Matrix | undefined = given;
  let families: ((K: number) => Int32Array)[] | undefined;
  const spectral = (X: Matrix): ((K: number) => Int32Array) => {
    const options = { neighbors: NEIGHBORS, restarts: RESTARTS, seed };
    const family = spectralFamily(X, options, most);
    return (K) => (family(K) ?? spectralInOrder(X, { ...options, clusters: K })).labels;
  };
  return (K, warnings) => {
    if (K === 1) return [new Int32Array(n)];
    const rows = (space ??= sideBySide(Z, codes));
    if (rows.cols === 0) {
      warnings.push("all rows are equal: there is one cluster");
      return [new Int32Array(n)];
    }
    const near = kmeansInOrder(rows, { clusters: K, restarts: RESTARTS, seed });
    warnings.push(...near.warnings);
    const graphed = n <= GRAPH_ROWS && n > NEIGHBORS + 1;
    families ??= !graphed
      ? []
      : codes.length > 0 && Z.cols >= MANY_NUMBERS
        ? [spectral(rows), spectral(Z)]
        : [spectral(rows)];
    const stream = random(seed);
    const drawn = Array.from({ length: restarts }, () => {
      const initialCenters = takeRows(rows, stream.sample(near.clusters, n));
      return kmeansInOrder(rows, { initialCenters, maxIterations: 5 }).labels;
    });
    return [near.labels, ...families.map((family) => family(K)), ...drawn];
  };
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
