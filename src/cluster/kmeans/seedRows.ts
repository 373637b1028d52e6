import { SPAN, type KernelRows } from "./kernelRows.ts";
import type { NarrowRows } from "./narrowRows.ts";
import type { Points, SeedRows } from "./points.ts";

/** Distances for drawing centres, for rows of every kind. */
export function seedRows(points: Points, weights: Float64Array | undefined): SeedRows {
  const n = points.rows;
  const limits = new Float64Array(n).fill(Infinity);
  const labels = points.labels();
  return {
    limits: () => limits,
    distances(list, C, count) {
      const D = new Float64Array(list.length * count);
      const rows = list.length === n ? points : points.take(list);
      rows.distances(0, list.length, C, count, D);
      for (let p = 0; p < D.length; p++) D[p] = Math.min(D[p], limits[list[Math.floor(p / count)]]);
      return D;
    },
    lower(C, count, first) {
      const D = new Float64Array(n * count);
      points.distances(0, n, C, count, D);
      const masses = new Float64Array(Math.ceil(n / SPAN));
      for (let i = 0, at = 0; i < n; i++) {
        for (let t = 0; t < count; t++, at++) {
          if (!(D[at] < limits[i])) continue;
          limits[i] = D[at];
          labels[i] = first + t;
        }
        masses[Math.floor(i / SPAN)] += weights === undefined ? limits[i] : weights[i] * limits[i];
      }
      return masses;
    },
  };
}

/** The same in the kernel's memory; allocated in the open scope. With `narrow`, distances that 16 bits know to 1/64 are not measured. */
export function kernelSeedRows(
  weights: Float64Array | undefined,
  rows: KernelRows,
  narrow: NarrowRows | undefined,
): SeedRows {
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
    distances: (list, C, count) =>
      kernel.scope(() => {
        const at = kernel.reserve(4 * list.length);
        kernel.i32(at, list.length).set(list);
        return run(C, count, at, list.length, 0, list.length * count);
      }),
    lower: (C, count, first) => kernel.scope(() => run(C, count, 0, n, first, Math.ceil(n / SPAN))),
  };
}
