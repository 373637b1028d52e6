import { plain } from "../core/internal.ts";
import type { Matrix, MatrixLike, Sparse } from "../matrix/index.ts";
import type { Clustered, Iterated } from "./clustered.ts";
import { placeByDistance, type RowDistance } from "./kmeans/rowDistance.ts";
import { clusterSizes } from "./kmeans/weightedMeans.ts";
import { knownPlacing } from "./knownRows.ts";

/** Clusters that are their centres, found in iterations. */
export interface CenterClustering<M extends string = string, C = unknown> extends Clustered, Iterated {
  readonly method: M;
  readonly centers: Matrix;
  readonly certificate: C;
  /** The nearest centre, after the learned map if there is one; known rows that labels or pairs hold elsewhere stay there. */
  predict(Y: MatrixLike | Sparse): Int32Array;
  readonly placement: "nearest-center";
}

interface CenterParts<M extends string, C> extends Pick<
  CenterClustering<M, C>,
  "method" | "labels" | "centers" | "objective" | "history" | "converged" | "certificate"
> {
  /** d x r: the map after which distances are Euclidean. */
  readonly map?: Matrix | undefined;
  /** Default: Euclidean. */
  readonly distance?: RowDistance;
  readonly warnings: string[];
  /** Why clusters may be empty, for the warning about them. */
  readonly emptyBecause?: string | undefined;
}

/** @param X the rows, if some may have another cluster than the nearest centre's */
export function centerClustering<M extends string, C>(
  X: Matrix | Sparse | undefined,
  parts: CenterParts<M, C>,
): CenterClustering<M, C> {
  const { method, labels, centers, map, distance, history, warnings } = parts;
  const place = placeByDistance(centers, map, distance);
  const predict = X === undefined ? place : knownPlacing(X, labels, place, "any").predict;
  return plain<CenterClustering<M, C>>({
    method,
    clusters: centers.rows,
    labels,
    sizes: clusterSizes(labels, centers.rows, warnings, parts.emptyBecause),
    centers,
    objective: parts.objective,
    iterations: history.length,
    converged: parts.converged,
    history,
    certificate: parts.certificate,
    warnings,
    placement: "nearest-center",
    predict,
  });
}
