import type { Constraints } from "../../data/index.ts";
import {
  cholesky,
  multiply,
  multiplyTransposeB,
  solveTriangular,
  symmetricEigen,
  transpose,
  type Matrix,
} from "../../matrix/index.ts";
import { scaledColumns } from "../../matrix/internal.ts";
import { mpckMeans } from "./mpckMeans.ts";

/**
 * The metric A that MPCK-means learns from pairs (one for all clusters, full), as a map: with A = V diag(a) V' and
 * L = V diag(a)^1/2, distances between the rows of Y L are those between the rows of Y under A. If the
 * columns have very different scales, the small eigenvalues are lost in rounding; then L is Cholesky's
 * factor, which keeps them.
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

/** Share of the largest eigenvalue below which another is rounding. */
const DROWNED = 1e-12;

export function pairMetric(
  X: Matrix,
  clusters: number,
  { mustLink, cannotLink }: Constraints,
  options: { readonly weights?: Float64Array; readonly seed: number },
): PairMetric {
  const A = mpckMeans(X, { clusters, mustLink, cannotLink, ...options }).metrics[0];
  const { values, vectors } = symmetricEigen(A);
  if (!(values[values.length - 1] > DROWNED * values[0])) {
    const { L } = cholesky(A);
    const back = (Z: Matrix): Matrix => transpose(solveTriangular(L, transpose(Z), { transposed: true }));
    return { A, L, map: (Y) => multiply(Y, L), back };
  }
  const L = scaledColumns(vectors, (r) => values[r] ** 0.5);
  const inverse = scaledColumns(vectors, (r) => values[r] ** -0.5);
  return { A, L, map: (Y) => multiply(Y, L), back: (Z) => multiplyTransposeB(Z, inverse) };
}
