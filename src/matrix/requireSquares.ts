import { inputError } from "../core/internal.ts";
import { largestSize, type Matrix } from "./matrix.ts";
import { isSparse, type Sparse } from "./sparse.ts";

/**
 * Refuses values so large or small that their squares leave the number range: their distances would be
 * infinite, or all zero, and equal rows could not be distinguished from different ones. Returns the largest absolute value, NaN
 * with one that is not finite.
 */
export function requireSquares(X: Matrix | Sparse, method: string): number {
  const size = largestSize(isSparse(X) ? X.values : X.data);
  if (size > 1e140 || (size > 0 && size < 1e-140)) {
    throw inputError(
      `${method}: the largest value is ${size.toExponential(1)}, whose square leaves the number range; scale the data first`,
    );
  }
  return size;
}
