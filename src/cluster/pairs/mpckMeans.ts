import { inValueOrder, asGiven, scaledColumns } from "../../matrix/internal.ts";
import {
  asMatrix,
  cholesky,
  matrix,
  multiply,
  solveTriangular,
  transpose,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { random } from "../../core/index.ts";
import type { Constraints } from "../../data/index.ts";
import { plain, rule, sizesOf } from "../../core/internal.ts";
import type { Clustered, Iterated } from "../clustered.ts";
import type { ReportIteration } from "../kmeans/lloyd.ts";
import { bestOfRestarts } from "../kmeans/restarts.ts";
import { knownPlacing } from "../knownRows.ts";
import { rca } from "../../metric/index.ts";
import { whitenedRows } from "../../metric/internal.ts";
import { agglomerative } from "../linkage/agglomerative.ts";
import {
  clusterMetric,
  mpckObjective,
  weightedVariances,
  type MpckObjective,
  type MpckState,
} from "./mpckObjective.ts";
import { pckMeans } from "./pckMeans.ts";
import {
  pairCertificate,
  SOFT_RULES,
  softProblem,
  type PairCertificate,
  type SoftPairOptions,
  type SoftProblem,
} from "./softKmeans.ts";
import { clusterSizes, weightedMeans } from "../kmeans/weightedMeans.ts";
import { requireColumns } from "../clusterInput.ts";

export const mpckMeansOptions = {
  ...SOFT_RULES,
  perCluster: rule.flag(false, { says: "a metric for each cluster instead of one for all" }),
  diagonal: rule.flag(false, { says: "weights of the features instead of a full matrix" }),
  /** Weight of the plain standardised distance in rows: keeps a metric regular in a cluster with few rows. */
  prior: rule.real({ above: 0, default: 0.3, says: "weight of the plain distance, counted in rows" }),
};

export type MpckMeansOptions = rule.OptionsOf<typeof mpckMeansOptions>;

export interface MpckMeans extends Clustered, Iterated {
  readonly method: "mpck-means";
  readonly centers: Matrix;
  /** The metric of each cluster, d x d; all the same object when shared. */
  readonly metrics: readonly Matrix[];
  readonly certificate: PairCertificate;
  /** argmin_k ||y - c_k||^2 in A_k - log det A_k; known rows that pairs hold elsewhere stay there. */
  predict(Y: MatrixLike): Int32Array;
  /** With a metric for each cluster the rule is that of a mixture of equal weights. */
  readonly placement: "nearest-center" | "mixture";
}

/**
 * MPCK-means (M. Bilenko, S. Basu and R. J. Mooney, 2004, "Integrating constraints and metric learning in
 * semi-supervised clustering"): clusters, soft pairs and the metric A_k of each cluster (or one for all) together; the
 * objective is in mpckObjective.ts. From several starts (`startLabels`), each of its three steps, labels, means and metrics, can only
 * lower it; the best run is kept.
 */
export function mpckMeans(input: MatrixLike, options: MpckMeansOptions): MpckMeans {
  return inValueOrder(asMatrix(input, "mpckMeans"), options, ["weights"], fitted, asGiven());
}

function fitted(X: Matrix, options: MpckMeansOptions): MpckMeans {
  const resolved = rule.resolveOptions("mpckMeans", options, mpckMeansOptions);
  const { clusters: K, maxIterations, perCluster } = resolved;
  const problem = softProblem("mpckMeans", X, resolved);
  const { warnings } = problem;
  const variances = weightedVariances(X, problem.weights);
  const objective = mpckObjective(X, problem, variances, resolved);
  const { perCluster: _each, diagonal: _form, prior: _prior, ...soft } = options;
  const starts = startLabels(X, problem, variances, soft);
  const { state, history, converged } = bestOfRestarts<Run>(
    { restarts: starts.length, maxIterations, onProgress: resolved.onProgress },
    warnings,
    (run) => run.history.at(-1)!,
    (start, report) => descend(X, problem, objective, starts[start], variances, resolved, report),
  );
  const { labels } = state;
  // One object where all share a metric.
  const made = new Map(state.metrics.map((metric) => [metric, metric.matrix()]));
  const metrics = state.metrics.map((metric) => made.get(metric)!);
  const centers = matrix(K, X.cols, state.centers);
  const placing = knownPlacing(X, labels, (Y: Matrix) => predict(Y, state, K));
  return plain({
    method: "mpck-means",
    clusters: K,
    labels,
    sizes: clusterSizes(labels, K, warnings),
    centers,
    metrics,
    objective: history.at(-1)!,
    iterations: history.length,
    converged,
    history,
    certificate: pairCertificate(problem.constraints, labels, converged ? "local optimum" : "none"),
    warnings,
    placement: perCluster ? ("mixture" as const) : ("nearest-center" as const),
    predict: placing.predict,
  });
}

/** Rows up to which Ward's trees are also starts: they need all distances. */
const MOST_TREE_ROWS = 2000;
/**
 * Share of the mean variance by which directions are shrunk, so that directions of little variance do not
 * decide.
 */
const SHRINK = 0.1;

/**
 * The starts, because the objective has many local optima: the best of several PCK-means on standardised
 * columns, on the columns of RCA (the scatter inside must-link groups is a first estimate of the metric) and
 * on shrunk-white ones (clusters may lie in directions of little variance), and Ward's trees.
 */
function startLabels(
  X: Matrix,
  { constraints }: SoftProblem,
  variances: Float64Array,
  options: SoftPairOptions,
): Int32Array[] {
  const { clusters } = options;
  const Z = scaledColumns(X, (j) => 1 / Math.sqrt(variances[j]));
  const spaces = [Z];
  if (constraints.groups < X.rows) {
    const sizes = sizesOf(constraints.group, constraints.groups);
    const chunklets = constraints.group.map((g) => (sizes[g] > 1 ? g : -1));
    const whitened = rca(Z, chunklets).transform(Z);
    if (whitened.cols > 0) spaces.push(whitened);
  }
  if (X.cols > 1 && Z.data.some((value, p) => value !== Z.data[p % X.cols])) spaces.push(shrunkWhite(Z));
  const starts = spaces.map((space) => pckMeans(space, options).labels);
  if (X.rows <= MOST_TREE_ROWS && clusters <= X.rows)
    for (const space of spaces) starts.push(agglomerative(space, { clusters }).labels);
  return starts;
}

function shrunkWhite(Z: Matrix): Matrix {
  const { Z: white, variances } = whitenedRows("mpckMeans", Z);
  const ridge = (SHRINK * variances.reduce((a, b) => a + b, 0)) / variances.length;
  return scaledColumns(white, (c) => Math.sqrt(variances[c] / (variances[c] + ridge)));
}

interface Run {
  readonly state: MpckState;
  readonly history: number[];
  readonly converged: boolean;
}

function descend(
  X: Matrix,
  { weights }: SoftProblem,
  objective: MpckObjective,
  start: Int32Array,
  variances: Float64Array,
  { clusters: K, maxIterations, seed }: { clusters: number; maxIterations: number; seed: number },
  report: ReportIteration,
): Run {
  const stream = random(seed);
  // The standardised Euclidean distance.
  const first = clusterMetric(
    variances.map((v) => 1 / v),
    X.cols,
  );
  let state: MpckState = {
    labels: start,
    centers: weightedMeans(X, start, weights, new Float64Array(K * X.cols)),
    metrics: Array.from({ length: K }, () => first),
  };
  const history: number[] = [];
  for (let iteration = 1; iteration <= maxIterations; iteration++) {
    const labels = state.labels.slice();
    const moved = objective.relabel({ ...state, labels }, stream);
    const centers = weightedMeans(X, labels, weights, state.centers);
    const before = objective.value({ ...state, labels, centers });
    const metrics = objective.improveMetrics({ labels, centers, metrics: state.metrics }, before);
    const after = metrics === undefined ? before : metrics.value;
    state = { labels, centers, metrics: metrics?.metrics ?? state.metrics };
    const drop = history.length === 0 ? Infinity : history.at(-1)! - after;
    history.push(history.length === 0 ? after : Math.min(after, history.at(-1)!));
    if (iteration > 1 && moved === 0 && drop <= 1e-9 * Math.abs(after)) {
      return { state, history, converged: true };
    }
    if (!report(iteration, history.at(-1)!)) break;
  }
  return { state, history, converged: false };
}

function predict(Y: Matrix, { centers, metrics }: MpckState, K: number): Int32Array {
  const d = centers.length / K;
  requireColumns(Y.cols, d);
  const labels = new Int32Array(Y.rows);
  for (let i = 0; i < Y.rows; i++) {
    let least = Infinity;
    for (let k = 0; k < K; k++) {
      const cost = metrics[k].squared(Y.data, i * d, centers, k * d) - metrics[k].logDeterminant;
      if (cost < least) {
        least = cost;
        labels[i] = k;
      }
    }
  }
  return labels;
}

/**
 * The metric A that MPCK-means learns from pairs (one for all clusters, full), as a map: with A = L L', distances between the
 * rows of Y L are those between the rows of Y under A. Cholesky's factor keeps what is small where the columns have very
 * different scales.
 */
export interface PairMetric {
  readonly A: Matrix;
  /** d x d. */
  readonly L: Matrix;
  /** Y L. */
  map(Y: Matrix): Matrix;
  /** Z L^-1. */
  back(Z: Matrix): Matrix;
}

export function pairMetric(
  X: Matrix,
  clusters: number,
  { mustLink, cannotLink }: Constraints,
  options: { readonly weights?: Float64Array; readonly seed: number },
): PairMetric {
  const A = mpckMeans(X, { clusters, mustLink, cannotLink, ...options }).metrics[0];
  const { L } = cholesky(A);
  const back = (Z: Matrix): Matrix => transpose(solveTriangular(L, transpose(Z), { transposed: true }));
  return { A, L, map: (Y) => multiply(Y, L), back };
}
