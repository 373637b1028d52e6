/** Products in TypeScript: those that are too small for a call into WebAssembly, and of programs that place single rows. */
import type { Engine } from "../engine.ts";

export const smallProducts: Engine = {
  name: "simd",

  product(m, n, k, alpha, A, transA, B, transB, C) {
    const left = transA ? transposed(k, m, A) : A;
    const right = transB ? B : transposed(k, n, B);
    for (let first = 0; first < k; first += BLOCK) {
      const end = Math.min(k, first + BLOCK);
      for (let i = 0, c = 0; i < m; i++) {
        for (let j = 0; j < n; j += 4) {
          // Four sums at a time, the last ones of a line perhaps twice.
          const [b0, b1] = [j * k, Math.min(j + 1, n - 1) * k];
          const [b2, b3] = [Math.min(j + 2, n - 1) * k, Math.min(j + 3, n - 1) * k];
          let [s0, s1, s2, s3] = [0, 0, 0, 0];
          for (let p = first, a = i * k + p; p < end; p++, a++) {
            const x = left[a];
            s0 += x * right[b0 + p];
            s1 += x * right[b1 + p];
            s2 += x * right[b2 + p];
            s3 += x * right[b3 + p];
          }
          C[c++] += alpha * s0;
          if (j + 1 < n) C[c++] += alpha * s1;
          if (j + 2 < n) C[c++] += alpha * s2;
          if (j + 3 < n) C[c++] += alpha * s3;
        }
      }
    }
  },

  gram(rows, cols, X, C) {
    C.fill(0);
    for (let first = 0; first < rows; first += BLOCK) {
      const depth = Math.min(BLOCK, rows - first);
      const packed = transposed(depth, cols, X.subarray(first * cols, (first + depth) * cols));
      for (let i = 0; i < cols; i++) {
        for (let j = i; j < cols; j++) C[i * cols + j] += dot(depth, packed, i * depth, packed, j * depth);
      }
    }
    for (let i = 0; i < cols; i++) {
      for (let j = 0; j < i; j++) C[i * cols + j] = C[j * cols + i];
    }
  },
};

/** Terms of a sum that are added up before they join the others. */
const BLOCK = 256;

/** The columns of a rows x cols matrix, one after the other. */
function transposed(rows: number, cols: number, A: Float64Array): Float64Array {
  const T = new Float64Array(rows * cols);
  for (let i = 0, p = 0; i < rows; i++) for (let j = 0; j < cols; j++, p++) T[j * rows + i] = A[p];
  return T;
}

function dot(n: number, x: Float64Array, i: number, y: Float64Array, j: number): number {
  let s0 = 0;
  let s1 = 0;
  let p = 0;
  for (; p + 2 <= n; p += 2) {
    s0 += x[i + p] * y[j + p];
    s1 += x[i + p + 1] * y[j + p + 1];
  }
  if (p < n) s0 += x[i + p] * y[j + p];
  return s0 + s1;
}
