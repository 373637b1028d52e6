/**
 * Kernel k-means: k-means in the feature space of a kernel (Girolami 2002; Dhillon, Guan and Kulis 2004),
 *
 *     E = sum_i w_i ||phi(x_i) - m_{l_i}||^2,   m_c the weighted mean of phi(x_i) over cluster c
 *
 * (kernelLloyd.ts), the best of several runs from different starts (`startOf`). A constant added to the
 * kernel does not change E, so the Gaussian is used as k - 1: a sigma far above all distances then gives
 * k-means on the rows instead of rounding errors. n x n numbers are held.
 */
import {
  asGiven,
  diagonalOf,
  inValueOrder,
  matrixForm,
  requireFinite,
  requireSquares,
} from "../../matrix/internal.ts";
import {
  asMatrix,
  matrix,
  multiplyVector,
  topEigen,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { random, type Random } from "../../core/index.ts";
import { extended, form, option, optionError, plain, rule, sizesOf } from "../../core/internal.ts";
import { knownPlacing, knownRowsForm, placeKnown } from "../knownRows.ts";
import { kernelFunction, shiftedKernelMatrix, type KernelFunction } from "../../metric/index.ts";
import { KERNEL_RULES, kernelForm, narrowKernel } from "../../metric/internal.ts";
import { kernelLloyd, type KernelRun } from "./kernelLloyd.ts";
import { kmeansInOrder } from "../kmeans/kmeans.ts";
import { bestOfRestarts, RUN_RULES } from "../kmeans/restarts.ts";
import { checkRowWeights, requireClusters, requireColumns } from "../clusterInput.ts";
import type { Iterated, Partitioned } from "../clustered.ts";

export const kernelKmeansOptions = {
  ...RUN_RULES,
  ...KERNEL_RULES,
  /** K. */
  clusters: rule.required(rule.integer({ min: 1 })),
  restarts: rule.integer({ min: 1, max: 10_000, says: "independent starts; the best is kept", usual: "10" }),
  /** 0 .. K - 1 for each row. */
  initialLabels: rule.given<ArrayLike<number>>("an array of labels", rule.isList),
  maxIterations: rule.integer({
    min: 1,
    default: 300,
    says: "maximum number of passes over the rows in each start",
  }),
};

export type KernelKmeansOptions = rule.OptionsOf<typeof kernelKmeansOptions>;

interface KernelPartition extends Partitioned, Iterated {
  readonly method: "kernel-kmeans";
  /** Fewer than requested only if fewer rows differ under the kernel (with a warning). */
  readonly clusters: number;
  /** True when no single row can move to another cluster and lower E. */
  readonly converged: boolean;
  /** Mean kernel inside each cluster, which `predict` needs. */
  readonly within: Float64Array;
}

export interface KernelKmeans extends KernelPartition {
  readonly kernel: KernelFunction;
  /** The cluster whose centre in the feature space is nearest. */
  predict(Y: MatrixLike): Int32Array;
  readonly placement: "kernel";
  model(): KernelKmeansData;
}

export function kernelKmeans(input: MatrixLike, options: KernelKmeansOptions): KernelKmeans {
  const perRow = ["weights", "initialLabels"] as const;
  return inValueOrder(asMatrix(input, "kernelKmeans"), options, perRow, fitted, asGiven());
}

function fitted(X: Matrix, options: KernelKmeansOptions): KernelKmeans {
  const resolved = rule.resolveOptions("kernelKmeans", options, kernelKmeansOptions);
  const { kernel: kind, sigma, degree, offset, ...rest } = resolved;
  requireFinite(X);
  requireSquares(X, "kernelKmeans");
  requireClusters("kernelKmeans", X, rest.clusters);
  const kernel = kernelFunction(X, { kernel: kind, sigma, degree, offset }, "kernelKmeans");
  const K = shiftedKernelMatrix(X, X, kernel);
  requireFinite(K, "kernelKmeans: the kernel matrix");
  const weights = rowWeights(rest.weights, X.rows);
  const result = cluster(K, weights, rest);
  const { within, labels, clusters } = result;
  const parts = { kernel, rows: X, labels, weights, clusters, within };
  const narrow = narrowKernel(kernel, K);
  const warnings = narrow === undefined ? result.warnings : [...result.warnings, narrow];
  const { predict, stored } = knownPlacing(X, labels, placeByKernel(parts));
  return extended(result, {
    warnings,
    kernel,
    placement: "kernel" as const,
    predict,
    model: (): KernelKmeansData => ({
      ...kernelKmeansForm.save({ method: "kernel-kmeans", ...parts }),
      ...stored(),
    }),
  });
}

function rowWeights(weights: ArrayLike<number> | undefined, rows: number): Float64Array {
  return checkRowWeights("kernelKmeans", weights, rows) ?? new Float64Array(rows).fill(1);
}

type Settings = Pick<
  rule.ResolvedOptions<typeof kernelKmeansOptions>,
  "clusters" | "seed" | "maxIterations" | "initialLabels" | "restarts" | "onProgress"
>;

function cluster(K: Matrix, weights: Float64Array, settings: Settings): KernelPartition {
  const { clusters: asked, seed, maxIterations, initialLabels } = settings;
  const given = initialLabels === undefined ? undefined : checkLabels(initialLabels, K.rows, asked);
  if (given !== undefined && settings.restarts !== undefined && settings.restarts !== 1) {
    throw optionError(
      `kernelKmeans: ${option("restarts")} must be 1 with ${option("initialLabels")}: every run would be the same`,
    );
  }
  const restarts = given === undefined ? (settings.restarts ?? 10) : 1;
  const streams = random(seed);
  const warnings: string[] = [];
  const run = bestOfRestarts<KernelRun & { made: number }>(
    { restarts, maxIterations, onProgress: settings.onProgress },
    warnings,
    ({ history }) => history.at(-1)!,
    (restart, report, best) => {
      const start =
        given === undefined
          ? startOf(restart, K, weights, asked, seed, streams.split(), best)
          : { labels: given, clusters: asked };
      const made = start.clusters;
      return { ...kernelLloyd(K, weights, start.labels, made, maxIterations, report), made };
    },
  );
  const { made } = run;
  if (made < asked) {
    warnings.push(
      `only ${made} rows differ under the kernel, so ${made} clusters were made instead of ${asked}`,
    );
  }
  return plain({
    method: "kernel-kmeans",
    clusters: made,
    labels: run.labels,
    sizes: sizesOf(run.labels, made),
    objective: run.history.at(-1)!,
    iterations: run.history.length,
    converged: run.converged,
    history: run.history,
    within: run.within,
    warnings,
  });
}

/**
 * Three kinds of starts take turns: k-means++ rows; random labels (once the relaxed problem), because single
 * rows are poor centres for a narrow kernel; and perturbed copies of the best labels so far.
 */
function startOf(
  restart: number,
  K: Matrix,
  weights: Float64Array,
  asked: number,
  seed: number,
  stream: Random,
  best: KernelRun | undefined,
) {
  const seeded = seedKernelLabels(K, weights, asked, stream);
  if (seeded.clusters < asked || restart % 3 === 0) return seeded;
  if (restart === 1) return { labels: relaxedKernelLabels(K, weights, asked, seed), clusters: asked };
  if (restart % 3 === 2) return { labels: disturbedLabels(K, best!.labels, asked, stream), clusters: asked };
  return { labels: Int32Array.from({ length: K.rows }, () => stream.integer(asked)), clusters: asked };
}

function checkLabels(labels: ArrayLike<number>, n: number, K: number): Int32Array {
  if (labels.length !== n) throw optionError(`kernelKmeans: ${n} rows, but ${labels.length} initial labels`);
  for (let i = 0; i < n; i++) {
    if (Number.isInteger(labels[i]) && labels[i] >= 0 && labels[i] < K) continue;
    throw optionError(`kernelKmeans: the initial label of row ${i} is ${labels[i]}, not 0 to ${K - 1}`);
  }
  return Int32Array.from(labels);
}

/** The form in a file. */
const kernelKmeansForm = form.record({
  method: form.choice("kernel-kmeans"),
  kernel: kernelForm,
  clusters: form.size("clusters", { min: 1 }),
  rows: matrixForm("rows", "columns"),
  labels: form.wholes("rows", { min: 0, below: "clusters" }),
  weights: form.numbers("rows", { min: 0 }),
  /** Mean of the shifted kernel over the pairs of rows of each cluster. */
  within: form.numbers("clusters"),
  known: form.optional(knownRowsForm),
});

export interface KernelKmeansData extends form.StoredOf<typeof kernelKmeansForm> {}

type Parts = Omit<form.LoadedOf<typeof kernelKmeansForm>, "method" | "known">;

/** The cluster whose centre in the feature space is nearest. */
function placeByKernel({ kernel, rows, labels, weights, clusters, within }: Parts) {
  const mass = new Float64Array(clusters);
  labels.forEach((label, i) => (mass[label] += weights[i]));
  return (Y: Matrix): Int32Array => {
    requireColumns(Y.cols, rows.cols);
    const K = shiftedKernelMatrix(Y, rows, kernel);
    const sums = new Float64Array(clusters);
    return Int32Array.from({ length: Y.rows }, (_, i) => {
      sums.fill(0);
      for (let j = 0; j < rows.rows; j++) sums[labels[j]] += weights[j] * K.data[i * rows.rows + j];
      let best = -1;
      let least = Infinity;
      for (let c = 0; c < clusters; c++) {
        const distance = within[c] - (2 * sums[c]) / mass[c];
        if (mass[c] > 0 && distance < least) {
          least = distance;
          best = c;
        }
      }
      return best;
    });
  };
}

/** Clusters in the feature space of a kernel, read from a file. */
export type KernelKmeansModel = Pick<KernelKmeans, "kernel" | "clusters" | "labels" | "predict">;

/** Reads the output of `model()`. */
export function loadKernelKmeans(data: KernelKmeansData): KernelKmeansModel {
  const { known, ...parts } = form.load(kernelKmeansForm, data, "kernel k-means");
  const { kernel, clusters, labels } = parts;
  return { kernel, clusters, labels, predict: placeKnown(known, placeByKernel(parts)) };
}

/**
 * Labels from the relaxed problem: k-means on the K - 1 leading eigenvectors of the centred, weighted kernel matrix
 * (Zha, He, Ding, Gu and Simon 2001; Dhillon, Guan and Kulis 2004), which span the best partition if there is a clear one.
 */
function relaxedKernelLabels(K: Matrix, weights: Float64Array, clusters: number, seed: number): Int32Array {
  const n = K.rows;
  const roots = weights.map(Math.sqrt);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  // Relative to the weighted mean: the vector of roots is projected out on both sides.
  const project = (v: Float64Array): Float64Array => {
    let along = 0;
    for (let i = 0; i < n; i++) along += roots[i] * v[i];
    return v.map((value, i) => value - (along / total) * roots[i]);
  };
  const dims = Math.max(1, Math.min(clusters - 1, n - 1));
  const { values, vectors } = topEigen(
    {
      size: n,
      apply(x, y) {
        const inside = project(x).map((value, i) => value * roots[i]);
        y.set(project(multiplyVector(K, inside).map((value, i) => value * roots[i])));
      },
    },
    dims,
    { seed, tolerance: 1e-4, maxIterations: 100 },
  );
  const Z = matrix(n, dims);
  for (let i = 0; i < n; i++) {
    for (let r = 0; r < dims; r++) {
      const scale = roots[i] > 0 ? Math.sqrt(Math.max(0, values[r])) / roots[i] : 0;
      Z.data[i * dims + r] = vectors.data[i * dims + r] * scale;
    }
  }
  return kmeansInOrder(Z, { clusters, weights, seed, restarts: 3 }).labels;
}

/**
 * Greedy k-means++ in the feature space of a kernel matrix: labels by the nearest of K rows that are drawn
 * one after another, each with probability proportional to w_i times its squared distance to the earlier
 * ones. Fewer clusters are returned if all rows equal one of the drawn rows, up to rounding.
 */
function seedKernelLabels(K: Matrix, weights: Float64Array, clusters: number, random: Random) {
  const n = K.rows;
  const labels = new Int32Array(n);
  const D = new Float64Array(n).fill(Infinity);
  let largest = 0;
  for (let p = 0; p < K.data.length; p++) largest = Math.max(largest, Math.abs(K.data[p]));
  const rounding = 1e-13 * largest;
  const distance = (i: number, j: number): number => {
    const value = K.data[i * (n + 1)] - 2 * K.data[j * n + i] + K.data[j * (n + 1)];
    return value > rounding ? value : 0;
  };
  const trials = 2 + Math.floor(Math.log(clusters));
  for (let c = 0; c < clusters; c++) {
    let total = 0;
    const chance = weights.map((weight, i) => (total += c === 0 ? weight : weight * D[i]));
    if (!(total > 0)) return { labels, clusters: c };
    let chosen = -1;
    let least = Infinity;
    for (let t = 0; t < (c === 0 ? 1 : trials); t++) {
      const target = random.uniform() * total;
      let j = chance.findIndex((sum) => sum > target);
      if (j < 0) j = n - 1;
      let potential = 0;
      for (let i = 0; i < n; i++) potential += weights[i] * Math.min(D[i], distance(i, j));
      if (potential < least) {
        least = potential;
        chosen = j;
      }
    }
    for (let i = 0; i < n; i++) {
      const next = distance(i, chosen);
      if (next < D[i] || c === 0) {
        D[i] = next;
        labels[i] = c;
      }
    }
  }
  return { labels, clusters };
}

/**
 * Perturbed labels: two random rows and their nearest ones, a tenth to a third of all rows, each go to one
 * random cluster.
 */
function disturbedLabels(K: Matrix, labels: Int32Array, clusters: number, random: Random): Int32Array {
  const n = K.rows;
  const changed = labels.slice();
  for (let time = 0; time < 2; time++) {
    const center = random.integer(n);
    const target = random.integer(clusters);
    const distance = diagonalOf(K).map((own, i) => own - 2 * K.data[center * n + i]);
    const order = Int32Array.from(distance.keys()).sort((a, b) => distance[a] - distance[b] || a - b);
    const count = Math.ceil(n * (0.1 + 0.2 * random.uniform()));
    for (let p = 0; p < count; p++) changed[order[p]] = target;
  }
  return changed;
}
