import { inputError } from "../core/errors.ts";
import { integer, resolveOptions } from "../core/options.ts";
import { random } from "../core/random.ts";
import { requireFinite, type Matrix } from "../matrix/matrix.ts";
import { encodeLabels, type Labeling } from "./labels.ts";

/**
 * P. J. Rousseeuw (1987), "Silhouettes", with the Euclidean distance:
 *
 *     s(i) = (b(i) - a(i)) / max(a(i), b(i))
 *
 * a(i): mean distance to the other rows of the own cluster, b(i): the least mean distance to the rows of another
 * cluster. s(i) = 0 for a row that is alone in its cluster, and for all rows when there is only one cluster or when
 * both distances are 0. Rows with unknown label are left out.
 */
export interface SilhouetteOptions {
  /**
   * Score only this many rows, drawn with `seed`, each against all rows: an unbiased estimate of the mean in
   * O(sample n d) instead of O(n^2 d). All rows when absent.
   */
  sample?: number;
  seed?: number;
}

/** The mean of s(i), in [-1, 1]. */
export function silhouette(X: Matrix, labels: Labeling, options: SilhouetteOptions = {}): number {
  const { values } = silhouetteRows(X, labels, options);
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** s(i) of each scored row, with the rows that were scored (all rows with a known label unless `sample` is given). */
export function silhouetteRows(
  X: Matrix,
  labels: Labeling,
  options: SilhouetteOptions = {},
): { rows: Int32Array; values: Float64Array } {
  const { sample, seed } = resolveOptions<SilhouetteOptions, typeof RULES>("silhouette", options, RULES);
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

const RULES = {
  sample: integer({ min: 1 }),
  seed: integer({ min: 0, default: 0 }),
};

/** Row by row, so that memory is O(n + K) beyond the data. */
function score(X: Matrix, codes: Int32Array, K: number, known: Int32Array, rows: Int32Array): Float64Array {
  const sizes = new Float64Array(K);
  for (const i of known) sizes[codes[i]]++;
  const sums = new Float64Array(K);
  const values = new Float64Array(rows.length);
  const { cols: d, data } = X;
  for (let r = 0; r < rows.length; r++) {
    const i = rows[r];
    sums.fill(0);
    for (const j of known) {
      let squared = 0;
      for (let p = i * d, q = j * d, end = p + d; p < end; p++, q++) {
        const difference = data[p] - data[q];
        squared += difference * difference;
      }
      sums[codes[j]] += Math.sqrt(squared);
    }
    values[r] = silhouetteOf(codes[i], sums, sizes);
  }
  return values;
}

function silhouetteOf(own: number, sums: Float64Array, sizes: Float64Array): number {
  if (sizes[own] === 1) return 0;
  const a = sums[own] / (sizes[own] - 1);
  let b = Infinity;
  for (let k = 0; k < sums.length; k++) if (k !== own) b = Math.min(b, sums[k] / sizes[k]);
  const larger = Math.max(a, b);
  return larger === 0 || b === Infinity ? 0 : (b - a) / larger;
}
