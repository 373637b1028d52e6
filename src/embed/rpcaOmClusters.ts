import { asMatrix, type Matrix, type MatrixLike } from "../matrix/index.ts";
import type { Kmeans } from "../cluster/index.ts";
import { kmeansInOrder } from "../cluster/internal.ts";
import {
  extended,
  integer,
  optionError,
  required,
  resolveOptions,
  seedRule,
  without,
  type OptionsOf,
} from "../core/internal.ts";
import { placedProjection, type ProjectionData } from "./projection.ts";
import { rpcaOm, rpcaOmOptions, type RpcaOm } from "./rpcaOm.ts";

/**
 * k-means in the plane with the smallest sum of distances to the rows (rpcaOm.ts): outliers do not tilt the
 * plane.
 */
export const rpcaOmClustersOptions = {
  ...without(rpcaOmOptions, "dims"),
  /** K. */
  clusters: required(integer({ min: 1 })),
  /** Directions of the plane; default: K - 1, and at least 1. */
  dims: integer({ min: 1, says: "directions of the plane", usual: "one less than the clusters" }),
  /** Starts of k-means. */
  restarts: integer({ min: 1, max: 10_000, default: 10, says: "starts of k-means; the best is kept" }),
  seed: seedRule,
};

export type RpcaOmClustersOptions = OptionsOf<typeof rpcaOmClustersOptions>;

export interface RpcaOmClusters extends RpcaOm {
  readonly clusters: number;
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  /** K x dims, in the plane. */
  readonly centers: Matrix;
  /** The sum of squared distances to them, in the plane. */
  readonly withinPlane: number;
  readonly certificate: Kmeans["certificate"];
  readonly placement: "projection";
  /** The nearest centre in the plane. */
  predict(Y: MatrixLike): Int32Array;
}

const NAME = "rpcaOmClusters";

export function rpcaOmClusters(input: MatrixLike, options: RpcaOmClustersOptions): RpcaOmClusters {
  const X = asMatrix(input, "rpcaOmClusters");
  const {
    clusters,
    restarts,
    seed,
    dims: asked,
    ...rest
  } = resolveOptions(NAME, options, rpcaOmClustersOptions);
  if (clusters > X.rows) throw optionError(`${NAME}: cannot make ${clusters} clusters of ${X.rows} rows`);
  const dims = asked ?? Math.max(1, Math.min(clusters, X.rows, X.cols) - 1);
  const plane = rpcaOm(X, { dims, ...rest });
  const found = kmeansInOrder(plane.embedding, { clusters, seed, restarts });
  const { labels, sizes, centers, certificate } = found;
  const { mean, map, offset, kernel } = plane;
  const placed = placedProjection(X, labels, {
    method: plane.method,
    mean,
    map,
    offset,
    centers,
    ...(kernel !== undefined && { kernel }),
  });
  return extended(plane, {
    clusters: found.clusters,
    labels,
    sizes,
    centers,
    withinPlane: found.objective,
    certificate,
    converged: plane.converged && found.converged,
    warnings: [...plane.warnings, ...found.warnings],
    placement: "projection" as const,
    predict: placed.predict,
    model: (): ProjectionData => placed.model(),
  });
}
