import { inputError, KindredError } from "../core/errors.ts";
import {
  loadAgglomerative,
  loadDivisive,
  loadGaussianMixture,
  loadKernelKmeans,
  loadNormalizedCut,
  loadSpectral,
} from "../cluster/index.ts";
import type { Scaling } from "../data/index.ts";
import { loadCpdUml } from "../embed/index.ts";
import { loadMahalanobis, type Mahalanobis, type MahalanobisData } from "../metric/index.ts";
import { fromRows, multiply, nearestRows, toRows, type Matrix } from "../matrix/index.ts";
import type { ClusterResult } from "./clusterReport.ts";
import { version } from "./manifest.ts";
import type { Clustering } from "./methods.ts";

/** What `kindred cluster --model` writes: the scaling, and in scaled units what new rows are placed by. */
interface ClusterData {
  readonly kindred: string;
  readonly kind: "clustering";
  readonly method: string;
  readonly clusters: number;
  readonly sizes: readonly number[];
  readonly centers: number[][] | null;
  /** Features x coordinates, null for the features themselves: new rows belong to the nearest centre after it. */
  readonly map: number[][] | null;
  /** New rows belong to the nearest centre. */
  readonly nearest: boolean;
  /** Of methods that have more than centres. */
  readonly model: object | null;
  /** Learned before, by `kindred metric`: rows are put under it first. */
  readonly metric: MahalanobisData | null;
  readonly scaling: Scaling;
}

/** A clustering that places new rows. */
export interface ClusterFile {
  readonly path: string;
  readonly method: string;
  readonly scaling: Scaling;
  /** The cluster of each row, in scaled units. */
  place(X: Matrix): Int32Array;
}

export function clusterModel(
  result: ClusterResult,
  fitted: Clustering,
  scaling: Scaling,
  metric?: Mahalanobis,
): object {
  const { method, clusters, sizes, objective, iterations, converged, certificate, warnings, seed } = result;
  return {
    kindred: version(),
    kind: "clustering",
    method,
    clusters,
    sizes,
    centers: fitted.centers === undefined ? null : toRows(fitted.centers),
    map: fitted.nearest?.map === undefined ? null : toRows(fitted.nearest.map),
    nearest: fitted.nearest !== undefined,
    model: fitted.model ?? null,
    metric: metric?.toJSON() ?? null,
    objective,
    iterations,
    converged,
    certificate,
    warnings,
    seed,
    scaling,
  };
}

/** `parsed` is the JSON of the file at `path`. */
export function clusterFile(path: string, parsed: object): ClusterFile {
  const data = parsed as ClusterData;
  const { method, scaling } = data;
  const place = placing(path, data);
  const metric = data.metric === null ? undefined : loadMahalanobis(data.metric);
  return { path, method, scaling, place: (X) => place(metric === undefined ? X : metric.transform(X)) };
}

function placing(path: string, { method, centers, map, nearest, model }: ClusterData): ClusterFile["place"] {
  if (nearest && centers !== null) {
    const turn = map === null ? undefined : fromRows(map);
    const placed = (X: Matrix): Matrix => (turn === undefined ? X : multiply(X, turn));
    const at = placed(fromRows(centers));
    return (X) => nearestRows(at, 1, { queries: placed(X) }).indices;
  }
  const load = model === null ? undefined : LOADERS[method];
  if (load !== undefined) {
    try {
      return load(model as never).predict;
    } catch (error) {
      if (error instanceof KindredError) throw inputError(`${path}: ${error.message}`);
      throw error;
    }
  }
  throw inputError(
    `${path} is a clustering by ${method}, which cannot place new rows from a file; those by k-means, gmm, spectral, ` +
      "ncut, divisive, linkages, kernel-kmeans, cpd-uml, the convex methods and auto can",
  );
}

/** What reads the models of methods that have more than centres. */
const LOADERS: Readonly<Record<string, (model: never) => { readonly predict: (X: Matrix) => Int32Array }>> = {
  ward: loadAgglomerative,
  average: loadAgglomerative,
  complete: loadAgglomerative,
  single: loadAgglomerative,
  divisive: loadDivisive,
  ncut: loadNormalizedCut,
  spectral: loadSpectral,
  gmm: loadGaussianMixture,
  "kernel-kmeans": loadKernelKmeans,
  "cpd-uml": loadCpdUml,
};
