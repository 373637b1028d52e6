import { inputError } from "../core/internal.ts";
import { asMatrix, takeRows, type Matrix, type MatrixLike } from "../matrix/index.ts";
import {
  centered,
  columnMeans,
  largestSize,
  rangeScale,
  requireFinite,
  scaled,
  squaredDistance,
} from "../matrix/internal.ts";
import { encodeLabels, requireLabels, type Labeling } from "./labels.ts";
import { clusterMeans } from "./withinSumOfSquares.ts";

/**
 * D. L. Davies and D. W. Bouldin (1979): with s_k the mean distance of the rows of cluster k to its mean c_k,
 *
 *     (1 / K) sum_k max_{l != k} (s_k + s_l) / |c_k - c_l|
 *
 * Smaller is better; infinite if two means coincide. Rows with unknown label are left out, here and below.
 */
export function daviesBouldin(X: MatrixLike, labels: Labeling): number {
  const { rows, codes, K, means, squares } = grouped("daviesBouldin", X, labels);
  const spread = new Float64Array(K);
  const sizes = new Float64Array(K);
  codes.forEach((k, i) => {
    spread[k] += Math.sqrt(squares[i]);
    sizes[k]++;
  });
  for (let k = 0; k < K; k++) spread[k] /= sizes[k];
  const C: Matrix = { rows: K, cols: rows.cols, data: means };
  let sum = 0;
  for (let k = 0; k < K; k++) {
    let worst = 0;
    for (let l = 0; l < K; l++) {
      const spreads = spread[k] + spread[l];
      if (l !== k && spreads > 0) worst = Math.max(worst, spreads / Math.sqrt(squaredDistance(C, k, C, l)));
    }
    sum += worst;
  }
  return sum / K;
}

/**
 * T. Calinski and J. Harabasz (1974): the variance ratio of the sums of squares between and within the K clusters of n rows,
 *
 *     (B / (K - 1)) / (W / (n - K))
 *
 * Larger is better; infinite if every cluster is one point.
 */
export function calinskiHarabasz(X: MatrixLike, labels: Labeling): number {
  const { rows, K, squares } = grouped("calinskiHarabasz", X, labels);
  const n = rows.rows;
  if (K === n)
    throw inputError("calinskiHarabasz: every row is its own cluster; give fewer clusters than rows");
  const within = squares.reduce((sum, square) => sum + square, 0);
  // The rows have mean 0.
  const total = rows.data.reduce((sum, value) => sum + value * value, 0);
  const between = Math.max(0, total - within);
  return between === 0 ? 0 : between / (K - 1) / (within / (n - K));
}

/**
 * J. C. Dunn (1974): the smallest distance between rows of two clusters over the largest distance within one. Larger is
 * better; infinite if every cluster is one point. It measures every pair of rows, O(n^2 d).
 */
export function dunn(X: MatrixLike, labels: Labeling): number {
  const { rows, codes } = grouped("dunn", X, labels);
  let between = Infinity;
  let within = 0;
  for (let i = 1; i < rows.rows; i++) {
    for (let j = 0; j < i; j++) {
      const squared = squaredDistance(rows, i, rows, j);
      if (codes[i] === codes[j]) within = Math.max(within, squared);
      else between = Math.min(between, squared);
    }
  }
  // Equal rows in different clusters: no gap, also where no cluster is wide.
  return between === 0 ? 0 : Math.sqrt(between / within);
}

/** The rows of known label, of mean 0 and of moderate size, with the means of their clusters and the squared distances to them. */
function grouped(method: string, data: MatrixLike, labels: Labeling) {
  const X = asMatrix(data, method);
  requireLabels(labels);
  if (labels.length !== X.rows) throw inputError(`${method}: ${X.rows} rows, but ${labels.length} labels`);
  requireFinite(X);
  const { codes: all, classes } = encodeLabels(labels);
  const K = classes.length;
  if (K < 2) throw inputError(`${method} needs at least 2 clusters, got ${K}`);
  const known = Int32Array.from(all.keys()).filter((i) => all[i] >= 0);
  const own = takeRows(X, known);
  const moderate = scaled(own, rangeScale(largestSize(own.data)));
  const rows = centered(moderate, columnMeans(moderate));
  const codes = known.map((i) => all[i]);
  const means = clusterMeans(rows, codes, K);
  const C: Matrix = { rows: K, cols: rows.cols, data: means };
  const squares = Float64Array.from(codes, (k, i) => squaredDistance(rows, i, C, k));
  return { rows, codes, K, means, squares };
}
