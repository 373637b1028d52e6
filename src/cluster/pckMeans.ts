import { resolveOptions } from "../core/options.ts";
import { progressGate } from "../core/progress.ts";
import { random } from "../core/random.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import type { Sparse } from "../matrix/sparse.ts";
import { neighborhoodCenters } from "./neighborhoods.ts";
import { pairField, type PairCosts } from "./pairField.ts";
import { predictNearest } from "./pairInput.ts";
import { densePoints } from "./points.ts";
import { seedCenters } from "./seeding.ts";
import {
  pairCertificate,
  SOFT_RULES,
  softProblem,
  type SoftClustering,
  type SoftPairOptions,
  type SoftRules,
} from "./softInput.ts";
import { clusterSizes, weightedMeans } from "./weightedMeans.ts";

/**
 * PCK-means (S. Basu, A. Banerjee and R. J. Mooney, 2004, "Active semi-supervision for pairwise constrained clustering"):
 *
 *     J = 1/2 sum_i w_i ||x_i - c_{l_i}||^2 + penalty (violated must-links + violated cannot-links)
 *
 * by alternation of pairField.ts and means. Always returns: pairs that contradict each other cost, they do not fail.
 */
export type PckMeansOptions = SoftPairOptions;

export interface PckMeans extends SoftClustering {
  readonly method: "pck-means";
  /** J after each iteration; never rises. */
  readonly history: readonly number[];
  predict(Y: Matrix | Sparse): Int32Array;
}

export function pckMeans(X: Matrix, options: PckMeansOptions): PckMeans {
  const resolved = resolveOptions<SoftPairOptions, SoftRules>("pckMeans", options, SOFT_RULES);
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
  const gate = progressGate(resolved.onProgress);
  interface Run {
    labels: Int32Array;
    centers: Float64Array;
    history: number[];
    converged: boolean;
  }
  let best: Run | undefined;
  for (let restart = 0; restart < restarts; restart++) {
    const stream = streams.split();
    let centers =
      restart === 0
        ? neighborhoodCenters(X, constraints, weights, K, stream)
        : seedCenters(points, K, weights, stream);
    const labels = new Int32Array(n);
    const history: number[] = [];
    let converged = false;
    for (let iteration = 1; iteration <= maxIterations && !converged && !gate.stopped; iteration++) {
      price(centers);
      const moved = field.descend(costs, labels, stream);
      converged = iteration > 1 && moved === 0;
      centers = weightedMeans(X, labels, weights, centers);
      price(centers);
      history.push(field.energy(costs, labels));
      gate({ fraction: (restart + 0.5) / restarts, label: `restart ${restart + 1} of ${restarts}` });
    }
    const objective = history[history.length - 1];
    if (best === undefined || objective < best.history[best.history.length - 1]) {
      best = { labels, centers, history, converged };
    }
    if (gate.stopped) {
      warnings.push(`stopped by onProgress in restart ${restart + 1} of ${restarts}`);
      break;
    }
  }
  const { labels, centers: C, history, converged } = best!;
  if (!converged && !gate.stopped) warnings.push(`not converged after ${maxIterations} iterations`);
  const centers = matrix(K, d, C);
  const sizes = clusterSizes(labels, K, warnings);
  return {
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
    predict: (Y) => predictNearest(Y, centers),
  };
}
