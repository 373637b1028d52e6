import { inValueOrder } from "../inValueOrder.ts";
import { asGiven } from "../runInOrder.ts";
import { asMatrix, matrix, type Matrix, type MatrixLike, type Sparse } from "../../matrix/index.ts";
import { random } from "../../core/index.ts";
import { plain, resolveOptions } from "../../core/internal.ts";
import { centerModel, placeByCenters, type CenterModelData } from "../centerModel.ts";
import { knownPlacing } from "../knownRows.ts";
import { neighborhoodCenters } from "./neighborhoods.ts";
import { pairField, type PairCosts } from "./pairField.ts";
import { densePoints } from "../kmeans/points.ts";
import { bestOfRestarts } from "../kmeans/restarts.ts";
import { seedCenters } from "../kmeans/seeding.ts";
import {
  pairCertificate,
  SOFT_RULES,
  softProblem,
  type SoftClustering,
  type SoftPairOptions,
} from "./softInput.ts";
import { clusterSizes, weightedMeans } from "../kmeans/weightedMeans.ts";

/**
 * PCK-means (S. Basu, A. Banerjee and R. J. Mooney, 2004, "Active semi-supervision for pairwise constrained clustering"):
 *
 *     J = 1/2 sum_i w_i ||x_i - c_{l_i}||^2 + penalty (violated must-links + violated cannot-links)
 *
 * by alternation of pairField.ts and means. It always returns a result: contradictory pairs add to the cost
 * instead of failing.
 */
export type PckMeansOptions = SoftPairOptions;

export interface PckMeans extends SoftClustering {
  readonly method: "pck-means";
  /** J after each iteration; never rises. */
  readonly history: readonly number[];
  /** The nearest centre; known rows that pairs hold elsewhere stay there. */
  predict(Y: MatrixLike | Sparse): Int32Array;
  readonly placement: "nearest-center";
  model(): CenterModelData;
}

export const pckMeansOptions = SOFT_RULES;

export function pckMeans(input: MatrixLike, options: PckMeansOptions): PckMeans {
  return inValueOrder(asMatrix(input, "pckMeans"), options, ["weights"], fitted, asGiven());
}

function fitted(X: Matrix, options: PckMeansOptions): PckMeans {
  const resolved = resolveOptions("pckMeans", options, SOFT_RULES);
  const { clusters: K, penalty, restarts, maxIterations } = resolved;
  const { constraints, pairs, weights, warnings } = softProblem("pckMeans", X, resolved);
  const { rows: n, cols: d } = X;
  const field = pairField(constraints, pairs, K);
  const points = densePoints(X);
  const costs: PairCosts = {
    row: new Float64Array(n * K),
    must: new Float64Array(pairs.mustLink.length * K).fill(penalty / 2),
    cannot: new Float64Array(pairs.cannotLink.length * K).fill(penalty),
  };
  const price = (C: Float64Array): void => {
    points.distances(0, n, C, K, costs.row);
    for (let i = 0; i < n; i++) {
      const half = 0.5 * (weights === undefined ? 1 : weights[i]);
      for (let k = 0; k < K; k++) costs.row[i * K + k] *= half;
    }
  };
  const streams = random(resolved.seed);
  interface Run {
    labels: Int32Array;
    centers: Float64Array;
    history: number[];
    converged: boolean;
  }
  const best = bestOfRestarts<Run>(
    { restarts, maxIterations, onProgress: resolved.onProgress },
    warnings,
    (run) => run.history[run.history.length - 1],
    (restart, report) => {
      const stream = streams.split();
      let centers =
        restart === 0
          ? neighborhoodCenters(X, constraints, weights, K, stream)
          : seedCenters(points, K, weights, stream);
      const labels = new Int32Array(n);
      const history: number[] = [];
      let converged = false;
      for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
        price(centers);
        const moved = field.descend(costs, labels, stream);
        converged = iteration > 1 && moved === 0;
        centers = weightedMeans(X, labels, weights, centers);
        price(centers);
        const objective = field.energy(costs, labels);
        history.push(objective);
        if (!report(iteration, objective)) break;
      }
      return { labels, centers, history, converged };
    },
  );
  const { labels, centers: C, history, converged } = best;
  const centers = matrix(K, d, C);
  const { predict, stored } = knownPlacing(X, labels, placeByCenters(centers), "any");
  const sizes = clusterSizes(labels, K, warnings);
  return plain({
    method: "pck-means",
    clusters: K,
    labels,
    sizes,
    centers,
    objective: history[history.length - 1],
    iterations: history.length,
    converged,
    history,
    certificate: pairCertificate(constraints, labels, converged ? "local optimum" : "none"),
    warnings,
    placement: "nearest-center" as const,
    predict,
    model: () => centerModel("pck-means", { centers }, stored()),
  });
}
