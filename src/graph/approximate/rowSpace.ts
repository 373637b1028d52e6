import { loadKernel, type Kernel, type Matrix } from "../../matrix/index.ts";
import { buildProblem } from "../../matrix/internal.ts";
import type { Exports } from "../kernel/cells.wasm.ts";
import * as binary from "../kernel/cells.wasm.ts";

/** Rows that are packed at a time when all are passed. */
const PART = 64;
/** All rows stay in double precision beside the others if they take no more memory than this. */
const MOST_BYTES = 2 ** 29;

/** The kernel of approximate searches: its distances need no certain last bit. */
export function cellKernel(): Kernel<Exports> {
  const build = buildProblem(binary, "relaxed") === undefined ? "relaxed" : "simd";
  return loadKernel<Exports>("graph/cells", binary, { build });
}

/** Room for the rows of X in all columns and along `V`, and for `sampled` of them again; inside a scope of the kernel. */
export function reserveRows(
  kernel: Kernel<Exports>,
  X: Matrix,
  V: Matrix,
  sampled: number,
  { means, scale }: { readonly means: Float64Array; readonly scale: number },
) {
  const bytes = 4 * ((X.cols + 3) & ~3);
  const q = (V.rows + 7) & ~7;
  const total = X.rows + sampled;
  const padded = (total + 7) & ~7;
  const numbers = kernel.reserve(4 * padded);
  const [full, short] = [kernel.reserve(bytes * total), kernel.reserve(4 * q * total)];
  const [norms, bounds] = [kernel.reserve(4 * padded), kernel.reserve(4 * padded)];
  const packed = kernel.reserve(bytes * Math.max(PART, q));
  const zeros = kernel.reserve(bytes + 4 * q);
  kernel.f32(zeros, bytes / 4 + q).fill(0);
  kernel.i32(numbers, padded).forEach((_, i, all) => (all[i] = i));
  return {
    kernel,
    X,
    means,
    /** A power of two: entries are (x - mean) times this. */
    scale,
    /** Main directions, rounded up to a multiple of eight. */
    q,
    /** Entries, the sampled ones included. */
    total,
    /** Length of an entry in all columns, in bytes. */
    bytes,
    /** Addresses: entries in all columns and in the main directions, their squared lengths and bounds. */
    full,
    short,
    norms,
    bounds,
    /** The numbers 0, 1, 2, ... of all entries, an entry of zeros, and room for packed entries. */
    numbers,
    zeros,
    packed,
  };
}

/**
 * Rows in the memory of the kernel (kernel/cells.as.ts), in single precision, less a mean and scaled: in all columns, and
 * in q main directions. Entry p is a row of X at first, and later the row at position p in the order of cells; behind all
 * rows the sampled ones stand again, so that they have heaps of their own.
 */
export type RowSpace = ReturnType<typeof reserveRows>;

/** Columns are compared in this many main directions; 0: in all columns. */
export function useDepth({ kernel, full, short, bytes, norms, q }: RowSpace, depth: number): void {
  if (depth === 0) kernel.exports.useSpace(full, bytes, bytes, norms);
  else kernel.exports.useSpace(short, 4 * q, 4 * depth, norms);
}

/** Fills `short`: the rows along the main directions, in the order of X. */
export function projectRows(space: RowSpace, V: Matrix): void {
  const { kernel, X, q, bytes, norms, numbers, packed, short, scale } = space;
  const d = X.cols;
  const most = rowsAtOnce(X);
  kernel.scope(() => {
    const rows = kernel.reserve(bytes * Math.max(most, q));
    const along = kernel.f32(rows, (bytes / 4) * q).fill(0);
    for (let v = 0; v < V.rows; v++) {
      for (let f = 0; f < d; f++) along[(v * bytes) / 4 + f] = V.data[v * d + f];
    }
    const run = kernel.exports;
    run.useSpace(rows, bytes, bytes, norms);
    run.pack(numbers, q, packed);
    eachPart(space, undefined, undefined, (first, part, source, center) => {
      run.useSpace(rows, bytes, bytes, norms);
      run.fill(part, d, source, center, scale, 0);
      run.products(part, q, packed, short + 4 * q * first, 4 * q);
    });
  });
}

/** Fills `full` in the order of positions; returns the address of the rows in double precision if these fit, too. */
export function fillRows(space: RowSpace, rowAt: Int32Array): number | undefined {
  const { kernel, X, full, bytes, norms, scale } = space;
  const size = 8 * X.rows * X.cols;
  const values = size <= MOST_BYTES ? kernel.reserve(size) : undefined;
  eachPart(space, rowAt, values, (first, part, source, center) => {
    kernel.exports.useSpace(full, bytes, bytes, norms);
    kernel.exports.fill(part, X.cols, source, center, scale, first);
  });
  return values;
}

/** Copies the sampled rows behind all others. */
export function appendRows({ kernel, X, total, bytes, q, full, short }: RowSpace, sample: Int32Array): void {
  const [wide, narrow] = [kernel.f32(full, (bytes / 4) * total), kernel.f32(short, q * total)];
  sample.forEach((i, p) => {
    wide.copyWithin(((X.rows + p) * bytes) / 4, (i * bytes) / 4, ((i + 1) * bytes) / 4);
    narrow.copyWithin((X.rows + p) * q, i * q, (i + 1) * q);
  });
}

/**
 * The `most` nearest entries of the first `length` sampled rows among all rows, nearest first, at some depth; `farthest`
 * bounds the distances of others. A row itself is in its list.
 */
export function scanRows(space: RowSpace, depth: number, length: number, most: number) {
  const { kernel, X, total, numbers, packed, norms, bounds } = space;
  const { exports: run } = kernel;
  const n = X.rows;
  return kernel.scope(() => {
    const [D, I] = [kernel.reserve(4 * length * most), kernel.reserve(4 * length * most)];
    useDepth(space, depth);
    run.measureNorms(total);
    run.useHeaps(most, n, n + length, D, I, bounds);
    for (let first = 0; first < n; first += PART) {
      const part = Math.min(PART, n - first);
      const list = numbers + 4 * first;
      run.pack(list, part, packed);
      run.scan(numbers + 4 * n, length, list, part, packed, norms + 4 * first);
    }
    const farthest = Float32Array.from({ length }, (_, p) => kernel.f32(D, length * most)[p * most]);
    run.sortHeaps(n, n + length);
    return { near: kernel.i32(I, length * most).slice(), farthest };
  });
}

/**
 * Calls `use` with parts of the rows, in an order or as they are, copied to the kernel's memory: all of them to `all`, if
 * it is given.
 */
function eachPart(
  { kernel, X, means }: RowSpace,
  order: Int32Array | undefined,
  all: number | undefined,
  use: (first: number, part: number, source: number, center: number) => void,
): void {
  const { rows: n, cols: d } = X;
  kernel.scope(() => {
    const center = kernel.reserve(8 * d);
    const most = rowsAtOnce(X);
    const one = kernel.reserve(8 * most * d);
    kernel.f64(center, d).set(means);
    for (let first = 0; first < n; first += most) {
      const part = Math.min(most, n - first);
      const source = all === undefined ? one : all + 8 * first * d;
      const copy = kernel.f64(source, part * d);
      if (order === undefined) copy.set(X.data.subarray(first * d, (first + part) * d));
      else {
        for (let p = 0; p < part; p++) {
          const i = order[first + p];
          copy.set(X.data.subarray(i * d, (i + 1) * d), p * d);
        }
      }
      use(first, part, source, center);
    }
  });
}

function rowsAtOnce({ rows, cols }: Matrix): number {
  return Math.max(1, Math.min(rows, Math.floor(2 ** 16 / cols)));
}
