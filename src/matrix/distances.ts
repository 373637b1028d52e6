/**
 * Squared Euclidean distances between rows, by |a|^2 + |b|^2 - 2 a'b on centered data. If that cancels, the
 * distance is measured directly, so the relative error stays below about 1e-12 and equal rows are at exactly
 * 0.
 */
import { inputError } from "../core/internal.ts";
import { engine } from "./engine.ts";
import { matrix, requireMatrix, type Matrix } from "./matrix.ts";
import { isSparse, type Sparse } from "./sparse.ts";

/** Below this share of |a|^2 + |b|^2 too many digits are lost. */
const CANCELLED = 1e-3;

/** Entry (i, j) is the squared distance of row i of A and row j of B. */
export function squaredDistances(A: Matrix, B: Matrix = A): Matrix {
  requireMatrix(A, "squaredDistances");
  requireMatrix(B, "squaredDistances");
  if (A.cols !== B.cols) throw inputError(`rows of ${A.cols} and ${B.cols} values have no distance`);
  const center = columnMeans(B);
  const centeredB = centered(B, center);
  const centeredA = A === B ? centeredB : centered(A, center);
  const normsB = squaredNorms(centeredB);
  const normsA = A === B ? normsB : squaredNorms(centeredA);
  const D = matrix(A.rows, B.rows);
  engine().product(A.rows, B.rows, A.cols, -2, centeredA.data, false, centeredB.data, true, D.data);
  for (let i = 0, p = 0; i < A.rows; i++) {
    for (let j = 0; j < B.rows; j++, p++) {
      const size = normsA[i] + normsB[j];
      const distance = size + D.data[p];
      // Written so that NaN and overflow also take the direct path.
      D.data[p] = distance > CANCELLED * size && distance < Infinity ? distance : squaredDistance(A, i, B, j);
    }
  }
  return D;
}

/** |x|^2 of every row. */
export function squaredNorms(X: Matrix): Float64Array {
  requireMatrix(X, "squaredNorms");
  const { rows, cols, data } = X;
  const norms = new Float64Array(rows);
  for (let i = 0, p = 0; i < rows; i++) {
    let sum = 0;
    for (let f = 0; f < cols; f++, p++) sum += data[p] * data[p];
    norms[i] = sum;
  }
  return norms;
}

export function columnMeans(X: Matrix): Float64Array {
  const means = new Float64Array(X.cols);
  for (let i = 0, p = 0; i < X.rows; i++) {
    for (let f = 0; f < X.cols; f++, p++) means[f] += X.data[p] / X.rows;
  }
  return means;
}

/** X less `center` in every row. */
export function centered(X: Matrix, center: Float64Array): Matrix {
  const C = matrix(X.rows, X.cols);
  for (let i = 0, p = 0; i < X.rows; i++) {
    for (let f = 0; f < X.cols; f++, p++) C.data[p] = X.data[p] - center[f];
  }
  return C;
}

/** |a_i - b_j|^2, by the differences. */
export function squaredDistance(A: Matrix, i: number, B: Matrix, j: number): number {
  const d = A.cols;
  let sum = 0;
  for (let f = 0; f < d; f++) {
    const difference = A.data[i * d + f] - B.data[j * d + f];
    sum += difference * difference;
  }
  return sum;
}

/** Variance of each column over all rows. */
export function columnVariances(X: Matrix): Float64Array {
  const means = columnMeans(X);
  const variances = new Float64Array(X.cols);
  for (let i = 0, p = 0; i < X.rows; i++) {
    for (let f = 0; f < X.cols; f++, p++) variances[f] += (X.data[p] - means[f]) ** 2 / X.rows;
  }
  return variances;
}

/** A power of two for values of this largest size that keeps their squares inside the number range; 1 where they are. */
export function rangeScale(largest: number): number {
  if (largest === 0 || (largest > 1e-100 && largest < 1e100)) return 1;
  return 2 ** Math.min(1000, -Math.floor(Math.log2(largest)));
}

/** The rows times a scale. */
export function scaled<T extends Matrix | Sparse>(X: T, scale: number): T;
export function scaled(X: Matrix | Sparse, scale: number): Matrix | Sparse {
  if (scale === 1) return X;
  const times = (value: number): number => value * scale;
  return isSparse(X) ? { ...X, values: X.values.map(times) } : matrix(X.rows, X.cols, X.data.map(times));
}
