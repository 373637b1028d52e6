import type { Matrix } from "../matrix/matrix.ts";
import { nearestNeighborChain, type Merges } from "./nearestNeighborChain.ts";
import { withPoints } from "./withPoints.ts";

export type ChainLinkage = "ward" | "average" | "complete";

/** Rows whose distances are computed at a time. */
const BLOCK = 128;

/**
 * Linkages by the nearest-neighbour chain. Distances between clusters are kept as a triangle of n (n - 1) / 2 numbers and
 * updated by the recurrence of Lance and Williams (1967):
 *
 *     ward      d^2(x+y, i) = ((n_x + n_i) d^2(x, i) + (n_y + n_i) d^2(y, i) - n_i d^2(x, y)) / (n_x + n_y + n_i)
 *     average   d(x+y, i) = (n_x d(x, i) + n_y d(y, i)) / (n_x + n_y)
 *     complete  d(x+y, i) = max(d(x, i), d(y, i))
 */
export function linkageChain(X: Matrix, linkage: ChainLinkage): Merges {
  const n = X.rows;
  const D = distanceTriangle(X, linkage === "ward");
  const start = Int32Array.from({ length: n }, (_, i) => (i * (i - 1)) / 2); // D(i, j), j < i, is at start[i] + j
  const sizes = new Int32Array(n).fill(1);
  const found = { distance: 0 };
  const merges = nearestNeighborChain(n, {
    found,
    nearest(x, before, distance, active, count) {
      let nearest = before;
      let least = distance;
      const row = start[x];
      let p = 0;
      for (; p < count && active[p] < x; p++) {
        const other = D[row + active[p]];
        if (other < least) {
          least = other;
          nearest = active[p];
        }
      }
      for (p++; p < count; p++) {
        const other = D[start[active[p]] + x];
        if (other < least) {
          least = other;
          nearest = active[p];
        }
      }
      found.distance = least;
      return nearest;
    },
    join(gone, kept, distance, active, count) {
      const nx = sizes[gone];
      const ny = sizes[kept];
      for (let p = 0; p < count; p++) {
        const i = active[p];
        if (i === kept) continue;
        const dx = D[i > gone ? start[i] + gone : start[gone] + i];
        const at = i > kept ? start[i] + kept : start[kept] + i;
        const dy = D[at];
        if (linkage === "complete") D[at] = dx > dy ? dx : dy;
        else if (linkage === "average") D[at] = (nx * dx + ny * dy) / (nx + ny);
        else {
          const ni = sizes[i];
          const squared = ((nx + ni) * dx + (ny + ni) * dy - ni * distance) / (nx + ny + ni);
          D[at] = squared > distance ? squared : distance; // no merge is below one it holds, but for rounding
        }
      }
      sizes[kept] += sizes[gone];
    },
  });
  return linkage === "ward" ? { ...merges, heights: merges.heights.map(Math.sqrt) } : merges;
}

/** Distances, or their squares, of rows j < i at i (i - 1) / 2 + j. */
export function distanceTriangle(X: Matrix, squared: boolean): Float64Array {
  const { rows: n, cols: d } = X;
  const D = new Float64Array((n * (n - 1)) / 2);
  const block = new Float64Array(BLOCK * n);
  withPoints(X, (points) => {
    for (let first = 0; first < n; first += BLOCK) {
      const last = Math.min(n, first + BLOCK);
      points.distances(first, last, X.data.subarray(0, last * d), last, block);
      for (let i = first; i < last; i++) {
        D.set(block.subarray((i - first) * last, (i - first) * last + i), (i * (i - 1)) / 2);
      }
    }
  });
  if (!squared) for (let p = 0; p < D.length; p++) D[p] = Math.sqrt(D[p]);
  return D;
}
