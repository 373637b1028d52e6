/**
 * The plain engine: TypeScript alone. Packed and register-blocked where that is simple; the reference of the
 * kernels.
 */
import type { Engine } from "../engine.ts";

export const plainEngine: Engine = {
  name: "plain",

  product(m, n, k, alpha, A, transA, B, transB, C) {
    const [ars, acs] = transA ? [1, m] : [k, 1];
    const [brs, bcs] = transB ? [1, k] : [n, 1];
    addProduct(m, n, k, alpha, A, ars, acs, B, brs, bcs, C);
  },

  gram(rows, cols, X, C) {
    C.fill(0);
    const block = 256;
    const packed = new Float64Array(cols * Math.min(block, rows));
    for (let first = 0; first < rows; first += block) {
      const depth = Math.min(block, rows - first);
      for (let p = 0; p < depth; p++) {
        for (let j = 0; j < cols; j++) packed[j * depth + p] = X[(first + p) * cols + j];
      }
      for (let i = 0; i < cols; i++) {
        for (let j = i; j < cols; j++) C[i * cols + j] += dot(depth, packed, i * depth, packed, j * depth);
      }
    }
    for (let i = 0; i < cols; i++) {
      for (let j = 0; j < i; j++) C[i * cols + j] = C[j * cols + i];
    }
  },
};

/** C += alpha A B in 4 x 2 tiles; strides in elements. */
function addProduct(
  m: number,
  n: number,
  k: number,
  alpha: number,
  A: Float64Array,
  ars: number,
  acs: number,
  B: Float64Array,
  brs: number,
  bcs: number,
  C: Float64Array,
): void {
  const block = 256;
  const pairs = (n + 1) >> 1;
  const packedB = new Float64Array(2 * pairs * Math.min(block, k));
  const packedA = new Float64Array(4 * Math.min(block, k));
  for (let first = 0; first < k; first += block) {
    const depth = Math.min(block, k - first);
    pack(2, n, depth, B, first * brs, bcs, brs, packedB);
    for (let i = 0; i < m; i += 4) {
      const height = Math.min(4, m - i);
      pack(4, height, depth, A, i * ars + first * acs, ars, acs, packedA);
      for (let j = 0; j < n; j += 2) {
        addTile(depth, alpha, packedA, packedB, j * depth, C, i * n + j, n, height, Math.min(2, n - j));
      }
    }
  }
}

/** Panels of `width` lines, depth after depth, padded with zeros. */
function pack(
  width: number,
  lines: number,
  depth: number,
  source: Float64Array,
  start: number,
  lineStride: number,
  depthStride: number,
  target: Float64Array,
): void {
  let t = 0;
  for (let line = 0; line < lines; line += width) {
    for (let p = 0; p < depth; p++) {
      for (let q = 0; q < width; q++) {
        target[t++] = line + q < lines ? source[start + (line + q) * lineStride + p * depthStride] : 0;
      }
    }
  }
}

function addTile(
  depth: number,
  alpha: number,
  A: Float64Array,
  B: Float64Array,
  b: number,
  C: Float64Array,
  c: number,
  n: number,
  height: number,
  width: number,
): void {
  let c00 = 0;
  let c01 = 0;
  let c10 = 0;
  let c11 = 0;
  let c20 = 0;
  let c21 = 0;
  let c30 = 0;
  let c31 = 0;
  for (let a = 0; a < 4 * depth; a += 4, b += 2) {
    const b0 = B[b];
    const b1 = B[b + 1];
    const a0 = A[a];
    const a1 = A[a + 1];
    const a2 = A[a + 2];
    const a3 = A[a + 3];
    c00 += a0 * b0;
    c01 += a0 * b1;
    c10 += a1 * b0;
    c11 += a1 * b1;
    c20 += a2 * b0;
    c21 += a2 * b1;
    c30 += a3 * b0;
    c31 += a3 * b1;
  }
  const second = width > 1;
  C[c] += alpha * c00;
  if (second) C[c + 1] += alpha * c01;
  if (height < 2) return;
  C[c + n] += alpha * c10;
  if (second) C[c + n + 1] += alpha * c11;
  if (height < 3) return;
  C[c + 2 * n] += alpha * c20;
  if (second) C[c + 2 * n + 1] += alpha * c21;
  if (height < 4) return;
  C[c + 3 * n] += alpha * c30;
  if (second) C[c + 3 * n + 1] += alpha * c31;
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
