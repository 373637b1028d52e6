import { inValueOrder, asGiven } from "../../matrix/internal.ts";
import {
  asRows,
  isSparse,
  matrix,
  takeRows,
  type Matrix,
  type MatrixLike,
  type Sparse,
} from "../../matrix/index.ts";
import { random, type Random } from "../../core/index.ts";
import { extended, inputError, optionError, rule } from "../../core/internal.ts";
import { centerClustering, type CenterClustering } from "../centerClustering.ts";
import { requireClusters, checkedScale } from "../clusterInput.ts";
import { seedCenters } from "../kmeans/seeding.ts";
import type { Pair } from "../../data/index.ts";
import { encodeLabels, type Label, type Labeling } from "../../score/index.ts";
import {
  constrainedKmeans,
  learnable,
  TOO_FEW_GROUPS,
  type ConstrainedCertificate,
  type ConstrainedKmeans,
} from "./constrainedKmeans.ts";
import { pairMetric, type PairMetric } from "./mpckMeans.ts";
import { kmeansInOrder, type Kmeans } from "../kmeans/kmeans.ts";
import type { KmeansCertificate } from "../kmeans/certificate.ts";
import type { Points } from "../kmeans/points.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { RUN_RULES } from "../kmeans/restarts.ts";
import { withPoints } from "../kmeans/withPoints.ts";

export const seededKmeansOptions = {
  ...RUN_RULES,
  ...PAIR_RULES,
  /** One label per row; empty, null and -1 are unknown. */
  labels: rule.required(rule.given<Labeling>("an array of labels", rule.isList)),
  /** K; by default the number of known classes. */
  clusters: rule.integer({ min: 1 }),
  /**
   * "plain": the columns as they are. "learned": under the metric that MPCK-means learns from the labels (dense rows
   * only); the objective is in its units, the centres are in those of the data. Default: learned if that
   * places known rows clearly better with their labels held out, and learning takes a few seconds at most.
   */
  space: rule.oneOf(["plain", "learned"] as const, undefined, {
    says: "the columns as they are, or under a metric learned from the labels",
    usual: "learned if it predicts held-out labels better and the data is small",
  }),
  free: rule.flag(false, { says: "the labels only set the start; known rows may change their cluster" }),
};

export type SeededKmeansOptions = rule.OptionsOf<typeof seededKmeansOptions>;

export interface SeededKmeans extends CenterClustering<"seeded-kmeans", SeedCertificate> {
  /** The class of cluster k, for k below its length; the clusters after these are new. */
  readonly classes: readonly Label[];
  /** With learned distances: A, d x d. */
  readonly metric?: Matrix;
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
  const resolved = rule.resolveOptions("seededKmeans", options, seededKmeansOptions);
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
  requireClusters("seededKmeans", X, K);
  if (resolved.free && (resolved.mustLink !== undefined || resolved.cannotLink !== undefined)) {
    throw optionError('seededKmeans: pairs cannot be combined with "free"');
  }
  checkedScale(X, undefined);
  const learned = learnedMap(X, codes, K, resolved);
  const { labels, centers, certificate, ...run } = fromSeeds(
    learned?.map(X as Matrix) ?? X,
    codes,
    K,
    resolved,
  );
  const clustering = centerClustering(X, {
    method: "seeded-kmeans",
    labels,
    centers: learned?.back(centers) ?? centers,
    map: learned?.L,
    objective: run.objective,
    history: run.history,
    converged: run.converged,
    certificate: {
      kind: certificate.kind,
      seedsMoved: codes.reduce((count, c, i) => (c >= 0 && labels[i] !== c ? count + 1 : count), 0),
      ...("violated" in certificate && { violated: certificate.violated }),
    },
    warnings: run.warnings.filter((warning) => !warning.endsWith(TOO_FEW_GROUPS)),
    emptyBecause: TOO_FEW_GROUPS,
  });
  return extended(clustering, { classes, ...(learned && { metric: learned.A }) });
}

type Resolved = rule.ResolvedOptions<typeof seededKmeansOptions>;

/** The best of several runs on rows of known classes; cluster c is class c. */
function fromSeeds(
  rows: Matrix | Sparse,
  codes: Int32Array,
  K: number,
  settings: Pick<Resolved, "seed" | "restarts"> & Partial<Resolved>,
): Pick<Kmeans | ConstrainedKmeans, keyof Kmeans & keyof ConstrainedKmeans> {
  const {
    mustLink = [],
    cannotLink = [],
    free,
    weights,
    maxIterations,
    onProgress,
    seed,
    restarts,
  } = settings;
  const classes = classCount(codes);
  const fixed = free === true ? undefined : seedPairs(codes, classes);
  const streams = random(seed);
  let best: Kmeans | ConstrainedKmeans | undefined;
  for (let restart = 0; restart < (K === classes ? 1 : restarts); restart++) {
    const stream = streams.split();
    const initialCenters = withPoints(rows, (points) => startingCenters(points, codes, classes, K, stream));
    const shared = { initialCenters, weights, maxIterations, onProgress };
    const found =
      fixed === undefined
        ? kmeansInOrder(rows, shared)
        : constrainedKmeans(rows, {
            ...shared,
            space: "plain",
            mustLink: [...fixed.mustLink, ...mustLink],
            cannotLink: [...fixed.cannotLink, ...cannotLink],
          });
    if (best === undefined || found.objective < best.objective) best = found;
  }
  return fixed === undefined ? best! : { ...best!, ...renumbered(best!, fixed.first) };
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
  { space, seed, mustLink = [], cannotLink = [] }: Resolved,
): PairMetric | undefined {
  if (space === "plain") return undefined;
  if (isSparse(X)) {
    if (space === "learned") throw optionError('seededKmeans: space "learned" needs dense rows');
    return undefined;
  }
  const classes = classCount(codes);
  const learn = (known: Int32Array): PairMetric => {
    const pairs = labelPairs(known);
    return pairMetric(
      X,
      K,
      { mustLink: [...pairs.mustLink, ...mustLink], cannotLink: [...pairs.cannotLink, ...cannotLink] },
      { seed },
    );
  };
  if (space === "learned") return learn(codes);
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
      const { labels } = fromSeeds(rows, rest, K, { seed, restarts: RUN_RULES.restarts.fallback });
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
function labelPairs(codes: Int32Array) {
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
function seedPairs(codes: Int32Array, classes: number) {
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

/** Means of the classes, then rows by k-means++. */
function startingCenters(
  points: Points,
  codes: Int32Array,
  classes: number,
  K: number,
  stream: Random,
): Matrix {
  const { cols: d } = points;
  const means = new Float64Array(classes * d);
  const counts = new Int32Array(classes);
  for (const c of codes) if (c >= 0) counts[c]++;
  codes.forEach((c, i) => {
    if (c >= 0) points.add(i, 1 / counts[c], means, c * d);
  });
  return matrix(K, d, K === classes ? means : seedCenters(points, K, undefined, stream, means));
}

function classCount(codes: Int32Array): number {
  return codes.reduce((most, c) => Math.max(most, c + 1), 0);
}

/** The clusters numbered so that class c, whose first row is first[c], is cluster c. */
function renumbered({ labels, centers }: Pick<ConstrainedKmeans, "labels" | "centers">, first: Int32Array) {
  const own = Array.from(first, (i) => labels[i]);
  const order = [
    ...own,
    ...Array.from({ length: centers.rows }, (_, k) => k).filter((k) => !own.includes(k)),
  ];
  return { labels: labels.map((k) => order.indexOf(k)), centers: takeRows(centers, order) };
}
