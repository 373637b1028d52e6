import { inputError } from "../core/internal.ts";
import { asMatrix, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { requireFinite, requireList } from "../matrix/internal.ts";
import { encodeLabels, requireLabels, type Labeling } from "./labels.ts";

/**
 * The k-means objective of a partition (inertia): sum over rows of the squared distance to the mean of their cluster,
 * weighted if weights are given. Rows with unknown label are left out.
 *
 * Means come first and deviations second, so data far from the origin lose no digits.
 */
export function withinSumOfSquares(data: MatrixLike, labels: Labeling, weights?: ArrayLike<number>): number {
  const X = asMatrix(data, "withinSumOfSquares");
  requireLabels(labels);
  if (labels.length !== X.rows) {
    throw inputError(`withinSumOfSquares: ${X.rows} rows, but ${labels.length} labels`);
  }
  if (weights !== undefined) requireList(weights, "withinSumOfSquares: the weights");
  if (weights !== undefined && weights.length !== X.rows) {
    throw inputError(`withinSumOfSquares: ${X.rows} rows, but ${weights.length} weights`);
  }
  requireFinite(X);
  const { codes, classes } = encodeLabels(labels);
  const means = clusterMeans(X, codes, classes.length, weights);
  const d = X.cols;
  let sum = 0;
  for (let i = 0; i < X.rows; i++) {
    if (codes[i] < 0) continue;
    let squared = 0;
    for (let j = 0, p = i * d, q = codes[i] * d; j < d; j++, p++, q++) {
      const difference = X.data[p] - means[q];
      squared += difference * difference;
    }
    sum += weights === undefined ? squared : weights[i] * squared;
  }
  return sum;
}

export function clusterMeans(
  X: Matrix,
  codes: Int32Array,
  K: number,
  weights?: ArrayLike<number>,
): Float64Array {
  const d = X.cols;
  const means = new Float64Array(K * d);
  const mass = new Float64Array(K);
  for (let i = 0; i < X.rows; i++) {
    const k = codes[i];
    if (k < 0) continue;
    const w = weights === undefined ? 1 : weights[i];
    if (!(w >= 0 && w < Infinity)) {
      throw inputError(
        `withinSumOfSquares: the weight of row ${i} is ${w}; weights must be finite and not negative`,
      );
    }
    mass[k] += w;
    // A running mean: a sum of large values would overflow or round before it is divided.
    if (w > 0) {
      const share = w / mass[k];
      for (let j = 0; j < d; j++) means[k * d + j] += share * (X.data[i * d + j] - means[k * d + j]);
    }
  }
  return means;
}
