import type { Pair } from "../data/constraints.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { gram } from "../matrix/multiply.ts";

/** Row p is x_i - x_j of pair p. */
export function pairDifferences(X: Matrix, pairs: readonly Pair[]): Matrix {
  const d = X.cols;
  const D = matrix(pairs.length, d);
  for (let p = 0; p < pairs.length; p++) {
    const i = pairs[p][0] * d;
    const j = pairs[p][1] * d;
    for (let f = 0; f < d; f++) D.data[p * d + f] = X.data[i + f] - X.data[j + f];
  }
  return D;
}

/** Mean over the pairs of (x_i - x_j)(x_i - x_j)', in blocks so that memory does not grow with the pairs. */
export function pairScatter(X: Matrix, pairs: readonly Pair[]): Matrix {
  const S = matrix(X.cols, X.cols);
  const block = 4096;
  for (let start = 0; start < pairs.length; start += block) {
    const part = gram(pairDifferences(X, pairs.slice(start, start + block)));
    for (let q = 0; q < S.data.length; q++) S.data[q] += part.data[q] / pairs.length;
  }
  return S;
}

/** Variance of each column over all rows, for the relevance of a metric. */
export function columnVariances(X: Matrix): Float64Array {
  const { rows, cols, data } = X;
  const means = new Float64Array(cols);
  const variances = new Float64Array(cols);
  for (let i = 0, p = 0; i < rows; i++) for (let f = 0; f < cols; f++, p++) means[f] += data[p];
  for (let f = 0; f < cols; f++) means[f] /= rows;
  for (let i = 0, p = 0; i < rows; i++) {
    for (let f = 0; f < cols; f++, p++) {
      const difference = data[p] - means[f];
      variances[f] += difference * difference;
    }
  }
  return variances.map((sum) => sum / rows);
}
