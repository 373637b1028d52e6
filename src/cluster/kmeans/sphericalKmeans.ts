import { random } from "../../core/index.ts";
import { rule } from "../../core/internal.ts";
import { asMatrix, matrix, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { asGiven, inValueOrder, requireFinite } from "../../matrix/internal.ts";
import { centerClustering, type CenterClustering } from "../centerClustering.ts";
import { checkRowWeights, distinctRows, requireClusters } from "../clusterInput.ts";
import type { CenterRule } from "./lloyd.ts";
import { bestLloyd, RUN_RULES } from "./restarts.ts";
import { distanceSpace } from "./rowDistance.ts";
import { withPoints } from "./withPoints.ts";

export const sphericalKmeansOptions = { ...RUN_RULES, clusters: rule.required(rule.integer({ min: 1 })) };

export type SphericalKmeansOptions = rule.OptionsOf<typeof sphericalKmeansOptions>;

/** The centres are directions, of length 1. */
export type SphericalKmeans = CenterClustering<
  "spherical-kmeans",
  { readonly kind: "local optimum" | "none" }
>;

/** c_k = s_k / |s_k|, s_k the sum of the unit rows; rows that cancel keep the centre. Half of sum w |u - c|^2 is E. */
const DIRECTIONS: CenterRule = {
  center(k, { sums, masses }, centers) {
    const d = sums.length / masses.length;
    const length = Math.hypot(...sums.subarray(k * d, (k + 1) * d));
    if (length > 0) for (let p = k * d; p < (k + 1) * d; p++) centers[p] = sums[p] / length;
  },
  objective: (objective, before, after, { sums }) =>
    objective - 2 * sums.reduce((fall, sum, p) => fall + sum * (after[p] - before[p]), 0),
};

/**
 * Spherical k-means (I. S. Dhillon and D. S. Modha, 2001): rows by their directions, as of texts by their words,
 *
 *     minimise  E = sum_i w_i (1 - cos(x_i, c_{l_i})).
 */
export function sphericalKmeans(input: MatrixLike, options: SphericalKmeansOptions): SphericalKmeans {
  return inValueOrder(asMatrix(input, "sphericalKmeans"), options, ["weights"], fitted, asGiven());
}

function fitted(X: Matrix, options: SphericalKmeansOptions): SphericalKmeans {
  const settings = rule.resolveOptions("sphericalKmeans", options, sphericalKmeansOptions);
  requireClusters("sphericalKmeans", X, settings.clusters);
  requireFinite(X);
  const weights = checkRowWeights("sphericalKmeans", settings.weights, X.rows);
  const warnings: string[] = [];
  const units = distanceSpace(X, "cosine", "sphericalKmeans");
  const { labels, centers, history, converged } = withPoints(units, (points) => {
    const clusters = distinctRows(points, weights, settings.clusters);
    if (clusters < settings.clusters) warnings.push(`the rows have only ${clusters} distinct directions`);
    const rules = { assigner: points.assigner(clusters), rule: DIRECTIONS, free: true, tolerance: 0 };
    const plan = { ...settings, ...rules, points, weights, clusters, initial: undefined };
    return bestLloyd(plan, random(settings.seed), warnings);
  });
  return centerClustering(X, {
    method: "spherical-kmeans",
    labels,
    centers: matrix(centers.length / X.cols, X.cols, centers),
    distance: "cosine",
    objective: history[history.length - 1] / 2,
    history: history.map((value) => value / 2),
    converged,
    certificate: { kind: converged ? "local optimum" : "none" },
    warnings,
  });
}
