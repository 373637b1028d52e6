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
  return {
    span: SPAN,
    masses: () => masses,
    mass: (i) => kernel.heap()[limits / 8 + i] * (weights === undefined ? 1 : weights[i]),
    potentials(candidates, count) {
      const fours = Math.ceil(count / 4) * 4;
      if (line !== fours) D = kernel.reserve(8 * n * fours);
      line = fours;
      return kernel.scope(() => {
        const eights = Math.ceil(count / 8) * 8;
        const centers = kernel.reserve(8 * count * stride);
        const packed = kernel.reserve(narrow?.centerBytes(count) ?? 8 * eights * stride);
        const sums = kernel.reserve(8 * eights * tasks);
        store(candidates, count, centers);
        if (narrow === undefined) kernel.exports.panels(stride, count, centers, packed);
        else narrow.narrow(centers, count, packed);
        forEachBlock(0, n, (first, size, X) => {
          const at = [weightsAt && weightsAt + 8 * first, limits + 8 * first, D + 8 * line * first] as const;
          const args = [...at, sums + (8 * eights * first) / SPAN] as const;
          const blocks = Math.ceil(size / SPAN);
          if (narrow === undefined)
            kernel.run("potentials", blocks, 0, [size, SPAN, stride, count, X, packed, ...args]);
          else {
            const shared = narrow.args(count, X, first, centers, packed);
            kernel.run("closer", blocks, 32, [size, SPAN, ...shared, ...args]);
          }
        });
        const each = kernel.f64(sums, eights * tasks);
        const total = new Float64Array(count);
        for (let at = 0; at < each.length; at += eights)
          for (let t = 0; t < count; t++) total[t] += each[at + t];
        return total;
      });
    },
    lower(candidate) {
      const [limit, distances] = [kernel.f64(limits, n), kernel.f64(D, n * line)];
      for (let task = 0, i = 0, p = candidate; task < tasks; task++) {
        let sum = 0;
        for (const end = Math.min(n, i + SPAN); i < end; i++, p += line) {
          limit[i] = distances[p];
          sum += weights === undefined ? distances[p] : weights[i] * distances[p];
        }
        masses[task] = sum;
      }
    },
  };
}
