import { random } from "../core/index.ts";
import { inputError } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { squaredDistance } from "../matrix/internal.ts";

/** Rows closer than this share of the largest squared distance are equal up to rounding. */
const EQUAL = 1e-24;
/** Up to this many pairs of rows all distances are measured; beyond it, as many pairs drawn with a fixed seed. */
const PAIRS = 50_000;

/**
 * Percentiles (0 to 100, interpolated linearly) of the distances between the rows, or of their squares, as in
 * metric-learn: over the whole n x n table, including its zero diagonal. Other zeros are left out, and a
 * percentile is never below the smallest positive distance: a bound of zero is useless.
 */
export function distancePercentiles(X: Matrix, percentiles: readonly number[], squared: boolean): number[] {
  const n = X.rows;
  const sorted = sortedSquares(X);
  const count = sorted.length;
  if (count === 0) throw inputError("all rows are equal: there are no distances to learn from");
  const at = (index: number): number => {
    const square = sorted[Math.min(count - 1, Math.max(0, index >> 1))];
    return squared ? square : Math.sqrt(square);
  };
  return percentiles.map((percentile) => {
    // The table holds n zeros, then each distance twice; a sample of the distances represents all of them.
    const position = (((percentile / 100) * (n * n - 1) - n) * (2 * count - 1)) / (n * n - n - 1);
    const below = Math.floor(position);
    return at(below) + (position - below) * (at(below + 1) - at(below));
  });
}

/** Squared distances of different rows, ascending. */
function sortedSquares(X: Matrix): Float64Array {
  const n = X.rows;
  const all = (n * (n - 1)) / 2;
  const squares = new Float64Array(Math.min(all, PAIRS));
  let count = 0;
  const keep = (i: number, j: number): void => {
    const square = squaredDistance(X, i, X, j);
    if (square > 0) squares[count++] = square;
  };
  if (all <= PAIRS) {
    for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) keep(i, j);
  } else {
    const stream = random(0);
    for (let draw = 0; draw < PAIRS; draw++) {
      const i = stream.integer(n);
      const j = stream.integer(n - 1);
      keep(i, j < i ? j : j + 1);
    }
  }
  const sorted = squares.subarray(0, count).sort();
  const least = EQUAL * (sorted[count - 1] ?? 0);
  return sorted.filter((square) => square > least);
}
