/**
 * Missing features are filled by probabilistic principal components (Tipping and Bishop 1999): x = mean + W z + e with
 * z ~ N(0, I) and e ~ N(0, s I). The expected value of the missing features of a row given the others,
 *
 *     mean_m + W_m (W_o' W_o + s I)^-1 W_o' (x_o - mean_o),
 *
 * depends only on that row and the model, so new rows are filled like the training rows. The model is found
 * by EM over rows with gaps; s limits the influence of a row with few cells.
 */
import { random } from "../core/index.ts";
import {
  gram,
  matrix,
  multiply,
  multiplyTransposeA,
  qr,
  storeMatrix,
  symmetricEigen,
  topEigen,
  type Matrix,
} from "../matrix/index.ts";
import { centered, columnMeans } from "../matrix/internal.ts";
import type { FillModel } from "./featureRecord.ts";

const MOST_COMPONENTS = 5;
const ROUNDS = 40;
/** Number of features, and of features per row, up to which the covariance is formed. */
const MOST_DENSE = 2000;
const MOST_PER_ROW = 2;
/** Products with the covariance in a round, if it is not formed; the next round continues from there. */
const POWERS = 4;
const FIRST_POWERS = 20;

/** X: rows x features, NaN where missing. */
export function learnFill(X: Matrix): FillModel {
  const { rows: n, cols: d } = X;
  const mean = new Float64Array(d);
  const counts = new Float64Array(d);
  let largest = 0;
  for (let p = 0; p < X.data.length; p++) {
    if (Number.isNaN(X.data[p])) continue;
    const f = p % d;
    counts[f]++;
    mean[f] += X.data[p] / counts[f] - mean[f] / counts[f];
    largest = Math.max(largest, Math.abs(X.data[p]));
  }
  const q = Math.max(1, Math.min(MOST_COMPONENTS, Math.floor(d / 3), n - 1));
  let model: FillModel = {
    mean: Array.from(mean),
    loadings: { rows: d, cols: 0, data: [] },
    noise: 1,
  };
  // Squares of numbers beyond this cannot be summed.
  if (d < 2 || n < 3 || largest > 1e120) return model;
  const missing = new Float64Array(d);
  for (let f = 0; f < d; f++) missing[f] = n - counts[f];
  // Without missing cells the first model is the last.
  const gaps = missing.some((count) => count > 0);
  let filled = Float64Array.from(X.data);
  for (let round = 0; round < ROUNDS; round++) {
    const next = Float64Array.from(X.data);
    fillRows(model, matrix(n, d, next));
    let change = 0;
    let size = 0;
    for (let p = 0; p < next.length; p++) {
      if (!Number.isNaN(X.data[p])) continue;
      if (round > 0) change += (next[p] - filled[p]) ** 2;
      size += (next[p] - mean[p % d]) ** 2;
    }
    filled = next;
    if (round > (gaps ? 1 : 0) && change <= 1e-8 * size) break;
    model = principalModel(matrix(n, d, filled), q, missing, model);
  }
  return model;
}

/** Writes the expected values into the gaps of X. */
export function fillRows(model: FillModel, X: Matrix): void {
  const { mean, noise } = model;
  const { cols: q, data: W } = model.loadings;
  const d = mean.length;
  const A = new Float64Array(q * q);
  const b = new Float64Array(q);
  for (let i = 0; i < X.rows; i++) {
    let gaps = 0;
    for (let f = 0; f < d; f++) if (Number.isNaN(X.data[i * d + f])) gaps++;
    if (gaps === 0) continue;
    A.fill(0);
    b.fill(0);
    for (let f = 0; f < d; f++) {
      const x = X.data[i * d + f];
      if (Number.isNaN(x)) continue;
      for (let r = 0; r < q; r++) {
        const w = W[f * q + r];
        b[r] += w * (x - mean[f]);
        for (let s = 0; s <= r; s++) A[r * q + s] += w * W[f * q + s];
      }
    }
    for (let r = 0; r < q; r++) A[r * q + r] += noise;
    solvePositive(A, b, q);
    for (let f = 0; f < d; f++) {
      if (!Number.isNaN(X.data[i * d + f])) continue;
      let value = mean[f];
      for (let r = 0; r < q; r++) value += W[f * q + r] * b[r];
      X.data[i * d + f] = value;
    }
  }
}

/** Eigenvectors of the filled rows; the gaps count with the noise that filling removed. */
function principalModel(X: Matrix, q: number, missing: Float64Array, before: FillModel): FillModel {
  const { rows: n, cols: d } = X;
  const mean = columnMeans(X);
  const deviations = centered(X, mean);
  const first = before.loadings.cols === 0;
  const added = first ? new Float64Array(d) : missing.map((count) => (count / n) * before.noise);
  let trace = 0;
  for (const value of deviations.data) trace += (value * value) / n;
  for (const value of added) trace += value;
  const { values, vectors } =
    d > MOST_DENSE || d > MOST_PER_ROW * n
      ? powers(deviations, added, before, q)
      : topEigen(covariance(deviations, added), q, { tolerance: 1e-9 });
  let top = 0;
  for (let r = 0; r < q; r++) top += values[r];
  const s = Math.max((trace - top) / Math.max(1, d - q), 1e-9 * Math.max(trace / d, 1e-300));
  const W = matrix(d, q);
  for (let f = 0; f < d; f++) {
    for (let r = 0; r < q; r++) {
      W.data[f * q + r] = vectors.data[f * q + r] * Math.sqrt(Math.max(0, values[r] - s));
    }
  }
  return { mean: Array.from(mean), loadings: storeMatrix(W), noise: s };
}

/** For centred rows, with additional variance for some. */
function covariance(X: Matrix, added: Float64Array): Matrix {
  const { rows: n, cols: d } = X;
  const C = gram(X);
  for (let p = 0; p < C.data.length; p++) C.data[p] /= n;
  for (let f = 0; f < d; f++) C.data[f * d + f] += added[f];
  return C;
}

/**
 * The leading eigenpairs of that covariance by powers of it on the directions of the last round, n d q each.
 */
function powers(
  X: Matrix,
  added: Float64Array,
  { loadings }: FillModel,
  q: number,
): { readonly values: Float64Array; readonly vectors: Matrix } {
  const { rows: n, cols: d } = X;
  const first = loadings.cols === 0;
  const { normal } = random(0);
  let V = matrix(
    d,
    q,
    first ? Float64Array.from({ length: d * q }, () => normal()) : Float64Array.from(loadings.data),
  );
  const times = (Y: Matrix): Matrix => {
    const product = multiplyTransposeA(X, multiply(X, Y));
    for (let f = 0; f < d; f++) {
      for (let r = 0; r < q; r++)
        product.data[f * q + r] = product.data[f * q + r] / n + added[f] * Y.data[f * q + r];
    }
    return product;
  };
  for (let step = 0; step < (first ? FIRST_POWERS : POWERS); step++) V = times(qr(V).Q);
  const Q = qr(V).Q;
  const { values, vectors } = symmetricEigen(multiplyTransposeA(Q, times(Q)));
  return { values, vectors: multiply(Q, vectors) };
}

/** b := A^-1 b by Cholesky's factors; A is small, its lower triangle is overwritten. */
function solvePositive(A: Float64Array, b: Float64Array, n: number): void {
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      let sum = A[i * n + j];
      for (let k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
      A[i * n + j] = i === j ? Math.sqrt(Math.max(sum, 1e-300)) : sum / A[j * n + j];
    }
  }
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) b[i] -= A[i * n + k] * b[k];
    b[i] /= A[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) b[i] -= A[k * n + i] * b[k];
    b[i] /= A[i * n + i];
  }
}
