import {
  gram,
  matrix,
  multiplyTransposeA,
  multiplyTransposeB,
  symmetricEigen,
  type Matrix,
} from "../../matrix/index.ts";
import { centered, columnMeans, columnsAsRows } from "../../matrix/internal.ts";
import { numericError } from "../../core/internal.ts";

/**
 * Rows in coordinates in which their total covariance is the identity: Z = (X - mean) V D^(-1/2) over the
 * eigenpairs with a relevant variance. A metric learned there is the same metric (L_x = L_z D^(-1/2) V'), but
 * iterations see columns of one scale without collinear ones, and fewer rows than columns cost only their
 * rank.
 *
 * Gives Z, n x q; the basis D^(-1/2) V', q x d, to which rows x - mean are mapped by it times x - mean; and the variances along the
 * q directions, descending.
 */
export function whitenedRows(method: string, X: Matrix) {
  const { rows: n, cols: d } = X;
  const C = centered(X, columnMeans(X));
  const few = n < d;
  const S = few ? multiplyTransposeB(C, C) : gram(C);
  for (let p = 0; p < S.data.length; p++) S.data[p] /= n;
  const { values, vectors } = symmetricEigen(S);
  const kept = values.filter((value) => value > 1e-12 * values[0] * values.length);
  const q = kept.length;
  if (q === 0 || !(kept[0] > 0)) throw numericError(`${method}: all rows are the same`);
  // C'u / sqrt(n lambda) is the eigenvector of C'C that belongs to the eigenvector u of CC'.
  const basis = few
    ? matrix(
        q,
        d,
        multiplyTransposeA(vectors, C)
          .data.subarray(0, q * d)
          .map((value, p) => value / (Math.sqrt(n) * kept[Math.floor(p / d)])),
      )
    : columnsAsRows(vectors, q, (value, r) => value / Math.sqrt(kept[r]));
  return { Z: multiplyTransposeB(C, basis), basis, variances: kept };
}
