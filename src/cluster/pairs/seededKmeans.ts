import { inValueOrder } from "../inValueOrder.ts";
import { asGiven } from "../runInOrder.ts";
import { asRows, isSparse, matrix, type Matrix, type MatrixLike, type Sparse } from "../../matrix/index.ts";
import { random, type Random } from "../../core/index.ts";
import {
  flag,
  given,
  inputError,
  integer,
  isList,
  oneOf,
  optionError,
  plain,
  required,
  resolveOptions,
  type OptionsOf,
} from "../../core/internal.ts";
import { centerModel, placeByCenters, type CenterModelData } from "../centerModel.ts";
import { knownPlacing } from "../knownRows.ts";
import type { Pair } from "../../data/index.ts";
import { encodeLabels, type Label, type Labeling } from "../../score/index.ts";
import { constrainedKmeans, learnable, type ConstrainedCertificate } from "./constrainedKmeans.ts";
import { pairMetric, type PairMetric } from "./pairMetric.ts";
import { kmeansInOrder } from "../kmeans/kmeans.ts";
import { checkedScale } from "../kmeans/numberRange.ts";
import type { KmeansCertificate } from "../kmeans/certificate.ts";
import type { Points } from "../kmeans/points.ts";
import { PAIR_RULES, RUN_RULES } from "../kmeans/runOptions.ts";
import { withPoints } from "../kmeans/withPoints.ts";

export const seededKmeansOptions = {
  ...RUN_RULES,
  ...PAIR_RULES,
  /** One label per row; empty, null and -1 are unknown. */
  labels: required(given<Labeling>("an array of labels", isList)),
  /** K; by default the number of known classes. */
  clusters: integer({ min: 1 }),
  /**
   * "plain": the given distances. "learned": the metric that MPCK-means learns from the labels (dense rows
   * only); the objective is in its units, the centres are in those of the data. Default: learned if that
   * places known rows clearly better with their labels held out, and learning takes a few seconds at most.
   */
  distances: oneOf(["plain", "learned"] as const, undefined, {
    says: "plain distances, or those of a metric learned from the labels",
    usual: "learned if it predicts held-out labels better and the data is small",
  }),
  /** The labels only set the start: known rows may change cluster. */
  free: flag(false, { says: "the labels only set the start; known rows may change their cluster" }),
};

export type SeededKmeansOptions = OptionsOf<typeof seededKmeansOptions>;

export interface SeededKmeans {
  readonly method: "seeded-kmeans";
  readonly clusters: number;
  /** The class of cluster k, for k below its length; the clusters after these are new. */
  readonly classes: readonly Label[];
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  readonly centers: Matrix;
  readonly objective: number;
  readonly iterations: number;
  readonly converged: boolean;
  readonly history: readonly number[];
  readonly certificate: SeedCertificate;
  readonly warnings: readonly string[];
  /** With learned distances: A, d x d. */
  readonly metric?: Matrix;
  /** The nearest centre (under the learned metric, if there is one); known rows that labels or pairs hold elsewhere stay there. */
  predict(Y: MatrixLike | Sparse): Int32Array;
  readonly placement: "nearest-center";
  model(): CenterModelData;
  toJSON(): object;
}

export interface SeedCertificate {
  readonly kind: KmeansCertificate["kind"];
  /** Known rows that are not in the cluster of their class; 0 unless `free`. */
  readonly seedsMoved: number;
  readonly violated?: ConstrainedCertificate["violated"];
}

/**
 * k-means from a few known labels (S. Basu, A. Banerjee and R. Mooney, 2002, "Semi-supervised clustering by
 * seeding"): cluster k starts at the mean of the rows of class k; clusters without known rows start at
 * k-means++ rows, given the others. By default (constrained k-means in that paper) the known rows stay in the
 * cluster of their class; with `free` (seeded k-means) they may leave it, for unreliable labels.
 */
export function seededKmeans(input: MatrixLike | Sparse, options: SeededKmeansOptions): SeededKmeans {
  return inValueOrder(asRows(input, "seededKmeans"), options, ["labels", "weights"], fitted, asGiven());
}

function fitted(X: Matrix | Sparse, options: SeededKmeansOptions): SeededKmeans {
  const resolved = resolveOptions("seededKmeans", options, seededKmeansOptions);
  const { free, mustLink, cannotLink, weights, maxIterations, onProgress } = resolved;
  if (resolved.labels.length !== X.rows) {
    throw inputError(`seededKmeans: ${X.rows} rows, but ${resolved.labels.length} labels`);
  }
  const { codes, classes } = encodeLabels(resolved.labels);
  if (classes.length === 0) throw inputError("seededKmeans: no row has a known label");
  const K = resolved.clusters ?? classes.length;
  if (classes.length > K) {
    throw optionError(
      `seededKmeans: the labels have ${classes.length} classes (${classes.slice(0, 10).join(", ")}), but ${K} clusters are asked for`,
    );
  }
  if (K > X.rows) throw optionError(`seededKmeans: cannot make ${K} clusters of ${X.rows} rows`);
  if (free && (mustLink !== undefined || cannotLink !== undefined)) {
    throw optionError('seededKmeans: pairs cannot be combined with "free"');
  }
  checkedScale(X, undefined);
  const fixed = !free ? seedPairs(codes, classes.length) : undefined;
  const learned = learnedMap(X, codes, K, resolved);
  const streams = random(resolved.seed);
  const restarts = K === classes.length ? 1 : resolved.restarts;
  const rows = learned === undefined ? X : learned.map(X as Matrix);
  let best: ReturnType<typeof once> | undefined;
  for (let restart = 0; restart < restarts; restart++) {
    const found = once(streams.split());
    if (best === undefined || found.objective < best.objective) best = found;
  }
  const { labels, certificate, ...rest } = best!;
  const centers = learned === undefined ? rest.centers : learned.back(rest.centers);
  const seedsMoved = codes.reduce((count, c, i) => (c >= 0 && labels[i] !== c ? count + 1 : count), 0);
  const { predict, stored } = knownPlacing(X, labels, placeByCenters(centers, learned?.L), "any");
  return plain({
    method: "seeded-kmeans",
    clusters: K,
    classes,
    labels,
    sizes: rest.sizes,
    centers,
    objective: rest.objective,
    iterations: rest.iterations,
    converged: rest.converged,
    history: rest.history,
    certificate: {
      kind: certificate.kind,
      seedsMoved,
      ...("violated" in certificate ? { violated: certificate.violated } : {}),
    },
    warnings: rest.warnings,
    placement: "nearest-center",
    ...(learned !== undefined && { metric: learned.A }),
    predict,
    model: () => centerModel("seeded-kmeans", { centers, ...(learned && { map: learned.L }) }, stored()),
  });

  function once(stream: Random) {
    const initialCenters = withPoints(rows, (points) =>
      startingCenters(points, codes, classes.length, K, stream),
    );
    const shared = { initialCenters, weights, maxIterations, onProgress };
    if (fixed === undefined) return kmeansInOrder(rows, shared);
    return inOrder(
      constrainedKmeans(rows, {
        ...shared,
        distances: "plain",
        mustLink: [...fixed.mustLink, ...(mustLink ?? [])],
        cannotLink: [...fixed.cannotLink, ...(cannotLink ?? [])],
      }),
      fixed.first,
      K,
    );
  }
}

/**
 * Minimum number of known rows for a comparison of metrics, number of folds, and the share of rows that a
 * metric must gain.
 */
const LEAST_KNOWN = 10;
const FOLDS = 5;
const CLEARLY = 0.03;

/** The metric learned from the labels, or nothing if plain distances are requested or equally good. */
function learnedMap(
  X: Matrix | Sparse,
  codes: Int32Array,
  K: number,
  {
    distances,
    seed,
    mustLink = [],
    cannotLink = [],
  }: Pick<SeededKmeansOptions, "distances" | "mustLink" | "cannotLink"> & { readonly seed: number },
): PairMetric | undefined {
  if (distances === "plain") return undefined;
  if (isSparse(X)) {
    if (distances === "learned") throw optionError('seededKmeans: distances "learned" need dense rows');
    return undefined;
  }
  const classes = codes.reduce((most, c) => Math.max(most, c + 1), 0);
  const learn = (known: Int32Array): PairMetric => {
    const pairs = labelPairs(known);
    return pairMetric(
      X,
      K,
      { mustLink: [...pairs.mustLink, ...mustLink], cannotLink: [...pairs.cannotLink, ...cannotLink] },
      { seed },
    );
  };
  if (distances === "learned") return learn(codes);
  const known = random(seed).shuffle(Int32Array.from(codes.keys()).filter((i) => codes[i] >= 0));
  if (!learnable(X) || known.length < LEAST_KNOWN || classes < 2) return undefined;
  let gained = 0;
  for (let fold = 0; fold < FOLDS; fold++) {
    const rest = codes.slice();
    const held = known.filter((_, place) => place % FOLDS === fold);
    for (const i of held) rest[i] = -1;
    const left = new Set(rest);
    if (codes.some((c) => c >= 0 && !left.has(c))) continue;
    const right = (rows: Matrix): number => {
      const { labels } = seededKmeans(rows, { labels: rest, clusters: K, distances: "plain", seed });
      return held.reduce((sum, i) => sum + Number(labels[i] === codes[i]), 0);
    };
    gained += right(learn(rest).map(X)) - right(X);
  }
  return gained >= Math.max(1, CLEARLY * known.length) ? learn(codes) : undefined;
}

/** Number of pairs of known rows above which every second, third, ... pair is taken. */
const MOST_PAIRS = 2000;

/**
 * All pairs of known rows: each violated pair has a price, so one pair for each class would be too cheap to
 * violate.
 */
function labelPairs(codes: Int32Array): { mustLink: Pair[]; cannotLink: Pair[] } {
  const known = Int32Array.from(codes.keys()).filter((i) => codes[i] >= 0);
  const step = Math.ceil((known.length * (known.length - 1)) / 2 / MOST_PAIRS);
  const mustLink: Pair[] = [];
  const cannotLink: Pair[] = [];
  let count = 0;
  known.forEach((i, place) => {
    for (const j of known.subarray(0, place)) {
      if (count++ % step === 0) (codes[i] === codes[j] ? mustLink : cannotLink).push([j, i]);
    }
  });
  return { mustLink, cannotLink };
}

/** Rows of one class belong together, rows of two classes do not: a chain and a few pairs are sufficient. */
function seedPairs(
  codes: Int32Array,
  classes: number,
): { mustLink: Pair[]; cannotLink: Pair[]; first: Int32Array } {
  const first = new Int32Array(classes).fill(-1);
  const mustLink: Pair[] = [];
  codes.forEach((c, i) => {
    if (c < 0) return;
    if (first[c] < 0) first[c] = i;
    else mustLink.push([first[c], i]);
  });
  const cannotLink: Pair[] = [];
  for (let a = 0; a < classes; a++) {
    for (let b = 0; b < a; b++) if (first[a] >= 0 && first[b] >= 0) cannotLink.push([first[b], first[a]]);
  }
  return { mustLink, cannotLink, first };
}

/**
 * Means of the classes, then rows drawn with probability proportional to the squared distance to the
 * existing centres.
 */
function startingCenters(
  points: Points,
  codes: Int32Array,
  classes: number,
  K: number,
  stream: Random,
): Matrix {
  const { rows: n, cols: d } = points;
  const centers = matrix(K, d);
  const counts = new Int32Array(classes);
  for (const c of codes) if (c >= 0) counts[c]++;
  codes.forEach((c, i) => {
    if (c >= 0) points.add(i, 1 / counts[c], centers.data, c * d);
  });
  const distances = new Float64Array(n * K);
  for (let k = classes; k < K; k++) {
    points.distances(0, n, centers.data.subarray(0, k * d), k, distances);
    const least = Float64Array.from({ length: n }, (_, i) => {
      let nearest = Infinity;
      for (let c = 0; c < k; c++) nearest = Math.min(nearest, distances[i * k + c]);
      return nearest;
    });
    let target = stream.uniform() * least.reduce((sum, value) => sum + value, 0);
    let drawn = 0;
    while (drawn < n - 1 && (target -= least[drawn]) >= 0) drawn++;
    points.add(drawn, 1, centers.data, k * d);
  }
  return centers;
}

/** Renumbers the clusters so that class c is cluster c. */
function inOrder<T extends ReturnType<typeof constrainedKmeans>>(result: T, first: Int32Array, K: number): T {
  const name = new Int32Array(K).fill(-1);
  first.forEach((i, c) => (name[result.labels[i]] = c));
  let next = first.length;
  for (let k = 0; k < K; k++) if (name[k] < 0) name[k] = next++;
  const d = result.centers.cols;
  const centers = matrix(K, d);
  const sizes = new Int32Array(K);
  for (let k = 0; k < K; k++) {
    sizes[name[k]] = result.sizes[k];
    centers.data.set(result.centers.data.subarray(k * d, (k + 1) * d), name[k] * d);
  }
  const predict = (Y: Matrix | Sparse): Int32Array => result.predict(Y).map((k) => name[k]);
  return { ...result, labels: result.labels.map((k) => name[k]), sizes, centers, predict };
}
