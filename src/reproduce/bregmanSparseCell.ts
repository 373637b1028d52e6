import { bregmanKmeans } from "../cluster/bregmanKmeans.ts";
import { constrainedKmeans } from "../cluster/constrainedKmeans.ts";
import { kmeans } from "../cluster/kmeans.ts";
import { random } from "../core/random.ts";
import { checkConstraints, type Constraints } from "../data/constraints.ts";
import { samplePairs } from "../data/sampleConstraints.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { multiply, multiplyTransposeA } from "../matrix/multiply.ts";
import { qr } from "../matrix/qr.ts";
import { toDense, type Sparse } from "../matrix/sparse.ts";
import { bregman } from "../metric/bregman.ts";
import { dca } from "../metric/dca.ts";
import { itml } from "../metric/itml.ts";
import { rca } from "../metric/rca.ts";
import { pairScores } from "../score/pairScores.ts";
import { chunkletsOf } from "./bregmanRun.ts";
import { seconds } from "./learners.ts";

export const SPARSE_SETS = ["w1a", "w2a", "w6a", "webkb4", "20news-w1000", "reuters-r8"] as const;
export type SparseSet = (typeof SPARSE_SETS)[number];

export const SPARSE_COLUMNS = [
  "k-means",
  "k-means, cosine",
  "Ck-means",
  "Ck-means, cosine",
  "RCA",
  "DCA",
  "ITML",
  "Bk-means",
  "Bk-means, enforced",
] as const;
export type SparseColumn = (typeof SPARSE_COLUMNS)[number];

export interface SparseRun {
  /** Over all pairs of rows, in percent. */
  readonly f1: number;
  /** Of CPU time, learning and clustering. */
  readonly seconds: number;
}

/** Up to this many columns a metric is a full matrix; beyond, rows are projected first. */
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
  const began = seconds();
  const pairs = samplePairs(truth, { mustLink: 500, cannotLink: 500, seed });
  const labels = cluster(X, pairs, column, { clusters, restarts: 1, seed });
  return { seconds: seconds() - began, f1: 100 * pairScores(labels, truth).f1 };
}

function cluster(
  X: Sparse,
  pairs: Constraints,
  column: SparseColumn,
  options: { readonly clusters: number; readonly restarts: number; readonly seed: number },
): Int32Array {
  if (column === "k-means") return kmeans(X, options).labels;
  if (column === "Ck-means") return constrainedKmeans(X, { ...options, ...pairs }).labels;
  const rows = unitRows(X);
  if (column === "k-means, cosine") return kmeans(rows, options).labels;
  if (column === "Ck-means, cosine") return constrainedKmeans(rows, { ...options, ...pairs }).labels;
  if (column === "Bk-means") return bregmanKmeans(rows, bregman(rows, pairs), options).labels;
  if (column === "Bk-means, enforced") {
    return bregmanKmeans(rows, bregman(rows, pairs), { ...options, enforce: pairs }).labels;
  }
  const dense = X.cols <= FULL ? toDense(rows) : projected(rows);
  const checked = checkConstraints(X.rows, pairs);
  const metric =
    column === "RCA"
      ? rca(dense, chunkletsOf(checked))
      : column === "DCA"
        ? dca(dense, chunkletsOf(checked), checked.cannotLink)
        : itml(dense, pairs);
  return constrainedKmeans(metric.transform(dense), { ...options, ...pairs }).labels;
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
