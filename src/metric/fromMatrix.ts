import { symmetricEigen, type Matrix } from "../matrix/index.ts";
import { columnsAsRows } from "../matrix/internal.ts";
import { mahalanobis, spectralCut, type Mahalanobis, type MetricParts } from "./mahalanobis.ts";

/**
 * Makes the model from M, symmetric: eigenvalues below d eps max|eigenvalue| (and the negative ones) are set
 * to zero.
 */
export function mahalanobisFromMatrix(M: Matrix, parts: Omit<MetricParts, "factor">): Mahalanobis {
  return mahalanobis({ ...parts, factor: factorOf(M) });
}

/** L with L'L the projection of M on the positive semidefinite matrices; rows by decreasing eigenvalue. */
export function factorOf(M: Matrix): Matrix {
  return positivePart(M).factor;
}

/** The same with the eigenvalues of M, descending. */
export function positivePart(M: Matrix): { factor: Matrix; values: Float64Array } {
  const { values, vectors } = symmetricEigen(M);
  const cut = spectralCut(values);
  const rank = values.reduce((count, value) => count + Number(value > cut), 0);
  return { factor: columnsAsRows(vectors, rank, (value, r) => Math.sqrt(values[r]) * value), values };
}
