import { inputError, option, optionError } from "../core/internal.ts";
import { isSparse, type Matrix, type Sparse } from "../matrix/index.ts";
import { largestSize, rangeScale, requireFinite, requireFiniteSparse } from "../matrix/internal.ts";
import type { Points } from "./kmeans/points.ts";

type Rows = Pick<Matrix | Sparse, "rows" | "cols">;

/** Refuses an empty table, and more clusters than rows. */
export function requireClusters(method: string, { rows, cols }: Rows, clusters = 1): void {
  if (rows === 0 || cols === 0) throw inputError(`${method}: the data is empty (${rows} x ${cols})`);
  requireCount(method, clusters, rows);
}

export function requireCount(method: string, clusters: number, rows: number): void {
  if (clusters <= rows) return;
  throw optionError(`${method}: cannot make ${clusters} clusters of ${rows} ${rows === 1 ? "row" : "rows"}`);
}

/** K of a method that takes it or the starting centres, from which there is one run. */
export function checkStart(
  method: string,
  X: Rows,
  start: {
    readonly clusters?: number | undefined;
    readonly initialCenters?: Matrix | undefined;
    readonly restarts?: number | undefined;
  },
): number {
  const { clusters, initialCenters, restarts } = start;
  const K = clusters ?? initialCenters?.rows;
  requireClusters(method, X, K);
  if (K === undefined || K === 0) {
    throw optionError(`${method}: ${option("clusters")} is required (an integer at least 1)`);
  }
  if (initialCenters === undefined) return K;
  const { rows, cols } = initialCenters;
  if (cols !== X.cols) {
    throw optionError(
      `${method}: ${option("initialCenters")} has ${cols} columns, but the data has ${X.cols}`,
    );
  }
  if (rows !== K) {
    throw optionError(
      `${method}: ${option("clusters")} is ${K}, but ${option("initialCenters")} has ${rows} rows`,
    );
  }
  if (restarts !== undefined && restarts !== 1) {
    throw optionError(
      `${method}: ${option("restarts")} must be 1 with ${option("initialCenters")}: every run would be the same`,
    );
  }
  return K;
}

/** One weight per row, finite and not negative, at least one above 0. */
export function checkRowWeights(
  method: string,
  weights: ArrayLike<number> | undefined,
  rows: number,
): Float64Array | undefined {
  if (weights === undefined) return undefined;
  if (weights.length !== rows) throw optionError(`${method}: ${rows} rows, but ${weights.length} weights`);
  const checked = Float64Array.from(weights);
  checked.forEach((weight, i) => {
    if (weight >= 0 && weight < Infinity) return;
    throw optionError(`${method}: the weight of row ${i} is ${weight}; weights must be finite, not negative`);
  });
  if (!checked.some((weight) => weight > 0)) throw optionError(`${method}: all weights are 0`);
  return checked;
}

/** The number of clusters to make: at most one for each distinct row of positive weight, with a warning if these are fewer. */
export function reduceToDistinct(
  points: Points,
  weights: Float64Array | undefined,
  asked: number,
  warnings: string[],
): number {
  const made = distinctRows(points, weights, asked);
  if (made < asked) {
    const what = weights === undefined ? "rows" : "rows of positive weight";
    warnings.push(
      `the data has only ${made} distinct ${what}, so ${made} clusters were made instead of ${asked}`,
    );
  }
  return made;
}

/**
 * The number of distinct rows of positive weight, counted up to `limit`. Each is compared with those found, as in every
 * step of k-means.
 */
export function distinctRows(points: Points, weights: Float64Array | undefined, limit: number): number {
  const found: Float64Array[] = [];
  const row = new Float64Array(points.cols);
  for (let i = 0; i < points.rows && found.length < limit; i++) {
    if (weights !== undefined && weights[i] === 0) continue;
    row.fill(0);
    points.add(i, 1, row, 0);
    // From the end: rows come in the order of their values, and equal ones follow each other.
    if (found.findLast((other) => sameRow(other, row)) === undefined) found.push(row.slice());
  }
  return found.length;
}

/** 0 and -0 are the same. */
export function sameRow(a: Float64Array, b: Float64Array): boolean {
  for (let f = 0; f < a.length; f++) if (a[f] !== b[f]) return false;
  return true;
}

export function requireColumns(given: number, wanted: number): void {
  if (given !== wanted) {
    throw inputError(`predict: the data has ${given} columns, but the clusters have ${wanted}`);
  }
}

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
  return rangeScale(largest);
}
