import type { Constraints } from "../../data/index.ts";
import { cholesky, multiply, solveTriangular, transpose, type Matrix } from "../../matrix/index.ts";
import { mpckMeans } from "./mpckMeans.ts";

/**
 * The metric A that MPCK-means learns from pairs (one for all clusters, full), as a map: with A = L L', distances between the
 * rows of Y L are those between the rows of Y under A. Cholesky's factor keeps what is small where the columns have very
 * different scales.
 */
export interface PairMetric {
  readonly A: Matrix;
  /** d x d. */
  readonly L: Matrix;
  /** Y L. */
  map(Y: Matrix): Matrix;
  /** Z L^-1. */
  back(Z: Matrix): Matrix;
}

export function pairMetric(
  X: Matrix,
  clusters: number,
  { mustLink, cannotLink }: Constraints,
  options: { readonly weights?: Float64Array; readonly seed: number },
): PairMetric {
  const A = mpckMeans(X, { clusters, mustLink, cannotLink, ...options }).metrics[0];
  const { L } = cholesky(A);
  const back = (Z: Matrix): Matrix => transpose(solveTriangular(L, transpose(Z), { transposed: true }));
  return { A, L, map: (Y) => multiply(Y, L), back };
}
