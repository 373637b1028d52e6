import { SPAN, type KernelRows } from "../mercer/kernelRows.ts";
import type { NarrowRows } from "./narrowRows.ts";
import type { SeedRows } from "./points.ts";

/**
 * Distances for drawing centres, in the kernel's memory; allocated in the open scope. With `narrow`, those that 16 bits
 * know to 1/64 are not measured.
 */
export function seedRows(
  rows: KernelRows,
  weights: Float64Array | undefined,
  narrow: NarrowRows | undefined,
): SeedRows {
  const { kernel, rows: n, stride, store } = rows;
  const tasks = Math.ceil(n / SPAN);
  const limits = kernel.reserve(8 * n);
  const weightsAt = weights === undefined ? 0 : kernel.reserve(8 * n);
  const masses = kernel.reserve(8 * tasks);
  kernel.f64(limits, n).fill(Infinity);
  if (weights !== undefined) kernel.f64(weightsAt, n).set(weights);
  /** Runs `task` with the addresses of the weights and the limits, and the number of its first task. */
  const forEachBlock = (
    task: (count: number, X: number, weights: number, limits: number, first: number) => void,
  ): void =>
    rows.forEachBlock(0, n, (first, count, X) =>
      task(count, X, weightsAt && weightsAt + 8 * first, limits + 8 * first, first / SPAN),
    );
  /** The sums of the tasks, `between` numbers from one to the next. */
  const added = (sums: number, count: number, between: number): Float64Array => {
    const each = kernel.f64(sums, between * tasks);
    const total = new Float64Array(count);
    for (let at = 0; at < each.length; at += between)
      for (let t = 0; t < count; t++) total[t] += each[at + t];
    return total;
  };
  const shared = {
    span: SPAN,
    masses: () => kernel.f64(masses, tasks),
    mass: (i: number) => kernel.heap()[limits / 8 + i] * (weights === undefined ? 1 : weights[i]),
  };
  if (narrow !== undefined) {
    let D = 0;
    let tried = 0;
    return {
      ...shared,
      potentials(candidates, count) {
        if (tried !== count) D = kernel.reserve(8 * n * count);
        tried = count;
        return kernel.scope(() => {
          const centers = kernel.reserve(8 * count * stride);
          const narrowed = kernel.reserve(narrow.centerBytes(count));
          const sums = kernel.reserve(8 * count * tasks);
          store(candidates, count, centers);
          narrow.narrow(centers, count, narrowed);
          forEachBlock((size, X, weights, limits, first) => {
            const args = narrow.args(count, X, first * SPAN, centers, narrowed);
            const to = [D + 8 * count * first * SPAN, sums + 8 * count * first] as const;
            kernel.run("closer", Math.ceil(size / SPAN), 32, [size, SPAN, ...args, weights, limits, ...to]);
          });
          return added(sums, count, count);
        });
      },
      lower(_, candidate) {
        const [limit, distances] = [kernel.f64(limits, n), kernel.f64(D, n * tried)];
        const mass = kernel.f64(masses, tasks);
        for (let task = 0, i = 0, p = candidate; task < tasks; task++) {
          let sum = 0;
          for (const end = Math.min(n, i + SPAN); i < end; i++, p += tried) {
            limit[i] = distances[p];
            sum += weights === undefined ? distances[p] : weights[i] * distances[p];
          }
          mass[task] = sum;
        }
      },
    };
  }
  return {
    ...shared,
    potentials: (candidates, count) =>
      kernel.scope(() => {
        const eights = Math.ceil(count / 8) * 8;
        const centers = kernel.reserve(8 * count * stride);
        const panels = kernel.reserve(8 * eights * stride);
        const sums = kernel.reserve(8 * eights * tasks);
        store(candidates, count, centers);
        kernel.exports.panels(stride, count, centers, panels);
        forEachBlock((size, X, weights, limits, first) => {
          const to = sums + 8 * eights * first;
          const args = [size, SPAN, stride, count, X, panels, weights, limits, to] as const;
          kernel.run("potentials", Math.ceil(size / SPAN), 0, args);
        });
        return added(sums, count, eights);
      }),
    lower: (center) =>
      kernel.scope(() => {
        const at = kernel.reserve(8 * stride);
        store(center, 1, at);
        forEachBlock((size, X, weights, limits, first) => {
          const args = [size, SPAN, stride, X, at, weights, limits, masses + 8 * first] as const;
          kernel.run("lower", Math.ceil(size / SPAN), 0, args);
        });
      }),
  };
}
