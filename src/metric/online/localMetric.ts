/**
 * A metric for each region of the rows: near a row x of region r, the squared distance is a mixture
 *
 *     d^2(x, y) = sum_k theta_rk d_k^2(x, y),   theta_r >= 0, sum_k theta_rk = 1
 *
 * of candidate metrics: MLCA of all rows, MLCA of the rows of each region with several classes, and the
 * Euclidean one, each scaled to a mean squared distance of 1 over the triplets (after K. Q. Weinberger and L.
 * K. Saul, 2008, "Fast solvers and efficient implementations for distance metric learning", section on local
 * metrics, with mixtures instead of matrices). Between two regions the mean of their weights is used. The
 * weights of a region minimise
 *
 *     f(theta) = mean over its triplets (i, j, l) of max(0, 1 + d^2(i, j) - d^2(i, l))^2,
 *
 * j a near row of the class of i and l one of another. f is convex, and theta'f' - min_k f'_k bounds the
 * distance from its minimum (Frank and Wolfe 1956): that gap, relative to the value, is the certificate.
 */
import { inputError, plain, rule } from "../../core/internal.ts";
import {
  asMatrix,
  fromRows,
  identity,
  matrix,
  nearestRows,
  takeRows,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { mapped, requireModerate, squaredDistance } from "../../matrix/internal.ts";
import { acceleration } from "../../optimize/internal.ts";
import { encodeLabels, type Labeling } from "../../score/index.ts";
import { labelledRows } from "../../score/internal.ts";
import { closedForm, mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { mlca } from "../moments/mlca.ts";
import { neighborTriplets } from "../neighbours/triplets.ts";

export const localMetricOptions = {
  /** The region of each row, such as the labels of k-means; rows of -1 are left out. */
  regions: rule.required(rule.given<ArrayLike<number>>("a list of numbers", rule.isList)),
  /** Near rows of the same class, and of others, in the triplets of a row (default 3 and 3). */
  neighbors: rule.integer({ min: 1, default: 3 }),
  /** The relative gap of the weights at which to stop (default 1e-4). */
  tolerance: rule.real({ above: 0, below: 1, default: 1e-4 }),
};

export type LocalMetricOptions = rule.OptionsOf<typeof localMetricOptions>;

export interface LocalMetric {
  readonly method: "localMetric";
  /** Means of the regions, R x d: a row is of the nearest. */
  readonly centers: Matrix;
  readonly candidates: readonly Mahalanobis[];
  /** The source of each candidate: "all rows", "region 2", "Euclidean". */
  readonly names: readonly string[];
  /** theta, R x candidates. */
  readonly weights: Matrix;
  /** f of each region, and f with all weight on the metric of all rows. */
  readonly objectives: Float64Array;
  readonly globalObjectives: Float64Array;
  readonly certificate: { readonly kind: string; readonly residual: number };
  readonly converged: boolean;
  readonly warnings: readonly string[];
  regionOf(rows: MatrixLike): Int32Array;
  distance(a: ArrayLike<number>, b: ArrayLike<number>): number;
  toJSON(): object;
}

export function localMetric(input: MatrixLike, labels: Labeling, options: LocalMetricOptions): LocalMetric {
  const all = asMatrix(input, "localMetric");
  const { regions, neighbors, tolerance } = rule.resolveOptions("localMetric", options, localMetricOptions);
  requireModerate(all);
  if (regions.length !== all.rows) {
    throw inputError(`localMetric: there are ${regions.length} regions for ${all.rows} rows`);
  }
  const { codes: known } = encodeLabels(labels);
  const used = Array.from({ length: all.rows }, (_, i) => i).filter((i) => known[i] >= 0 && regions[i] >= 0);
  const X = takeRows(all, used);
  const { members, codes } = labelledRows(
    "localMetric",
    X,
    used.map((i) => labels[i] as string | number),
  );
  const region = Int32Array.from(used, (i) => regions[i]);
  const R = region.reduce((most, r) => Math.max(most, r + 1), 0);
  const centers = meansOf(X, region, R);
  const warnings: string[] = [];
  const lists = neighborTriplets(X, members, neighbors, neighbors, []);
  const names = ["all rows"];
  const raw = [mlca(X, codes)];
  for (let r = 0; r < R; r++) {
    const own = Array.from(region.keys()).filter((i) => region[i] === r);
    const learned = regionMetric(X, codes, own);
    if (learned === undefined) continue;
    raw.push(learned);
    names.push(`region ${r}`);
  }
  raw.push(euclidean(X.cols));
  names.push("Euclidean");
  const D = raw.map((metric) => pairSquares(metric.transform(X), lists.pairs));
  const candidates = raw.map((metric, k) => {
    const mean = D[k].reduce((sum, value) => sum + value, 0) / D[k].length;
    if (!(mean > 0)) throw inputError("localMetric: all rows of the triplets are equal");
    for (let p = 0; p < D[k].length; p++) D[k][p] /= mean;
    return scaledBy(metric, 1 / Math.sqrt(mean));
  });

  const C = candidates.length;
  const weights = matrix(R, C);
  const objectives = new Float64Array(R);
  const globalObjectives = new Float64Array(R);
  let worst = 0;
  for (let r = 0; r < R; r++) {
    const rows = tripletRows(lists, region, r, D);
    const found = mixture(rows, C, tolerance);
    weights.data.set(found.theta, r * C);
    objectives[r] = found.value;
    globalObjectives[r] = valueAt(rows, C, indicator(0, C)).value;
    worst = Math.max(worst, found.gap);
    if (rows.length === 0) warnings.push(`region ${r} has no triplets: it uses the metric of all rows`);
  }
  const regionOf = (rows: MatrixLike): Int32Array =>
    nearestRows(centers, 1, { queries: asMatrix(rows, "localMetric") }).indices;
  return plain({
    method: "localMetric",
    centers,
    candidates,
    names,
    weights,
    objectives,
    globalObjectives,
    certificate: {
      kind: "Frank-Wolfe gap of the weights, relative, largest over the regions",
      residual: worst,
    },
    converged: worst <= tolerance,
    warnings,
    regionOf,
    distance(a: ArrayLike<number>, b: ArrayLike<number>) {
      const [r, s] = regionOf(fromRows([a, b]));
      let sum = 0;
      candidates.forEach((metric, k) => {
        const theta = (weights.data[r * C + k] + weights.data[s * C + k]) / 2;
        if (theta > 0) sum += theta * metric.distance(a, b) ** 2;
      });
      return Math.sqrt(sum);
    },
    toJSON: () => ({
      method: "localMetric",
      names,
      weights: { ...weights, data: Array.from(weights.data) },
      candidates: candidates.map((metric) => metric.toJSON()),
      centers: { ...centers, data: Array.from(centers.data) },
      objectives: Array.from(objectives),
      globalObjectives: Array.from(globalObjectives),
    }),
  });
}

/**
 * MLCA of the rows of one region; undefined if it has fewer than two classes, or fewer rows than twice its
 * columns.
 */
function regionMetric(X: Matrix, codes: Int32Array, own: number[]): Mahalanobis | undefined {
  const classes = Array.from(own, (i) => codes[i]);
  if (new Set(classes).size < 2 || own.length < 2 * X.cols) return undefined;
  const learned = mlca(takeRows(X, own), classes);
  return learned.factor.rows === 0 ? undefined : learned;
}

function euclidean(d: number): Mahalanobis {
  return scaledBy({ method: "euclidean", factor: identity(d) }, 1);
}

function scaledBy({ method, factor }: Pick<Mahalanobis, "method" | "factor">, by: number): Mahalanobis {
  return mahalanobis({
    method,
    factor: mapped(factor, (value) => by * value),
    ...closedForm("scaled to mean squared distance 1", 0),
    warnings: [],
  });
}

function meansOf(X: Matrix, region: Int32Array, R: number): Matrix {
  const d = X.cols;
  const means = matrix(R, d);
  const counts = new Float64Array(R);
  for (let i = 0; i < X.rows; i++) {
    const r = region[i];
    counts[r]++;
    for (let f = 0; f < d; f++) {
      means.data[r * d + f] += (X.data[i * d + f] - means.data[r * d + f]) / counts[r];
    }
  }
  const empty = counts.indexOf(0);
  if (empty >= 0)
    throw inputError(`localMetric: region ${empty} has no rows of known class; number them 0, 1, ...`);
  return means;
}

function pairSquares(Y: Matrix, pairs: Int32Array): Float64Array {
  const squares = new Float64Array(pairs.length / 2);
  for (let p = 0; p < squares.length; p++) {
    squares[p] = squaredDistance(Y, pairs[2 * p], Y, pairs[2 * p + 1]);
  }
  return squares;
}

/** d_k^2(i, j) - d_k^2(i, l) of the triplets whose i is of region r. */
function tripletRows(
  { pairs, groups }: { readonly pairs: Int32Array; readonly groups: Int32Array },
  region: Int32Array,
  r: number,
  D: readonly Float64Array[],
): Float64Array[] {
  const rows: Float64Array[] = [];
  for (let g = 0; g < groups.length; g += 4) {
    if (region[pairs[2 * groups[g]]] !== r) continue;
    for (let p = groups[g]; p < groups[g + 1]; p++) {
      for (let q = groups[g + 2]; q < groups[g + 3]; q++) {
        rows.push(Float64Array.from(D, (squares) => squares[p] - squares[q]));
      }
    }
  }
  return rows;
}

function valueAt(rows: readonly Float64Array[], C: number, theta: Float64Array) {
  const gradient = new Float64Array(C);
  let value = 0;
  for (const row of rows) {
    let slack = 1;
    for (let k = 0; k < C; k++) slack += theta[k] * row[k];
    if (slack <= 0) continue;
    value += (slack * slack) / rows.length;
    for (let k = 0; k < C; k++) gradient[k] += (2 * slack * row[k]) / rows.length;
  }
  return { value, gradient };
}

function indicator(at: number, length: number): Float64Array {
  return Float64Array.from({ length }, (_, k) => Number(k === at));
}

const MOST_STEPS = 20_000;

/** Accelerated projected gradients on the simplex, with restarts, to the relative gap. */
function mixture(rows: readonly Float64Array[], C: number, tolerance: number) {
  if (rows.length === 0) return { theta: indicator(0, C), value: 0, gap: 0 };
  let steepness = 0;
  for (const row of rows) steepness += (2 / rows.length) * row.reduce((sum, value) => sum + value * value, 0);
  const run = acceleration(new Float64Array(C).fill(1 / C));
  let best = { theta: run.x, value: Infinity, gap: Infinity };
  for (let step = 0; step < MOST_STEPS; step++) {
    const { x: theta, ahead } = run;
    const here = valueAt(rows, C, theta);
    const least = here.gradient.reduce((a, b) => Math.min(a, b), Infinity);
    const along = here.gradient.reduce((sum, slope, k) => sum + slope * theta[k], 0);
    const gap = here.value > 0 ? Math.max(0, along - least) / here.value : 0;
    if (gap < best.gap) best = { theta, value: here.value, gap };
    if (gap <= tolerance) break;
    const { gradient } = ahead === theta ? here : valueAt(rows, C, ahead);
    run.advance(ontoSimplex(ahead.map((value, k) => value - gradient[k] / steepness)));
  }
  return best;
}

/** The nearest point of the simplex (Held, Wolfe and Crowder 1974). */
function ontoSimplex(v: Float64Array): Float64Array<ArrayBuffer> {
  const sorted = v.toSorted().reverse();
  let sum = 0;
  let shift = 0;
  sorted.forEach((value, k) => {
    sum += value;
    if (value - (sum - 1) / (k + 1) > 0) shift = (sum - 1) / (k + 1);
  });
  return Float64Array.from(v, (value) => Math.max(0, value - shift));
}
