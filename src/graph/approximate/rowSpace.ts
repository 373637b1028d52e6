import { loadKernel, matrix, multiplyTransposeB, type Kernel, type Matrix } from "../../matrix/index.ts";
import { buildProblem, placed } from "../../matrix/internal.ts";
import type { Exports } from "../kernel/cells.wasm.ts";
import * as binary from "../kernel/cells.wasm.ts";

/** Values of rows that are multiplied at a time. */
const PART_VALUES = 2 ** 20;
/** All rows stay in double precision beside the others if they take no more memory than this. */
const MOST_BYTES = 2 ** 29;

/** The kernel of approximate searches: its distances need no certain last bit. */
export function cellKernel(): Kernel<Exports> {
  const build = buildProblem(binary, "relaxed") === undefined ? "relaxed" : "simd";
  return loadKernel<Exports>("graph/cells", binary, { build });
}

/** Room for the rows of X in all columns and in `directions`; inside a scope of the kernel. */
export function reserveRows(
  kernel: Kernel<Exports>,
  X: Matrix,
  directions: number,
  { means, scale }: { readonly means: Float64Array; readonly scale: number },
) {
  const width = (X.cols + 3) & ~3;
  const q = (directions + 7) & ~7;
  const numbers = kernel.reserve(4 * X.rows);
  const [full, short] = [kernel.reserve(4 * width * X.rows), kernel.reserve(4 * q * X.rows)];
  const zeros = kernel.reserve(4 * (width + q));
  kernel.f32(zeros, width + q).fill(0);
  kernel.i32(numbers, X.rows).forEach((_, i, all) => (all[i] = i));
  return {
    kernel,
    X,
    means,
    /** A power of two: entries are (x - mean) times this. */
    scale,
    /** Main directions, rounded up to a multiple of eight. */
    q,
    /** Columns, rounded up to a multiple of four. */
    width,
    /** Addresses: the rows in all columns and in the main directions. */
    full,
    short,
    /** The numbers 0, 1, 2, ... of all rows, and a row of zeros. */
    numbers,
    zeros,
  };
}

/**
 * Rows in the memory of the kernel (kernel/cells.as.ts), in single precision, less a mean and scaled: in q main directions,
 * in the order of X at first and later in that of the cells, and in all columns in the order of the cells.
 */
export type RowSpace = ReturnType<typeof reserveRows>;

/** Columns are compared in this many main directions; 0: in all columns. */
export function useDepth({ kernel, full, short, width, q }: RowSpace, depth: number): void {
  if (depth === 0) kernel.exports.useSpace(full, 4 * width, 4 * width);
  else kernel.exports.useSpace(short, 4 * q, 4 * depth);
}

/** The rows less the mean, times the scale; in place. */
export function scaled(rows: Matrix, { means, scale }: Pick<RowSpace, "means" | "scale">): Matrix {
  const { cols: d, data } = rows;
  for (let p = 0; p < data.length;) for (let f = 0; f < d; f++, p++) data[p] = (data[p] - means[f]) * scale;
  return rows;
}

/** Fills `short`: the rows along the main directions, in the order of X. */
export function projectRows(space: RowSpace, V: Matrix): void {
  const { kernel, X, q, short } = space;
  const { rows: n, cols: d, data } = X;
  const directions = matrix(q, d);
  directions.data.set(V.data);
  const most = Math.max(1, Math.floor(PART_VALUES / d));
  for (let first = 0; first < n; first += most) {
    const count = Math.min(most, n - first);
    const part = matrix(count, d, data.slice(first * d, (first + count) * d));
    const along = multiplyTransposeB(scaled(part, space), directions);
    kernel.f32(short + 4 * q * first, count * q).set(along.data);
  }
}

/** Fills `full` in the order of positions; returns the address of the rows in double precision if these fit, too. */
export function fillRows(space: RowSpace, rowAt: Int32Array): number | undefined {
  const { kernel, X, full, width, means, scale } = space;
  const { rows: n, cols: d, data } = X;
  const values = 8 * n * d <= MOST_BYTES ? kernel.reserve(8 * n * d) : undefined;
  const exact = values === undefined ? undefined : kernel.f64(values, n * d);
  const single = kernel.f32(full, n * width).fill(0);
  for (let p = 0; p < n; p++) {
    const from = rowAt[p] * d;
    exact?.set(data.subarray(from, from + d), p * d);
    for (let f = 0, to = p * width; f < d; f++) single[to++] = (data[from + f] - means[f]) * scale;
  }
  return values;
}

export function reserveWoven({ kernel }: RowSpace, count: number, depth: number) {
  const eights = (count + 7) & ~7;
  const [woven, units] = [kernel.reserve(2 * depth * eights), kernel.reserve(4 * eights)];
  return { count, depth, woven, units, lengths: kernel.reserve(4 * eights) };
}

/** Addresses of rows as woven integers, of their units and of their squared lengths. */
export type WovenRows = ReturnType<typeof reserveWoven>;

/** Weaves the first rows of the space that is in use. */
export function weaveRows(
  { kernel, numbers, zeros }: RowSpace,
  { count, depth, woven, units, lengths }: WovenRows,
): void {
  kernel.scope(() => {
    const integers = kernel.reserve(2 * depth * count);
    kernel.exports.shrink(numbers, count, zeros, integers, units, lengths, 0);
    kernel.exports.weave(count, integers, woven);
  });
}

/** The `wanted` nearest of the woven rows for the listed rows, nearest first. */
export function nearestWoven(
  space: RowSpace,
  { count, depth, woven, units, lengths }: WovenRows,
  list: Int32Array,
  wanted: number,
): Int32Array {
  const { kernel, zeros } = space;
  return kernel.scope(() => {
    const [at, found] = [placed(kernel, list), kernel.reserve(4 * list.length * wanted)];
    const work = kernel.reserve(16 * (count + 8) + 4 * wanted + 32 + 8 * depth);
    useDepth(space, depth);
    kernel.exports.nearestWoven(at, list.length, count, woven, units, lengths, zeros, wanted, found, work);
    return kernel.i32(found, list.length * wanted).slice();
  });
}
