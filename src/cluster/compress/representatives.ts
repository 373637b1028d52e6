import { asMatrix, matrix, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { requireFinite, squaredDistance } from "../../matrix/internal.ts";
import { optionError, rule } from "../../core/internal.ts";
import { type CellTree, cellsOf, cellTree } from "./cellTree.ts";

/**
 * Few weighted points instead of many rows: the mean of each cell of a `cellTree`, with the number of its
 * rows as mass. With W the sum of squared distances from the rows to their representatives, and ||X -
 * mean||^2 the total:
 *
 * - any objective of the form 1/2 sum_i ||x_i - u_i||^2 + (a function of U), with one u for each cell, equals
 *   that of the representatives, 1/2 sum_c m_c ||y_c - u_c||^2 + ..., plus W / 2, exactly: k-means (up to the
 *   factor) and convex clustering have this form;
 * - the proximal operator of any convex function is non-expansive, so the rows' own solution of convex
 *   clustering is at most sqrt(W) away in total (see recipes/compressedCc.ts).
 */
export interface Representatives {
  readonly points: Matrix;
  /** Rows of each. */
  readonly masses: Float64Array;
  readonly tree: CellTree;
  readonly compression: Compression;
}

/** What the rows lost. */
export interface Compression {
  readonly rows: number;
  readonly representatives: number;
  /** W. */
  readonly withinSumOfSquares: number;
  /** W as a share of the sum of squares about the mean; 0 if rows and representatives are the same. */
  readonly share: number;
  /**
   * sqrt(W) / ||X - mean||: a bound on the distance from the solution of the rows, relative to their spread.
   */
  readonly bound: number;
  /** Root mean square distance of a cell's rows from its representative, for the worst cell. */
  readonly largestRadius: number;
}

export const representativesOptions = {
  /** Maximum number of representatives; default 20000. */
  count: rule.integer({ min: 1, default: 20000 }),
};

export type RepresentativesOptions = rule.OptionsOf<typeof representativesOptions>;

/** The representatives of rows in memory, and the cell of every row. Deterministic. */
export function representatives(
  input: MatrixLike,
  options?: RepresentativesOptions,
): Representatives & { readonly cells: Int32Array } {
  const X = asMatrix(input, "representatives");
  const { count } = rule.resolveOptions("representatives", options, representativesOptions);
  if (X.rows === 0) throw optionError("representatives: there are no rows");
  requireFinite(X);
  const tree = cellTree(X, count);
  const cells = cellsOf(tree, X);
  const { points, masses } = cellMeans(X, cells, tree.count);
  const scatters = new Float64Array(tree.count);
  for (let i = 0; i < X.rows; i++) scatters[cells[i]] += squaredDistance(X, i, points, cells[i]);
  return { points, masses, tree, cells, compression: compressionOf(points, masses, scatters) };
}

/** The report, from the sums of each cell. */
export function compressionOf(
  points: Matrix,
  masses: Float64Array,
  scatters: ArrayLike<number>,
): Compression {
  const d = points.cols;
  const mean = new Float64Array(d);
  let rows = 0;
  let within = 0;
  let largest = 0;
  for (let c = 0; c < points.rows; c++) {
    rows += masses[c];
    within += scatters[c];
    largest = Math.max(largest, scatters[c] / masses[c]);
    for (let f = 0; f < d; f++) mean[f] += (masses[c] / rows) * (points.data[c * d + f] - mean[f]);
  }
  let between = 0;
  for (let c = 0; c < points.rows; c++) {
    for (let f = 0; f < d; f++) between += masses[c] * (points.data[c * d + f] - mean[f]) ** 2;
  }
  const total = within + between;
  const share = total > 0 ? within / total : 0;
  return {
    rows,
    representatives: points.rows,
    withinSumOfSquares: within,
    share,
    bound: Math.sqrt(share),
    largestRadius: Math.sqrt(largest),
  };
}

/** Means as steps from the first row of a cell: equal rows are their own mean, to the last bit. */
function cellMeans(X: Matrix, cells: Int32Array, count: number) {
  const { cols: d, data } = X;
  const first = matrix(count, d);
  const sums = new Float64Array(count * d);
  const masses = new Float64Array(count);
  for (let i = 0; i < X.rows; i++) {
    const c = cells[i];
    if (masses[c]++ === 0) first.data.set(data.subarray(i * d, (i + 1) * d), c * d);
    else for (let f = 0, p = i * d, q = c * d; f < d; f++, p++, q++) sums[q] += data[p] - first.data[q];
  }
  for (let q = 0; q < sums.length; q++) first.data[q] += sums[q] / masses[Math.floor(q / d)];
  return { points: first, masses };
}
