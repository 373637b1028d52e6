import { option } from "../../core/internal.ts";
import { isSparse, matrix, type Matrix, type Sparse } from "../../matrix/index.ts";
import { largestSize, requireFinite, requireFiniteSparse } from "../../matrix/internal.ts";

/**
 * Refuses cells that are not finite; returns a power of two that keeps squared distances inside the number range. `known` is
 * the largest absolute value where it is known, NaN with such cells.
 */
export function checkedScale(X: Matrix | Sparse, initialCenters: Matrix | undefined, known?: number): number {
  let largest = known ?? largestSize(isSparse(X) ? X.values : X.data);
  if (Number.isNaN(largest)) {
    if (isSparse(X)) requireFiniteSparse(X);
    else requireFinite(X);
  }
  if (initialCenters !== undefined) requireFinite(initialCenters, `kmeans: ${option("initialCenters")}`);
  for (const value of initialCenters?.data ?? []) largest = Math.max(largest, Math.abs(value));
  if (largest === 0 || (largest > 1e-100 && largest < 1e100)) return 1;
  return 2 ** Math.min(1000, -Math.floor(Math.log2(largest)));
}

export function scaled<T extends Matrix | Sparse>(X: T, scale: number): T;
export function scaled(X: Matrix | Sparse, scale: number): Matrix | Sparse {
  if (scale === 1) return X;
  const times = (value: number): number => value * scale;
  return isSparse(X) ? { ...X, values: X.values.map(times) } : matrix(X.rows, X.cols, X.data.map(times));
}
