import { random } from "kindred";
import { bregmanKmeans, constrainedKmeans, kmeans } from "kindred/cluster";
import { checkConstraints, type CheckedConstraints, type Constraints, samplePairs } from "kindred/data";
import { matrix, type Matrix, multiply, multiplyTransposeA, qr, type Sparse, toDense } from "kindred/matrix";
import { dca, itml, rca } from "kindred/metric";
import { adjustedRand, pairScores } from "kindred/score";
import { stopwatch } from "../learners.ts";
import { chunkletsOf, impliedComponents } from "./bregmanRun.ts";

export const SPARSE_SETS = ["w1a", "w2a", "w6a", "webkb4", "20news-w1000", "reuters-r8"] as const;
export type SparseSet = (typeof SPARSE_SETS)[number];

export const SPARSE_COLUMNS = [
  "one cluster",
  "k-means",
  "k-means, cosine",
  "Ck-means",
  "Ck-means, cosine",
  "RCA",
  "RCA, alone",
  "DCA",
  "DCA, alone",
  "ITML",
  "ITML, alone",
  "Bk-means",
  "Bk-means, enforced",
] as const;
export type SparseColumn = (typeof SPARSE_COLUMNS)[number];

export interface SparseRun {
  /** Over all pairs of rows, in percent. */
  readonly f1: number;
  /** Over the pairs that the constraints do not imply; absent where there are none. */
  readonly openF1?: number;
  /** Over the pairs of rows that are in no constraint; absent where there are none. */
  readonly untouchedF1?: number;
  /** Adjusted Rand index over all rows, in percent: 0 for one cluster, whatever the sizes of the classes. */
  readonly adjustedRand: number;
  /** Rows in the largest cluster, in percent. */
  readonly largest: number;
  /** CPU time of learning and clustering. */
  readonly seconds: number;
}

/** Up to this many columns a metric is a full matrix; beyond that, rows are projected first. */
export const FULL = 300;
/** Leading right singular vectors of the rows that are projected on. */
export const PROJECTED = 100;

/** 500 must-links and 500 cannot-links, one k-means++ start. */
export function runSparseCell(
  X: Sparse,
  truth: Int32Array,
  clusters: number,
  column: SparseColumn,
  seed: number,
): SparseRun {
  const clock = stopwatch();
  const pairs = samplePairs(truth, { mustLink: 500, cannotLink: 500, seed });
  const labels = cluster(X, pairs, column, { clusters, restarts: 1, seed });
  const used = clock();
  const touched = new Set([...pairs.mustLink, ...pairs.cannotLink].flat());
  const rest = (values: Int32Array): Int32Array => values.filter((_, i) => !touched.has(i));
  const sizes = new Int32Array(clusters);
  for (const label of labels) sizes[label]++;
  const open = openF1(labels, truth, checkConstraints(X.rows, pairs), clusters);
  return {
    seconds: used,
    f1: 100 * pairScores(labels, truth).f1,
    ...(open !== undefined && { openF1: open }),
    ...(X.rows - touched.size > 1 && { untouchedF1: 100 * pairScores(rest(labels), rest(truth)).f1 }),
    adjustedRand: 100 * adjustedRand(labels, truth),
    largest: (100 * Math.max(...sizes)) / X.rows,
  };
}

/**
 * F1 in percent over the pairs of rows that the constraints do not settle, undefined if they settle all. With
 * two clusters they settle all pairs connected by must-links and cannot-links; with more, the pairs within a
 * must-link group and the pairs between two groups joined by a cannot-link. Counted without a list: there may
 * be millions of pairs, and memory is measured.
 */
export function openF1(
  labels: Int32Array,
  truth: Int32Array,
  checked: CheckedConstraints,
  clusters: number,
): number | undefined {
  const all = pairScores(labels, truth);
  let settled = 0;
  let right = 0;
  let wrong = 0;
  let missed = 0;
  const settle = (i: number, j: number): void => {
    settled++;
    if (labels[i] === labels[j] && truth[i] === truth[j]) right++;
    else if (labels[i] === labels[j]) wrong++;
    else if (truth[i] === truth[j]) missed++;
  };
  const groups = new Map<number, number[]>();
  const group = clusters === 2 ? impliedComponents(checked) : checked.group;
  group.forEach((g, i) => {
    const rows = groups.get(g) ?? [];
    for (const j of rows) settle(i, j);
    rows.push(i);
    groups.set(g, rows);
  });
  const apart = new Set<number>();
  for (const [i, j] of clusters === 2 ? [] : checked.cannotLink) {
    const a = Math.min(group[i], group[j]);
    const b = Math.max(group[i], group[j]);
    if (apart.has(a * group.length + b)) continue;
    apart.add(a * group.length + b);
    for (const first of groups.get(a)!) for (const second of groups.get(b)!) settle(first, second);
  }
  if (settled === all.pairs) return undefined;
  const both = all.truePositives - right;
  const errors = all.falsePositives - wrong + all.falseNegatives - missed;
  return both === 0 ? 0 : (200 * both) / (2 * both + errors);
}

function cluster(
  X: Sparse,
  pairs: Constraints,
  column: SparseColumn,
  options: { readonly clusters: number; readonly restarts: number; readonly seed: number },
): Int32Array {
  if (column === "one cluster") return new Int32Array(X.rows);
  if (column === "k-means") return kmeans(X, options).labels;
  if (column === "Ck-means") return constrainedKmeans(X, { ...options, ...pairs, space: "plain" }).labels;
  const rows = unitRows(X);
  if (column === "k-means, cosine") return kmeans(rows, options).labels;
  if (column === "Ck-means, cosine")
    return constrainedKmeans(rows, { ...options, ...pairs, space: "plain" }).labels;
  if (column === "Bk-means") return bregmanKmeans(rows, { ...options, ...pairs }).labels;
  if (column === "Bk-means, enforced") {
    return bregmanKmeans(rows, { ...options, ...pairs, enforce: true }).labels;
  }
  const dense = X.cols <= FULL ? toDense(rows) : projected(rows);
  const checked = checkConstraints(X.rows, pairs);
  const metric = column.startsWith("RCA")
    ? rca(dense, chunkletsOf(checked))
    : column.startsWith("DCA")
      ? dca(dense, chunkletsOf(checked), { cannotLink: checked.cannotLink })
      : itml(dense, pairs);
  const Y = metric.transform(dense);
  return column.endsWith("alone")
    ? kmeans(Y, options).labels
    : constrainedKmeans(Y, { ...options, ...pairs, space: "plain" }).labels;
}

/**
 * Onto the leading right singular vectors, without a matrix of columns x columns: five rounds of subspace iteration on
 * X'X (N. Halko, P.-G. Martinsson and J. Tropp, 2011, "Finding structure with randomness"), enough for a projection.
 */
function projected(X: Sparse): Matrix {
  const stream = random(0);
  let V = matrix(X.cols, PROJECTED);
  for (let p = 0; p < V.data.length; p++) V.data[p] = stream.normal();
  for (let round = 0; round < 5; round++) V = qr(multiplyTransposeA(X, multiply(X, V))).Q;
  return multiply(X, V);
}

/** Rows of length 1: squared distances are then 2 - 2 cosine. */
function unitRows(X: Sparse): Sparse {
  const values = X.values.slice();
  for (let i = 0; i < X.rows; i++) {
    let square = 0;
    for (let p = X.offsets[i]; p < X.offsets[i + 1]; p++) square += values[p] * values[p];
    if (square === 0) continue;
    for (let p = X.offsets[i]; p < X.offsets[i + 1]; p++) values[p] /= Math.sqrt(square);
  }
  return { ...X, values };
}
