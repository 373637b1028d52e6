import { random } from "../../core/index.ts";
import { extended, rule } from "../../core/internal.ts";
import { asMatrix, matrix, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import {
  asGiven,
  inValueOrder,
  largestSize,
  rangeScale,
  requireFinite,
  requireSquares,
  scaled,
} from "../../matrix/internal.ts";
import { centerClustering, type CenterClustering } from "../centerClustering.ts";
import { checkRowWeights, reduceToDistinct, requireClusters } from "../clusterInput.ts";
import { mostProbable } from "../mixture/memberships.ts";
import type { Points } from "./points.ts";
import { bestOfRestarts, RUN_RULES } from "./restarts.ts";
import { seedCenters } from "./seeding.ts";
import { withPoints } from "./withPoints.ts";

export const fuzzyCMeansOptions = {
  ...RUN_RULES,
  clusters: rule.required(rule.integer({ min: 1 })),
  fuzziness: rule.real({
    above: 1,
    default: 2,
    says: "exponent of the memberships: near 1 they are hard, as in k-means; large ones are all alike",
  }),
  maxIterations: rule.integer({ min: 1, default: 1000, says: "maximum number of iterations of each start" }),
  tolerance: rule.real({
    min: 0,
    below: 1,
    default: 1e-10,
    says: "stops when an iteration lowers the objective by no more than this share",
  }),
};

export type FuzzyCMeansOptions = rule.OptionsOf<typeof fuzzyCMeansOptions>;

export interface FuzzyCMeans extends CenterClustering<
  "fuzzy-cmeans",
  { readonly kind: "stationary point" | "none" }
> {
  /** n x K: how far each row belongs to each cluster; the rows add to 1. */
  readonly memberships: Matrix;
  /** The mean of the squares of the memberships: 1 hard, 1 / K all alike (J. C. Bezdek's partition coefficient). */
  readonly partitionCoefficient: number;
}

/**
 * Fuzzy c-means (J. C. Dunn, 1973; J. C. Bezdek, 1981):
 *
 *     minimise  J = sum_i w_i sum_k u_ik^m ||x_i - c_k||^2,    sum_k u_ik = 1,
 *
 * by turns u_ik = 1 / sum_l (||x_i - c_k|| / ||x_i - c_l||)^(2 / (m - 1)) and c_k the means with weights w_i u_ik^m. Labels are
 * the largest memberships, which are those of the nearest centre.
 *
 * When not: clusters of unequal size or shape, whose centres drift together; a Gaussian mixture has memberships for those.
 */
export function fuzzyCMeans(input: MatrixLike, options: FuzzyCMeansOptions): FuzzyCMeans {
  return inValueOrder(asMatrix(input, "fuzzyCMeans"), options, ["weights"], fitted, asGiven("memberships"));
}

function fitted(X: Matrix, options: FuzzyCMeansOptions): FuzzyCMeans {
  const settings = rule.resolveOptions("fuzzyCMeans", options, fuzzyCMeansOptions);
  requireClusters("fuzzyCMeans", X, settings.clusters);
  requireFinite(X);
  requireSquares(X, "fuzzyCMeans");
  const weights = checkRowWeights("fuzzyCMeans", settings.weights, X.rows);
  const warnings: string[] = [];
  const scale = rangeScale(largestSize(X.data));
  const streams = random(settings.seed);
  const run = withPoints(scaled(X, scale), (points) => {
    const K = reduceToDistinct(points, weights, settings.clusters, warnings);
    return bestOfRestarts({ ...settings, scale }, warnings, last, (_, report) =>
      descend(points, weights, seedCenters(points, K, weights, streams.split()), settings, report),
    );
  });
  const { U, history } = run;
  const centers = matrix(
    U.cols,
    X.cols,
    run.centers.map((value) => value / scale),
  );
  const clustering = centerClustering(X, {
    method: "fuzzy-cmeans",
    labels: mostProbable(U).labels,
    centers,
    objective: last(run) / scale / scale,
    history: history.map((value) => value / scale / scale),
    converged: run.converged,
    certificate: { kind: run.converged ? ("stationary point" as const) : ("none" as const) },
    warnings,
  });
  const partitionCoefficient = U.data.reduce((sum, u) => sum + u * u, 0) / U.rows;
  return extended(clustering, { memberships: U, partitionCoefficient });
}

interface FuzzyRun {
  readonly U: Matrix;
  readonly centers: Float64Array;
  readonly history: number[];
  readonly converged: boolean;
}

const last = ({ history }: FuzzyRun): number => history[history.length - 1];

function descend(
  points: Points,
  weights: Float64Array | undefined,
  start: Float64Array,
  { fuzziness: m, maxIterations, tolerance }: rule.ResolvedOptions<typeof fuzzyCMeansOptions>,
  report: (iteration: number, objective: number) => boolean,
): FuzzyRun {
  const { rows: n, cols: d } = points;
  const K = start.length / d;
  const U = matrix(n, K);
  const D = new Float64Array(n * K);
  let centers = start;
  const history: number[] = [];
  for (let iteration = 1; ; iteration++) {
    points.distances(0, n, centers, K, D);
    let objective = 0;
    for (let i = 0; i < n; i++) {
      const own = D.subarray(i * K, (i + 1) * K);
      const u = U.data.subarray(i * K, (i + 1) * K);
      const least = Math.max(
        0,
        own.reduce((a, b) => Math.min(a, b)),
      );
      // Relative to the nearest, so no power overflows; a row on a centre belongs to it alone.
      for (let k = 0; k < K; k++) u[k] = own[k] <= least ? 1 : (least / own[k]) ** (1 / (m - 1));
      const sum = u.reduce((a, b) => a + b);
      for (let k = 0; k < K; k++) u[k] /= sum;
      objective += (weights === undefined ? 1 : weights[i]) * least * sum ** (1 - m);
    }
    const before = history.at(-1) ?? Infinity;
    history.push(Math.min(before, objective));
    const converged = before - objective <= tolerance * objective && iteration > 1;
    if (converged || !report(iteration, objective) || iteration >= maxIterations) {
      return { U, centers, history, converged };
    }
    const sums = new Float64Array(K * d);
    const masses = new Float64Array(K);
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < K; k++) {
        const mass = (weights === undefined ? 1 : weights[i]) * U.data[i * K + k] ** m;
        if (mass === 0) continue;
        points.add(i, mass, sums, k * d);
        masses[k] += mass;
      }
    }
    // A centre far from all rows keeps its place.
    centers = sums.map((sum, p) =>
      masses[Math.floor(p / d)] > 0 ? sum / masses[Math.floor(p / d)] : centers[p],
    );
  }
}
