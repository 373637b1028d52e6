import { generalizedEigen, multiply, type Matrix } from "../../matrix/index.ts";
import { columnsAsRows, mapped } from "../../matrix/internal.ts";
import { numericError } from "../../core/internal.ts";
import { isSafelyPositive, shrinkToDiagonal } from "./shrink.ts";

/** Scatter of rows about their mean, and about the means of their classes. */
export interface ClassScatter {
  readonly count: number;
  readonly classes: number;
  readonly total: Matrix;
  readonly within: Matrix;
}

/**
 * Fisher's directions S_B v = lambda S_W v as rows v with v'(S_W / (n - k)) v = 1, by descending lambda, at most k - 1; and the
 * residual |S_B V - S_W V D| / |S_B|. By default S_W is shrunk towards its diagonal only if it is singular.
 */
export function discriminants(
  method: string,
  { count, classes, total, within }: ClassScatter,
  dims: number,
  warnings: string[],
  shrinkage?: number,
) {
  const d = total.rows;
  const between = mapped(total, (value, p) => value - within.data[p]); // S_T = S_W + S_B
  const pooled = mapped(within, (value) => value / (count - classes));
  const ridge = shrinkage ?? (isSafelyPositive(pooled) ? 0 : d / (d + count - classes));
  if (shrinkage === undefined && ridge > 0) {
    warnings.push(
      "the covariance within the classes is singular (constant or collinear columns, or few rows): " +
        `shrunk towards its diagonal by ${Number(ridge.toPrecision(2))}`,
    );
  }
  const regular = shrinkToDiagonal(pooled, ridge);
  const { values, vectors } = generalizedEigen(between, regular);
  if (!(values[0] > 1e-12 * count)) {
    throw numericError(`${method}: all classes have the same mean, so no direction separates them`);
  }
  const L = columnsAsRows(vectors, Math.min(dims, classes - 1, d));
  return { L, values: values.slice(0, L.rows), residual: eigenResidual(between, regular, L, values) };
}

/** |A V - B V D| / |A| of symmetric A and B; the rows of L are the columns of V, `values` the diagonal of D. */
export function eigenResidual(A: Matrix, B: Matrix, L: Matrix, values: Float64Array): number {
  const AV = multiply(L, A); // rows (A v)'
  const BV = multiply(L, B);
  const scale = A.data.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  let worst = 0;
  for (let p = 0; p < AV.data.length; p++) {
    worst = Math.max(worst, Math.abs(AV.data[p] - values[Math.floor(p / L.cols)] * BV.data[p]));
  }
  return worst / scale;
}
