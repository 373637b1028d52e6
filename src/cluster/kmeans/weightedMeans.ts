import { sizesOf } from "../../core/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { kmeansLabels } from "./kmeans.ts";

/** The means of the clusters; a cluster without mass keeps its centre of `before`. */
export function weightedMeans(
  X: Matrix,
  labels: Int32Array,
  weights: Float64Array | undefined,
  before: Float64Array,
): Float64Array {
  const d = X.cols;
  const K = before.length / d;
  const mass = new Float64Array(K);
  const sums = new Float64Array(K * d);
  for (let i = 0; i < X.rows; i++) {
    const w = weights === undefined ? 1 : weights[i];
    mass[labels[i]] += w;
    for (let j = 0, at = labels[i] * d; j < d; j++) sums[at + j] += w * X.data[i * d + j];
  }
  for (let k = 0; k < K; k++) {
    for (let p = k * d; p < (k + 1) * d; p++) sums[p] = mass[k] > 0 ? sums[p] / mass[k] : before[p];
  }
  return sums;
}

/** The means of clusters that all have rows. */
export function clusterMeansOf(X: Matrix, labels: Int32Array, clusters: number): Matrix {
  return matrix(clusters, X.cols, weightedMeans(X, labels, undefined, new Float64Array(clusters * X.cols)));
}

/** Rows in each cluster, with a warning for empty ones, and why there are some. */
export function clusterSizes(labels: Int32Array, K: number, warnings: string[], why = ""): Int32Array {
  const sizes = sizesOf(labels, K);
  const empty = sizes.filter((size) => size === 0).length;
  if (empty > 0) warnings.push(`${empty} of ${K} clusters ${empty === 1 ? "is" : "are"} empty${why}`);
  return sizes;
}

/** The best of the runs from the means of these partitions; nothing is drawn. */
export function kmeansFrom(X: Matrix, starts: readonly Int32Array[], maxIterations: number): Int32Array {
  const runs = starts.map((labels) => {
    const clusters = 1 + labels.reduce((most, label) => Math.max(most, label), 0);
    return kmeansLabels(X, { initialCenters: clusterMeansOf(X, labels, clusters), maxIterations });
  });
  return runs.reduce((best, run) => (run.objective < best.objective ? run : best)).labels;
}
