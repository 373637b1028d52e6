import { SPAN, type KernelRows } from "../mercer/kernelRows.ts";
import type { NarrowRows } from "./narrowRows.ts";
import type { SeedRows } from "./points.ts";

/**
 * Distances for drawing centres, in the kernel's memory; allocated in the open scope. With `narrow`, those that 16 bits
 * know to 1/64 are not measured.
 */
export function seedRows(
  { kernel, rows: n, stride, store, forEachBlock }: KernelRows,
  weights: Float64Array | undefined,
  narrow: NarrowRows | undefined,
): SeedRows {
  const tasks = Math.ceil(n / SPAN);
  const limits = kernel.reserve(8 * n);
  const weightsAt = weights === undefined ? 0 : kernel.reserve(8 * n);
  const masses = new Float64Array(tasks);
  kernel.f64(limits, n).fill(Infinity);
  if (weights !== undefined) kernel.f64(weightsAt, n).set(weights);
  /** The distances to the candidates, at most the limits: so many for each row. */
  let D = 0;
  let line = 0;
  /** Their sums in each task, `eights` for a task. */
  let sumsOf = new Float64Array(0);
  let eights = 0;
  /** Where the distances to the chosen candidate are, which the next call makes the limits, and how far apart. */
  let chosen = 0;
  let apart = 0;
  return {
    span: SPAN,
    masses: () => masses,
    mass: (i) => kernel.heap()[(chosen + apart * i) / 8] * (weights === undefined ? 1 : weights[i]),
    potentials(candidates, count) {
      const fours = Math.ceil(count / 4) * 4;
      if (line !== fours) D = kernel.reserve(8 * n * fours);
      line = fours;
      eights = Math.ceil(count / 8) * 8;
      return kernel.scope(() => {
        const centers = kernel.reserve(8 * count * stride);
        const packed = kernel.reserve(narrow?.centerBytes(count) ?? 8 * eights * stride);
        const sums = kernel.reserve(8 * eights * tasks);
        store(candidates, count, centers);
        if (narrow === undefined) kernel.exports.panels(stride, count, centers, packed);
        else narrow.narrow(centers, count, packed);
        forEachBlock(0, n, (first, size, X) => {
          const from = chosen && chosen + apart * first;
          const at = [weightsAt && weightsAt + 8 * first, limits + 8 * first, from, apart] as const;
          const args = [...at, D + 8 * line * first, sums + (8 * eights * first) / SPAN] as const;
          const blocks = Math.ceil(size / SPAN);
          if (narrow === undefined)
            kernel.run("potentials", blocks, 0, [size, SPAN, stride, count, X, packed, ...args]);
          else {
            const shared = narrow.args(count, X, first, centers, packed);
            kernel.run("closer", blocks, 32, [size, SPAN, ...shared, ...args]);
          }
        });
        sumsOf = kernel.f64(sums, eights * tasks).slice();
        const total = new Float64Array(count);
        for (let at = 0; at < sumsOf.length; at += eights)
          for (let t = 0; t < count; t++) total[t] += sumsOf[at + t];
        return total;
      });
    },
    lower(candidate) {
      chosen = D + 8 * candidate;
      apart = 8 * line;
      for (let task = 0; task < tasks; task++) masses[task] = sumsOf[task * eights + candidate];
    },
  };
}
