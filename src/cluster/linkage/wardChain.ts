import type { Matrix } from "../../matrix/matrix.ts";
import { kernelBuild, loadKernel } from "../../matrix/wasm.ts";
import * as binary from "../kernel/ward.wasm.ts";
import { nearestNeighborChain, type Merges } from "./nearestNeighborChain.ts";

/** Columns between two looks at whether the sum is already too large. */
const STRIDE = 16;

/**
 * Ward's linkage by the nearest-neighbour chain on centroids, in memory that grows with n d:
 *
 *     d^2(x, y) = 2 n_x n_y / (n_x + n_y) ||c_x - c_y||^2
 *
 * (Murtagh and Contreras 2012). The same merges as from the triangle of distances; the way for many rows.
 */
export function wardChain(X: Matrix): Merges {
  return kernelBuild() === undefined ? plainWardChain(X) : kernelWardChain(X);
}

function kernelWardChain(X: Matrix): Merges {
  const { rows: n, cols: d, data } = X;
  const kernel = loadKernel<binary.Exports>("cluster/ward", binary);
  const s = d + (d & 1);
  return kernel.scope(() => {
    const [C, sizes, squares, heights] = [n * s, n, n, n].map((count) => kernel.reserve(8 * count));
    const [active, chain, from, to] = [n, n, n, n].map((count) => kernel.reserve(4 * count));
    const centroids = kernel.f64(C, n * s);
    for (let i = 0; i < n; i++) {
      for (let f = 0; f < d; f++) centroids[i * s + f] = data[i * d + f];
      if (s > d) centroids[i * s + d] = 0;
    }
    kernel.f64(sizes, n).fill(1);
    const list = kernel.i32(active, n);
    for (let i = 0; i < n; i++) list[i] = i;
    kernel.exports.ward(n, s, C, sizes, active, chain, squares, from, to, heights);
    return {
      from: kernel.i32(from, n - 1).slice(),
      to: kernel.i32(to, n - 1).slice(),
      heights: kernel.f64(heights, n - 1).slice(),
    };
  });
}

export function plainWardChain(X: Matrix): Merges {
  const { rows: n, cols: d } = X;
  const C = X.data.slice();
  const sizes = new Int32Array(n).fill(1);
  const active = new Int32Array(n);
  let least = 0;
  const { from, to, heights } = nearestNeighborChain(n, {
    active,
    found: () => least,
    nearest(x, before, distance, count) {
      let nearest = before;
      least = distance;
      for (let p = 0; p < count; p++) {
        const i = active[p];
        if (i === x) continue;
        const factor = (2 * sizes[x] * sizes[i]) / (sizes[x] + sizes[i]);
        const squared = factor * squaredDistance(C, d, x, i, least / factor);
        if (squared < least) {
          least = squared;
          nearest = i;
        }
      }
      return nearest;
    },
    join(gone, kept) {
      const share = sizes[gone] / (sizes[gone] + sizes[kept]);
      for (let f = 0; f < d; f++) C[kept * d + f] += share * (C[gone * d + f] - C[kept * d + f]);
      sizes[kept] += sizes[gone];
    },
  });
  return { from, to, heights: heights.map(Math.sqrt) };
}

/** Of two centroids, or some number of at least `limit` if it is no less. */
function squaredDistance(C: Float64Array, d: number, x: number, y: number, limit: number): number {
  let sum = 0;
  let a = x * d;
  let b = y * d;
  for (const end = a + d; a < end && sum < limit;) {
    for (const stop = Math.min(end, a + STRIDE); a < stop; a++, b++) {
      const difference = C[a] - C[b];
      sum += difference * difference;
    }
  }
  return sum;
}
