import { engine } from "../../matrix/engine.ts";
import { matrix, type Matrix } from "../../matrix/matrix.ts";
import { parallelKernel, type ParallelKernel } from "../../matrix/parallel.ts";
import { isSparse, type Sparse } from "../../matrix/sparse.ts";
import type { Assigner } from "./assigner.ts";
import { boundedAssigner } from "./boundedAssigner.ts";
import * as binary from "../kernel/assign.wasm.ts";
import { kernelRows, SPAN, type KernelRows } from "../mercer/kernelRows.ts";
import { laneAssigner, laneRows, lanesPay, type LaneRows } from "./laneAssigner.ts";
import { NARROW_CENTERS, narrowPays, narrowRows, type NarrowRows } from "./narrowRows.ts";
import { densePoints, PARTS, partOf, sparsePoints, type Points, type SeedRows } from "./points.ts";

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
  let narrowed: NarrowRows | undefined | "not made" = "not made";
  const narrow = (): NarrowRows | undefined =>
    narrowed === "not made" ? (narrowed = narrowRows(X, rows)) : narrowed;
  let short: LaneRows | undefined;
  const lanes = (K: number): LaneRows | undefined =>
    lanesPay(rows, K) ? (short ??= laneRows(rows)) : undefined;
  const assignerTo = (K: number, filter: NarrowRows | undefined, short: LaneRows | undefined): Assigner =>
    short === undefined ? boundedAssigner(rows, K, filter) : laneAssigner(rows, K, short);
  const points: Points & Required<Pick<Points, "closer" | "seeding" | "move">> = {
    rows: X.rows,
    cols: X.cols,
    add: rows.resident ? addResident(rows) : densePoints(X).add,
    closer(C, K, limits, out) {
      const filter = narrow()!;
      kernel.scope(() => {
        const centers = kernel.reserve(8 * K * stride);
        const panels = kernel.reserve(filter.centerBytes(K));
        const least = kernel.reserve(8 * X.rows);
        const result = kernel.reserve(8 * K * X.rows);
        rows.store(C, K, centers);
        filter.narrow(centers, K, panels);
        kernel.f64(least, X.rows).set(limits);
        rows.forEachBlock(0, X.rows, (first, count, address) => {
          const args = filter.args(K, address, first, centers, panels);
          kernel.run("closer", Math.ceil(count / SPAN), 16 * filter.padded(K), [
            count,
            SPAN,
            ...args,
            least + 8 * first,
            result + 8 * K * first,
          ]);
        });
        out.set(kernel.f64(result, K * X.rows));
      });
    },
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
    move(count, moved, from, labels, weights, sums) {
      kernel.scope(() => {
        const K = sums.length / X.cols;
        const [list, fromAt, to] = [
          kernel.reserve(4 * count),
          kernel.reserve(4 * count),
          kernel.reserve(4 * count),
        ];
        const weightsAt = weights === undefined ? 0 : kernel.reserve(8 * X.rows);
        const span = partOf(count, K, X.cols);
        const parts = Math.ceil(count / span);
        const sumsAt = kernel.reserve(8 * parts * K * stride);
        kernel.i32(list, count).set(moved.subarray(0, count));
        kernel.i32(fromAt, count).set(from.subarray(0, count));
        const target = kernel.i32(to, count);
        for (let e = 0; e < count; e++) target[e] = labels[moved[e]];
        if (weights !== undefined) kernel.f64(weightsAt, X.rows).set(weights);
        const lists = [list, fromAt, to, weightsAt, sumsAt] as const;
        if (parts > 1) {
          rows.forEachBlock(0, X.rows, (_first, _count, address) =>
            kernel.run("moveParts", parts, 0, [count, span, stride, K, address, ...lists]),
          );
          const own = new Float64Array(sums.length);
          for (let part = 0; part < parts; part++) {
            rows.load(sumsAt + 8 * part * K * stride, K, own);
            for (let p = 0; p < sums.length; p++) sums[p] += own[p];
          }
          return;
        }
        rows.store(sums, K, sumsAt);
        rows.forEachBlock(0, X.rows, (_first, _count, address) =>
          kernel.exports.moveSums(count, stride, address, ...lists),
        );
        rows.load(sumsAt, K, sums);
      });
    },
    seeding: (weights, work) => kernel.scope(() => work(seedRows(rows, weights))),
    nearest(C, K) {
      const labels = new Int32Array(X.rows).fill(-1);
      const [filter, short] = [K >= NARROW_CENTERS ? narrow() : undefined, lanes(K)];
      kernel.scope(() => {
        const one = assignerTo(K, filter, short);
        one.reset();
        one.assign(C, labels);
      });
      return labels;
    },
    ownDistances(C, labels, out) {
      kernel.scope(() => {
        const K = C.length / X.cols;
        const centers = kernel.reserve(8 * K * stride);
        const labelsAt = kernel.reserve(4 * X.rows);
        const result = kernel.reserve(8 * X.rows);
        rows.store(C, K, centers);
        kernel.i32(labelsAt, X.rows).set(labels);
        rows.forEachBlock(0, X.rows, (first, count, address) => {
          const at = [labelsAt + 4 * first, result + 8 * first] as const;
          const args = [count, SPAN, stride, address, centers, ...at] as const;
          kernel.run("ownDistances", Math.ceil(count / SPAN), 0, args);
        });
        out.set(kernel.f64(result, X.rows));
      });
    },
    assigner: (K) => assignerTo(K, K >= NARROW_CENTERS ? narrow() : undefined, lanes(K)),
  };
  if (rows.resident && X.cols <= SCATTER_COLUMNS) points.scatter = (weights) => scatterOf(rows, weights);
  // Long rows are filtered in single precision; the others are measured directly.
  const { closer, seeding, move, ...others } = points;
  if (narrowPays(X, rows)) return { ...others, closer, move };
  return rows.resident ? { ...others, seeding, move } : { ...others, move: densePoints(X).move! };
}

/** Adds factor x_i, read where the rows are. */
function addResident({ kernel, base, stride, cols }: KernelRows): Points["add"] {
  return (i, factor, target, at) => {
    const heap = kernel.heap();
    for (let j = 0, p = base / 8 + i * stride; j < cols; j++) target[at + j] += factor * heap[p + j];
  };
}

/** sum_i w_i (x_i - mean)(x_i - mean)' */
function scatterOf(
  { kernel, rows: n, cols: d, stride, base }: KernelRows,
  weights: Float64Array | undefined,
): Matrix {
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
    const weightsAt = weights === undefined ? 0 : kernel.reserve(8 * n);
    const mean = kernel.reserve(8 * stride);
    const sums = kernel.reserve(8 * tasks * Math.max(stride + 1, side * side));
    if (weights !== undefined) kernel.f64(weightsAt, n).set(weights);
    const args = [n, span, stride, base, weightsAt] as const;
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

function seedRows(
  { kernel, rows: n, stride, store, forEachBlock }: KernelRows,
  weights: Float64Array | undefined,
): SeedRows {
  const tasks = Math.ceil(n / SPAN);
  const limits = kernel.reserve(8 * n);
  const weightsAt = weights === undefined ? 0 : kernel.reserve(8 * n);
  const masses = kernel.reserve(8 * tasks);
  kernel.f64(limits, n).fill(Infinity);
  if (weights !== undefined) kernel.f64(weightsAt, n).set(weights);
  return {
    span: SPAN,
    masses: () => kernel.f64(masses, tasks),
    mass: (i) => kernel.heap()[limits / 8 + i] * (weights === undefined ? 1 : weights[i]),
    potentials: (candidates, count) =>
      kernel.scope(() => {
        const eights = Math.ceil(count / 8) * 8;
        const centers = kernel.reserve(8 * count * stride);
        const panels = kernel.reserve(8 * eights * stride);
        const sums = kernel.reserve(8 * eights * tasks);
        store(candidates, count, centers);
        kernel.exports.panels(stride, count, centers, panels);
        forEachBlock(0, n, (_, rows, X) => {
          const args = [rows, SPAN, stride, count, X, panels, weightsAt, limits, sums] as const;
          kernel.run("potentials", tasks, 0, args);
        });
        const total = new Float64Array(count);
        const each = kernel.f64(sums, eights * tasks);
        for (let at = 0; at < each.length; at += eights) {
          for (let t = 0; t < count; t++) total[t] += each[at + t];
        }
        return total;
      }),
    lower: (center) =>
      kernel.scope(() => {
        const at = kernel.reserve(8 * stride);
        store(center, 1, at);
        forEachBlock(0, n, (_, rows, X) =>
          kernel.run("lower", tasks, 0, [rows, SPAN, stride, X, at, weightsAt, limits, masses]),
        );
      }),
  };
}
