import type { Pair } from "../../data/index.ts";
import { gram, matrix, type Matrix } from "../../matrix/index.ts";

/** Row p is x_i - x_j of pair p. */
export function pairDifferences({ cols: d, data }: Matrix, pairs: readonly Pair[]): Matrix {
  const differences = new Float64Array(pairs.length * d);
  for (let p = 0, at = 0; p < pairs.length; p++) {
    let i = pairs[p][0] * d;
    let j = pairs[p][1] * d;
    for (const end = at + d; at < end; at++) differences[at] = data[i++] - data[j++];
  }
  return matrix(pairs.length, d, differences);
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
export function columnVariances({ rows, cols, data }: Matrix): Float64Array {
  const means = new Float64Array(cols);
  const variances = new Float64Array(cols);
  const even = rows - (rows % 4);
  // Four rows at a time, so the sums are read and written once for all of them.
  for (let i = 0; i < even; i += 4) {
    for (
      let f = 0, p = i * cols, q = p + cols, r = q + cols, s = r + cols;
      f < cols;
      f++, p++, q++, r++, s++
    ) {
      means[f] += data[p] + data[q] + (data[r] + data[s]);
    }
  }
  for (let p = even * cols; p < data.length; p++) means[p % cols] += data[p];
  for (let f = 0; f < cols; f++) means[f] /= rows;
  for (let i = 0; i < even; i += 4) {
    for (
      let f = 0, p = i * cols, q = p + cols, r = q + cols, s = r + cols;
      f < cols;
      f++, p++, q++, r++, s++
    ) {
      const mean = means[f];
      const a = data[p] - mean;
      const b = data[q] - mean;
      const c = data[r] - mean;
      const d = data[s] - mean;
      variances[f] += a * a + b * b + (c * c + d * d);
    }
  }
  for (let p = even * cols; p < data.length; p++) {
    const difference = data[p] - means[p % cols];
    variances[p % cols] += difference * difference;
  }
  for (let f = 0; f < cols; f++) variances[f] /= rows;
  return variances;
}
