/**
 * A few points that represent many rows: each cluster by the means of k-means within it, as many as needed
 * for the nearest point to reproduce the clusters. A database compares its rows with these points if a method
 * places rows by its training rows.
 */
import { kmeans } from "../cluster/index.ts";
import { matrix, nearestRows, takeRows, type Matrix } from "../matrix/index.ts";

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
