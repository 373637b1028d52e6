/**
 * Factor scores: the directions of the features whose variance exceeds that of a table with the same columns but no
 * relations between them (parallel analysis, Horn 1965). In such a table the rows of each column are permuted on their own.
 */
import { random } from "../core/index.ts";
import {
  gram,
  matrix,
  multiplyTransposeA,
  multiplyTransposeB,
  topEigen,
  type Matrix,
} from "../matrix/index.ts";
import { centered, columnMeans, mapped } from "../matrix/internal.ts";

/** Neighbouring features of one column. */
export interface FeatureRange {
  readonly first: number;
  readonly count: number;
}

/** Rows that are compared, permutations, and the largest number of factors. */
const ROWS = 2000;
const PERMUTATIONS = 5;
const MOST = 12;
/** Two factors at least: one is a rank of the rows. */
const LEAST = 2;

/** factors x features, orthonormal rows, the largest first; undefined if there are no more features than factors. */
export function factors(X: Matrix, groups: readonly FeatureRange[], seed: number): Matrix | undefined {
  const n = Math.min(ROWS, X.rows);
  const d = X.cols;
  const most = Math.min(MOST + 1, d, n - 1);
  if (most <= LEAST) return undefined;
  const head = matrix(n, d, X.data.subarray(0, n * d));
  const Y = centered(head, columnMeans(head));
  const { values, axes } = leadingAxes(Y, most, 1e-8);
  const bar = new Float64Array(most);
  const { sample } = random(seed);
  for (let times = 0; times < PERMUTATIONS; times++) {
    const P = matrix(n, d);
    for (const { first, count } of groups) {
      const order = sample(n, n);
      for (let f = first; f < first + count; f++) {
        for (let i = 0; i < n; i++) P.data[i * d + f] = Y.data[order[i] * d + f];
      }
    }
    leadingAxes(P, most, 1e-4).values.forEach((value, q) => (bar[q] += value / PERMUTATIONS));
  }
  let count = 0;
  while (count < most && values[count] > bar[count]) count++;
  const kept = Math.min(Math.max(count, LEAST), MOST);
  if (kept >= d) return undefined;
  const scores = matrix(kept, d);
  for (let q = 0; q < kept; q++) for (let f = 0; f < d; f++) scores.data[q * d + f] = axes.data[f * most + q];
  return scores;
}

/** Of rows about their mean: the largest eigenvalues of Y'Y, and its eigenvectors as columns. */
export function leadingAxes(
  Y: Matrix,
  count: number,
  tolerance: number,
): { readonly values: Float64Array; readonly axes: Matrix } {
  if (Y.cols <= Y.rows) {
    const { values, vectors } = topEigen(gram(Y), count, { tolerance });
    return { values, axes: vectors };
  }
  // Y Y' has the same eigenvalues and fewer entries: with Y Y' u = s^2 u, the axis is Y'u / s.
  const { values, vectors } = topEigen(multiplyTransposeB(Y, Y), count, { tolerance });
  const axes = multiplyTransposeA(Y, vectors);
  const zero = 1e-13 * values[0];
  return {
    values,
    axes: mapped(axes, (value, p) => (values[p % count] > zero ? value / Math.sqrt(values[p % count]) : 0)),
  };
}
