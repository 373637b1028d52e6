import { random, type Random } from "../../core/index.ts";
import { rule } from "../../core/internal.ts";
import { asMatrix, matrix, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { asGiven, inValueOrder, scaled } from "../../matrix/internal.ts";
import { centerClustering, type CenterClustering } from "../centerClustering.ts";
import { checkedScale, reduceToDistinct, requireClusters } from "../clusterInput.ts";
import type { Points } from "./points.ts";
import { bestOfRestarts, RUN_RULES } from "./restarts.ts";
import { seedCenters } from "./seeding.ts";
import { withPoints } from "./withPoints.ts";

export const miniBatchKmeansOptions = {
  ...rule.without(RUN_RULES, "weights", "maxIterations"),
  clusters: rule.required(rule.integer({ min: 1 })),
  batchRows: rule.integer({ min: 1, default: 1024, says: "rows drawn for each step" }),
  passes: rule.integer({ min: 1, default: 20, says: "as many steps as draw all rows this often" }),
};

export type MiniBatchKmeansOptions = rule.OptionsOf<typeof miniBatchKmeansOptions>;

/** The steps are a fixed number, so nothing converges and nothing is proved. */
export type MiniBatchKmeans = CenterClustering<"minibatch-kmeans", { readonly kind: "none" }>;

/**
 * Mini-batch k-means (D. Sculley, 2010): each step labels a few rows and moves their centres towards them by the share 1 / count,
 * so a centre is the mean of the rows that it was given. All rows are labelled at the end.
 *
 * When not: rows in memory, where `kmeans` is as quick and ends in a proved local optimum.
 */
export function miniBatchKmeans(input: MatrixLike, options: MiniBatchKmeansOptions): MiniBatchKmeans {
  return inValueOrder(asMatrix(input, "miniBatchKmeans"), options, [], fitted, asGiven());
}

function fitted(X: Matrix, options: MiniBatchKmeansOptions): MiniBatchKmeans {
  const settings = rule.resolveOptions("miniBatchKmeans", options, miniBatchKmeansOptions);
  const { batchRows, passes, onProgress, restarts, seed } = settings;
  requireClusters("miniBatchKmeans", X, settings.clusters);
  const scale = checkedScale(X, undefined);
  const warnings: string[] = [];
  const streams = random(seed);
  const size = Math.min(batchRows, X.rows);
  const steps = Math.ceil((passes * X.rows) / size);
  const { labels, centers, objective } = withPoints(scaled(X, scale), (points) => {
    const K = reduceToDistinct(points, undefined, settings.clusters, warnings);
    const plan = { restarts, maxIterations: steps, onProgress, scale };
    const objectiveOf = (run: BatchRun): number => run.objective;
    return bestOfRestarts<BatchRun>(plan, warnings, objectiveOf, (_, report) => {
      const stream = streams.split();
      const start = seedCenters(points, K, undefined, stream);
      const moved = stepped(points, start, { size, steps, stream, report });
      points.nearest(moved, K, false);
      const sum = points.ownDistances(moved, undefined, undefined);
      return { labels: points.labels().slice(), centers: moved, objective: sum, converged: true };
    });
  });
  return centerClustering(X, {
    method: "minibatch-kmeans",
    labels,
    centers: matrix(
      centers.length / X.cols,
      X.cols,
      centers.map((value) => value / scale),
    ),
    objective: objective / scale / scale,
    history: [objective / scale / scale],
    converged: true,
    certificate: { kind: "none" },
    warnings,
  });
}

interface BatchRun {
  readonly labels: Int32Array;
  readonly centers: Float64Array;
  readonly objective: number;
  readonly converged: boolean;
}

interface Steps {
  readonly size: number;
  readonly steps: number;
  readonly stream: Random;
  readonly report: (iteration: number) => boolean;
}

function stepped(points: Points, start: Float64Array, { size, steps, stream, report }: Steps): Float64Array {
  const { rows: n, cols: d } = points;
  const K = start.length / d;
  const centers = start.slice();
  const counts = new Float64Array(K);
  const D = new Float64Array(size * K);
  const x = new Float64Array(d);
  for (let step = 0; step < steps && report(step); step++) {
    const drawn = stream.sample(size, n).sort();
    points.take(drawn).distances(0, size, centers, K, D);
    drawn.forEach((i, p) => {
      let k = 0;
      for (let other = 1; other < K; other++) if (D[p * K + other] < D[p * K + k]) k = other;
      counts[k]++;
      x.fill(0);
      points.add(i, 1, x, 0);
      for (let j = 0; j < d; j++) centers[k * d + j] += (x[j] - centers[k * d + j]) / counts[k];
    });
  }
  return centers;
}
