import { generalizedEigen, type Matrix } from "../../matrix/index.ts";
import { columnsAsRows, mapped } from "../../matrix/internal.ts";
import { numericError } from "../../core/internal.ts";
import { eigenResidual } from "./residuals.ts";
import { isSafelyPositive, shrinkToDiagonal } from "./shrink.ts";

/** Scatter of rows about their mean, and about the means of their classes. */
export interface ClassScatter {
  readonly count: number;
  readonly classes: number;
  readonly total: Matrix;
  readonly within: Matrix;
}

export interface Discriminants {
  /** Rows v with v'(S_W / (n - k)) v = 1, by descending lambda; at most k - 1. */
  readonly L: Matrix;
  /** lambda. */
  readonly values: Float64Array;
  /** |S_B V - S_W V D| / |S_B|. */
  readonly residual: number;
}

/**
 * Fisher's directions: S_B v = lambda S_W v. By default S_W is shrunk towards its diagonal only if it is singular.
 */
export function discriminants(
  method: string,
  { count, classes, total, within }: ClassScatter,
  dims: number,
  warnings: string[],
  shrinkage?: number,
): Discriminants {
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
