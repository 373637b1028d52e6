import { asGiven, runInOrder } from "../runInOrder.ts";
import { asRows, matrix, type Matrix, type MatrixLike, type Sparse } from "../../matrix/index.ts";
import { reorderedRows } from "../../matrix/internal.ts";
import { random } from "../../core/index.ts";
import {
  inputError,
  numericError,
  option,
  optionError,
  plain,
  real,
  resolveOptions,
  type OptionsOf,
  type ResolvedOptions,
} from "../../core/internal.ts";
import { centerModel, placeByCenters, type CenterModelData } from "../centerModel.ts";
import { certify, type KmeansCertificate } from "./certificate.ts";
import { distinctRows } from "./distinctRows.ts";
import { lloyd, sizesOf, type LloydRun } from "./lloyd.ts";
import { checkedScale, scaled } from "./numberRange.ts";
import type { Points } from "./points.ts";
import { bestOfRestarts } from "./restarts.ts";
import { checkRowWeights } from "./rowWeights.ts";
import { RUN_RULES, START_RULES } from "./runOptions.ts";
import { seedCenters } from "./seeding.ts";
import { startThreadsFor, withPoints } from "./withPoints.ts";

export const kmeansOptions = {
  ...RUN_RULES,
  ...START_RULES,
  /** Stop a run when an iteration lowers E by no more than this share of it; by default only when no row moves. */
  tolerance: real({
    min: 0,
    below: 1,
    default: 0,
    says: "stops when an iteration lowers the objective by no more than this share",
  }),
};

export type KmeansOptions = OptionsOf<typeof kmeansOptions>;
type Options = ResolvedOptions<typeof kmeansOptions>;

export interface Kmeans {
  readonly method: "kmeans";
  /**
   * The number of clusters made; fewer than requested only if there are fewer distinct rows (with a
   * warning).
   */
  readonly clusters: number;
  /** 0 .. clusters - 1 for each row. */
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  readonly centers: Matrix;
  /** E, recomputed at the end from labels and centres. */
  readonly objective: number;
  /** For the returned restart. */
  readonly iterations: number;
  readonly converged: boolean;
  /** E after each iteration of that restart; never increases. */
  readonly history: readonly number[];
  readonly certificate: KmeansCertificate;
  readonly warnings: readonly string[];
  /** The nearest centre of each row of Y. */
  predict(Y: MatrixLike | Sparse): Int32Array;
  readonly placement: "nearest-center";
  model(): CenterModelData;
  toJSON(): object;
}

/**
 * k-means: the partition into K clusters and their centres that minimise
 *
 *     E = sum_i w_i ||x_i - c_{l_i}||^2
 *
 * by Lloyd's algorithm (lloyd.ts) from greedy k-means++ centres (seeding.ts), the best of several restarts.
 * Finding the global minimum of E is NP-hard; the result is a local optimum, and the certificate says so.
 */
export function kmeans(input: MatrixLike | Sparse, options: KmeansOptions): Kmeans {
  const X = asRows(input, "kmeans");
  startThreadsFor(X);
  return runInOrder(X, options, ["weights"], kmeansInOrder, asGiven(), reorderedRows);
}

/** The same on rows with a fixed order, which random starts and ties follow. */
export function kmeansInOrder(X: Matrix | Sparse, options: KmeansOptions): Kmeans {
  return fit(X, options, describe);
}

/** Only the labels of it, without the certificate: the start of another method. */
export function kmeansLabels(
  X: Matrix | Sparse,
  options: KmeansOptions,
): Pick<Kmeans, "labels" | "clusters" | "warnings"> {
  return fit(X, options, (_data, { cols }, _weights, { labels, centers }, _scale, warnings) => ({
    labels,
    clusters: centers.length / cols,
    warnings,
  }));
}

function fit<T>(X: Matrix | Sparse, options: KmeansOptions, finish: (...parts: RunParts) => T): T {
  const resolved = resolveOptions("kmeans", options, kmeansOptions);
  const weights = checkRowWeights("kmeans", resolved.weights, X.rows);
  const asked = checkClusters(resolved, X);
  const warnings: string[] = [];
  return withPoints(X, (points) => {
    const scale = checkedScale(X, resolved.initialCenters, points.largest);
    const work = (data: Matrix | Sparse, points: Points): T => {
      const K = reduceToDistinct(points, weights, asked, resolved.initialCenters !== undefined, warnings);
      const run = bestRun(points, weights, K, resolved, scale, warnings);
      return finish(data, points, weights, run, scale, warnings);
    };
    if (scale === 1) return work(X, points);
    const data = scaled(X, scale);
    return withPoints(data, (points) => work(data, points));
  });
}

type RunParts = Parameters<typeof describe>;

function checkClusters(options: Options, X: Matrix | Sparse): number {
  const { clusters, initialCenters, restarts } = options;
  if (X.rows === 0 || X.cols === 0) throw inputError(`kmeans: the data is empty (${X.rows} x ${X.cols})`);
  if (initialCenters === undefined) {
    if (clusters === undefined)
      throw optionError(`kmeans: ${option("clusters")} is required (an integer at least 1)`);
  } else {
    if (initialCenters.cols !== X.cols) {
      throw optionError(
        `kmeans: ${option("initialCenters")} has ${initialCenters.cols} columns, but the data has ${X.cols}`,
      );
    }
    if (clusters !== undefined && clusters !== initialCenters.rows) {
      throw optionError(
        `kmeans: ${option("clusters")} is ${clusters}, but ${option("initialCenters")} has ${initialCenters.rows} rows`,
      );
    }
    if (restarts !== undefined && restarts !== 1) {
      throw optionError(
        `kmeans: ${option("restarts")} must be 1 with ${option("initialCenters")}: every run would be the same`,
      );
    }
  }
  const K = clusters ?? (initialCenters as Matrix).rows;
  if (K < 1 || K > X.rows) {
    throw optionError(`kmeans: cannot make ${K} clusters of ${X.rows} ${X.rows === 1 ? "row" : "rows"}`);
  }
  return K;
}

function reduceToDistinct(
  points: Points,
  weights: Float64Array | undefined,
  asked: number,
  centersGiven: boolean,
  warnings: string[],
): number {
  const K = distinctRows(points, weights, asked);
  if (K === asked) return K;
  const rows = weights === undefined ? "rows" : "rows of positive weight";
  if (centersGiven) {
    throw inputError(
      `kmeans: ${option("initialCenters")} has ${asked} rows, but the data has only ${K} distinct ${rows}`,
    );
  }
  warnings.push(`the data has only ${K} distinct ${rows}, so ${K} clusters were made instead of ${asked}`);
  return K;
}

function bestRun(
  points: Points,
  weights: Float64Array | undefined,
  K: number,
  options: Options,
  scale: number,
  warnings: string[],
): LloydRun {
  const { initialCenters, maxIterations, tolerance, onProgress } = options;
  const restarts = initialCenters === undefined ? (options.restarts ?? 10) : 1;
  const streams = random(options.seed);
  const assigner = points.assigner(K);
  return bestOfRestarts(
    { restarts, maxIterations, onProgress, scale },
    warnings,
    ({ history }) => history[history.length - 1],
    (_, report) => {
      const drawn = initialCenters === undefined;
      const centers = drawn
        ? seedCenters(points, K, weights, streams.split())
        : initialCenters.data.map((value) => value * scale);
      return lloyd(points, weights, centers, assigner, { maxIterations, tolerance, report }, drawn);
    },
  );
}

function describe(
  X: Matrix | Sparse,
  points: Points,
  weights: Float64Array | undefined,
  run: LloydRun,
  scale: number,
  warnings: readonly string[],
): Kmeans {
  const { labels, converged } = run;
  const d = points.cols;
  const K = run.centers.length / d;
  const certificate = certify(X, points, weights, run, scale);
  const { objective } = certificate;
  if (!Number.isFinite(objective)) {
    throw numericError("kmeans: the sum of squared distances exceeds the number range; scale the data first");
  }
  const history = run.history.map((value) => Math.max(objective, value / scale / scale));
  history[history.length - 1] = objective;
  const centers = matrix(
    K,
    d,
    run.centers.map((value) => value / scale),
  );
  return plain({
    method: "kmeans",
    clusters: K,
    labels,
    sizes: sizesOf(labels, K),
    centers,
    objective,
    iterations: history.length,
    converged,
    history,
    certificate,
    warnings,
    placement: "nearest-center" as const,
    predict: placeByCenters(centers),
    model: () => centerModel("kmeans", { centers }),
  });
}
