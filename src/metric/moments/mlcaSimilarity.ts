/**
 * MLCA for a similarity that need not be a partition (Law, Yu, Cord and Xing 2016, Theorem 3.1): with C positive semidefinite,
 * n x n, and P the projector on the columns of X,
 *
 *     M = pinv(X) (P C P)_(r) pinv(X)',   r = min(k, rank(P C P)),
 *
 * (.)_(r) the best approximation of rank r. With C = JJ' of a partition of k classes it is that of `mlca`. X is centred by
 * default. C may be given by a factor F, n x p, C = FF', so no n x n matrix is formed.
 */
import { inputError, numericError, rule } from "../../core/internal.ts";
import {
  asMatrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  symmetricEigen,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import {
  columnMeans,
  columnsAsRows,
  columnVariances,
  mapped,
  requireFinite,
  requireModerate,
  requireSymmetric,
} from "../../matrix/internal.ts";
import { closedForm, mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { whitenedRows } from "./whitenedRows.ts";

export const mlcaSimilarityOptions = {
  /** k; default: no approximation. */
  clusters: rule.integer({ min: 1 }),
  /** C is FF' of the given n x p matrix (default false: it is C itself). */
  factor: rule.flag(false),
  names: rule.names,
};

export type MlcaSimilarityOptions = rule.OptionsOf<typeof mlcaSimilarityOptions>;

export function mlcaSimilarity(
  input: MatrixLike,
  similarity: Matrix,
  options: MlcaSimilarityOptions = {},
): Mahalanobis {
  const X = asMatrix(input, "mlcaSimilarity");
  const resolved = rule.resolveOptions("mlcaSimilarity", options, mlcaSimilarityOptions);
  const { clusters = Infinity, factor, names } = resolved;
  requireModerate(X);
  requireFinite(similarity, "the similarity");
  if (similarity.rows !== X.rows || (!factor && similarity.cols !== X.rows)) {
    throw inputError(
      `mlcaSimilarity: the similarity is ${similarity.rows} x ${similarity.cols}, but there are ${X.rows} rows`,
    );
  }
  if (!factor) requireSymmetric(similarity, "mlcaSimilarity: the similarity", 1e-9);
  const white = whitenedRows("mlcaSimilarity", X);
  const n = X.rows;
  const q = white.Z.cols;
  // U = Z / sqrt(n) spans the columns of the centred X; B = U'C U.
  const half = multiplyTransposeA(white.Z, similarity); // Z'C, or Z'F
  const B = factor ? multiplyTransposeB(half, half) : multiply(half, white.Z);
  const { values, vectors } = symmetricEigen(
    mapped(B, (value, p) => (value + B.data[(p % q) * q + Math.floor(p / q)]) / (2 * n)),
  );
  if (values[q - 1] < -1e-8 * Math.max(values[0], -values[q - 1])) {
    throw inputError("mlcaSimilarity: the similarity is not positive semidefinite");
  }
  const rank = values.filter((value) => value > q * 2 ** -40 * values[0]).length;
  if (!(values[0] > 0)) {
    throw numericError("mlcaSimilarity: the similarity does not depend on the columns: P C P = 0");
  }
  const r = Math.min(clusters, rank);
  // pinv(X)' = U S^-1 V' = U basis / sqrt(n).
  const turned = columnsAsRows(vectors, r, (value, k) => Math.sqrt(values[k] / n) * value);
  return mahalanobis({
    method: "mlcaSimilarity",
    factor: multiply(turned, white.basis),
    names,
    variances: columnVariances(X),
    center: columnMeans(X),
    ...closedForm("share of P C P that the rank leaves out", leftOut(values, r)),
    warnings: [],
  });
}

function leftOut(values: Float64Array, r: number): number {
  let [all, kept] = [0, 0];
  values.forEach((value, k) => {
    all += Math.max(0, value);
    if (k < r) kept += Math.max(0, value);
  });
  return Math.max(0, (all - kept) / all);
}
