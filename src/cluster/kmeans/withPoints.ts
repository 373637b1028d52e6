import { isSparse, parallelKernel, takeRows, type Matrix, type Sparse } from "../../matrix/index.ts";
import { mirrored, unpadded } from "../../matrix/internal.ts";
import * as binary from "../kernel/assign.wasm.ts";
import { assignersOf, LEAST_COLUMNS, type NarrowRows } from "./kernelAssigners.ts";
import { kernelRows, SPAN, type KernelRows } from "./kernelRows.ts";
import { densePoints, PARTS, partsOf, sparsePoints, weightedSum, type Points } from "./points.ts";

/** Limits for large data; tests set them low. */
const LIMITS = {
  /** Numbers in X from which several threads are faster than one: below this, a pass is too short to share. */
  parallelValues: 2 ** 21,
  /** Bytes of the kernel's memory, 4 GiB at most, for the rows and what is known about each; larger data stays outside. */
  residentBytes: 3.5 * 2 ** 30,
};

/** Passes the rows of X to `work` in the form for the current engine; they are freed when it ends. */
export function withPoints<T>(
  X: Matrix | Sparse,
  work: (points: Points) => T,
  limits: typeof LIMITS = LIMITS,
): T {
  if (isSparse(X)) return work(sparsePoints(X));
  if (X.rows * rowBytes(X.cols) > limits.residentBytes) return work(densePoints(X));
  const kernel = kernelFor(X, limits);
  return kernel.scope(() => work(kernelPoints(X, kernelRows(X, kernel))));
}

/** Bytes of a row with its labels, bounds and gains; of a long one also those of its integers and its bounds of all centres. */
function rowBytes(cols: number): number {
  return 8 * (cols + 1) + 64 + (cols < LEAST_COLUMNS ? 0 : 2 * cols + 304);
}

/** Threads that are not running yet start while the caller prepares the rows for `withPoints`. */
export function startThreadsFor(X: Matrix | Sparse): void {
  if (!isSparse(X)) kernelFor(X, LIMITS);
}

function kernelFor({ rows, cols }: Matrix, { parallelValues }: typeof LIMITS) {
  return parallelKernel<binary.Exports>("cluster/assign", binary, rows * cols >= parallelValues);
}

function kernelPoints(X: Matrix, rows: KernelRows): Points {
  const { kernel, rows: n, cols, stride, base } = rows;
  const { narrow, assignerTo } = assignersOf(rows);
  const points: Points = {
    rows: n,
    cols,
    largest: rows.largest,
    labels: () => kernel.i32(rows.labels, n),
    summed: () => kernel.i32(rows.summed, n),
    add(i, factor, target, at) {
      const heap = kernel.heap();
      for (let j = 0, p = base / 8 + i * stride; j < cols; j++) target[at + j] += factor * heap[p + j];
    },
    move: (count, weights, sums) =>
      kernel.scope(() => {
        const K = sums.length / cols;
        const parts = partsOf(count, K, cols);
        const weightsAt = rows.weights(weights);
        const sumsAt = kernel.reserve(8 * (parts + 1) * K * stride);
        rows.store(sums, sumsAt);
        const at = [base, rows.summed, rows.labels, weightsAt, sumsAt] as const;
        kernel.run("moveRows", parts, 0, [n, Math.ceil(n / parts), stride, K, ...at]);
        kernel.exports.addParts(K * stride, parts, sumsAt);
        sums.set(unpadded(kernel.f64(sumsAt, K * stride), stride, cols).data);
      }),
    distances: (from, to, C, K, out) =>
      kernel.scope(() => {
        const centers = rows.placed(C.subarray(0, K * cols));
        const [count, result] = [to - from, kernel.reserve(8 * K * (to - from))];
        const args = [count, SPAN, stride, K, base + 8 * from * stride, centers, result] as const;
        kernel.run("distances", Math.ceil(count / SPAN), 0, args);
        out.set(kernel.f64(result, K * count));
      }),
    seeding(weights, work) {
      const filter = narrow();
      return kernel.scope(() => work(kernelSeedRows(weights, rows, filter)));
    },
    take: (list) => densePoints(takeRows(X, list)),
    nearest(C, K, known) {
      const make = assignerTo(K);
      return kernel.scope(() => {
        const assigner = make();
        assigner.reset(known ? C : undefined);
        return assigner.assign(C).count;
      });
    },
    ownDistances: (C, labels, weights, out) =>
      kernel.scope(() => {
        const centers = rows.placed(C);
        const result = kernel.reserve(8 * n);
        if (labels !== undefined) points.labels().set(labels);
        rows.run("ownDistances", 0, [stride, base, centers, rows.labels, result]);
        const own = kernel.f64(result, n);
        out?.set(own);
        return weightedSum(own, weights);
      }),
    assigner: (K) => assignerTo(K)(),
  };
  if (cols <= SCATTER_COLUMNS) points.scatter = (weights) => scatterOf(rows, weights);
  return points;
}

/** `seedRows` in the kernel's memory; allocated in the open scope. With `narrow`, distances that 16 bits know to 1/64 are not measured. */
function kernelSeedRows(weights: Float64Array | undefined, rows: KernelRows, narrow: NarrowRows | undefined) {
  const { kernel, rows: n, stride, base, labels } = rows;
  const limits = kernel.reserve(8 * n);
  const weightsAt = rows.weights(weights);
  kernel.f64(limits, n).fill(Infinity);
  /** Runs the kernel on all rows (0), or on those of a list, of which there are `size`; returns the `length` numbers that it writes. */
  const run = (C: Float64Array, count: number, list: number, size: number, first: number, length: number) => {
    const to = kernel.reserve(8 * length);
    const centers = rows.placed(C.subarray(0, count * rows.cols));
    const packed = kernel.reserve(narrow?.centerBytes(count) ?? 8 * Math.ceil(count / 8) * 8 * stride);
    const rest = [list, limits, labels, weightsAt, first, to] as const;
    const tasks = Math.ceil(size / SPAN);
    if (narrow === undefined) {
      kernel.exports.panels(stride, count, centers, packed);
      const args = [size, SPAN, stride, count, base, packed, ...rest] as const;
      kernel.run("closest", tasks, 8 * Math.ceil(count / 8) * 8, args);
    } else {
      narrow.narrow(centers, count, packed);
      const args = [size, SPAN, ...narrow.args(count, centers, packed), ...rest] as const;
      kernel.run("closestNarrow", tasks, 8 * Math.ceil(count / 4) * 4 + 8, args);
    }
    return kernel.f64(to, length).slice();
  };
  return {
    limits: () => kernel.f64(limits, n),
    distances: (list: Int32Array, C: Float64Array, count: number) =>
      kernel.scope(() => {
        const at = kernel.reserve(4 * list.length);
        kernel.i32(at, list.length).set(list);
        return run(C, count, at, list.length, 0, list.length * count);
      }),
    lower: (C: Float64Array, count: number, first: number) =>
      kernel.scope(() => run(C, count, 0, n, first, Math.ceil(n / SPAN))),
  };
}

/** Columns up to which the scatter of the rows is computed where they are. */
const SCATTER_COLUMNS = 64;

/** sum_i w_i (x_i - mean)(x_i - mean)' */
function scatterOf(rows: KernelRows, weights: Float64Array | undefined): Matrix {
  const { kernel, rows: n, cols: d, stride, base } = rows;
  const span = Math.max(SPAN, Math.ceil(n / PARTS));
  const tasks = Math.ceil(n / span);
  const side = Math.ceil(stride / 4) * 4;
  return kernel.scope(() => {
    const args = [n, span, stride, base, rows.weights(weights)] as const;
    const mean = kernel.reserve(8 * stride);
    const sums = kernel.reserve(8 * tasks * Math.max(stride + 1, side * side));
    /** The sums of `length` numbers of each task. */
    const added = (length: number): Float64Array => {
      const total = new Float64Array(length);
      kernel.f64(sums, tasks * length).forEach((value, p) => (total[p % length] += value));
      return total;
    };
    kernel.run("columnSums", tasks, 0, [...args, sums]);
    const [mass, ...columns] = added(stride + 1);
    kernel.f64(mean, stride).set(columns.map((sum) => sum / mass));
    kernel.run("spread", tasks, kernel.exports.spreadScratch(stride), [...args, mean, sums]);
    return mirrored(added(side * side), side, d);
  });
}
