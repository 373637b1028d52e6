import { random, type Random } from "../../core/index.ts";
import { inputError, plain, type Plain, rule } from "../../core/internal.ts";
import {
  asMatrix,
  matrix,
  multiply,
  svd,
  takeRows,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { centered, columnMeans, columnVariances, requireFinite } from "../../matrix/internal.ts";
import { withinSumOfSquares, type Labeling } from "../../score/index.ts";
import { requireLabels } from "../../score/internal.ts";
import { predictNearest } from "../placeByCenters.ts";
import { requireCount } from "../clusterInput.ts";
import { kmeansInOrder, kmeansLabels } from "./kmeans.ts";

const COUNT_RULES = {
  /** Numbers of clusters from 1 to this are tried. */
  maxClusters: rule.integer({ min: 2, default: 8 }),
  /** Starts of k-means for each number. */
  restarts: rule.integer({ min: 1, max: 10_000, default: 10 }),
  seed: rule.seed,
};

export const gapStatisticOptions = {
  ...COUNT_RULES,
  /** Sets of rows without clusters to compare with. */
  references: rule.integer({ min: 2, max: 10_000, default: 20 }),
  /** They are uniform in the box of the columns, or in that of the principal axes. */
  box: rule.oneOf(["columns", "axes"] as const, "axes"),
};

export type GapStatisticOptions = rule.OptionsOf<typeof gapStatisticOptions>;

export interface GapStatistic extends Plain {
  /** The smallest K with gap_K >= gap_{K+1} - error_{K+1}. */
  readonly clusters: number;
  /** For K = 1, 2, ...: mean log W of the references minus log W of the rows. */
  readonly gaps: Float64Array;
  /** The deviation of log W over the references times sqrt(1 + 1 / references). */
  readonly errors: Float64Array;
}

/**
 * The gap statistic (R. Tibshirani, G. Walther and T. Hastie, 2001): how much lower k-means gets the sum of squares W of these
 * rows than that of rows without clusters. When not: clusters of different widths or shapes, which k-means cuts.
 */
export function gapStatistic(input: MatrixLike, options: GapStatisticOptions = {}): GapStatistic {
  const X = countedRows("gapStatistic", input);
  const settings = rule.resolveOptions("gapStatistic", options, gapStatisticOptions);
  const { maxClusters, restarts, seed } = settings;
  requireCount("gapStatistic", maxClusters + 1, X.rows);
  const stream = random(seed);
  const logs = (rows: Matrix): Float64Array =>
    Float64Array.from({ length: maxClusters }, (_, k) => logWithin(rows, k + 1, restarts, stream));
  const own = logs(X);
  const drawn = references(X, settings, stream).map(logs);
  const found = own.map(
    (value, k) =>
      gapOf(
        value,
        drawn.map((log) => log[k]),
      ).gap,
  );
  const errors = own.map(
    (value, k) =>
      gapOf(
        value,
        drawn.map((log) => log[k]),
      ).error,
  );
  let clusters = 1;
  while (clusters < maxClusters && found[clusters - 1] < found[clusters] - errors[clusters]) clusters++;
  return plain<GapStatistic>({ clusters, gaps: found, errors });
}

/** The gap of a partition that is there, by any method: its sum of squares against that of k-means on the references. */
export function partitionGap(
  input: MatrixLike,
  labels: Labeling,
  options: Omit<GapStatisticOptions, "maxClusters"> = {},
): { readonly gap: number; readonly error: number } {
  const X = countedRows("partitionGap", input);
  requireLabels(labels);
  const settings = rule.resolveOptions("partitionGap", options, gapStatisticOptions);
  const stream = random(settings.seed);
  const clusters = new Set(Array.from(labels)).size;
  const logs = references(X, settings, stream).map((rows) =>
    logWithin(rows, clusters, settings.restarts, stream),
  );
  return gapOf(Math.log(withinSumOfSquares(X, labels)), logs);
}

export const predictionStrengthOptions = {
  ...COUNT_RULES,
  /** How often the rows are divided in two. */
  splits: rule.integer({ min: 1, max: 10_000, default: 20 }),
  /** The largest K of at least this strength is taken. */
  threshold: rule.real({ min: 0, max: 1, default: 0.8 }),
};

export type PredictionStrengthOptions = rule.OptionsOf<typeof predictionStrengthOptions>;

export interface PredictionStrength extends Plain {
  readonly clusters: number;
  /** For K = 1, 2, ...; 1 for K = 1. */
  readonly strengths: Float64Array;
  /** The strength that the number of clusters has at least. */
  readonly threshold: number;
}

/**
 * Prediction strength (R. Tibshirani and G. Walther, 2005): both halves of the rows are clustered by k-means; of the pairs
 * within each cluster of one half, the share that the centres of the other half also put together; the least of the clusters,
 * the mean over divisions and halves. When not: small clusters, which miss in one half.
 */
export function predictionStrength(
  input: MatrixLike,
  options: PredictionStrengthOptions = {},
): PredictionStrength {
  const X = countedRows("predictionStrength", input);
  const { maxClusters, ...settings } = rule.resolveOptions(
    "predictionStrength",
    options,
    predictionStrengthOptions,
  );
  requireCount("predictionStrength", 2 * maxClusters, X.rows);
  const strengths = Float64Array.from({ length: maxClusters }, (_, k) => strengthOf(X, k + 1, settings));
  const clusters = strengths.findLastIndex((strength) => strength >= settings.threshold) + 1;
  return plain<PredictionStrength>({ clusters, strengths, threshold: settings.threshold });
}

/** The prediction strength of one number of clusters. */
function strengthOf(
  X: Matrix,
  clusters: number,
  { splits, restarts, seed }: { readonly splits: number; readonly restarts: number; readonly seed: number },
): number {
  if (clusters === 1) return 1;
  const stream = random(seed);
  const half = Math.floor(X.rows / 2);
  let sum = 0;
  for (let split = 0; split < splits; split++) {
    const order = stream.sample(X.rows, X.rows);
    const halves = [order.subarray(0, half), order.subarray(half)].map((rows) => {
      const part = takeRows(X, rows);
      return { part, ...kmeansInOrder(part, { clusters, restarts, seed: stream.integer(2 ** 31) }) };
    });
    for (const [test, training] of [halves, halves.toReversed()]) {
      const predicted = predictNearest(test.part, training.centers);
      sum += leastTogether(test.labels, predicted, test.clusters) / 2;
    }
  }
  return sum / splits;
}

/** The least over the clusters of the share of their pairs that is also together in `predicted`; one row alone does not count. */
function leastTogether(labels: Int32Array, predicted: Int32Array, clusters: number): number {
  const cells = new Map<number, number>();
  const sizes = new Float64Array(clusters);
  labels.forEach((k, i) => {
    const cell = predicted[i] * clusters + k;
    cells.set(cell, (cells.get(cell) ?? 0) + 1);
    sizes[k]++;
  });
  const together = new Float64Array(clusters);
  for (const [cell, count] of cells) together[cell % clusters] += count * (count - 1);
  let least = 1;
  sizes.forEach((size, k) => {
    if (size > 1) least = Math.min(least, together[k] / (size * (size - 1)));
  });
  return least;
}

function countedRows(method: string, input: MatrixLike): Matrix {
  const X = asMatrix(input, method);
  requireFinite(X);
  if (columnVariances(X).every((variance) => variance === 0)) {
    throw inputError(`${method} needs rows that differ, and all of these are equal`);
  }
  return X;
}

function gapOf(own: number, logs: readonly number[]): { gap: number; error: number } {
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / logs.length;
  return { gap: mean - own, error: Math.sqrt(variance * (1 + 1 / logs.length)) };
}

function logWithin(X: Matrix, clusters: number, restarts: number, stream: Random): number {
  return Math.log(kmeansLabels(X, { clusters, restarts, seed: stream.integer(2 ** 31) }).objective);
}

/** Rows drawn uniformly from the box of X, whose sides are the columns or the principal axes. */
function references(
  X: Matrix,
  { references: count, box }: { readonly references: number; readonly box: "columns" | "axes" },
  stream: Random,
): Matrix[] {
  const means = columnMeans(X);
  const Y = centered(X, means);
  const axes = box === "axes" ? svd(Y).V : undefined;
  const Z = axes === undefined ? Y : multiply(Y, axes);
  const low = new Float64Array(Z.cols).fill(Infinity);
  const high = new Float64Array(Z.cols).fill(-Infinity);
  Z.data.forEach((value, p) => {
    low[p % Z.cols] = Math.min(low[p % Z.cols], value);
    high[p % Z.cols] = Math.max(high[p % Z.cols], value);
  });
  return Array.from({ length: count }, () => {
    const drawn = matrix(Z.rows, Z.cols);
    for (let p = 0; p < drawn.data.length; p++) {
      const f = p % Z.cols;
      drawn.data[p] = low[f] + stream.uniform() * (high[f] - low[f]);
    }
    // Sums of squares are those of the rotated rows.
    return drawn;
  });
}
