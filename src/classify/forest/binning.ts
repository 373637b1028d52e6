import { parallelKernel, type Matrix } from "../../matrix/index.ts";
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
 * The same in plain loops: test/classify/plainForest.ts.
 *
 * Bins of equal values if a feature has at most `most` of them, otherwise bins with about equal numbers of
 * rows; equal values always share a bin. Bins depend only on the order of the values, so a monotone
 * transformation of a feature keeps them. Cuts lie halfway between the values on either side.
 */
export function binRows({ rows, cols, data }: Matrix, most: number, bytes: number = MOST_BYTES): BinnedRows {
  const kernel = parallelKernel<binary.Exports>("classify/binning", binary, data.length > PARALLEL);
  const bins = new Uint8Array(rows * cols);
  const cuts: Float64Array[] = [];
  const width = Math.max(1, Math.floor(bytes / (8 * rows)));
  for (let first = 0; first < cols; first += width) {
    const count = Math.min(width, cols - first);
    kernel.scope(() => {
      const [x, binsAt] = [kernel.reserve(8 * rows * count), kernel.reserve(rows * count)];
      const [cutsAt, sizes] = [kernel.reserve(8 * count * most), kernel.reserve(4 * count)];
      const values = kernel.f64(x, rows * count);
      if (count === cols) values.set(data);
      else
        for (let p = 0; p < values.length; p++)
          values[p] = data[Math.floor(p / count) * cols + first + (p % count)];
      kernel.run("bin", count, kernel.exports.binScratch(rows), [
        rows,
        count,
        most,
        x,
        binsAt,
        cutsAt,
        sizes,
      ]);
      bins.set(new Uint8Array(kernel.memory.buffer, binsAt, rows * count), first * rows);
      kernel
        .i32(sizes, count)
        .forEach((size, f) => cuts.push(kernel.f64(cutsAt + 8 * f * most, size).slice()));
    });
  }
  return { rows, features: cols, bins, cuts };
}

/** Values from which several threads are faster than one. */
const PARALLEL = 1e5;
/** Bytes of columns that are copied into the kernel's memory at a time. */
const MOST_BYTES = 2 ** 30;
