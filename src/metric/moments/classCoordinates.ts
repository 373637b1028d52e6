/**
 * Coordinates in which classes are round: x -> T x with T = (S / s)^(-1/2), S the within-class covariance and s the mean of
 * its eigenvalues. A descent over A, L = A T, is a descent over L with steps measured by their change of
 * distances within classes: noisy and collinear columns no longer limit the pace.
 */
import {
  gram,
  identity,
  matrix,
  multiplyTransposeB,
  symmetricEigen,
  type Matrix,
} from "../../matrix/index.ts";
import { mapped } from "../../matrix/internal.ts";

/** Directions with less than this share of the mean variance count as having that much. */
const FLOOR = 1e-3;

/** T, d x d and symmetric, and its inverse. */
export function classCoordinates(X: Matrix, members: readonly Int32Array[]): { to: Matrix; from: Matrix } {
  const d = X.cols;
  const { values, vectors: V } = symmetricEigen(gram(classCentred(X, members)));
  const mean = values.reduce((sum, value) => sum + value, 0) / d;
  if (!(mean > 0)) return { to: identity(d), from: identity(d) };
  const roots = values.map((value) => Math.max(FLOOR, value / mean) ** 0.25);
  const narrow = mapped(V, (value, p) => value / roots[p % d]);
  const wide = mapped(V, (value, p) => value * roots[p % d]);
  return { to: multiplyTransposeB(narrow, narrow), from: multiplyTransposeB(wide, wide) };
}

/**
 * Rows minus the mean of their class, each class summed separately so that distant classes cost no digits.
 */
export function classCentred(X: Matrix, members: readonly Int32Array[]): Matrix {
  const d = X.cols;
  const C = matrix(X.rows, d);
  const mean = new Float64Array(d);
  for (const group of members) {
    mean.fill(0);
    for (const i of group) for (let f = 0; f < d; f++) mean[f] += X.data[i * d + f];
    for (const i of group) {
      for (let f = 0; f < d; f++) C.data[i * d + f] = X.data[i * d + f] - mean[f] / group.length;
    }
  }
  return C;
}
