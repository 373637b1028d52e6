import { random } from "../../core/index.ts";
import {
  extended,
  inputError,
  integer,
  numericError,
  oneOf,
  required,
  resolveOptions,
  without,
  type OptionsOf,
} from "../../core/internal.ts";
import { asMatrix, matrix, row, takeRows, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { requireFinite, requireSquares, valueOrder } from "../../matrix/internal.ts";
import { centerClustering, type CenterClustering } from "../centerClustering.ts";
import type { RowDistance } from "../centerModel.ts";
import { distinctRows, requireClusters } from "../clusterInput.ts";
import { build, descend, seeded, type MedoidRun, type RowSource } from "./medoidSwaps.ts";
import { densePoints } from "./points.ts";
import { bestOfRestarts, RUN_RULES } from "./restarts.ts";
import { distancesFrom, distanceSpace, nearestByDistance } from "./rowDistance.ts";

export const kMedoidsOptions = {
  ...without(RUN_RULES, "weights"),
  /** K. */
  clusters: required(integer({ min: 1 })),
  distance: oneOf(["euclidean", "manhattan", "cosine"] as const, "euclidean", {
    says: "distance between rows",
  }),
  start: oneOf(["build", "seeded"] as const, undefined, {
    says: "starting medoids: the greedy ones in the first run, or rows drawn at random in all runs",
    usual: "build up to 4000 rows, else seeded",
  }),
  restarts: integer({
    min: 1,
    max: 10_000,
    says: "runs from different starts; the best is kept",
    usual: "5 up to 4000 rows, else 1",
  }),
  maxIterations: integer({
    min: 1,
    default: 100,
    says: "maximum number of passes over all rows in each run",
  }),
};

export type KMedoidsOptions = OptionsOf<typeof kMedoidsOptions>;

/** The centres are the medoids; `history` has E at the start and after each pass over all candidates, of which there are `iterations`. */
export interface KMedoids extends CenterClustering<"k-medoids", KMedoidsCertificate> {
  readonly distance: RowDistance;
  /** The row numbers of the medoids, in the order of their values. */
  readonly medoids: Int32Array;
  /** Swaps that were made. */
  readonly swaps: number;
}

export interface KMedoidsCertificate {
  /** `local optimum`: no swap of a medoid and another row lowers E by more than rounding. */
  readonly kind: "local optimum" | "none";
  /** The smallest change of E over all K (n - K) swaps; at least 0 up to rounding at a local optimum. */
  readonly change: number;
}

const NAME = "kMedoids";
/** Up to this many rows all distances are kept. */
const KEPT_ROWS = 4000;
const MOST_ROWS = 30_000;

/**
 * k-medoids (L. Kaufman and P. J. Rousseeuw, 1990, chapter 2): K rows, the medoids, that minimise
 *
 *     E = sum_j min_k d(x_j, m_k)
 *
 * The swaps are those of FasterPAM (E. Schubert and P. J. Rousseeuw, 2021, "Fast and eager k-medoids
 * clustering"): one pass over the distances of a candidate c finds the best of its K swaps at once. With d_1,
 * d_2 the distances to the nearest and the second nearest medoid, replacing medoid i by c changes E by
 *
 *     sum_j over d(c, j) < d_1:  d(c, j) - d_1   +   sum_j of medoid i, otherwise:  min(d(c, j), d_2) - d_1,
 *
 * and every swap that lowers E is made at once. It ends when no swap of a medoid and a row lowers E, which the
 * certificate states. A medoid is a row of the data, distances need no squares, and outliers pull less than in k-means.
 *
 * All pairs of rows are compared in every pass: up to 4000 rows the distances are kept (n^2 numbers), up to
 * 30000 they are computed as needed (n K numbers are held), and more are refused. Rows are processed in the
 * order of their values, so the order of the input has no influence.
 */
export function kMedoids(input: MatrixLike, options: KMedoidsOptions): KMedoids {
  const X = asMatrix(input, NAME);
  const resolved = resolveOptions(NAME, options, kMedoidsOptions);
  const { clusters: asked, distance, seed, maxIterations } = resolved;
  const n = X.rows;
  requireClusters(NAME, X, asked);
  requireFinite(X);
  requireSquares(X, NAME);
  if (n > MOST_ROWS) {
    throw inputError(
      `${NAME}: ${n} rows are too many, because it compares all pairs of rows; at most ${MOST_ROWS}. ` +
        `kmeans takes any number, and representatives(X, { count: ${MOST_ROWS} }).points are fewer rows that represent all`,
    );
  }
  const order = valueOrder(X);
  const Z = takeRows(distanceSpace(X, distance, NAME), order);
  const from = rowSource(Z, distance);
  const K = Math.min(asked, distinctRows(densePoints(Z), undefined, asked));
  const warnings: string[] = [];
  if (K < asked) {
    warnings.push(`the data has only ${K} distinct rows, so ${K} clusters were made instead of ${asked}`);
  }
  const small = n <= KEPT_ROWS;
  const start = resolved.start ?? (small ? "build" : "seeded");
  const restarts = resolved.restarts ?? (small ? 5 : 1);
  const streams = random(seed);
  const { medoids, history, swaps, converged, change } = bestOfRestarts<MedoidRun>(
    { restarts, maxIterations, onProgress: resolved.onProgress },
    warnings,
    (run) => run.history.at(-1)!,
    (run, report) => {
      const stream = streams.split();
      const first = run === 0 && start === "build" ? build(from, n, K) : seeded(from, n, K, stream);
      return descend(from, n, first, maxIterations, report);
    },
  );
  const rows = medoids.toSorted().map((s) => order[s]);
  const centers = takeRows(X, rows);
  const clustering = centerClustering(undefined, {
    method: "k-medoids",
    labels: nearestByDistance(X, centers, distance),
    centers,
    distance,
    objective: history.at(-1)!,
    history,
    converged,
    certificate: { kind: converged ? ("local optimum" as const) : ("none" as const), change },
    warnings,
  });
  return extended(clustering, { distance, medoids: rows, iterations: history.length - 1, swaps });
}

function rowSource(Z: Matrix, kind: RowDistance): RowSource {
  const n = Z.rows;
  if (n > KEPT_ROWS) {
    const buffer = new Float64Array(n);
    return (i) => {
      distancesFrom(Z, i, Z, kind, buffer);
      requireSum(buffer);
      return buffer;
    };
  }
  const kept = matrix(n, n);
  for (let i = 0; i < n; i++) {
    distancesFrom(Z, i, Z, kind, row(kept, i));
    requireSum(row(kept, i));
  }
  return (i) => row(kept, i);
}

function requireSum(distances: Float64Array): void {
  let sum = 0;
  for (let j = 0; j < distances.length; j++) sum += distances[j];
  if (!Number.isFinite(sum)) {
    throw numericError(`${NAME}: the sum of distances exceeds the number range; scale the data first`);
  }
}
