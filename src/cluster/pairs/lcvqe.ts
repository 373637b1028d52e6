import { inValueOrder } from "../inValueOrder.ts";
import { asGiven } from "../runInOrder.ts";
import { asMatrix, matrix, type Matrix, type MatrixLike, type Sparse } from "../../matrix/index.ts";
import { random } from "../../core/index.ts";
import { integer, plain, resolveOptions, without, type OptionsOf } from "../../core/internal.ts";
import { centerModel, placeByCenters, type CenterModelData } from "../centerModel.ts";
import { knownPlacing } from "../knownRows.ts";
import { densePoints } from "../kmeans/points.ts";
import { neighborhoodCenters } from "./neighborhoods.ts";
import { bestOfRestarts, type ReportIteration } from "../kmeans/restarts.ts";
import { seedCenters } from "../kmeans/seeding.ts";
import { pairCertificate, SOFT_RULES, softProblem, type SoftClustering } from "./softInput.ts";
import { clusterSizes } from "../kmeans/weightedMeans.ts";

export const lcvqeOptions = {
  ...without(SOFT_RULES, "penalty", "closure", "weights"),
  maxIterations: integer({ min: 1, default: 100, says: "maximum number of iterations of each start" }),
};

export type LcvqeOptions = OptionsOf<typeof lcvqeOptions>;

export interface Lcvqe extends SoftClustering {
  readonly method: "lcvqe";
  /** The constrained vector quantisation error after each iteration; it may rise. */
  readonly history: readonly number[];
  /** The nearest centre; known rows that pairs hold elsewhere stay there. */
  predict(Y: MatrixLike | Sparse): Int32Array;
  readonly placement: "nearest-center";
  model(): CenterModelData;
}

interface Run {
  readonly labels: Int32Array;
  readonly centers: Float64Array;
  readonly objective: number;
  readonly history: readonly number[];
  readonly converged: boolean;
}

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
  const resolved = resolveOptions("lcvqe", options, lcvqeOptions);
  const { clusters: K, restarts, maxIterations } = resolved;
  const { constraints, weights, warnings } = softProblem("lcvqe", X, resolved);
  const points = densePoints(X);
  const { rows: n, cols: d, data } = X;
  const D = new Float64Array(n * K);
  const sums = new Float64Array(K * d);
  const mass = new Float64Array(K);
  const nearest = (i: number, except: number): number => {
    let best = -1;
    for (let k = 0; k < K; k++) {
      if (k !== except && (best < 0 || D[i * K + k] < D[i * K + best])) best = k;
    }
    return best;
  };
  /** Labels for the distances in D; `sums` and `mass` then give the next centres. Returns the objective. */
  const step = (labels: Int32Array): number => {
    for (let i = 0; i < n; i++) labels[i] = nearest(i, -1);
    sums.fill(0);
    mass.fill(0);
    for (const [a, b] of constraints.mustLink) {
      const p = labels[a];
      const q = labels[b];
      if (p === q) continue;
      if (D[a * K + p] + D[b * K + p] <= D[a * K + q] + D[b * K + q]) labels[b] = p;
      else labels[a] = q;
    }
    for (const [i, j] of constraints.cannotLink) {
      const k = labels[i];
      if (k !== labels[j] || K === 1) continue;
      const far = D[i * K + k] <= D[j * K + k] ? j : i;
      labels[far] = nearest(far, k);
    }
    let objective = 0;
    for (let i = 0; i < n; i++) {
      const k = labels[i];
      mass[k]++;
      for (let j = 0; j < d; j++) sums[k * d + j] += data[i * d + j];
      objective += D[i * K + k] / 2;
    }
    return objective;
  };
  const streams = random(resolved.seed);
  const best = bestOfRestarts<Run>(
    { restarts, maxIterations, onProgress: resolved.onProgress },
    warnings,
    (run) => run.objective,
    (restart, report) => {
      const stream = streams.split();
      const start =
        restart === 0
          ? neighborhoodCenters(X, constraints, weights, K, stream)
          : seedCenters(points, K, weights, stream);
      return descend(start, report);
    },
  );
  const { labels, centers: C, objective, history, converged } = best;
  const centers = matrix(K, d, C);
  const { predict, stored } = knownPlacing(X, labels, placeByCenters(centers), "any");
  return plain({
    method: "lcvqe",
    clusters: K,
    labels,
    sizes: clusterSizes(labels, K, warnings),
    centers,
    objective,
    iterations: history.length,
    converged,
    history,
    certificate: pairCertificate(constraints, labels, converged ? "fixed point" : "none"),
    warnings,
    placement: "nearest-center" as const,
    predict,
    model: () => centerModel("lcvqe", { centers }, stored()),
  });

  function descend(start: Float64Array, report: ReportIteration): Run {
    let centers = start;
    let kept: { labels: Int32Array; centers: Float64Array; objective: number } | undefined;
    const history: number[] = [];
    let previous = new Int32Array(n).fill(-1);
    for (let iteration = 1; iteration <= maxIterations; iteration++) {
      points.distances(0, n, centers, K, D);
      const labels = new Int32Array(n);
      const objective = step(labels);
      history.push(objective);
      if (kept === undefined || objective < kept.objective) kept = { labels, centers, objective };
      const next = centers.slice();
      for (let p = 0; p < next.length; p++) {
        const k = Math.floor(p / d);
        if (mass[k] > 0) next[p] = sums[p] / mass[k];
      }
      const rest = next.every((value, p) => Math.abs(value - centers[p]) <= 1e-12 * (1 + Math.abs(value)));
      if (rest && labels.every((k, i) => k === previous[i])) {
        return { labels, centers, objective, history, converged: true };
      }
      previous = labels;
      centers = next;
      if (!report(iteration, objective)) break;
    }
    return { ...kept!, history, converged: false };
  }
}
