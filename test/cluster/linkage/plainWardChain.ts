import { nearestNeighborChain, type Merges } from "../../../src/cluster/linkage/linkageChain.ts";
import type { Matrix } from "../../../src/matrix/index.ts";

/** Number of columns between two checks whether the sum is already too large. */
const STRIDE = 16;

/**
 * Ward's linkage by the nearest-neighbour chain on centroids (Murtagh and Contreras 2012):
 *
 *     d^2(x, y) = 2 n_x n_y / (n_x + n_y) ||c_x - c_y||^2
 */
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

/** The distance of two centroids, or some number of at least `limit` if it is not smaller. */
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
