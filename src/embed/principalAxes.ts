import {
  gram,
  multiplyTransposeA,
  multiplyTransposeB,
  symmetricEigen,
  type Matrix,
} from "../matrix/index.ts";
import { leadingColumns, scaledColumns } from "../matrix/internal.ts";

/** Below this share of the largest, an eigenvalue of X'X is rounding. */
const CUT = 1e-13;

/**
 * X'X = V diag(values) V' without its null space, by the eigenvectors of X'X or of XX', whichever is smaller: V is d x rank
 * with orthonormal columns, the values are descending and positive, and meanValue is tr(X'X) / d. Zero rows have none.
 */
export function principalAxes(X: Matrix) {
  const { rows: n, cols: d } = X;
  const wide = d > n;
  const { values, vectors } = symmetricEigen(wide ? multiplyTransposeB(X, X) : gram(X));
  let total = 0;
  for (const value of values) total += Math.max(0, value);
  const rank = values.filter((value) => value > 0 && value > CUT * values[0]).length;
  const kept = leadingColumns(vectors, rank);
  // With XX' = U S^2 U' the axes are X'U / S.
  const V = wide ? scaledColumns(multiplyTransposeA(X, kept), (r) => 1 / Math.sqrt(values[r])) : kept;
  return { V, values: values.slice(0, rank), meanValue: total / d };
}
