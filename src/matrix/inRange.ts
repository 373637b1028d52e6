import { matrix, type Matrix } from "./matrix.ts";
import { isSparse, type Sparse } from "./sparse.ts";

/** A power of two for values of this largest size that keeps their squares inside the number range; 1 where they are. */
export function rangeScale(largest: number): number {
  if (largest === 0 || (largest > 1e-100 && largest < 1e100)) return 1;
  return 2 ** Math.min(1000, -Math.floor(Math.log2(largest)));
}

/** The rows times a scale. */
export function scaled<T extends Matrix | Sparse>(X: T, scale: number): T;
export function scaled(X: Matrix | Sparse, scale: number): Matrix | Sparse {
  if (scale === 1) return X;
  const times = (value: number): number => value * scale;
  return isSparse(X) ? { ...X, values: X.values.map(times) } : matrix(X.rows, X.cols, X.data.map(times));
}
