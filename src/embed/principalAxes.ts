import {
  gram,
  multiplyTransposeA,
  multiplyTransposeB,
  symmetricEigen,
  type Matrix,
} from "../matrix/index.ts";
import { leadingColumns, scaledColumns } from "../matrix/internal.ts";

/** X'X = V diag(values) V' without its null space. */
export interface PrincipalAxes {
  /** d x rank, orthonormal columns. */
  readonly V: Matrix;
  /** Descending, all positive. */
  readonly values: Float64Array;
  /** tr(X'X) / d. */
  readonly meanValue: number;
}

/** Below this share of the largest, an eigenvalue of X'X is rounding. */
const CUT = 1e-13;

/** By the eigenvectors of X'X or of XX', whichever is smaller. Zero rows have none. */
export function principalAxes(X: Matrix): PrincipalAxes {
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
