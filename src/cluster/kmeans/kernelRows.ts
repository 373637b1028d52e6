import type { Exports } from "../kernel/assign.wasm.ts";
import { matrix, type Matrix, type ParallelKernel } from "../../matrix/index.ts";
import { isReordered, placed, placedRows, storeRows } from "../../matrix/internal.ts";

/** Rows that one task of the kernel handles. */
export const SPAN = 512;

/** What a task takes after its number, its scratch, the number of rows and SPAN. */
type RestOf<N extends keyof Exports> = Exports[N] extends (
  task: number,
  scratch: number,
  rows: number,
  span: number,
  ...rest: infer R
) => void
  ? Readonly<R>
  : never;

export function kernelRows(X: Matrix, kernel: ParallelKernel<Exports>) {
  const { rows, cols } = X;
  const stride = cols + (cols & 1);
  const base = kernel.reserve(8 * rows * stride);
  const [labels, summed] = [kernel.reserve(4 * (rows + 7)), kernel.reserve(4 * rows)];
  return {
    kernel,
    rows,
    cols,
    /** Stride of the rows in doubles: cols rounded up to even, the last one 0. */
    stride,
    /** Where the rows are. */
    base,
    /** Where there are integers for their labels, and for those that the sums of clusters have. */
    labels,
    summed,
    /** The largest absolute value, NaN with a cell that is not finite, if the rows were placed one by one. */
    largest: loadAll(X, kernel, stride, base),
    /** Runs an export on all rows, SPAN of them in a task; `rest` follows their number and SPAN. */
    run: <N extends keyof Exports>(name: N, scratchBytes: number, rest: RestOf<N>): void =>
      kernel.run(name, Math.ceil(rows / SPAN), scratchBytes, [rows, SPAN, ...rest] as never),
    /** Where the weights of the rows are now, in the open scope; 0 for none. */
    weights: (values: Float64Array | undefined): number =>
      values === undefined ? 0 : placed(kernel, values),
    /** Where K x cols numbers are now, in the open scope, with the stride of the rows. */
    placed: (values: Float64Array): number =>
      placedRows(kernel, matrix(values.length / cols, cols, values), stride),
    /** Writes K x cols numbers to `address` with the stride of the rows. */
    store: (values: Float64Array, address: number): void =>
      storeRows(values, cols, kernel.f64(address, (values.length / cols) * stride), stride),
  };
}

/** Dense rows in the memory of the kernel. */
export type KernelRows = ReturnType<typeof kernelRows>;

/** Where the kernel writes the rows that move: those of a task from its first row on, as many as its count. */
export function movedRows({ kernel, rows: n }: KernelRows) {
  const tasks = Math.ceil(n / SPAN);
  const at = [kernel.reserve(4 * n), kernel.reserve(8 * n), kernel.reserve(4 * tasks)] as const;
  return {
    /** The addresses of the rows, their gains and the counts. */
    at,
    /** The rows of all tasks together. */
    read: () => ({
      count: kernel.exports.gather(SPAN, tasks, ...at),
      rows: kernel.i32(at[0], n),
      gains: kernel.f64(at[1], n),
    }),
  };
}

/** Values that are copied as they are at a time, for the threads to put them in their places while they are in cache. */
const COPIED = 2 ** 18;

/** Returns the largest absolute value if it is seen. */
function loadAll(
  X: Matrix,
  kernel: ParallelKernel<Exports>,
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
    const seen = kernel.reserve(8 * Math.ceil(block / SPAN));
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
      kernel.run("place", tasks, 0, [count, SPAN, cols, stride, raw, to[0], to[1], seen]);
      for (const own of kernel.f64(seen, tasks)) largest = Math.max(largest, own);
    }
    return largest;
  });
}
