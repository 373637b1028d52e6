/** Products with one sparse factor. Each runs once over the stored entries; the result is dense. */
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

/** S B' */
export function sparseTimesDenseTranspose(S: Sparse, B: Matrix): Matrix {
  const C = matrix(S.rows, B.rows);
  for (let i = 0; i < S.rows; i++) {
    for (let r = 0; r < B.rows; r++) C.data[i * B.rows + r] = sparseDot(S, i, B, r);
  }
  return C;
}

/** A S */
export function denseTimesSparse(A: Matrix, S: Sparse): Matrix {
  const C = matrix(A.rows, S.cols);
  const { offsets, indices, values } = S;
  for (let i = 0; i < A.rows; i++) {
    for (let k = 0; k < S.rows; k++) {
      const a = A.data[i * A.cols + k];
      for (let p = offsets[k]; p < offsets[k + 1]; p++) C.data[i * S.cols + indices[p]] += a * values[p];
    }
  }
  return C;
}

/** A'S */
export function denseTransposeTimesSparse(A: Matrix, S: Sparse): Matrix {
  const C = matrix(A.cols, S.cols);
  const { offsets, indices, values } = S;
  for (let i = 0; i < S.rows; i++) {
    for (let p = offsets[i]; p < offsets[i + 1]; p++) {
      for (let r = 0; r < A.cols; r++) {
        C.data[r * S.cols + indices[p]] += A.data[i * A.cols + r] * values[p];
      }
    }
  }
  return C;
}

/** A S' */
export function denseTimesSparseTranspose(A: Matrix, S: Sparse): Matrix {
  const C = matrix(A.rows, S.rows);
  for (let i = 0; i < A.rows; i++) {
    for (let r = 0; r < S.rows; r++) C.data[i * S.rows + r] = sparseDot(S, r, A, i);
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

function sparseDot(S: Sparse, i: number, B: Matrix, r: number): number {
  const { offsets, indices, values } = S;
  let sum = 0;
  for (let p = offsets[i]; p < offsets[i + 1]; p++) sum += values[p] * B.data[r * B.cols + indices[p]];
  return sum;
}

function addScaled(n: number, a: number, x: Float64Array, i: number, y: Float64Array, j: number): void {
  for (let c = 0; c < n; c++) y[j + c] += a * x[i + c];
}
