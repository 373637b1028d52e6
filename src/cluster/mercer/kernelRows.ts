import type { Exports as AssignExports } from "../kernel/assign.wasm.ts";
import type { Matrix, ParallelKernel } from "../../matrix/index.ts";
import { isReordered } from "../../matrix/internal.ts";

/** Rows that one task of the kernel handles. */
export const SPAN = 512;
/** Size of the blocks in which larger data passes through the kernel's memory. */
const BLOCK_BYTES = 2 ** 25;

/** Dense rows in the memory of the kernel, some or all at a time. */
export interface KernelRows {
  readonly kernel: ParallelKernel<AssignExports>;
  readonly rows: number;
  readonly cols: number;
  /** Stride of the rows in doubles: cols rounded up to even, the last one 0. */
  readonly stride: number;
  /** All rows are there at once. */
  readonly resident: boolean;
  /** Where they are then. */
  readonly base: number;
  /** Where there are integers for their labels, and for those that the sums of clusters have. */
  readonly labels: number;
  readonly summed: number;
  /** The largest absolute value, NaN with a cell that is not finite, if the rows were placed one by one. */
  readonly largest: number | undefined;
  /** Where the weights of the rows are now, in the open scope; 0 for none. */
  weights(values: Float64Array | undefined): number;
  /** Calls `visit(first, count, address)` for consecutive blocks of the rows `from` to `to` - 1: whole tasks of SPAN rows. */
  forEachBlock(
    from: number,
    to: number,
    visit: (first: number, count: number, address: number) => void,
  ): void;
  /** Writes K x cols numbers to `address` with the stride of the rows. */
  store(values: Float64Array, K: number, address: number): void;
  /** Reads what `store` wrote. */
  load(address: number, K: number, values: Float64Array): void;
}

export function kernelRows(
  X: Matrix,
  kernel: ParallelKernel<AssignExports>,
  residentBytes: number,
): KernelRows {
  const { rows, cols } = X;
  const stride = cols + (cols & 1);
  const resident = 8 * rows * stride <= residentBytes;
  const block = resident
    ? rows
    : Math.max(1, Math.floor(Math.min(BLOCK_BYTES, residentBytes) / (8 * stride * SPAN))) * SPAN;
  const base = kernel.reserve(8 * block * stride);
  const [labels, summed] = [kernel.reserve(4 * (rows + 7)), kernel.reserve(4 * rows)];
  const copy = (values: Float64Array, count: number, address: number): void => {
    const target = kernel.f64(address, count * stride);
    if (stride === cols) {
      target.set(values.subarray(0, count * cols));
      return;
    }
    for (let i = 0, p = 0, q = 0; i < count; i++) {
      for (let j = 0; j < cols; j++) target[q++] = values[p++];
      target[q++] = 0;
    }
  };
  return {
    kernel,
    rows,
    cols,
    stride,
    resident,
    base,
    labels,
    summed,
    largest: resident ? loadAll(X, kernel, stride, base) : undefined,
    weights(values) {
      if (values === undefined) return 0;
      const address = kernel.reserve(8 * rows);
      kernel.f64(address, rows).set(values);
      return address;
    },
    store: copy,
    load(address, K, values) {
      const from = kernel.f64(address, K * stride);
      for (let k = 0; k < K; k++) values.set(from.subarray(k * stride, k * stride + cols), k * cols);
    },
    forEachBlock(from, to, visit) {
      if (resident) {
        visit(from, to - from, base + 8 * from * stride);
        return;
      }
      const { data } = X;
      for (let first = from; first < to; first += block) {
        const count = Math.min(block, to - first);
        copy(data.subarray(first * cols, (first + count) * cols), count, base);
        visit(first, count, base);
      }
    },
  };
}

/** Values that are copied as they are at a time, for the threads to put them in their places while they are in cache. */
const COPIED = 2 ** 18;

/** Returns the largest absolute value if it is seen. */
function loadAll(
  X: Matrix,
  kernel: ParallelKernel<AssignExports>,
  stride: number,
  base: number,
): number | undefined {
  const { rows, cols } = X;
  const [{ data }, order] = isReordered(X) ? [X.given, X.order] : [X, undefined];
  if (order === undefined && stride === cols) {
    kernel.f64(base, rows * cols).set(data);
    return undefined;
  }
  const block = Math.min(rows, Math.max(SPAN, Math.floor(COPIED / cols)));
  return kernel.scope(() => {
    const raw = kernel.reserve(8 * block * cols);
    const found = kernel.reserve(8 * Math.ceil(block / SPAN));
    let largest = 0;
    const places = order === undefined ? 0 : kernel.reserve(4 * rows);
    if (order !== undefined) {
      const placeOf = kernel.i32(places, rows);
      for (let p = 0; p < rows; p++) placeOf[order[p]] = p;
    }
    for (let first = 0; first < rows; first += block) {
      const count = Math.min(block, rows - first);
      kernel.f64(raw, count * cols).set(data.subarray(first * cols, (first + count) * cols));
      const to = order === undefined ? [0, base + 8 * first * stride] : [places + 4 * first, base];
      const tasks = Math.ceil(count / SPAN);
      kernel.run("place", tasks, 0, [count, SPAN, cols, stride, raw, to[0], to[1], found]);
      for (const own of kernel.f64(found, tasks)) largest = Math.max(largest, own);
    }
    return largest;
  });
}
