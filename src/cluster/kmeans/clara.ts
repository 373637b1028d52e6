import { random } from "../../core/index.ts";
import { extended, progressGate, rule, sizesOf } from "../../core/internal.ts";
import { asMatrix, takeRows, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { requireFinite, requireSquares, valueOrder } from "../../matrix/internal.ts";
import { requireClusters } from "../clusterInput.ts";
import { kMedoids, kMedoidsOptions, type KMedoids } from "./kMedoids.ts";
import { distancesFrom, distanceSpace, nearestByDistance } from "./rowDistance.ts";

export const claraOptions = {
  ...rule.without(kMedoidsOptions, "start", "metric"),
  samples: rule.integer({
    min: 1,
    max: 10_000,
    default: 20,
    says: "samples of rows; the best medoids are kept",
  }),
  size: rule.integer({ min: 2, says: "rows of a sample", usual: "100 and 5 for each cluster" }),
};

export type ClaraOptions = rule.OptionsOf<typeof claraOptions>;

/** The result of k-medoids; no certificate, because swaps with rows outside of the samples were not tried. */
export type Clara = Omit<KMedoids, "method"> & { readonly method: "k-medoids" };

/**
 * CLARA (L. Kaufman and P. J. Rousseeuw, 1990, chapter 3): k-medoids of samples, each judged by the distances of all rows to its
 * medoids; each sample after the first has the best medoids so far among its rows.
 *
 * When not: up to some ten thousand rows, where `kMedoids` finds better medoids.
 */
export function clara(input: MatrixLike, options: ClaraOptions): Clara {
  const X = asMatrix(input, "clara");
  const { samples, size, onProgress, seed, ...own } = rule.resolveOptions("clara", options, claraOptions);
  const { clusters, distance } = own;
  requireClusters("clara", X, clusters);
  requireFinite(X);
  requireSquares(X, "clara");
  const order = valueOrder(X);
  const drawn = Math.min(X.rows, Math.max(clusters, size ?? 100 + 5 * clusters));
  const stream = random(seed);
  const gate = progressGate(onProgress);
  let best: { fit: KMedoids; medoids: Int32Array; objective: number } | undefined;
  for (
    let s = 0;
    s === 0 || (s < samples && gate({ fraction: s / samples, label: `sample ${s + 1}` }));
    s++
  ) {
    const rows = new Set<number>(best?.medoids);
    for (const p of stream.sample(drawn, X.rows)) if (rows.size < drawn) rows.add(order[p]);
    const sample = Int32Array.from(rows);
    const fit = kMedoids(takeRows(X, sample), { ...own, seed: stream.integer(2 ** 31) });
    const objective = totalDistance(X, fit.centers, distance);
    if (best === undefined || objective < best.objective) {
      best = { fit, objective, medoids: fit.medoids.map((m) => sample[m]) };
    }
  }
  const { fit, medoids, objective } = best!;
  const labels = nearestByDistance(X, fit.centers, distance);
  return extended(fit, {
    labels,
    sizes: sizesOf(labels, fit.clusters),
    medoids,
    objective,
    certificate: { kind: "none" as const, change: -Infinity },
    converged: true,
    history: [objective],
    warnings: [...fit.warnings, ...(gate.stopped ? ["stopped by onProgress"] : [])],
  });
}

function totalDistance(X: Matrix, medoids: Matrix, distance: KMedoids["distance"]): number {
  const at = distanceSpace(medoids, distance, "clara");
  const rows = distanceSpace(X, distance, "clara");
  const near = new Float64Array(at.rows);
  let sum = 0;
  for (let i = 0; i < X.rows; i++) {
    distancesFrom(rows, i, at, distance, near);
    sum += near.reduce((a, b) => Math.min(a, b));
  }
  return sum;
}
