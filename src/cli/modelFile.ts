import type { Scaling } from "../data/index.ts";
import { toRows } from "../matrix/index.ts";
import type { ClusterResult } from "./clusterReport.ts";
import type { Clustering } from "./methods.ts";
import { version } from "./manifest.ts";

/**
 * What `--model` keeps: the numbers behind the scaling and the clusters, enough to place new rows. Centres, and what
 * `model` holds, are in scaled units.
 */
export function clusterModel(result: ClusterResult, fitted: Clustering, scaling: Scaling): object {
  return {
    kindred: version(),
    method: result.method,
    clusters: result.clusters,
    sizes: result.sizes,
    centers: fitted.centers === undefined ? null : toRows(fitted.centers),
    model: fitted.model ?? null,
    objective: result.objective,
    iterations: result.iterations,
    converged: result.converged,
    certificate: result.certificate,
    warnings: result.warnings,
    seed: result.seed,
    scaling,
    ...(fitted.model !== undefined && { model: fitted.model }),
  };
}
