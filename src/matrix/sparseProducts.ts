/**
 * Products with one sparse factor. Each runs once over the stored entries; the result is dense. Those with the sparse factor
 * on the right are transposes of these, with the same sums.
 */
import { matrix, type Matrix } from "./matrix.ts";
import type { Sparse } from "./sparse.ts";

/** S B */
export function sparseTimesDense(S: Sparse, B: Matrix): Matrix {
  const C = matrix(S.rows, B.cols);
  const { offsets, indices, values } = S;
  const n = B.cols;
  for (let i = 0; i < S.rows; i++) {
    for (let p = offsets[i]; p < offsets[i + 1]; p++) {
      addScaled(n, values[p], B.data, indices[p] * n, C.data, i * n);
    }
  }
  return C;
}

/** S'B */
export function sparseTransposeTimesDense(S: Sparse, B: Matrix): Matrix {
  const C = matrix(S.cols, B.cols);
  const { offsets, indices, values } = S;
  const n = B.cols;
  for (let i = 0; i < S.rows; i++) {
    for (let p = offsets[i]; p < offsets[i + 1]; p++) {
      addScaled(n, values[p], B.data, i * n, C.data, indices[p] * n);
    }
  }
  return C;
}

/** S'S */
export function sparseGram(S: Sparse): Matrix {
  const G = matrix(S.cols, S.cols);
  const { offsets, indices, values } = S;
  for (let i = 0; i < S.rows; i++) {
    for (let p = offsets[i]; p < offsets[i + 1]; p++) {
      const start = indices[p] * S.cols;
      for (let q = offsets[i]; q < offsets[i + 1]; q++) G.data[start + indices[q]] += values[p] * values[q];
    }
  }
  return G;
}

function addScaled(n: number, a: number, x: Float64Array, i: number, y: Float64Array, j: number): void {
  for (let c = 0; c < n; c++) y[j + c] += a * x[i + c];
}
