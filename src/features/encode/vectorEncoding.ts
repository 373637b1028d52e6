/**
 * A column of vectors becomes up to a hundred principal components. Together they have the variance of as many standardised
 * numbers as there are directions, (sum v)^2 / sum v^2 for their variances v, as the components of a text do (learnWords.ts).
 * Vectors of about equal length, such as embeddings, are compared by angle: each is divided by its norm first.
 */
import { spreadOfValues } from "../../data/internal.ts";
import {
  gram,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  storeMatrix,
  topEigen,
  type Matrix,
  type TopEigen,
} from "../../matrix/index.ts";
import type { VectorEncoding } from "../featureRecord.ts";

const COMPONENTS = 100;
/** Directions are compared if there are at least this many dimensions and the norms vary by no more than this share. */
const ANGLE_DIMENSIONS = 8;
const ANGLE_VARIATION = 0.3;

/**
 * Numbers of a d x d product X'X, 32 MB, above which XX' is formed where there are fewer rows: its eigenvalues are the same,
 * and an eigenvector u of it gives the direction X'u.
 */
const LARGEST_PRODUCT = 2 ** 22;

/** `rows`: those to learn from. */
export function learnVectors(
  vectors: Matrix,
  rows: ArrayLike<number>,
  direction: boolean | undefined,
): VectorEncoding | undefined {
  const { cols: d, data } = vectors;
  const most = d > 1024 ? 3000 : 10_000;
  const kept: number[] = [];
  const norms: number[] = [];
  for (let r = 0; r < rows.length && kept.length < most; r++) {
    let square = 0;
    for (let p = rows[r] * d; p < (rows[r] + 1) * d; p++) square += data[p] * data[p];
    if (!Number.isFinite(square)) continue;
    kept.push(rows[r]);
    norms.push(Math.sqrt(square));
  }
  if (kept.length < 2 || d === 0) return undefined;
  const length = spreadOfValues(Float64Array.from(norms));
  const alike = d >= ANGLE_DIMENSIONS && length.deviation <= ANGLE_VARIATION * length.mean;
  const unit = direction ?? (alike && length.mean > 0);
  const sample = matrix(kept.length, d);
  const mean = new Float64Array(d);
  for (let r = 0; r < kept.length; r++) {
    const by = unit && norms[r] > 0 ? norms[r] : 1;
    for (let j = 0; j < d; j++) {
      const value = data[kept[r] * d + j] / by;
      sample.data[r * d + j] = value;
      mean[j] += value / kept.length;
    }
  }
  for (let r = 0; r < kept.length; r++) for (let j = 0; j < d; j++) sample.data[r * d + j] -= mean[j];
  let total = 0;
  const few = kept.length < d && d * d > LARGEST_PRODUCT;
  const C = few ? multiplyTransposeB(sample, sample) : gram(sample);
  for (let j = 0; j < C.rows; j++) total += C.data[j * (C.rows + 1)] / kept.length;
  if (!(total > 0)) return undefined;
  if (d === 1) return { form: "vector", unit, mean: Array.from(mean), spread: Math.sqrt(total) };
  const q = Math.min(COMPONENTS, d, kept.length - 1);
  const found = topEigen(C, q, { tolerance: 1e-8 });
  const { values } = found;
  const components = few ? directionsOf(sample, found) : found.vectors;
  let used = 0;
  while (used < q && values[used] > 1e-10 * values[0]) used++;
  let [sum, squares] = [0, 0];
  for (let f = 0; f < used; f++) {
    sum += values[f] / kept.length;
    squares += (values[f] / kept.length) ** 2;
  }
  const narrow = matrix(d, used);
  for (let j = 0; j < d; j++)
    for (let f = 0; f < used; f++) narrow.data[j * used + f] = components.data[j * q + f];
  return {
    form: "vector",
    unit,
    mean: Array.from(mean),
    components: storeMatrix(narrow),
    spread: Math.sqrt(squares / sum),
  };
}

/** The eigenvectors X'u / |X'u| of X'X from those of XX', each with its entry of largest absolute value positive. */
function directionsOf(X: Matrix, { vectors }: TopEigen): Matrix {
  const V = multiplyTransposeA(X, vectors);
  for (let f = 0; f < V.cols; f++) {
    let square = 0;
    let largest = 0;
    for (let p = f; p < V.data.length; p += V.cols) {
      square += V.data[p] ** 2;
      if (Math.abs(V.data[p]) > Math.abs(largest)) largest = V.data[p];
    }
    const norm = Math.sign(largest) * Math.sqrt(square);
    for (let p = f; p < V.data.length; p += V.cols) V.data[p] = norm === 0 ? 0 : V.data[p] / norm;
  }
  return V;
}

/** Rows x features; NaN for a vector that is missing or has other dimensions. */
export function encodeVectors(
  encoding: VectorEncoding,
  vectors: Matrix | undefined,
  rows: ArrayLike<number>,
): Float64Array {
  const { unit, mean, components, spread } = encoding;
  const d = mean.length;
  const width = components?.cols ?? d;
  const out = new Float64Array(rows.length * width);
  if (vectors === undefined || vectors.cols !== d) return out.fill(Number.NaN);
  const B = components && matrix(d, width, Float64Array.from(components.data));
  const CHUNK = 4096;
  for (let start = 0; start < rows.length; start += CHUNK) {
    const count = Math.min(CHUNK, rows.length - start);
    const Y = matrix(count, d);
    const bad: number[] = [];
    for (let r = 0; r < count; r++) {
      const from = rows[start + r] * d;
      let square = 0;
      for (let j = 0; j < d; j++) square += vectors.data[from + j] ** 2;
      if (!Number.isFinite(square)) {
        bad.push(r);
        continue;
      }
      const by = unit && square > 0 ? Math.sqrt(square) : 1;
      for (let j = 0; j < d; j++) Y.data[r * d + j] = (vectors.data[from + j] / by - mean[j]) / spread;
    }
    const Z = B === undefined ? Y : multiply(Y, B);
    for (const r of bad) Z.data.fill(Number.NaN, r * width, (r + 1) * width);
    out.set(Z.data, start * width);
  }
  return out;
}
