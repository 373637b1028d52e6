/**
 * The compact rule that places other rows like labelled ones: by the nearest of a few points, or by the likeliest of one
 * Gaussian for each cluster (full, tied or diagonal covariances: quadratic and linear discriminant analysis). Each rule
 * is learned from one half of the rows and judged on the other half, both ways, beside the nearest rows themselves:
 * between clusters that overlap, and in many columns, single rows place worse than the shape of all.
 */
import { type CovarianceKind, type GaussianMixtureData, kmeans } from "../cluster/index.ts";
import { gaussianEm, mixtureModel } from "../cluster/internal.ts";
import { random } from "../core/index.ts";
import { percent } from "../core/internal.ts";
import { matrix, storeMatrix, takeRows, type Matrix, nearestRows } from "../matrix/index.ts";
import { columnMeans } from "../matrix/internal.ts";
import { clusterMeans, labelRows, placingRule } from "./placing.ts";
import type { PlacingRule } from "./placingForm.ts";

/** Points of a rule at most: what the query of a model may compare rows with. */
export const MOST_POINTS = 64;

export interface HeldOutRule {
  readonly rule: PlacingRule;
  /** "by the nearest of 64 points: of rows held out, ...": what places a row, and how well. */
  readonly told: string;
}

/** Rows of one cluster each. */
export interface LabelledRows {
  readonly X: Matrix;
  readonly labels: Int32Array;
}

/** Rows from which a rule is judged: halves of fewer tell little. */
const TELLING = 200;
/** Rows of each half at most. */
const JUDGED = 5000;

/**
 * @param labels rows of no cluster (-1) are left out
 * @param nearest the clusters of queries by the nearest of labelled rows
 * @returns undefined if the nearest rows do better, or if there are too few rows to tell
 */
export function heldOutRule(
  Y: Matrix,
  labels: Int32Array,
  clusters: number,
  nearest: (of: LabelledRows, queries: Matrix) => ArrayLike<number>,
): HeldOutRule | undefined {
  const known = Int32Array.from(labels.keys()).filter((i) => labels[i] >= 0);
  if (known.length < TELLING) return undefined;
  const half = Math.min(JUDGED, Math.floor(known.length / 2));
  const drawn = random(0)
    .sample(2 * half, known.length)
    .map((place) => known[place]);
  const halves = [drawn.subarray(0, half), drawn.subarray(half)].map((rows) => part(Y, labels, rows));
  const folds = [halves, halves.toReversed()];
  const judge = (place: (of: LabelledRows, queries: Matrix) => ArrayLike<number> | undefined): Judged => {
    const right = new Float64Array(clusters);
    const all = new Float64Array(clusters);
    for (const [learned, { X, labels: own }] of folds) {
      const found = place(learned, X);
      if (found === undefined) return { worth: -Infinity, share: 0 };
      own.forEach((label, i) => {
        all[label]++;
        if (found[i] === label) right[label]++;
      });
    }
    return judgement(right, all);
  };
  const many = judge(nearest);
  let best: { learner: Learner; judged: Judged } | undefined;
  for (const learner of learnersFor(Y.cols)) {
    const judged = judge((of, queries) => {
      const rule = learner.learn(of, clusters);
      return rule && labelRows(rule, queries);
    });
    if (best === undefined || judged.worth > best.judged.worth) best = { learner, judged };
  }
  if (best === undefined || best.judged.worth < many.worth) return undefined;
  const rule = best.learner.learn(part(Y, labels, known), clusters);
  if (rule === undefined) return undefined;
  return {
    rule,
    told:
      `by ${best.learner.by(rule)}: of rows held out, ${percent(best.judged.share, 1)} get their cluster again, and by their ` +
      `nearest rows ${percent(many.share, 1)}`,
  };
}

interface Judged {
  /** The mean of the share of all rows and of the mean share of the clusters: a small cluster counts, too. */
  readonly worth: number;
  readonly share: number;
}

function judgement(right: Float64Array, all: Float64Array): Judged {
  const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
  const present = all.filter((count) => count > 0).length;
  const share = sum(right) / sum(all);
  const each = sum(right.map((count, k) => count / Math.max(1, all[k]))) / present;
  return { worth: (share + each) / 2, share };
}

function part(Y: Matrix, labels: Int32Array, rows: Int32Array): LabelledRows {
  return { X: takeRows(Y, rows), labels: rows.map((i) => labels[i]) };
}

interface Learner {
  /** Undefined where there are not enough rows for it. */
  learn(of: LabelledRows, clusters: number): PlacingRule | undefined;
  by(rule: PlacingRule): string;
}

const POINTS: Learner = {
  learn({ X, labels }, clusters) {
    const { points, labels: whose, agreement } = prototypesOf(X, labels, clusters, MOST_POINTS);
    const means = storeMatrix(clusterMeans(X, labels, clusters));
    return { kind: "rows", rows: storeMatrix(points), labels: Array.from(whose), agreement, means };
  },
  by: (rule) => `the nearest of ${rule.kind === "rows" ? rule.rows.rows : 0} points`,
};

/** Columns up to which covariances between them are learned. */
const COVARIANCES = 64;

function learnersFor(columns: number): Learner[] {
  const kinds = columns <= COVARIANCES ? (["diagonal", "tied", "full"] as const) : (["diagonal"] as const);
  return [POINTS, ...kinds.map(gaussians)];
}

function gaussians(kind: Kind): Learner {
  return {
    learn({ X, labels }, K) {
      const R = new Float64Array(X.rows * K);
      labels.forEach((label, i) => (R[i * K + label] = 1));
      // One step from the labels: the moments of the clusters.
      const mixture = gaussiansFrom(X, kind, R, 1);
      if (mixture === undefined) return undefined;
      const means = storeMatrix(clusterMeans(X, labels, K));
      const rule: PlacingRule = { kind: "mixture", mixture, agreement: 1, means };
      const placed = labelRows(rule, X);
      const same = labels.reduce((sum, label, i) => sum + (placed[i] === label ? 1 : 0), 0);
      return { ...rule, agreement: same / X.rows };
    },
    by: ({ means }) => `the likeliest of ${means.rows} Gaussians`,
  };
}

type Kind = Exclude<CovarianceKind, "spherical">;

const RIDGE = 1e-4;
const TOLERANCE = 1e-5;

/**
 * The Gaussians that EM finds from responsibilities R, rows x K; undefined if it loses one of them, for example that of a
 * cluster without rows.
 */
export function gaussiansFrom(
  X: Matrix,
  kind: CovarianceKind,
  R: Float64Array,
  maxIterations: number,
): GaussianMixtureData | undefined {
  const K = R.length / X.rows;
  const { mixture } = gaussianEm(X, kind, R, {
    ridge: RIDGE * meanVariance(X),
    strength: X.rows / K,
    maxIterations,
    tolerance: TOLERANCE,
    report: () => true,
  });
  const { weights, means, covariances } = mixture;
  if (weights.length !== K) return undefined;
  const centers = matrix(K, X.cols, means);
  return mixtureModel({ covariance: kind, clusters: K, weights, centers, covariances }).model();
}

/** Of the columns; 1 if all rows are the same. */
function meanVariance(X: Matrix): number {
  const means = columnMeans(X);
  let sum = 0;
  for (let i = 0, p = 0; i < X.rows; i++) {
    for (let f = 0; f < X.cols; f++, p++) sum += (X.data[p] - means[f]) ** 2 / X.rows / X.cols;
  }
  return sum > 0 && Number.isFinite(sum) ? sum : 1;
}

/** Pairs of rows that kernels are computed for, in about two minutes. */
const MOST_KERNELS = 3e9;

interface QuickPlacing {
  readonly rule: PlacingRule;
  /** What is to be said of it; absent: the rule is the method's own. */
  readonly told?: string;
}

/**
 * The rule that places very many rows after a fit on a sample of them. A rule that compares each of them with all rows that
 * were fitted is replaced by a compact one, where that does as well.
 *
 * @param Y the rows that were fitted, with their labels
 * @param rows how many there are to place
 */
export function quickPlacing(rule: PlacingRule, Y: Matrix, labels: Int32Array, rows: number): QuickPlacing {
  const own: PlacingRule =
    rule.kind === "kernel-kmeans" && Y.rows * rows > MOST_KERNELS
      ? placingRule(Y, labels, rule.means.rows, { kind: "rows" })
      : rule;
  // Under a map, distances between rows are not those between their features.
  if (own.kind !== "rows" || own.map !== undefined || own.rows.rows <= MOST_POINTS) return { rule: own };
  const quick = heldOutRule(Y, labels, own.means.rows, (of, queries) =>
    labelRows({ ...own, rows: storeMatrix(of.X), labels: Array.from(of.labels) }, queries),
  );
  if (quick === undefined) return { rule: own };
  return { rule: { ...quick.rule, means: own.means }, told: `rows are placed ${quick.told}` };
}

/**
 * A few points that represent many rows: each cluster by the means of k-means within it, as many as needed
 * for the nearest point to reproduce the clusters. A database compares its rows with these points if a method
 * places rows by its training rows.
 */
export interface Prototypes {
  readonly points: Matrix;
  /** The cluster of each point. */
  readonly labels: Int32Array;
  /** Share of the rows that are nearest to a point of their own cluster. */
  readonly agreement: number;
}

/** Agreement above which more points are not tried. */
const ENOUGH = 0.998;
/** Minimum number of rows of a cluster for each of its points. */
const ROWS_PER_POINT = 5;

/** @param labels rows of no cluster (-1) are left out */
export function prototypesOf(
  X: Matrix,
  labels: ArrayLike<number>,
  clusters: number,
  most: number,
): Prototypes {
  const members = Array.from({ length: clusters }, (): number[] => []);
  for (let i = 0; i < X.rows; i++) if (labels[i] >= 0) members[labels[i]].push(i);
  const rows = members.map((own) => takeRows(X, own));
  let best: Prototypes | undefined;
  for (let each = 1; best === undefined || each * clusters <= most; each *= 2) {
    const parts = rows.map((own) => pointsOf(own, each));
    const found = judged(parts, rows, X.cols);
    if (best === undefined || found.agreement > best.agreement) best = found;
    if (best.agreement >= ENOUGH) break;
  }
  return best;
}

function pointsOf(X: Matrix, count: number): Matrix {
  const clusters = Math.max(1, Math.min(count, Math.floor(X.rows / ROWS_PER_POINT)));
  return X.rows === 0 ? X : kmeans(X, { clusters, seed: 0, restarts: 1 }).centers;
}

function judged(parts: readonly Matrix[], rows: readonly Matrix[], cols: number): Prototypes {
  const count = parts.reduce((sum, part) => sum + part.rows, 0);
  const points = matrix(count, cols);
  const labels = new Int32Array(count);
  let at = 0;
  parts.forEach((part, k) => {
    points.data.set(part.data, at * cols);
    labels.fill(k, at, at + part.rows);
    at += part.rows;
  });
  let [same, all] = [0, 0];
  rows.forEach((own, k) => {
    all += own.rows;
    if (own.rows === 0) return;
    for (const near of nearestRows(points, 1, { queries: own }).indices) if (labels[near] === k) same++;
  });
  return { points, labels, agreement: all === 0 ? 1 : same / all };
}
