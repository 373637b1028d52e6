import { random } from "../core/index.ts";
import { inputError, rule } from "../core/internal.ts";
import {
  asMatrix,
  matrix,
  multiplyTransposeB,
  squaredNorms,
  takeRows,
  type Matrix,
  type MatrixLike,
} from "../matrix/index.ts";
import {
  centered,
  columnMeans,
  largestSize,
  rangeScale,
  requireFinite,
  scaled,
  squaredDistance,
} from "../matrix/internal.ts";
import { encodeLabels, requireLabels, type Labeling } from "./labels.ts";

const RULES = {
  /**
   * Score only this many rows, drawn with `seed`, each against all rows: an unbiased estimate of the mean in
   * O(sample n d) instead of O(n^2 d). All rows when absent.
   */
  sample: rule.integer({ min: 1 }),
  seed: rule.seed,
};

export type SilhouetteOptions = rule.OptionsOf<typeof RULES>;

/**
 * The mean of s(i), in [-1, 1].
 *
 * P. J. Rousseeuw (1987), "Silhouettes", with the Euclidean distance:
 *
 *     s(i) = (b(i) - a(i)) / max(a(i), b(i))
 *
 * a(i): mean distance to the other rows of the own cluster, b(i): the smallest mean distance to the rows of
 * another cluster. s(i) = 0 for the only row of a cluster, and for all rows when there is only one cluster or
 * when both distances are 0. Rows with unknown label are left out.
 */
export function silhouette(X: MatrixLike, labels: Labeling, options: SilhouetteOptions = {}): number {
  const { values } = silhouetteRows(X, labels, options);
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** s(i) of each scored row, with the rows that were scored (all rows with a known label unless `sample` is given). */
export function silhouetteRows(
  data: MatrixLike,
  labels: Labeling,
  options: SilhouetteOptions = {},
): { rows: Int32Array; values: Float64Array } {
  const { sample, seed } = rule.resolveOptions("silhouette", options, RULES);
  const X = asMatrix(data, "silhouette");
  requireLabels(labels);
  if (labels.length !== X.rows) throw inputError(`silhouette: ${X.rows} rows, but ${labels.length} labels`);
  requireFinite(X);
  const { codes, classes } = encodeLabels(labels);
  const known = Int32Array.from(codes.keys()).filter((i) => codes[i] >= 0);
  if (known.length === 0) throw inputError("silhouette: there is no row with a known label");
  const rows =
    sample === undefined || sample >= known.length
      ? known
      : random(seed)
          .sample(sample, known.length)
          .map((position) => known[position])
          .sort();
  return { rows, values: score(X, codes, classes.length, known, rows) };
}

/**
 * Distances are computed in blocks of rows against rows: from products, ||x||^2 - 2 x'y + ||y||^2, except
 * where that cancels. Memory beyond the data is a centred copy of it and two blocks.
 */
function score(X: Matrix, codes: Int32Array, K: number, known: Int32Array, rows: Int32Array): Float64Array {
  const all = centeredRows(X, known);
  const squares = squaredNorms(all);
  const sizes = new Float64Array(K);
  for (const i of known) sizes[codes[i]]++;
  const place = new Int32Array(X.rows);
  known.forEach((i, p) => (place[i] = p));
  const values = new Float64Array(rows.length);
  for (let first = 0; first < rows.length; first += ROW_BLOCK) {
    const block = rows.subarray(first, first + ROW_BLOCK).map((i) => place[i]);
    const sums = new Float64Array(block.length * K);
    const A = takeRows(all, block);
    for (let from = 0; from < known.length; from += COLUMN_BLOCK) {
      const to = Math.min(known.length, from + COLUMN_BLOCK);
      const B = matrix(to - from, all.cols, all.data.subarray(from * all.cols, to * all.cols));
      const products = multiplyTransposeB(A, B).data;
      for (let r = 0, p = 0; r < block.length; r++) {
        for (let j = from; j < to; j++, p++) {
          const size = squares[block[r]] + squares[j];
          let squared = size - 2 * products[p];
          if (squared < CANCELLED * size) squared = squaredDistance(all, block[r], all, j);
          sums[r * K + codes[known[j]]] += Math.sqrt(squared);
        }
      }
    }
    block.forEach((position, r) => {
      const own = codes[known[position]];
      values[first + r] = silhouetteOf(own, sums.subarray(r * K, (r + 1) * K), sizes);
    });
  }
  return values;
}

const ROW_BLOCK = 128;
const COLUMN_BLOCK = 2048;
/** A squared distance below this share of the squared norms has lost three digits or more. */
const CANCELLED = 1e-3;

/** The given rows minus their mean, times a power of two that keeps squares inside the number range. */
function centeredRows(X: Matrix, known: Int32Array): Matrix {
  const A = takeRows(X, known);
  const moderate = scaled(A, rangeScale(largestSize(A.data)));
  return centered(moderate, columnMeans(moderate));
}

function silhouetteOf(own: number, sums: Float64Array, sizes: Float64Array): number {
  if (sizes[own] === 1) return 0;
  const a = sums[own] / (sizes[own] - 1);
  let b = Infinity;
  for (let k = 0; k < sums.length; k++) if (k !== own) b = Math.min(b, sums[k] / sizes[k]);
  const larger = Math.max(a, b);
  return larger === 0 || b === Infinity ? 0 : (b - a) / larger;
}
