import { random, type Random } from "../../core/index.ts";
import { extended, inputError, numericError, plain, rule, sizesOf } from "../../core/internal.ts";
import { asMatrix, row, takeRows, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { requireFinite, requireSquares, valueOrder } from "../../matrix/internal.ts";
import { centerClustering, type CenterClustering } from "../centerClustering.ts";
import { reduceToDistinct, requireClusters } from "../clusterInput.ts";
import { metricRule, nearestRowPlacing, requireDistances } from "../givenDistances.ts";
import { densePoints } from "./points.ts";
import type { ReportIteration } from "./lloyd.ts";
import { bestOfRestarts, RUN_RULES } from "./restarts.ts";
import {
  distancesFrom,
  distancesWithin,
  distanceSpace,
  nearestByDistance,
  type RowDistance,
} from "./rowDistance.ts";

export const kMedoidsOptions = {
  ...rule.without(RUN_RULES, "weights"),
  /** K. */
  clusters: rule.required(rule.integer({ min: 1 })),
  distance: rule.oneOf(["euclidean", "manhattan", "cosine"] as const, "euclidean", {
    says: "distance between rows",
  }),
  metric: metricRule,
  start: rule.oneOf(["build", "seeded"] as const, undefined, {
    says: "starting medoids: the greedy ones in the first run, or rows drawn at random in all runs",
    usual: "build up to 4000 rows, else seeded",
  }),
  restarts: rule.integer({
    min: 1,
    max: 10_000,
    says: "runs from different starts; the best is kept",
    usual: "5 up to 4000 rows, else 1",
  }),
  maxIterations: rule.integer({
    min: 1,
    default: 100,
    says: "maximum number of passes over all rows in each run",
  }),
};

export type KMedoidsOptions = rule.OptionsOf<typeof kMedoidsOptions>;

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
  const resolved = rule.resolveOptions(NAME, options, kMedoidsOptions);
  const { clusters: asked, distance, seed, maxIterations, metric } = resolved;
  const given = metric === "precomputed";
  const n = X.rows;
  requireClusters(NAME, X, asked);
  if (given) requireDistances(NAME, X);
  else {
    requireFinite(X);
    requireSquares(X, NAME);
  }
  if (n > MOST_ROWS) {
    throw inputError(
      `${NAME}: ${n} rows are too many, because it compares all pairs of rows; at most ${MOST_ROWS}. ` +
        `kmeans takes any number, and representatives(X, { count: ${MOST_ROWS} }).points are fewer rows that represent all`,
    );
  }
  const order = given ? Int32Array.from({ length: n }, (_, i) => i) : valueOrder(X);
  const Z = given ? X : takeRows(distanceSpace(X, distance, NAME), order);
  const from = given ? (i: number) => row(X, i) : rowSource(Z, distance);
  const warnings: string[] = [];
  // Rows at distance 0 have the same distances to all others.
  const K = reduceToDistinct(densePoints(Z), undefined, asked, warnings);
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
  if (given) return ofDistances(X, rows, { history, swaps, converged, change, warnings });
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

/** The centres are the rows of distances of the medoids. */
function ofDistances(
  D: Matrix,
  medoids: Int32Array,
  run: Pick<MedoidRun, "history" | "swaps" | "converged" | "change"> & {
    readonly warnings: readonly string[];
  },
): KMedoids {
  const { history, swaps, converged, change, warnings } = run;
  const labels = Int32Array.from({ length: D.rows }, (_, i) =>
    medoids.reduce(
      (best, m, k) => (D.data[i * D.cols + m] < D.data[i * D.cols + medoids[best]] ? k : best),
      0,
    ),
  );
  const { predict } = nearestRowPlacing(NAME, undefined, labels, medoids.length);
  return plain<KMedoids>({
    method: "k-medoids",
    clusters: medoids.length,
    labels,
    sizes: sizesOf(labels, medoids.length),
    centers: takeRows(D, medoids),
    distance: "euclidean",
    medoids,
    swaps,
    objective: history.at(-1)!,
    iterations: history.length - 1,
    history,
    converged,
    certificate: { kind: converged ? "local optimum" : "none", change },
    warnings,
    placement: "nearest-center",
    predict,
  });
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
  const kept = distancesWithin(Z, kind);
  for (let i = 0; i < n; i++) requireSum(row(kept, i));
  return (i) => row(kept, i);
}

function requireSum(distances: Float64Array): void {
  let sum = 0;
  for (let j = 0; j < distances.length; j++) sum += distances[j];
  if (!Number.isFinite(sum)) {
    throw numericError(`${NAME}: the sum of distances exceeds the number range; scale the data first`);
  }
}

/** Distances of a row to all. The next call may overwrite the result. */
type RowSource = (i: number) => Float64Array;

/** Candidates between two reports. */
const BETWEEN = 64;
/** Changes of E below this part of it are rounding. */
const ROUNDING = 1e-12;

interface MedoidRun {
  readonly medoids: Int32Array;
  readonly history: number[];
  readonly swaps: number;
  readonly converged: boolean;
  readonly change: number;
}

/** FasterPAM: passes over all rows as candidates until none of them can replace a medoid. */
function descend(
  from: RowSource,
  n: number,
  start: Int32Array,
  maxIterations: number,
  report: ReportIteration,
): MedoidRun {
  const state = medoidsFrom(from, n, start);
  const history = [state.E];
  let swaps = 0;
  /** Candidates tried since the last swap, and their smallest change. */
  let quiet = 0;
  let least = Infinity;
  let goes = true;
  for (let pass = 1; pass <= maxIterations && quiet < n && goes; pass++) {
    for (let c = 0; c < n && quiet < n; c++, quiet++) {
      goes = c % BETWEEN !== 0 || report(pass - 1 + c / n, state.E);
      if (!goes) break;
      if (state.taken[c] === 1) continue;
      const distances = from(c);
      const { change, medoid } = bestSwap(state, distances);
      if (change < -ROUNDING * state.E) {
        swap(state, medoid, c, distances);
        swaps++;
        quiet = -1; // all others must be looked at again
        least = Infinity;
      } else least = Math.min(least, change);
    }
    history.push(Math.min(state.E, history[history.length - 1]));
  }
  const converged = quiet >= n;
  // If all rows are medoids there is no swap.
  const change = converged ? (least === Infinity ? 0 : least) : -Infinity;
  return { medoids: state.medoids, history, swaps, converged, change };
}

/** The medoids with, for each row, its nearest and second nearest one. */
function medoidsFrom(from: RowSource, n: number, start: Int32Array) {
  const K = start.length;
  const D = new Float64Array(n * K);
  const taken = new Uint8Array(n);
  start.forEach((m, i) => {
    taken[m] = 1;
    const distances = from(m);
    for (let j = 0; j < n; j++) D[j * K + i] = distances[j];
  });
  const state = {
    n,
    K,
    medoids: start.slice(),
    taken,
    /** n x K: distances to the medoids. */
    D,
    first: new Int32Array(n),
    second: new Int32Array(n),
    /** Distances to them. */
    near: new Float64Array(n),
    next: new Float64Array(n),
    /**
     * At least as large as any distance, by the triangle inequality, and its form for the cosine: used if there is no second
     * medoid.
     */
    farthest: 4 * D.reduce((most, d) => Math.max(most, d), 0),
    /** The change of E if medoid i is removed. */
    removal: new Float64Array(K),
    change: new Float64Array(K),
    E: 0,
  };
  for (let j = 0; j < n; j++) rank(state, j);
  sum(state);
  return state;
}

type Medoids = ReturnType<typeof medoidsFrom>;

/** The medoid that a candidate with these distances replaces best, and the change of E. */
function bestSwap({ n, K, first, near, next, removal, change }: Medoids, distances: Float64Array) {
  change.set(removal);
  let gain = 0;
  for (let j = 0; j < n; j++) {
    const d = distances[j];
    if (d >= next[j]) continue;
    if (d < near[j]) {
      gain += d - near[j];
      // Its medoid can be removed without loss.
      change[first[j]] += near[j] - next[j];
    } else change[first[j]] += d - next[j];
  }
  let medoid = 0;
  for (let i = 1; i < K; i++) if (change[i] < change[medoid]) medoid = i;
  return { change: change[medoid] + gain, medoid };
}

function swap(state: Medoids, i: number, c: number, distances: Float64Array): void {
  const { n, K, medoids, taken, D, first, second, near, next } = state;
  taken[medoids[i]] = 0;
  taken[c] = 1;
  medoids[i] = c;
  for (let j = 0; j < n; j++) {
    const d = distances[j];
    D[j * K + i] = d;
    if (first[j] === i || second[j] === i) rank(state, j);
    else if (d < near[j]) {
      second[j] = first[j];
      first[j] = i;
    } else if (d < next[j]) second[j] = i;
  }
  sum(state);
}

function rank({ K, D, first, second }: Medoids, j: number): void {
  const at = j * K;
  let best = 0;
  let other = -1;
  for (let i = 1; i < K; i++) {
    if (D[at + i] < D[at + best]) {
      other = best;
      best = i;
    } else if (other < 0 || D[at + i] < D[at + other]) other = i;
  }
  first[j] = best;
  second[j] = other;
}

function sum(state: Medoids): void {
  const { n, K, D, first, second, near, next, removal, farthest } = state;
  removal.fill(0);
  let E = 0;
  for (let j = 0; j < n; j++) {
    near[j] = D[j * K + first[j]];
    E += near[j];
    next[j] = K === 1 ? farthest : D[j * K + second[j]];
    removal[first[j]] += next[j] - near[j];
  }
  state.E = E;
}

/** K rows, each chosen by the distances of all rows to those before it, Infinity at first, and which are taken. */
function chosenRows(
  from: RowSource,
  n: number,
  K: number,
  choose: (near: Float64Array, taken: Uint8Array) => number,
): Int32Array {
  const near = new Float64Array(n).fill(Infinity);
  const taken = new Uint8Array(n);
  return Int32Array.from({ length: K }, () => {
    const chosen = choose(near, taken);
    taken[chosen] = 1;
    const distances = from(chosen);
    for (let j = 0; j < n; j++) near[j] = Math.min(near[j], distances[j]);
    return chosen;
  });
}

/** BUILD: the row with the smallest total distance, then repeatedly the row that lowers E most. */
function build(from: RowSource, n: number, K: number): Int32Array {
  return chosenRows(from, n, K, (near, taken) => {
    let best = -1;
    let least = Infinity;
    for (let c = 0; c < n; c++) {
      if (taken[c] === 1) continue;
      const distances = from(c);
      let sum = 0;
      for (let j = 0; j < n; j++) sum += Math.min(near[j], distances[j]);
      if (sum < least) {
        least = sum;
        best = c;
      }
    }
    return best;
  });
}

/**
 * Rows drawn with probability proportional to the distance from the earlier draws; E sums these distances.
 */
function seeded(from: RowSource, n: number, K: number, stream: Random): Int32Array {
  return chosenRows(from, n, K, (near, taken) => {
    const chance = near[0] === Infinity ? new Float64Array(n).fill(1) : near;
    let total = 0;
    for (let j = 0; j < n; j++) total += chance[j];
    let left = stream.uniform() * total;
    let drawn = -1;
    for (let j = 0; j < n; j++) {
      if (taken[j] === 1 || chance[j] === 0) continue;
      drawn = j;
      left -= chance[j];
      if (left < 0) break;
    }
    // Rows that differ by less than a distance can resolve.
    return drawn < 0 ? taken.indexOf(0) : drawn;
  });
}
