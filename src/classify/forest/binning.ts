import { kernelBuild, parallelKernel, type Matrix } from "../../matrix/index.ts";
import * as binary from "../kernel/binning.wasm.ts";

/** Every cell of a matrix as a bin number, feature by feature: bins[f * rows + i]. */
export interface BinnedRows {
  readonly rows: number;
  readonly features: number;
  readonly bins: Uint8Array;
  /** cuts[f][b] separates bin b of feature f from bin b + 1: x <= cut is at most bin b. */
  readonly cuts: readonly Float64Array[];
}

/**
 * Bins of equal values if a feature has at most `most` of them, otherwise bins with about equal numbers of
 * rows; equal values always share a bin. Bins depend only on the order of the values, so a monotone
 * transformation of a feature keeps them. Cuts lie halfway between the values on either side.
 */
export function binRows(X: Matrix, most: number): BinnedRows {
  return kernelBuild() === undefined || 8 * X.data.length > MOST_BYTES
    ? binPlain(X, most)
    : binInKernel(X, most);
}

/** Values from which several threads are faster than one. */
const PARALLEL = 1e5;
/** Bytes of rows that are copied into the kernel's memory. */
const MOST_BYTES = 2 ** 30;

function binInKernel({ rows, cols, data }: Matrix, most: number): BinnedRows {
  const kernel = parallelKernel<binary.Exports>("classify/binning", binary, data.length > PARALLEL);
  return kernel.scope(() => {
    const [x, bins] = [kernel.reserve(8 * data.length), kernel.reserve(data.length)];
    const [cuts, sizes] = [kernel.reserve(8 * cols * most), kernel.reserve(4 * cols)];
    kernel.f64(x, data.length).set(data);
    kernel.run("bin", cols, kernel.exports.binScratch(rows), [rows, cols, most, x, bins, cuts, sizes]);
    return {
      rows,
      features: cols,
      bins: new Uint8Array(kernel.memory.buffer, bins, data.length).slice(),
      cuts: Array.from(kernel.i32(sizes, cols), (size, f) => kernel.f64(cuts + 8 * f * most, size).slice()),
    };
  });
}

function binPlain({ rows, cols, data }: Matrix, most: number): BinnedRows {
  const bins = new Uint8Array(rows * cols);
  const sorted = new Float64Array(rows);
  const cuts: Float64Array[] = [];
  for (let f = 0; f < cols; f++) {
    for (let i = 0; i < rows; i++) sorted[i] = data[i * cols + f] + 0; // -0 is 0
    sorted.sort();
    const own = cutsOf(sorted, most);
    cuts.push(own);
    for (let i = 0; i < rows; i++) bins[f * rows + i] = binOf(own, data[i * cols + f]);
  }
  return { rows, features: cols, bins, cuts };
}

function cutsOf(sorted: Float64Array, most: number): Float64Array {
  const n = sorted.length;
  let distinct = 1;
  for (let i = 1; i < n; i++) if (sorted[i] !== sorted[i - 1]) distinct++;
  const cuts = new Float64Array(Math.min(distinct, most) - 1);
  const all = distinct <= most;
  let count = 0;
  let due = n / most; // rows that the bins so far should hold
  for (let i = 1; i < n && count < cuts.length; i++) {
    if (sorted[i] === sorted[i - 1] || (!all && i < due - 0.5)) continue;
    cuts[count++] = halfway(sorted[i - 1], sorted[i]);
    // After a value with very many rows, the remaining rows are spread evenly over the remaining bins.
    const held = Math.max(due, i - 0.5);
    due = held + (n - held) / (most - count);
  }
  return cuts.subarray(0, count);
}

/** In [a, b): a itself where nothing lies between or the sum overflows. */
function halfway(a: number, b: number): number {
  const middle = a / 2 + b / 2;
  return middle >= a && middle < b ? middle : a;
}

/** The number of cuts below x. */
function binOf(cuts: Float64Array, x: number): number {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x <= cuts[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}
