import { matrix, svd, type Matrix, type MatrixLike, type Sparse } from "../../matrix/index.ts";
import { centered, columnMeans, leadingColumns } from "../../matrix/internal.ts";
import { inputError, rule } from "../../core/internal.ts";
import type { Mahalanobis } from "../../metric/index.ts";
import { kmeans, type Kmeans } from "../kmeans/kmeans.ts";

export const predictPartitionOptions = {
  /** K. */
  clusters: rule.required(rule.integer({ min: 1 })),
  /**
   * The space of k-means: the rows under the metric ("metric", default), or their K leading left singular
   * vectors ("spectral", Law et al. 2016, section 3.4). Singular vectors depend on an origin: that of the
   * metric (`center`: the means of its training rows), or the mean of Y if the metric has none. They give
   * every direction the same spread, including pure noise.
   */
  space: rule.oneOf(["metric", "spectral"] as const, "metric"),
  restarts: rule.integer({ min: 1, max: 10_000, default: 10 }),
  seed: rule.seed,
};

export type PredictPartitionOptions = rule.OptionsOf<typeof predictPartitionOptions>;

/** The partition of new rows under a learned metric. Centres (and `predict`) are in the space of k-means. */
export function predictPartition(
  metric: Mahalanobis,
  Y: MatrixLike | Sparse,
  options: PredictPartitionOptions,
): Kmeans {
  const { clusters, space, restarts, seed } = rule.resolveOptions(
    "predictPartition",
    options,
    predictPartitionOptions,
  );
  const moved = metric.transform(Y);
  if (moved.cols === 0) {
    throw inputError("predictPartition: the metric is zero, so every partition is as good as another");
  }
  const points = space === "metric" ? moved : leadingLeftVectors(aboutOrigin(metric, moved), clusters);
  return kmeans(points, { clusters, restarts, seed });
}

/** Transformed rows relative to the origin of the metric, which shifts with the data. */
function aboutOrigin(metric: Mahalanobis, moved: Matrix): Matrix {
  const { center } = metric;
  if (center === undefined) return centered(moved, columnMeans(moved));
  return centered(moved, metric.transform(matrix(1, center.length, center)).data);
}

/** At most k of them, and none with singular value zero. */
function leadingLeftVectors(A: Matrix, k: number): Matrix {
  const { U, values } = svd(A);
  const kept = Math.min(k, values.filter((value) => value > 1e-12 * values[0]).length);
  if (kept === 0) throw inputError("predictPartition: the metric maps every row to zero");
  return leadingColumns(U, kept);
}
