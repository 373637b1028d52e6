import { rule } from "../../core/internal.ts";
import type { Constraints } from "../../data/index.ts";
import { asMatrix, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import type { CenterClustering } from "../centerClustering.ts";
import { inValueOrder, asGiven } from "../../matrix/internal.ts";
import { densePoints } from "../kmeans/points.ts";
import { weightedMeans } from "../kmeans/weightedMeans.ts";
import { SOFT_RULES, softKmeans, softProblem, type PairCertificate, type SoftRun } from "./softKmeans.ts";

export const lcvqeOptions = {
  ...rule.without(SOFT_RULES, "penalty", "closure", "weights"),
  maxIterations: rule.integer({ min: 1, default: 100, says: "maximum number of iterations of each start" }),
};

export type LcvqeOptions = rule.OptionsOf<typeof lcvqeOptions>;

/** `history` has the constrained vector quantisation error after each iteration; it may rise. */
export type Lcvqe = CenterClustering<"lcvqe", PairCertificate>;

/**
 * LCVQE (D. Pelleg and D. Baras, 2007, "K-means with large and noisy constraint sets"): no penalty weight;
 * with the rows at their nearest centres, each violated must-link (a, b) takes the cheapest of
 *
 *     as it is   1/2 (D(a, c_a) + D(b, c_b)) + 1/4 (D(a, c_b) + D(b, c_a)),   both to c_a,   both to c_b   (1/2 each)
 *
 * and for each cannot-link inside a cluster the end that is farther from its centre goes to its nearest other
 * centre m, or stays at an additional cost of 1/2 D(b, m). Then centres become means. Leaving a pair
 * violated, which would pull centres, is never the cheapest: for a must-link it would have to be cheaper than
 * both others, 2 D(b, c_b) + D(a, c_b) < D(b, c_a) and 2 D(a, c_a) + D(b, c_a) < D(a, c_b), whose sum is D(a,
 * c_a) + D(b, c_b) < 0. So only moves remain here (the tests have all the rules). Pairs that share rows are
 * settled one after the other, so pairs may end violated and the objective may rise: the best iterate is
 * returned, and `converged` means that labels and centres stopped changing.
 */
export function lcvqe(input: MatrixLike, options: LcvqeOptions): Lcvqe {
  return inValueOrder(asMatrix(input, "lcvqe"), options, [], fitted, asGiven());
}

function fitted(X: Matrix, options: LcvqeOptions): Lcvqe {
  const settings = rule.resolveOptions("lcvqe", options, lcvqeOptions);
  const { clusters: K, maxIterations } = settings;
  const problem = softProblem("lcvqe", X, settings);
  const points = densePoints(X);
  const D = new Float64Array(X.rows * K);
  return softKmeans("lcvqe", points, X, problem, settings, "fixed point", (start, _, report) => {
    let centers = start;
    let best: Omit<SoftRun, "history" | "converged"> | undefined;
    const history: number[] = [];
    let previous: Int32Array = new Int32Array(X.rows).fill(-1);
    for (let iteration = 1; iteration <= maxIterations; iteration++) {
      points.distances(0, X.rows, centers, K, D);
      const labels = settledLabels(D, K, problem.constraints);
      const objective = labels.reduce((sum, k, i) => sum + D[i * K + k] / 2, 0);
      history.push(objective);
      if (best === undefined || objective < best.objective) best = { labels, centers, objective };
      const next = weightedMeans(X, labels, undefined, centers);
      const rest = next.every((value, p) => Math.abs(value - centers[p]) <= 1e-12 * (1 + Math.abs(value)));
      if (rest && labels.every((k, i) => k === previous[i])) {
        return { labels, centers, objective, history, converged: true };
      }
      previous = labels;
      centers = next;
      if (!report(iteration, objective)) break;
    }
    return { ...best!, history, converged: false };
  });
}

/** The cluster of each row for distances D, n x K: the nearest, but for rows that their pairs move. */
function settledLabels(D: Float64Array, K: number, { mustLink, cannotLink }: Constraints): Int32Array {
  const nearest = (i: number, except: number): number => {
    let best = -1;
    for (let k = 0; k < K; k++) {
      if (k !== except && (best < 0 || D[i * K + k] < D[i * K + best])) best = k;
    }
    return best;
  };
  const labels = Int32Array.from({ length: D.length / K }, (_, i) => nearest(i, -1));
  for (const [a, b] of mustLink) {
    const p = labels[a];
    const q = labels[b];
    if (p === q) continue;
    if (D[a * K + p] + D[b * K + p] <= D[a * K + q] + D[b * K + q]) labels[b] = p;
    else labels[a] = q;
  }
  for (const [i, j] of cannotLink) {
    const k = labels[i];
    if (k !== labels[j] || K === 1) continue;
    const far = D[i * K + k] <= D[j * K + k] ? j : i;
    labels[far] = nearest(far, k);
  }
  return labels;
}
