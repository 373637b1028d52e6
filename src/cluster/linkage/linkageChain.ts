import { loadKernel, takeRows, type Kernel, type Matrix } from "../../matrix/index.ts";
import * as binary from "../kernel/triangle.wasm.ts";
import { withPoints } from "../kmeans/withPoints.ts";

export type ChainLinkage = "ward" | "average" | "complete";

export const KINDS: readonly ChainLinkage[] = ["ward", "average", "complete"];
/** Rows whose distances are computed at a time. */
const BLOCK = 128;
/** A larger triangle does not fit into the kernel's memory. */
export const KERNEL_BYTES: number = 3.5 * 2 ** 30;

/**
 * Linkages by the nearest-neighbour chain. Distances between clusters are kept as a triangle of n (n - 1) / 2 numbers and updated by the recurrence
 * of Lance and Williams (1967):
 *
 *     ward      d^2(x+y, i) = ((n_x + n_i) d^2(x, i) + (n_y + n_i) d^2(y, i) - n_i d^2(x, y)) / (n_x + n_y + n_i)
 *     average   d(x+y, i) = (n_x d(x, i) + n_y d(y, i)) / (n_x + n_y)
 *     complete  d(x+y, i) = max(d(x, i), d(y, i))
 */
export function linkageChain(X: Matrix, linkage: ChainLinkage, kernelBytes: number = KERNEL_BYTES): Merges {
  const merges =
    kernelChain(X, linkage, kernelBytes) ??
    nearestNeighborChain(X.rows, plainTriangle(distanceTriangle(X, linkage === "ward"), X.rows, linkage));
  return linkage === "ward" ? { ...merges, heights: merges.heights.map(Math.sqrt) } : merges;
}

/** The same of given distances, a square matrix. */
export function triangleChain({ rows: n, data }: Matrix, linkage: "average" | "complete"): Merges {
  const D = new Float64Array((n * (n - 1)) / 2);
  for (let i = 1, at = 0; i < n; at += i++) D.set(data.subarray(i * n, i * n + i), at);
  return nearestNeighborChain(n, plainTriangle(D, n, linkage));
}

/** Average linkage of distances D(i, j), j < i, at i (i - 1) / 2 + j, which are overwritten. */
export function averageChain(n: number, D: Float64Array): Merges {
  return nearestNeighborChain(n, plainTriangle(D, n, "average"));
}

/** undefined without room in the kernel */
function kernelChain(X: Matrix, linkage: ChainLinkage, kernelBytes: number): Merges | undefined {
  const n = X.rows;
  if (4 * n * (n - 1) > kernelBytes) return undefined;
  const kind = KINDS.indexOf(linkage);
  const kernel = loadKernel<binary.Exports>("cluster/triangle", binary);
  return kernel.scope(() => {
    const D = kernel.reserve(4 * n * (n - 1));
    const backwards = Int32Array.from({ length: n }, (_, i) => n - 1 - i);
    distanceRows(takeRows(X, backwards), kernel, D, linkage !== "ward");
    return chain(kernel, kind, D, new Int32Array(n).fill(1));
  });
}

/** Writes distances, or their squares, to the address D. */
export function distanceRows(
  X: Matrix,
  kernel: Kernel<binary.Exports>,
  D: number,
  roots: boolean,
  done?: (first: number, last: number) => void,
): void {
  squaredTriangle(X, kernel.f64(D, (X.rows * (X.rows - 1)) / 2), (first, last) => {
    const begin = (first * (first - 1)) / 2;
    if (roots) kernel.exports.roots((last * (last - 1)) / 2 - begin, D + 8 * begin);
    done?.(first, last);
  });
}

/** The chain on a triangle at the address D, which has the last number first. */
export function chain(
  kernel: Kernel<binary.Exports>,
  kind: number,
  D: number,
  clusterSizes: Int32Array,
): Merges {
  const n = clusterSizes.length;
  const [list, sizes] = [kernel.reserve(4 * n), kernel.reserve(4 * n)];
  const out = kernel.reserve(8);
  kernel.i32(sizes, n).set(clusterSizes);
  const found = kernel.f64(out, 1);
  const { nearest, join } = kernel.exports;
  return nearestNeighborChain(n, {
    active: kernel.i32(list, n),
    nearest: (x, before, distance, count) => nearest(x, before, distance, list, count, D, n - 1, out),
    found: () => found[0],
    join: (gone, kept, distance, count) => join(kind, gone, kept, distance, list, count, sizes, D, n - 1),
  });
}

function plainTriangle(D: Float64Array, n: number, linkage: ChainLinkage): ChainClusters {
  const start = Int32Array.from({ length: n }, (_, i) => (i * (i - 1)) / 2); // D(i, j), j < i, is at start[i] + j
  const sizes = new Int32Array(n).fill(1);
  const active = new Int32Array(n);
  let least = 0;
  return {
    active,
    found: () => least,
    nearest(x, before, distance, count) {
      let nearest = before;
      least = distance;
      for (let p = 0; p < count; p++) {
        const i = active[p];
        if (i === x) continue;
        const other = D[i < x ? start[x] + i : start[i] + x];
        if (other < least) {
          least = other;
          nearest = i;
        }
      }
      return nearest;
    },
    join(gone, kept, distance, count) {
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
  };
}

/** Distances, or their squares, of rows j < i at i (i - 1) / 2 + j. */
export function distanceTriangle(X: Matrix, squared: boolean): Float64Array {
  const D = squaredTriangle(X, new Float64Array((X.rows * (X.rows - 1)) / 2));
  if (!squared) for (let p = 0; p < D.length; p++) D[p] = Math.sqrt(D[p]);
  return D;
}

function squaredTriangle(
  X: Matrix,
  D: Float64Array,
  done?: (first: number, last: number) => void,
): Float64Array {
  const { rows: n, cols: d } = X;
  const block = new Float64Array(BLOCK * n);
  withPoints(X, (points) => {
    for (let first = 0; first < n; first += BLOCK) {
      const last = Math.min(n, first + BLOCK);
      points.distances(first, last, X.data.subarray(0, last * d), last, block);
      for (let i = first; i < last; i++) {
        D.set(block.subarray((i - first) * last, (i - first) * last + i), (i * (i - 1)) / 2);
      }
      done?.(first, last);
    }
  });
  return D;
}

/** Merges in the order in which they were found: clusters are named by one of their rows. */
export interface Merges {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly heights: Float64Array;
}

/** Clusters, named by one of their rows, with their distances. */
export interface ChainClusters {
  /**
   * Room for n numbers: the first `count` are the current clusters, in ascending order. The chain keeps it.
   */
  readonly active: Int32Array;
  /**
   * The nearest active cluster to x; `before`, at `distance`, if none is nearer. The lowest number wins a
   * tie.
   */
  nearest(x: number, before: number, distance: number, count: number): number;
  /** The distance of the last result of `nearest`. */
  found(): number;
  /** Joins `gone` and `kept`, at this distance, under the name `kept`; `active` no longer contains `gone`. */
  join(gone: number, kept: number, distance: number, count: number): void;
}

/**
 * The nearest-neighbour chain (Benzécri 1982, Juan 1982; reducible linkages by Murtagh 1983): walk from a
 * cluster to its nearest one until two are nearest to each other, merge these, and continue from the rest of
 * the walk. O(n) searches.
 *
 * In a tie the previous cluster of the chain is taken, then the one with the lowest number, and a merge keeps
 * the larger of the two numbers. This is scipy's order, so ties give the same result.
 */
export function nearestNeighborChain(n: number, clusters: ChainClusters): Merges {
  const { active } = clusters;
  for (let i = 0; i < n; i++) active[i] = i;
  let count = n;
  const chain = new Int32Array(n);
  const steps = new Float64Array(n); // steps[p]: distance of chain[p] and chain[p + 1]
  let length = 0;
  const from = new Int32Array(n - 1);
  const to = new Int32Array(n - 1);
  const heights = new Float64Array(n - 1);
  for (let merge = 0; merge < n - 1; merge++) {
    if (length === 0) chain[length++] = active[0];
    for (;;) {
      const before = length > 1 ? chain[length - 2] : -1;
      const known = length > 1 ? steps[length - 2] : Infinity;
      const next = clusters.nearest(chain[length - 1], before, known, count);
      if (next === before) break;
      steps[length - 1] = clusters.found();
      chain[length++] = next;
    }
    length -= 2;
    const gone = Math.min(chain[length], chain[length + 1]);
    const kept = Math.max(chain[length], chain[length + 1]);
    from[merge] = gone;
    to[merge] = kept;
    heights[merge] = steps[length];
    count = remove(active, count, gone);
    clusters.join(gone, kept, steps[length], count);
  }
  return { from, to, heights };
}

/** Removes `value` from an ascending list and returns the number of remaining entries. */
function remove(list: Int32Array, count: number, value: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  list.copyWithin(low, low + 1, count);
  return count - 1;
}
