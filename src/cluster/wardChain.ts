import type { Matrix } from "../matrix/matrix.ts";
import { kernelBuild, loadKernel } from "../matrix/wasm.ts";
import * as binary from "./kernel/ward.wasm.ts";
import { remove, type Merges } from "./linkageChain.ts";

interface WardKernel {
  ward(...args: number[]): void;
}

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
  const kernel = loadKernel<WardKernel>("cluster/ward", binary);
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
  const active = Int32Array.from({ length: n }, (_, i) => i);
  let count = n;
  const chain = new Int32Array(n);
  const squares = new Float64Array(n); // squares[p]: of chain[p] and chain[p + 1]
  let length = 0;
  const from = new Int32Array(n - 1);
  const to = new Int32Array(n - 1);
  const heights = new Float64Array(n - 1);
  for (let merge = 0; merge < n - 1; merge++) {
    if (length === 0) {
      chain[0] = active[0];
      length = 1;
    }
    let x: number;
    let y: number;
    let least: number;
    for (;;) {
      x = chain[length - 1];
      y = length > 1 ? chain[length - 2] : -1;
      least = length > 1 ? squares[length - 2] : Infinity;
      const nx = sizes[x];
      for (let p = 0; p < count; p++) {
        const i = active[p];
        if (i === x) continue;
        const factor = (2 * nx * sizes[i]) / (nx + sizes[i]);
        const limit = least / factor;
        let sum = 0;
        let a = x * d;
        let b = i * d;
        for (const end = a + d; a < end && sum < limit;) {
          for (const stop = Math.min(end, a + STRIDE); a < stop; a++, b++) {
            const difference = C[a] - C[b];
            sum += difference * difference;
          }
        }
        if (factor * sum < least) {
          least = factor * sum;
          y = i;
        }
      }
      if (length > 1 && y === chain[length - 2]) break;
      squares[length - 1] = least;
      chain[length++] = y;
    }
    length -= 2;
    const gone = Math.min(x, y);
    const kept = Math.max(x, y);
    from[merge] = gone;
    to[merge] = kept;
    heights[merge] = Math.sqrt(least);
    count = remove(active, count, gone);
    const share = sizes[gone] / (sizes[gone] + sizes[kept]);
    for (let f = 0; f < d; f++) C[kept * d + f] += share * (C[gone * d + f] - C[kept * d + f]);
    sizes[kept] += sizes[gone];
  }
  return { from, to, heights };
}
