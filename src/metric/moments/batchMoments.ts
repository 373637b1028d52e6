import { inputError, numericError } from "../../core/internal.ts";
import { engine, kernelBuild, loadKernel, matrix, type Matrix, type Sparse } from "../../matrix/index.ts";
import * as binary from "../kernel/moments.wasm.ts";

/** Sums over the rows of one batch about a shift s; rows whose code is below 0 are left out. */
export interface BatchMoments {
  /** k x d: sum over the rows of class c of x - s. */
  readonly classSums: Matrix;
  /** d x d: sum (x - s)(x - s)'. */
  readonly secondMoments: Matrix;
  /** The least and the largest value of each column, d values each. */
  readonly extent: { readonly min: Float64Array; readonly max: Float64Array };
}

/** Sums dense batches of d columns; the next call overwrites the result, so nothing is allocated. */
export function denseBatchMoments(
  d: number,
): (X: Matrix, codes: Int32Array, k: number, shift: Float64Array) => BatchMoments {
  const blockRows = Math.min(MOST_ROWS, Math.max(LEAST_ROWS, Math.floor(BLOCK_VALUES / Math.max(1, d))));
  const total = matrix(d, d);
  const extent = new Float64Array(2 * d);
  let sumWide: ((sums: Sums) => void) | undefined;
  return (X, codes, k, shift) => {
    const classSums = matrix(k, d);
    total.data.fill(0);
    extent.fill(Infinity, 0, d).fill(-Infinity, d);
    const sums = { X, codes, shift, classSums, total, extent };
    if (d <= MOST_KERNEL_COLUMNS && kernelBuild() !== undefined) sumBlocks(d, blockRows, sums);
    else (sumWide ??= wideBlocks(d, blockRows))(sums);
    requireFiniteMoments(total, X, codes);
    const [min, max] = [extent.subarray(0, d), extent.subarray(d)];
    return { classSums, secondMoments: total, extent: { min, max } };
  };
}

/** The input and output of a batch sum. */
interface Sums {
  readonly X: Matrix;
  readonly codes: Int32Array;
  readonly shift: Float64Array;
  readonly classSums: Matrix;
  readonly total: Matrix;
  readonly extent: Float64Array;
}

/**
 * Up to this size one thread sums a block, and copying the rows into the kernel matters; beyond it, only X'X
 * does.
 */
const MOST_KERNEL_COLUMNS = 128;

/** Everything in one kernel, into which the rows are copied once. */
function sumBlocks(d: number, blockRows: number, sums: Sums): void {
  const { X, codes, total } = sums;
  const k = sums.classSums.rows;
  const rows = Math.min(blockRows, X.rows);
  const step = Math.max(64, Math.min(512, Math.floor(BLOCK_VALUES / Math.max(1, d))));
  const kernel = loadKernel<binary.Exports>("metric/moments", binary);
  kernel.scope(() => {
    const block = kernel.reserve(8 * rows * d);
    const code = kernel.reserve(4 * rows);
    const shift = kernel.reserve(8 * d);
    const classes = kernel.reserve(8 * k * d);
    const extent = kernel.reserve(16 * d);
    const squares = kernel.reserve(8 * d * d);
    const scratch = kernel.reserve(128 + 8 * step * (d + 4));
    const heap = kernel.heap();
    heap.set(sums.shift, shift / 8);
    heap.fill(0, classes / 8, classes / 8 + k * d);
    heap.set(sums.extent, extent / 8);
    for (let start = 0; start < X.rows; start += rows) {
      const count = Math.min(rows, X.rows - start);
      heap.set(X.data.subarray(start * d, (start + count) * d), block / 8);
      kernel.i32(code, count).set(codes.subarray(start, start + count));
      const kept = kernel.exports.shifted(count, d, block, code, shift, classes, extent);
      kernel.exports.gram(0, scratch, kept, d, Math.max(1, kept), step, block, squares);
      for (let i = 0; i < d; i++) {
        for (let p = i * d + i; p < (i + 1) * d; p++) total.data[p] += heap[squares / 8 + p];
      }
    }
    sums.classSums.data.set(heap.subarray(classes / 8, classes / 8 + k * d));
    sums.extent.set(heap.subarray(extent / 8, extent / 8 + 2 * d));
  });
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < i; j++) total.data[i * d + j] = total.data[j * d + i];
  }
}

/** The same with the product of the engine in use, which has several threads for wide rows. */
function wideBlocks(d: number, blockRows: number): (sums: Sums) => void {
  const part = new Float64Array(d * d);
  let block = new Float64Array(0);
  return ({ X, codes, shift, classSums, total, extent }) => {
    const needed = Math.min(blockRows, X.rows) * d;
    if (block.length < needed) block = new Float64Array(needed);
    for (let start = 0; start < X.rows; start += blockRows) {
      let counted = 0;
      for (let i = start; i < Math.min(X.rows, start + blockRows); i++) {
        if (codes[i] < 0) continue;
        const from = i * d;
        const to = counted++ * d;
        const sum = codes[i] * d;
        for (let f = 0; f < d; f++) {
          const value = X.data[from + f];
          if (value < extent[f]) extent[f] = value;
          if (value > extent[d + f]) extent[d + f] = value;
          block[to + f] = value - shift[f];
          classSums.data[sum + f] += block[to + f];
        }
      }
      engine().gram(counted, d, block.subarray(0, counted * d), part);
      for (let p = 0; p < part.length; p++) total.data[p] += part[p];
    }
  };
}

/**
 * Sparse rows stay sparse, so they are not shifted. `secondMoments` is added to in place, because it may be
 * large.
 */
export function addSparseMoments(
  secondMoments: Matrix,
  X: Sparse,
  codes: Int32Array,
  k: number,
): Pick<BatchMoments, "classSums"> {
  const d = X.cols;
  for (let i = 0; i < X.rows; i++) {
    for (let p = X.offsets[i]; codes[i] >= 0 && p < X.offsets[i + 1]; p++) {
      if (!Number.isFinite(X.values[p])) throw notFinite(X.values[p], i, X.indices[p]);
    }
  }
  const classSums = matrix(k, d);
  for (let i = 0; i < X.rows; i++) {
    if (codes[i] < 0) continue;
    for (let p = X.offsets[i]; p < X.offsets[i + 1]; p++) {
      const row = X.indices[p] * d;
      classSums.data[codes[i] * d + X.indices[p]] += X.values[p];
      for (let q = X.offsets[i]; q < X.offsets[i + 1]; q++) {
        secondMoments.data[row + X.indices[q]] += X.values[p] * X.values[q];
      }
    }
  }
  return { classSums };
}

/** Number of rows that give a shift. */
const SHIFT_ROWS = 1024;

/**
 * A shift near the means of the counted rows: the means of some of them, spread over all. That is near
 * enough: sums about it lose digits only as the means are away from it in standard deviations. Zero if there
 * are none.
 */
export function roughMeans(X: Matrix, codes: Int32Array): Float64Array {
  const d = X.cols;
  const means = new Float64Array(d);
  const step = Math.max(1, Math.floor(X.rows / SHIFT_ROWS));
  let count = 0;
  for (let start = 0; start < X.rows; start += step) {
    const end = Math.min(X.rows, start + step);
    let i = start;
    while (i < end && codes[i] < 0) i++;
    if (i === end) continue;
    count++;
    for (let f = 0, p = i * d; f < d; f++, p++) means[f] += X.data[p];
  }
  return count === 0 ? means : means.map((sum) => sum / count);
}

/** A block should stay in the second-level cache (1 MiB), and be worth a call to the engine. */
const BLOCK_VALUES = 131072;
const LEAST_ROWS = 256;
const MOST_ROWS = 16384;

/** A non-finite cell makes the square of its column non-finite; only then are the cells examined. */
function requireFiniteMoments(S: Matrix, X: Matrix, codes: Int32Array): void {
  const d = S.cols;
  for (let f = 0; f < d; f++) {
    if (Number.isFinite(S.data[f * d + f])) continue;
    for (let i = 0; i < X.rows; i++) {
      const value = X.data[i * d + f];
      if (codes[i] >= 0 && !Number.isFinite(value)) throw notFinite(value, i, f);
    }
    throw numericError(`the squares of column ${f} (counted from 0) are too large to sum: scale it first`);
  }
}

function notFinite(value: number, row: number, column: number): Error {
  return inputError(
    `the batch has ${value} in row ${row}, column ${column} (counted from 0); remove or impute such cells first`,
  );
}
