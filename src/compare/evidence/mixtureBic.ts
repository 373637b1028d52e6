import { covarianceParameters, gaussianEm } from "../../cluster/internal.ts";
import type { Partition } from "../partition.ts";
import type { JudgedSpace } from "../space.ts";

/**
 * The BIC of a mixture of Gaussians that EM finds from a partition, per row, the best of full, tied and diagonal
 * covariances (Fraley and Raftery 2002):
 *
 *     [ sum_i log sum_k pi_k N(x_i; mu_k, S_k) - (parameters / 2) ln n ] / n
 *
 * Other than ICL it takes nothing off where clusters overlap.
 */
export function mixtureBic({ G, spread }: JudgedSpace, { labels, clusters }: Partition): number {
  const { rows: n, cols: d } = G;
  const K = clusters.length;
  let best = -Infinity;
  for (const kind of ["full", "tied", "diagonal"] as const) {
    const R = new Float64Array(n * K);
    labels.forEach((label, i) => (R[i * K + label] = 1));
    const { mixture, logLikelihood } = gaussianEm(G, kind, R, {
      ridge: RIDGE * spread,
      strength: n / K,
      maxIterations: ITERATIONS,
      tolerance: TOLERANCE,
      report: () => true,
    });
    // A component that died leaves another number of clusters.
    if (mixture.weights.length !== K) continue;
    const parameters = covarianceParameters(kind, K, d) + K - 1 + K * d;
    best = Math.max(best, (logLikelihood - (parameters / 2) * Math.log(n)) / n);
  }
  return best;
}

const RIDGE = 1e-4;
const ITERATIONS = 40;
const TOLERANCE = 1e-5;
