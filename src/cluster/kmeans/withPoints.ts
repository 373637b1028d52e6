import { engine } from "../../matrix/engine.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import { parallelKernel } from "../../matrix/parallel.ts";
import { isSparse, type Sparse } from "../../matrix/sparse.ts";
import { boundedAssigner } from "./boundedAssigner.ts";
import * as binary from "../kernel/assign.wasm.ts";
import { kernelRows, SPAN, type KernelRows } from "../mercer/kernelRows.ts";
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
  return {
    ...densePoints(X),
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
    assigner: (K) => boundedAssigner(rows, K),
  };
}
