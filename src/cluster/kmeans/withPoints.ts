import {
  engine,
  isSparse,
  matrix,
  parallelKernel,
  takeRows,
  type Matrix,
  type ParallelKernel,
  type Sparse,
} from "../../matrix/index.ts";
import type { Assigner } from "./points.ts";
import { boundedAssigner } from "./boundedAssigner.ts";
import * as binary from "../kernel/assign.wasm.ts";
import { kernelRows, SPAN, type KernelRows } from "../mercer/kernelRows.ts";
import { laneAssigner, laneRows, lanesPay, type LaneRows } from "./laneAssigner.ts";
import { NARROW_CENTERS, narrowRows, type NarrowRows } from "./narrowRows.ts";
import {
  densePoints,
  moveInParts,
  PARTS,
  partsOf,
  sparsePoints,
  weightedSum,
  type Points,
} from "./points.ts";
import { kernelSeedRows } from "./seedRows.ts";

/** Limits for large data; tests set them low. */
export interface Limits {
  /**
   * Numbers in X from which several threads are faster than one: below this, a pass is too short to share.
   */
  readonly parallelValues: number;
  /** Data up to this size stays in the kernel's memory; larger data passes through it in blocks. */
  readonly residentBytes: number;
}
const LIMITS: Limits = { parallelValues: 2 ** 21, residentBytes: 2 ** 30 };
/** Columns up to which the scatter of the rows is computed where they are. */
const SCATTER_COLUMNS = 64;

/** Passes the rows of X to `work` in the form for the current engine; they are freed when it ends. */
export function withPoints<T>(X: Matrix | Sparse, work: (points: Points) => T, limits: Limits = LIMITS): T {
  if (isSparse(X)) return work(sparsePoints(X));
  if (engine().name === "plain") return work(densePoints(X));
  const kernel = kernelFor(X, limits);
  return kernel.scope(() => work(kernelPoints(X, kernelRows(X, kernel, limits.residentBytes))));
}

/** Threads that are not running yet start while the caller prepares the rows for `withPoints`. */
export function startThreadsFor(X: Matrix | Sparse): void {
  if (!isSparse(X) && engine().name !== "plain") kernelFor(X, LIMITS);
}

function kernelFor({ rows, cols }: Matrix, { parallelValues }: Limits): ParallelKernel<binary.Exports> {
  return parallelKernel<binary.Exports>("cluster/assign", binary, rows * cols >= parallelValues);
}

function kernelPoints(X: Matrix, rows: KernelRows): Points {
  const { kernel, stride } = rows;
  const n = X.rows;
  let narrowed: NarrowRows | undefined | "not made" = "not made";
  const narrow = (): NarrowRows | undefined =>
    narrowed === "not made" ? (narrowed = narrowRows(X, rows)) : narrowed;
  let short: LaneRows | undefined;
  const lanes = (K: number): LaneRows | undefined =>
    lanesPay(rows, K) ? (short ??= laneRows(X, rows)) : undefined;
  const assignerTo = (K: number, filter: NarrowRows | undefined, short: LaneRows | undefined): Assigner =>
    short === undefined ? boundedAssigner(rows, K, filter) : laneAssigner(rows, K, short);
  const points: Points = {
    rows: n,
    cols: X.cols,
    add: rows.resident ? addResident(rows) : densePoints(X).add,
    move: rows.resident ? moveResident(rows) : (...args) => moveInParts(points, ...args),
    largest: rows.largest,
    labels: () => kernel.i32(rows.labels, n),
    summed: () => kernel.i32(rows.summed, n),
    distances(from, to, C, K, out) {
      kernel.scope(() => {
        const centers = kernel.reserve(8 * K * stride);
        const result = kernel.reserve(8 * K * (to - from));
        rows.store(C, K, centers);
        rows.forEachBlock(from, to, (first, count, address) => {
          const args = [count, SPAN, stride, K, address, centers, result + 8 * K * (first - from)] as const;
          kernel.run("distances", Math.ceil(count / SPAN), 0, args);
        });
        out.set(kernel.f64(result, K * (to - from)));
      });
    },
    seeding(weights, work) {
      const filter = narrow();
      return kernel.scope(() => work(kernelSeedRows(points, weights, rows, filter)));
    },
    take: (list) => densePoints(takeRows(X, list)),
    nearest(C, K, known) {
      const [filter, short] = [K >= NARROW_CENTERS ? narrow() : undefined, lanes(K)];
      return kernel.scope(() => {
        const one = assignerTo(K, filter, short);
        one.reset(known ? C : undefined);
        return one.assign(C).count;
      });
    },
    ownDistances: (C, labels, weights, out) =>
      kernel.scope(() => {
        const K = C.length / X.cols;
        const centers = kernel.reserve(8 * K * stride);
        const result = kernel.reserve(8 * n);
        rows.store(C, K, centers);
        if (labels !== undefined) points.labels().set(labels);
        rows.forEachBlock(0, n, (first, count, address) => {
          const at = [rows.labels + 4 * first, result + 8 * first] as const;
          kernel.run("ownDistances", Math.ceil(count / SPAN), 0, [
            count,
            SPAN,
            stride,
            address,
            centers,
            ...at,
          ]);
        });
        const own = kernel.f64(result, n);
        out?.set(own);
        return weightedSum(own, weights);
      }),
    assigner: (K) => assignerTo(K, K >= NARROW_CENTERS ? narrow() : undefined, lanes(K)),
  };
  if (rows.resident && X.cols <= SCATTER_COLUMNS) points.scatter = (weights) => scatterOf(rows, weights);
  return points;
}

/** Adds factor x_i, read where the rows are. */
function addResident({ kernel, base, stride, cols }: KernelRows): Points["add"] {
  return (i, factor, target, at) => {
    const heap = kernel.heap();
    for (let j = 0, p = base / 8 + i * stride; j < cols; j++) target[at + j] += factor * heap[p + j];
  };
}

function moveResident(rows: KernelRows): Points["move"] {
  const { kernel, rows: n, cols, stride, base } = rows;
  return (count, weights, sums) =>
    kernel.scope(() => {
      const K = sums.length / cols;
      const parts = partsOf(count, K, cols);
      const weightsAt = rows.weights(weights);
      const sumsAt = kernel.reserve(8 * (parts + 1) * K * stride);
      rows.store(sums, K, sumsAt);
      const at = [base, rows.summed, rows.labels, weightsAt, sumsAt] as const;
      const args = [n, Math.ceil(n / parts), stride, K, ...at] as const;
      kernel.run("moveRows", parts, 0, args);
      kernel.exports.addParts(K * stride, parts, sumsAt);
      rows.load(sumsAt, K, sums);
    });
}

/** sum_i w_i (x_i - mean)(x_i - mean)' */
function scatterOf(rows: KernelRows, weights: Float64Array | undefined): Matrix {
  const { kernel, rows: n, cols: d, stride, base } = rows;
  const span = Math.max(SPAN, Math.ceil(n / PARTS));
  const tasks = Math.ceil(n / span);
  const side = Math.ceil(stride / 4) * 4;
  /** The sums of `length` numbers of each task. */
  const added = (address: number, length: number): Float64Array => {
    const each = kernel.f64(address, tasks * length);
    const total = new Float64Array(length);
    for (let at = 0; at < each.length; at += length)
      for (let p = 0; p < length; p++) total[p] += each[at + p];
    return total;
  };
  return kernel.scope(() => {
    const args = [n, span, stride, base, rows.weights(weights)] as const;
    const mean = kernel.reserve(8 * stride);
    const sums = kernel.reserve(8 * tasks * Math.max(stride + 1, side * side));
    kernel.run("columnSums", tasks, 0, [...args, sums]);
    const [mass, ...columns] = added(sums, stride + 1);
    kernel.f64(mean, stride).set(columns.map((sum) => sum / mass));
    kernel.run("spread", tasks, kernel.exports.spreadScratch(stride), [...args, mean, sums]);
    const total = added(sums, side * side);
    const S = matrix(d, d);
    for (let a = 0; a < d; a++) {
      for (let b = a; b < d; b++) S.data[a * d + b] = S.data[b * d + a] = total[a * side + b];
    }
    return S;
  });
}
