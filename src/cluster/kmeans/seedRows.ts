import { SPAN, type KernelRows } from "../mercer/kernelRows.ts";
import type { NarrowRows } from "./narrowRows.ts";
import type { Points, SeedRows } from "./points.ts";

/** Distances for drawing centres, for rows of every kind. */
export function seedRows(points: Points, weights: Float64Array | undefined): SeedRows {
  const n = points.rows;
  const limits = new Float64Array(n).fill(Infinity);
  const labels = points.labels();
  return {
    limits: () => limits,
    distances: (list, C, count) => listed(points, list, C, count, limits),
    lower(C, count, first) {
      const D = new Float64Array(n * count);
      points.distances(0, n, C, count, D);
      for (let i = 0, at = 0; i < n; i++) {
        for (let t = 0; t < count; t++, at++) {
          if (!(D[at] < limits[i])) continue;
          limits[i] = D[at];
          labels[i] = first + t;
        }
      }
      const masses = new Float64Array(Math.ceil(n / SPAN));
      for (let i = 0; i < n; i++)
        masses[Math.floor(i / SPAN)] += weights === undefined ? limits[i] : weights[i] * limits[i];
      return masses;
    },
  };
}

function listed(
  points: Points,
  list: Int32Array,
  C: Float64Array,
  count: number,
  limits: Float64Array,
): Float64Array {
  const D = new Float64Array(list.length * count);
  const rows = list.length === points.rows ? points : points.take(list);
  rows.distances(0, list.length, C, count, D);
  for (let e = 0, at = 0; e < list.length; e++)
    for (let t = 0; t < count; t++, at++) D[at] = Math.min(D[at], limits[list[e]]);
  return D;
}

/**
 * The same in the kernel's memory; allocated in the open scope. With `narrow`, distances that 16 bits know to 1/64 are not
 * measured.
 */
export function kernelSeedRows(
  points: Points,
  weights: Float64Array | undefined,
  rows: KernelRows,
  narrow: NarrowRows | undefined,
): SeedRows {
  const { kernel, rows: n, stride, store, forEachBlock, resident, base, labels } = rows;
  const limitsAt = kernel.reserve(8 * n);
  const weightsAt = rows.weights(weights);
  kernel.f64(limitsAt, n).fill(Infinity);
  /** Runs the kernel on the rows of a block, or on those of a list of so many. */
  const run = (
    C: Float64Array,
    count: number,
    visit: (call: (size: number, first: number, X: number, ...rest: Rest) => void) => void,
  ): void =>
    kernel.scope(() => {
      const centers = kernel.reserve(8 * count * stride);
      const packed = kernel.reserve(narrow?.centerBytes(count) ?? 8 * Math.ceil(count / 8) * 8 * stride);
      store(C, count, centers);
      if (narrow === undefined) kernel.exports.panels(stride, count, centers, packed);
      else narrow.narrow(centers, count, packed);
      visit((size, first, X, list, label, D) => {
        const tasks = Math.ceil(size / SPAN);
        const at = [limitsAt + 8 * first, labels + 4 * first, weightsAt && weightsAt + 8 * first] as const;
        const rest = [list, ...at, label, D] as const;
        if (narrow === undefined) {
          const args = [size, SPAN, stride, count, X, packed, ...rest] as const;
          kernel.run("closest", tasks, 8 * Math.ceil(count / 8) * 8, args);
        } else {
          const args = [size, SPAN, ...narrow.args(count, X, first, centers, packed), ...rest] as const;
          kernel.run("closestNarrow", tasks, 8 * Math.ceil(count / 4) * 4 + 8, args);
        }
      });
    });
  return {
    limits: () => kernel.f64(limitsAt, n),
    distances(list, C, count) {
      // Rows that pass through in blocks are few here, and are taken from where they are.
      if (!resident) return listed(points, list, C, count, kernel.f64(limitsAt, n));
      let D = new Float64Array(0);
      run(C, count, (call) => {
        const [listAt, to] = [kernel.reserve(4 * list.length), kernel.reserve(8 * list.length * count)];
        kernel.i32(listAt, list.length).set(list);
        call(list.length, 0, base, listAt, 0, to);
        D = kernel.f64(to, list.length * count).slice();
      });
      return D;
    },
    lower(C, count, first) {
      let masses = new Float64Array(0);
      run(C, count, (call) => {
        const to = kernel.reserve(8 * Math.ceil(n / SPAN));
        forEachBlock(0, n, (from, size, X) => call(size, from, X, 0, first, to + (8 * from) / SPAN));
        masses = kernel.f64(to, Math.ceil(n / SPAN)).slice();
      });
      return masses;
    },
  };
}

/** The list of rows, the first label, and where the distances or masses go. */
type Rest = readonly [list: number, label: number, D: number];
