/**
 * The WebAssembly engines. Data stays in ordinary arrays and passes through the kernel's memory in blocks, so that
 * neither its size nor its growth limits the size of a matrix: a block is either small enough for the second-level
 * cache (tall and thin operands, where copying would otherwise cost as much as the product) or large enough for the
 * copy to vanish behind the arithmetic.
 */
import type { Engine } from "../engine.ts";
import * as binary from "../kernel/products.wasm.ts";
import { buildProblem, loadKernel, type Kernel, type KernelBuild } from "../wasm.ts";
import { plainEngine } from "./plain.ts";

interface Products {
  gemm(
    m: number,
    n: number,
    k: number,
    alpha: number,
    A: number,
    ars: number,
    acs: number,
    B: number,
    brs: number,
    bcs: number,
    C: number,
    ldc: number,
    work: number,
  ): void;
  gemmWork(): number;
  gram(rows: number, d: number, X: number, C: number, work: number): void;
}

/** Sides of the blocks of a large product. */
const SIDE = 2048;
/** Values that a pass over tall or wide operands holds at a time: 1 MiB. */
const STREAM = 131072;
/** Products of fewer multiplications are not worth the way into WebAssembly. */
const SMALL = 2048;

export function wasmProblem(build: KernelBuild): string | undefined {
  return buildProblem(binary, build);
}

export function wasmEngine(build: KernelBuild): Engine {
  const load = (): Kernel<Products> => loadKernel<Products>("matrix/products", binary, { build });
  return {
    name: build,
    product(m, n, k, alpha, A, transA, B, transB, C) {
      if (m * n * k < SMALL) plainEngine.product(m, n, k, alpha, A, transA, B, transB, C);
      else product(load(), m, n, k, alpha, A, transA, B, transB, C);
    },
    gram(rows, cols, X, C) {
      if (rows * cols * cols < SMALL) plainEngine.gram(rows, cols, X, C);
      else if (cols <= SIDE) gram(load(), rows, cols, X, C);
      else gramByProduct(load(), rows, cols, X, C);
    },
  };
}

function product(
  kernel: Kernel<Products>,
  m: number,
  n: number,
  k: number,
  alpha: number,
  A: Float64Array,
  transA: boolean,
  B: Float64Array,
  transB: boolean,
  C: Float64Array,
): void {
  const nb = n <= SIDE ? n : SIDE;
  let mb = m <= SIDE ? m : SIDE;
  const kb = Math.min(k, Math.max(SIDE, Math.floor(STREAM / (mb + nb))));
  mb = Math.min(m, Math.max(mb, Math.floor(STREAM / (kb + nb))));
  kernel.scope(() => {
    const a = kernel.reserve(8 * mb * kb);
    const b = kernel.reserve(8 * kb * nb);
    const c = kernel.reserve(8 * mb * nb);
    const work = kernel.reserve(kernel.exports.gemmWork());
    const viewA = kernel.f64(a, mb * kb);
    const viewB = kernel.f64(b, kb * nb);
    const viewC = kernel.f64(c, mb * nb);
    const oneB = nb === n && kb === k;
    for (let j = 0; j < n; j += nb) {
      const columns = Math.min(nb, n - j);
      for (let i = 0; i < m; i += mb) {
        const rows = Math.min(mb, m - i);
        copyBlock(C, n, i, j, rows, columns, viewC);
        for (let p = 0; p < k; p += kb) {
          const depth = Math.min(kb, k - p);
          if (transA) copyBlock(A, m, p, i, depth, rows, viewA);
          else copyBlock(A, k, i, p, rows, depth, viewA);
          if (!oneB || i === 0) {
            if (transB) copyBlock(B, k, j, p, columns, depth, viewB);
            else copyBlock(B, n, p, j, depth, columns, viewB);
          }
          const [ars, acs] = transA ? [1, rows] : [depth, 1];
          const [brs, bcs] = transB ? [1, depth] : [columns, 1];
          kernel.exports.gemm(rows, columns, depth, alpha, a, ars, acs, b, brs, bcs, c, columns, work);
        }
        copyBack(viewC, rows, columns, C, n, i, j);
      }
    }
  });
}

function gram(kernel: Kernel<Products>, rows: number, cols: number, X: Float64Array, C: Float64Array): void {
  const step = Math.max(64, Math.min(512, Math.floor(STREAM / cols)));
  kernel.scope(() => {
    const x = kernel.reserve(8 * step * cols);
    const c = kernel.reserve(8 * cols * cols);
    const work = kernel.reserve(128 + 8 * step * (cols + 4));
    const viewX = kernel.f64(x, step * cols);
    const viewC = kernel.f64(c, cols * cols).fill(0);
    for (let i = 0; i < rows; i += step) {
      const count = Math.min(step, rows - i);
      viewX.set(X.subarray(i * cols, (i + count) * cols));
      kernel.exports.gram(count, cols, x, c, work);
    }
    C.set(viewC);
  });
  mirror(cols, C);
}

/** X'X of very wide X, by pairs of column blocks. */
function gramByProduct(
  kernel: Kernel<Products>,
  rows: number,
  cols: number,
  X: Float64Array,
  C: Float64Array,
): void {
  const depth = Math.min(rows, SIDE);
  kernel.scope(() => {
    const a = kernel.reserve(8 * depth * SIDE);
    const b = kernel.reserve(8 * depth * SIDE);
    const c = kernel.reserve(8 * SIDE * SIDE);
    const work = kernel.reserve(kernel.exports.gemmWork());
    const viewA = kernel.f64(a, depth * SIDE);
    const viewB = kernel.f64(b, depth * SIDE);
    const viewC = kernel.f64(c, SIDE * SIDE);
    for (let i = 0; i < cols; i += SIDE) {
      const height = Math.min(SIDE, cols - i);
      for (let j = i; j < cols; j += SIDE) {
        const width = Math.min(SIDE, cols - j);
        viewC.fill(0);
        for (let p = 0; p < rows; p += depth) {
          const count = Math.min(depth, rows - p);
          copyBlock(X, cols, p, i, count, height, viewA);
          copyBlock(X, cols, p, j, count, width, viewB);
          kernel.exports.gemm(height, width, count, 1, a, 1, height, b, width, 1, c, width, work);
        }
        copyBack(viewC, height, width, C, cols, i, j);
      }
    }
  });
  mirror(cols, C);
}

/** The block of `rows` x `columns` at (i, j) of a row-major array with `stride` columns, made contiguous. */
function copyBlock(
  source: Float64Array,
  stride: number,
  i: number,
  j: number,
  rows: number,
  columns: number,
  target: Float64Array,
): void {
  if (columns === stride) {
    target.set(source.subarray(i * stride, (i + rows) * stride));
    return;
  }
  for (let r = 0; r < rows; r++) {
    const start = (i + r) * stride + j;
    target.set(source.subarray(start, start + columns), r * columns);
  }
}

function copyBack(
  block: Float64Array,
  rows: number,
  columns: number,
  target: Float64Array,
  stride: number,
  i: number,
  j: number,
): void {
  if (columns === stride) {
    target.set(block.subarray(0, rows * columns), i * stride);
    return;
  }
  for (let r = 0; r < rows; r++) {
    target.set(block.subarray(r * columns, (r + 1) * columns), (i + r) * stride + j);
  }
}

/** Copies the upper triangle to the lower one. */
function mirror(n: number, C: Float64Array): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) C[i * n + j] = C[j * n + i];
  }
}
