import { rule } from "../../core/internal.ts";
import { asMatrix, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import type { CenterClustering } from "../centerClustering.ts";
import { inValueOrder, asGiven } from "../../matrix/internal.ts";
import { densePoints } from "../kmeans/points.ts";
import { weightedMeans } from "../kmeans/weightedMeans.ts";
import { pairField, type PairCosts } from "./pairField.ts";
import {
  SOFT_RULES,
  softKmeans,
  softProblem,
  type PairCertificate,
  type SoftPairOptions,
} from "./softKmeans.ts";

export const pckMeansOptions = SOFT_RULES;

export type PckMeansOptions = SoftPairOptions;

/** `history` has J after each iteration; it never rises. */
export type PckMeans = CenterClustering<"pck-means", PairCertificate>;

/**
 * PCK-means (S. Basu, A. Banerjee and R. J. Mooney, 2004, "Active semi-supervision for pairwise constrained clustering"):
 *
 *     J = 1/2 sum_i w_i ||x_i - c_{l_i}||^2 + penalty (violated must-links + violated cannot-links)
 *
 * by alternation of pairField.ts and means. It always returns a result: contradictory pairs add to the cost
 * instead of failing.
 */
export function pckMeans(input: MatrixLike, options: PckMeansOptions): PckMeans {
  return inValueOrder(asMatrix(input, "pckMeans"), options, ["weights"], fitted, asGiven());
}

function fitted(X: Matrix, options: PckMeansOptions): PckMeans {
  const settings = rule.resolveOptions("pckMeans", options, SOFT_RULES);
  const { clusters: K, penalty, maxIterations } = settings;
  const problem = softProblem("pckMeans", X, settings);
  const { constraints, pairs, weights } = problem;
  const n = X.rows;
  const field = pairField(constraints, pairs, K);
  const points = densePoints(X);
  const costs: PairCosts = {
    row: new Float64Array(n * K),
    must: new Float64Array(pairs.mustLink.length * K).fill(penalty / 2),
    cannot: new Float64Array(pairs.cannotLink.length * K).fill(penalty),
  };
  const price = (C: Float64Array): void => {
    points.distances(0, n, C, K, costs.row);
    for (let p = 0; p < n * K; p++) costs.row[p] *= 0.5 * (weights?.[Math.floor(p / K)] ?? 1);
  };
  return softKmeans("pck-means", points, X, problem, settings, "local optimum", (start, stream, report) => {
    let centers = start;
    const labels = new Int32Array(n);
    const history: number[] = [];
    let converged = false;
    for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
      price(centers);
      const moved = field.descend(costs, labels, stream);
      converged = iteration > 1 && moved === 0;
      centers = weightedMeans(X, labels, weights, centers);
      price(centers);
      history.push(field.energy(costs, labels));
      if (!report(iteration, history[history.length - 1])) break;
    }
    return { labels, centers, objective: history[history.length - 1], history, converged };
  });
}
