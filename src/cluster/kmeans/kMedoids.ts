import { random, type Random } from "../../core/index.ts";
import {
  inputError,
  integer,
  numericError,
  oneOf,
  optionError,
  plain,
  progressGate,
  required,
  resolveOptions,
  type ProgressGate,
  type OptionsOf,
  seedRule,
  progressRule,
} from "../../core/internal.ts";
import { asMatrix, matrix, row, takeRows, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { requireFinite, requireSquares, valueOrder } from "../../matrix/internal.ts";
import { centerModel, type CenterModelData, type RowDistance } from "../centerModel.ts";
import { distancesFrom, distanceSpace, nearestByDistance } from "./rowDistance.ts";

export const kMedoidsOptions = {
  /** K. */
  clusters: required(integer({ min: 1 })),
  /** Default "euclidean". */
  distance: oneOf(["euclidean", "manhattan", "cosine"] as const, "euclidean", {
    says: "distance between rows",
  }),
  /**
   * "build" (default up to 4000 rows): the first run starts from the greedy medoids of Kaufman and Rousseeuw. "seeded":
   * all runs start from rows drawn with probability proportional to the distance from those drawn before.
   */
  start: oneOf(["build", "seeded"] as const, undefined, {
    says: "starting medoids: the greedy ones in the first run, or rows drawn at random in all runs",
    usual: "build up to 4000 rows, else seeded",
  }),
  /** Number of runs, of which the best is returned; default 5, beyond 4000 rows 1. */
  restarts: integer({
    min: 1,
    max: 10_000,
    says: "runs from different starts; the best is kept",
    usual: "5 up to 4000 rows, else 1",
  }),
  seed: seedRule,
  /** Passes over all candidates in each run; default 100. */
  maxIterations: integer({
    min: 1,
    default: 100,
    says: "maximum number of passes over all rows in each run",
  }),
  onProgress: progressRule,
};

export type KMedoidsOptions = OptionsOf<typeof kMedoidsOptions>;

export interface KMedoids {
  readonly method: "k-medoids";
  readonly distance: RowDistance;
  /** Fewer than requested only if there are fewer distinct rows (with a warning). */
  readonly clusters: number;
  /** In the order of the medoids. */
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  /** The row numbers of the medoids, in the order of their values. */
  readonly medoids: Int32Array;
  /** K x d: the medoids themselves. */
  readonly centers: Matrix;
  /** E. */
  readonly objective: number;
  /** E at the start and after each pass; never rises. */
  readonly history: readonly number[];
  /** Passes over all candidates. */
  readonly iterations: number;
  /** Swaps that were made. */
  readonly swaps: number;
  readonly converged: boolean;
  readonly certificate: KMedoidsCertificate;
  readonly warnings: readonly string[];
  readonly placement: "nearest-center";
  /** The nearest medoid. */
  predict(Y: MatrixLike): Int32Array;
  model(): CenterModelData;
  toJSON(): object;
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
/** Candidates between two reports. */
const TOLD = 64;
/** Changes of E below this part of it are rounding. */
const ROUNDING = 1e-12;

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
  if (n === 0 || X.cols === 0) throw inputError(`${NAME}: the data is empty (${n} x ${X.cols})`);
  requireFinite(X);
  requireSquares(X, NAME);
  if (asked > n)
    throw optionError(`${NAME}: cannot make ${asked} clusters of ${n} ${n === 1 ? "row" : "rows"}`);
  if (n > MOST_ROWS) {
    throw inputError(
      `${NAME}: ${n} rows are too many, because it compares all pairs of rows; at most ${MOST_ROWS}. ` +
        `kmeans takes any number, and representatives(X, { count: ${MOST_ROWS} }).points are fewer rows that represent all`,
    );
  }
  const order = valueOrder(X);
  const Z = takeRows(distanceSpace(X, distance, NAME), order);
  const from = rowSource(Z, distance);
  const K = Math.min(asked, distinctRows(Z, asked));
  const warnings: string[] = [];
  if (K < asked) {
    warnings.push(`the data has only ${K} distinct rows, so ${K} clusters were made instead of ${asked}`);
  }
  const small = n <= KEPT_ROWS;
  const start = resolved.start ?? (small ? "build" : "seeded");
  const restarts = resolved.restarts ?? (small ? 5 : 1);
  const streams = random(seed);
  const gate = progressGate(resolved.onProgress);
  let best: Run | undefined;
  for (let run = 0; run < restarts && !gate.stopped; run++) {
    const stream = streams.split();
    const medoids = run === 0 && start === "build" ? build(from, n, K) : seeded(from, n, K, stream);
    const told = (pass: number, E: number): boolean =>
      gate({
        fraction: (run + pass / (pass + 3)) / restarts,
        label: restarts === 1 ? `pass ${Math.floor(pass) + 1}` : `run ${run + 1} of ${restarts}`,
        objective: Math.min(E, best === undefined ? Infinity : last(best.history)),
      });
    const found = descend(from, n, medoids, maxIterations, told, gate);
    if (best === undefined || last(found.history) < last(best.history)) best = found;
  }
  const { medoids, history, swaps, converged, change } = best!;
  if (gate.stopped) warnings.push("stopped by onProgress");
  else if (!converged) warnings.push(`not converged after ${maxIterations} passes`);
  const rows = medoids.toSorted().map((s) => order[s]);
  const centers = takeRows(X, rows);
  const labels = nearestByDistance(X, centers, distance);
  const sizes = new Int32Array(K);
  for (const label of labels) sizes[label]++;
  return plain({
    method: "k-medoids",
    distance,
    clusters: K,
    labels,
    sizes,
    medoids: rows,
    centers,
    objective: last(history),
    history,
    iterations: history.length - 1,
    swaps,
    converged,
    certificate: { kind: converged ? "local optimum" : "none", change },
    warnings,
    placement: "nearest-center",
    predict: (Y) => nearestByDistance(asMatrix(Y, "predict"), centers, distance),
    model: () => centerModel("k-medoids", { centers, distance }),
  });
}

/** Distances of a row to all. The next call may overwrite the result. */
type RowSource = (i: number) => Float64Array;

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

interface Run {
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
  told: (pass: number, E: number) => boolean,
  gate: ProgressGate,
): Run {
  const state = new Medoids(from, n, start);
  const history = [state.objective()];
  let swaps = 0;
  /** Candidates tried since the last swap, and their smallest change. */
  let quiet = 0;
  let least = Infinity;
  for (let pass = 1; pass <= maxIterations && quiet < n && !gate.stopped; pass++) {
    for (let c = 0; c < n && quiet < n; c++, quiet++) {
      if (c % TOLD === 0 && !told(pass - 1 + c / n, state.objective())) break;
      if (state.isMedoid(c)) continue;
      const distances = from(c);
      const { change, medoid } = state.bestSwap(distances);
      if (change < -ROUNDING * state.objective()) {
        state.swap(medoid, c, distances);
        swaps++;
        quiet = -1; // all others must be looked at again
        least = Infinity;
      } else least = Math.min(least, change);
    }
    history.push(Math.min(state.objective(), last(history)));
  }
  const converged = quiet >= n;
  // If all rows are medoids there is no swap.
  const change = converged ? (least === Infinity ? 0 : least) : -Infinity;
  return { medoids: state.medoids, history, swaps, converged, change };
}

/** The medoids with, for each row, its nearest and second nearest one. */
class Medoids {
  readonly medoids: Int32Array;
  private readonly n: number;
  private readonly K: number;
  /** n x K: distances to the medoids. */
  private readonly D: Float64Array;
  private readonly first: Int32Array;
  private readonly second: Int32Array;
  /** Distances to them. */
  private readonly near: Float64Array;
  private readonly next: Float64Array;
  /** At least as large as any distance: used if there is no second medoid. */
  private readonly farthest: number;
  /** The change of E if medoid i is removed. */
  private readonly removal: Float64Array;
  private readonly change: Float64Array;
  private readonly taken: Uint8Array;
  private E = 0;

  constructor(from: RowSource, n: number, start: Int32Array) {
    this.medoids = start.slice();
    this.n = n;
    this.K = start.length;
    this.D = new Float64Array(n * this.K);
    this.first = new Int32Array(n);
    this.second = new Int32Array(n);
    this.near = new Float64Array(n);
    this.next = new Float64Array(n);
    this.removal = new Float64Array(this.K);
    this.change = new Float64Array(this.K);
    this.taken = new Uint8Array(n);
    start.forEach((m, i) => {
      this.taken[m] = 1;
      const distances = from(m);
      for (let j = 0; j < n; j++) this.D[j * this.K + i] = distances[j];
    });
    // By the triangle inequality, and its form for the cosine, none exceeds four times the largest from one row.
    this.farthest = 4 * this.D.reduce((most, d) => Math.max(most, d), 0);
    for (let j = 0; j < n; j++) this.rank(j);
    this.sum();
  }

  isMedoid(c: number): boolean {
    return this.taken[c] === 1;
  }

  objective(): number {
    return this.E;
  }

  /** The medoid that a candidate with these distances replaces best, and the change of E. */
  bestSwap(distances: Float64Array): { change: number; medoid: number } {
    const { n, K, first, near, next, change } = this;
    change.set(this.removal);
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

  swap(i: number, c: number, distances: Float64Array): void {
    const { n, K, D, first, second, near, next } = this;
    this.taken[this.medoids[i]] = 0;
    this.taken[c] = 1;
    this.medoids[i] = c;
    for (let j = 0; j < n; j++) {
      const d = distances[j];
      D[j * K + i] = d;
      if (first[j] === i || second[j] === i) this.rank(j);
      else if (d < near[j]) {
        second[j] = first[j];
        first[j] = i;
      } else if (d < next[j]) second[j] = i;
    }
    this.sum();
  }

  private rank(j: number): void {
    const { K, D } = this;
    const at = j * K;
    let best = 0;
    let other = -1;
    for (let i = 1; i < K; i++) {
      if (D[at + i] < D[at + best]) {
        other = best;
        best = i;
      } else if (other < 0 || D[at + i] < D[at + other]) other = i;
    }
    this.first[j] = best;
    this.second[j] = other;
  }

  private sum(): void {
    const { n, K, D, first, second, near, next, removal } = this;
    removal.fill(0);
    let sum = 0;
    for (let j = 0; j < n; j++) {
      near[j] = D[j * K + first[j]];
      sum += near[j];
      // A single medoid can only be replaced.
      next[j] = K === 1 ? this.farthest : D[j * K + second[j]];
      removal[first[j]] += next[j] - near[j];
    }
    this.E = sum;
  }
}

/** BUILD: the row with the smallest total distance, then repeatedly the row that lowers E most. */
function build(from: RowSource, n: number, K: number): Int32Array {
  const medoids = new Int32Array(K);
  const near = new Float64Array(n).fill(Infinity);
  const taken = new Uint8Array(n);
  for (let k = 0; k < K; k++) {
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
    medoids[k] = best;
    taken[best] = 1;
    const distances = from(best);
    for (let j = 0; j < n; j++) near[j] = Math.min(near[j], distances[j]);
  }
  return medoids;
}

/**
 * Rows drawn with probability proportional to the distance from the earlier draws; E sums these distances.
 */
function seeded(from: RowSource, n: number, K: number, stream: Random): Int32Array {
  const medoids = new Int32Array(K);
  const near = new Float64Array(n).fill(1);
  const taken = new Uint8Array(n);
  for (let k = 0; k < K; k++) {
    let total = 0;
    for (let j = 0; j < n; j++) total += near[j];
    let left = stream.uniform() * total;
    let drawn = -1;
    for (let j = 0; j < n; j++) {
      if (taken[j] === 1 || near[j] === 0) continue;
      drawn = j;
      left -= near[j];
      if (left < 0) break;
    }
    // Rows that differ by less than a distance can resolve.
    if (drawn < 0) drawn = taken.indexOf(0);
    medoids[k] = drawn;
    taken[drawn] = 1;
    const distances = from(drawn);
    for (let j = 0; j < n; j++) near[j] = k === 0 ? distances[j] : Math.min(near[j], distances[j]);
  }
  return medoids;
}

/**
 * The number of distinct rows, counted up to `most`; equal rows may be apart in the order, for example
 * multiples under the cosine.
 */
function distinctRows(Z: Matrix, most: number): number {
  const seen = new Set<string>();
  for (let i = 0; i < Z.rows && seen.size < most; i++) seen.add(row(Z, i).join());
  return seen.size;
}

function last(values: readonly number[]): number {
  return values[values.length - 1];
}
