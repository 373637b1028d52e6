import { engine } from "../../matrix/engine.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import { parallelKernel } from "../../matrix/parallel.ts";
import { isSparse, type Sparse } from "../../matrix/sparse.ts";
import { boundedAssigner } from "./boundedAssigner.ts";
import * as binary from "../kernel/assign.wasm.ts";
import { kernelRows, SPAN, type KernelRows } from "../mercer/kernelRows.ts";
import { NARROW_CENTERS, narrowRows, type NarrowRows } from "./narrowRows.ts";
import { densePoints, sparsePoints, type Points } from "./points.ts";

/** When data is large; tests set the limits low. */
export interface Limits {
  /** Numbers in X from which several threads are faster than one: below, a pass is too short to share. */
  readonly parallelValues: number;
  /** Data up to this size stays in the kernel's memory; larger data passes through it in blocks. */
  readonly residentBytes: number;
}
const LIMITS: Limits = { parallelValues: 2 ** 21, residentBytes: 2 ** 30 };

/** Gives `work` the rows of X in the form that suits the engine in use; they are gone when it ends. */
export function withPoints<T>(X: Matrix | Sparse, work: (points: Points) => T, limits: Limits = LIMITS): T {
  if (isSparse(X)) return work(sparsePoints(X));
  if (engine().name === "plain") return work(densePoints(X));
  const kernel = parallelKernel<binary.Exports>(
    "cluster/assign",
    binary,
    X.data.length >= limits.parallelValues,
  );
  return kernel.scope(() => work(kernelPoints(X, kernelRows(X, kernel, limits.residentBytes))));
}

function kernelPoints(X: Matrix, rows: KernelRows): Points {
  const { kernel, stride } = rows;
  let narrowed: NarrowRows | undefined | "not made" = "not made";
  const narrow = (): NarrowRows | undefined =>
    narrowed === "not made" ? (narrowed = narrowRows(X, rows)) : narrowed;
  const points: Points = {
    ...densePoints(X),
    closer(C, K, limits, out) {
      const filter = narrow();
      if (filter === undefined) {
        points.distances(0, X.rows, C, K, out);
        for (let p = 0; p < out.length; p++) out[p] = Math.min(out[p], limits[Math.floor(p / K)]);
        return;
      }
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
    nearest(C, K) {
      const labels = new Int32Array(X.rows).fill(-1);
      const filter = K >= NARROW_CENTERS ? narrow() : undefined;
      kernel.scope(() => boundedAssigner(rows, K, filter).assign(C, labels));
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
    assigner: (K) => boundedAssigner(rows, K, K >= NARROW_CENTERS ? narrow() : undefined),
  };
  return points;
}
