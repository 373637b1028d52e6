import { random, type Random } from "../../core/index.ts";
import type { ResolvedOptions } from "../../core/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { centerClustering, type CenterClustering } from "../centerClustering.ts";
import { bestOfRestarts, type ReportIteration } from "../kmeans/restarts.ts";
import type { Points } from "../kmeans/points.ts";
import { seedCenters } from "../kmeans/seeding.ts";
import { neighborhoodCenters } from "./neighborhoods.ts";
import { pairCertificate, type PairCertificate, type SOFT_RULES, type SoftProblem } from "./softInput.ts";

/** One run of a method with soft pairs. */
export interface SoftRun {
  readonly labels: Int32Array;
  /** K x d. */
  readonly centers: Float64Array;
  readonly objective: number;
  /** The objective after each iteration. */
  readonly history: readonly number[];
  readonly converged: boolean;
}

type Settings = Pick<
  ResolvedOptions<typeof SOFT_RULES>,
  "clusters" | "restarts" | "maxIterations" | "seed" | "onProgress"
>;

/**
 * A k-means under soft pairs: the best of several runs, the first from the neighbourhoods of the pairs and the others from
 * k-means++, as a clustering by centres.
 */
export function softKmeans<M extends string>(
  method: M,
  points: Points,
  X: Matrix,
  { constraints, weights, warnings }: SoftProblem,
  settings: Settings,
  kind: PairCertificate["kind"],
  runFrom: (start: Float64Array, stream: Random, report: ReportIteration) => SoftRun,
): CenterClustering<M, PairCertificate> {
  const { clusters: K, seed } = settings;
  const streams = random(seed);
  const { centers, ...run } = bestOfRestarts<SoftRun>(
    settings,
    warnings,
    ({ objective }) => objective,
    (restart, report) => {
      const stream = streams.split();
      const start =
        restart === 0
          ? neighborhoodCenters(X, constraints, weights, K, stream)
          : seedCenters(points, K, weights, stream);
      return runFrom(start, stream, report);
    },
  );
  return centerClustering(X, {
    method,
    ...run,
    centers: matrix(K, X.cols, centers),
    certificate: pairCertificate(constraints, run.labels, run.converged ? kind : "none"),
    warnings,
  });
}
