import { cholesky, matrix, multiply, symmetricEigen, type Matrix } from "../../matrix/index.ts";
import { scaledColumns } from "../../matrix/internal.ts";

/** A positive definite A, diagonal or full, with the distances and the log-determinant that MPCK-means needs. */
export interface ClusterMetric {
  readonly logDeterminant: number;
  /** ||a - b||^2 in A, for the rows that begin at `a` of x and `b` of y. */
  squared(x: Float64Array, a: number, y: Float64Array, b: number): number;
  /** The rows of X in coordinates in which A is the Euclidean distance. */
  flatten(X: Matrix): Matrix;
  matrix(): Matrix;
}

/** From the diagonal of A (length d) or all of it (d x d, row-major). */
export function clusterMetric(A: Float64Array, d: number): ClusterMetric {
  return A.length === d ? diagonal(A) : full(A, d);
}

function diagonal(A: Float64Array): ClusterMetric {
  const d = A.length;
  let logDeterminant = 0;
  for (const a of A) logDeterminant += Math.log(a);
  return {
    logDeterminant,
    squared(x, a, y, b) {
      let sum = 0;
      for (let j = 0; j < d; j++) {
        const difference = x[a + j] - y[b + j];
        sum += A[j] * difference * difference;
      }
      return sum;
    },
    flatten: (X) => scaledColumns(X, (j) => Math.sqrt(A[j])),
    matrix() {
      const M = matrix(d, d);
      for (let j = 0; j < d; j++) M.data[j * d + j] = A[j];
      return M;
    },
  };
}

function full(A: Float64Array, d: number): ClusterMetric {
  const { L, logDeterminant } = cholesky(matrix(d, d, A.slice()));
  const difference = new Float64Array(d);
  return {
    logDeterminant,
    squared(x, a, y, b) {
      for (let j = 0; j < d; j++) difference[j] = x[a + j] - y[b + j];
      let sum = 0;
      for (let c = 0; c < d; c++) {
        let dot = 0;
        for (let j = c; j < d; j++) dot += L.data[j * d + c] * difference[j];
        sum += dot * dot;
      }
      return sum;
    },
    flatten: (X) => multiply(X, L),
    matrix: () => matrix(d, d, A.slice()),
  };
}

/**
 * The minimiser of tr(A S) - mass log det A: mass S^-1. Cannot-links can make S indefinite; eigenvalues below
 * `FLOOR` times their mean are raised to it, which bounds A.
 */
export function optimalMetric(S: Float64Array, d: number, mass: number): Float64Array {
  if (S.length === d) {
    const floor = FLOOR * Math.max(S.reduce((sum, s) => sum + Math.max(0, s), 0) / d, Number.MIN_VALUE);
    return S.map((s) => mass / Math.max(s, floor));
  }
  const { values, vectors } = symmetricEigen(matrix(d, d, S));
  const floor = FLOOR * Math.max(values.reduce((sum, v) => sum + Math.max(0, v), 0) / d, Number.MIN_VALUE);
  const A = new Float64Array(d * d);
  for (let r = 0; r < d; r++) {
    const weight = mass / Math.max(values[r], floor);
    for (let i = 0; i < d; i++) {
      const left = weight * vectors.data[i * d + r];
      for (let j = 0; j < d; j++) A[i * d + j] += left * vectors.data[j * d + r];
    }
  }
  return A;
}

const FLOOR = 1e-4;

/** The weighted variance of each column, 1 for a constant one. */
export function weightedVariances(X: Matrix, weights: Float64Array | undefined): Float64Array {
  const { rows, cols: d, data } = X;
  const means = new Float64Array(d);
  const variances = new Float64Array(d);
  let mass = 0;
  for (let i = 0; i < rows; i++) {
    const w = weights === undefined ? 1 : weights[i];
    if (w === 0) continue;
    mass += w;
    for (let j = 0; j < d; j++) {
      const difference = data[i * d + j] - means[j];
      means[j] += (w / mass) * difference;
      variances[j] += w * difference * (data[i * d + j] - means[j]);
    }
  }
  return variances.map((sum) => (sum > 0 ? sum / mass : 1));
}
