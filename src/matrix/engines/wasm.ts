/**
 * The WebAssembly engines. Data stays in ordinary arrays and passes through the kernel's memory in blocks, so
 * neither its size nor its growth limits the size of a matrix: a block is either small enough for the
 * second-level cache (tall and thin operands, where copying would otherwise cost as much as the product) or
 * large enough to make the copy negligible.
 */
import type { Engine } from "../engine.ts";
import * as binary from "../kernel/products.wasm.ts";
import {
  buildProblem,
  memoryProblem,
  parallelKernel,
  type KernelBuild,
  type ParallelKernel,
} from "../wasm.ts";
import { smallProducts } from "./small.ts";

/** Products with fewer multiplications are not worth a call into WebAssembly. */
const SMALL = 1536;
/** Multiplications from which several threads are faster than one. */
const PARALLEL = 1.5e7;
/** Beyond this size X'X does not fit well into one WebAssembly memory, and passes through it in blocks. */
const MOST_GRAM_COLUMNS = 8192;

export function wasmProblem(build: KernelBuild): string | undefined {
  return buildProblem(binary, build) ?? memoryProblem();
}

export function wasmEngine(build: KernelBuild): Engine {
  const load = (multiplications: number): ParallelKernel<binary.Exports> =>
    parallelKernel<binary.Exports>("matrix/products", binary, multiplications > PARALLEL, { build });
  return {
    name: build,
    product(m, n, k, alpha, A, transA, B, transB, C, fresh = false) {
      if (m * n * k < SMALL) smallProducts.product(m, n, k, alpha, A, transA, B, transB, C);
      else product(load(m * n * k), m, n, k, alpha, A, transA, B, transB, C, fresh);
    },
    gram(rows, cols, X, C) {
      if (rows * cols * cols < SMALL) smallProducts.gram(rows, cols, X, C);
      else if (cols <= MOST_GRAM_COLUMNS) gram(load((rows * cols * cols) / 2), rows, cols, X, C);
      else product(load(rows * cols * cols), cols, cols, rows, 1, X, true, X, false, C, true);
    },
  };
}

/** Sides of the blocks of a large product. */
const SIDE = 2048;
/** Number of values that a pass over tall or wide operands holds at a time: 1 MiB. */
const STREAM = 131072;

function product(
  kernel: ParallelKernel<binary.Exports>,
  ...[m, n, k, alpha, A, transA, B, transB, C, fresh]: Parameters<Engine["product"]>
): void {
  const nb = Math.min(n, SIDE);
  const kb = Math.min(k, Math.max(SIDE, Math.floor(STREAM / (Math.min(m, SIDE) + nb))));
  const mb = Math.min(m, Math.max(SIDE, Math.floor(STREAM / (kb + nb))));
  kernel.scope(() => {
    const a = kernel.reserve(8 * mb * kb);
    const b = kernel.reserve(8 * kb * nb);
    const c = kernel.reserve(8 * mb * nb);
    const scratch = kernel.exports.productScratch();
    const keepB = nb === n && kb === k;
    for (let j = 0; j < n; j += nb) {
      const columns = Math.min(nb, n - j);
      for (let i = 0; i < m; i += mb) {
        const rows = Math.min(mb, m - i);
        const { rowSpan, columnSpan, tasks } = cut(rows, columns, kernel.threads);
        // Reading a new array costs a page fault for each of its pages, and writing it another one.
        if (fresh) kernel.heap().fill(0, c / 8, c / 8 + rows * columns);
        else copyBlock(rows, columns, C, i * n + j, n, kernel.heap(), c / 8, columns);
        for (let p = 0; p < k; p += kb) {
          const depth = Math.min(kb, k - p);
          if (transA) copyBlock(depth, rows, A, p * m + i, m, kernel.heap(), a / 8, rows);
          else copyBlock(rows, depth, A, i * k + p, k, kernel.heap(), a / 8, depth);
          if (!keepB || i === 0) {
            if (transB) copyBlock(columns, depth, B, j * k + p, k, kernel.heap(), b / 8, depth);
            else copyBlock(depth, columns, B, p * n + j, n, kernel.heap(), b / 8, columns);
          }
          const [ars, acs] = transA ? [1, rows] : [depth, 1];
          const [brs, bcs] = transB ? [1, depth] : [columns, 1];
          const shape = [rowSpan, columnSpan, rows, columns, depth, alpha] as const;
          kernel.run("product", tasks, scratch, [...shape, a, ars, acs, b, brs, bcs, c]);
        }
        copyBlock(rows, columns, kernel.heap(), c / 8, columns, C, i * n + j, n);
      }
    }
  });
}

/** Cuts C along its longer side, two tasks per thread, in multiples of the rows that are packed together. */
function cut(rows: number, columns: number, threads: number) {
  if (threads === 1) return { rowSpan: rows, columnSpan: columns, tasks: 1 };
  const length = Math.max(rows, columns);
  const span = Math.ceil(length / (2 * threads) / 96) * 96;
  const tasks = Math.ceil(length / span);
  return rows >= columns
    ? { rowSpan: span, columnSpan: columns, tasks }
    : { rowSpan: rows, columnSpan: span, tasks };
}

/** Columns of a task of the gram kernel. */
const GRAM_COLUMNS = 256;

/**
 * X'X as the sum of the products of segments of rows, in their order. A segment depends only on the shape of
 * X, so the sum does not depend on the number computed at a time; it is long enough to make the additions
 * negligible.
 */
function gram(
  kernel: ParallelKernel<binary.Exports>,
  rows: number,
  cols: number,
  X: Float64Array,
  C: Float64Array,
): void {
  const segment = Math.max(
    256,
    Math.floor((2 * STREAM) / cols),
    Math.min(2 * cols, Math.floor(2 ** 23 / cols)),
  );
  const step = Math.max(64, Math.min(512, Math.floor(STREAM / cols)));
  const segments = Math.ceil(rows / segment);
  const room = Math.max(1, Math.floor(2 ** 26 / (cols * (cols + segment))));
  const together = Math.min(segments, kernel.threads === 1 ? 1 : 2 * kernel.threads, room);
  const blocks = Math.ceil(cols / GRAM_COLUMNS);
  C.fill(0);
  kernel.scope(() => {
    const x = kernel.reserve(8 * Math.min(rows, together * segment) * cols);
    const partial = kernel.reserve(8 * together * cols * cols);
    const scratch = 128 + 8 * step * (cols + 4);
    for (let first = 0; first < rows; first += together * segment) {
      const count = Math.min(together * segment, rows - first);
      copyBlock(count, cols, X, first * cols, cols, kernel.heap(), x / 8, cols);
      const here = Math.ceil(count / segment);
      kernel.run("gram", here * blocks, scratch, [count, cols, segment, step, x, partial]);
      const heap = kernel.heap();
      for (let s = 0; s < here; s++) {
        const at = partial / 8 + s * cols * cols;
        for (let i = 0; i < cols; i++) {
          for (let p = i * cols + i; p < (i + 1) * cols; p++) C[p] += heap[at + p];
        }
      }
    }
  });
  for (let i = 0; i < cols; i++) {
    for (let j = 0; j < i; j++) C[i * cols + j] = C[j * cols + i];
  }
}

/** Copies a block from `at` of one row-major array to `to` of another; strides are the lengths of their rows. */
function copyBlock(
  rows: number,
  columns: number,
  source: Float64Array,
  at: number,
  stride: number,
  target: Float64Array,
  to: number,
  width: number,
): void {
  const whole = columns === stride && columns === width;
  const runs = whole ? 1 : rows;
  const length = whole ? rows * columns : columns;
  for (let r = 0; r < runs; r++) {
    target.set(source.subarray(at + r * stride, at + r * stride + length), to + r * width);
  }
}
