import type { Matrix } from "../matrix/matrix.ts";
import { withPoints } from "./withPoints.ts";

/** Merges in the order in which they were found: clusters are named by one of their rows. */
export interface Merges {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly heights: Float64Array;
}

export type ChainLinkage = "ward" | "average" | "complete";

/** Rows whose distances are computed at a time. */
const BLOCK = 128;
/** The triangle is packed when fewer than this share of its places are in use. */
const PACKED = 0.75;

/**
 * The nearest-neighbour chain (Benzécri 1982, Juan 1982; reducible linkages by Murtagh 1983): walk from a cluster to its
 * nearest one until two are nearest to each other, merge these, go on from where the walk was. O(n^2) time. Distances
 * between clusters are kept as a triangle of n (n - 1) / 2 numbers and updated by the recurrence of Lance and Williams:
 *
 *     ward      d^2(x+y, i) = ((n_x + n_i) d^2(x, i) + (n_y + n_i) d^2(y, i) - n_i d^2(x, y)) / (n_x + n_y + n_i)
 *     average   d(x+y, i) = (n_x d(x, i) + n_y d(y, i)) / (n_x + n_y)
 *     complete  d(x+y, i) = max(d(x, i), d(y, i))
 *
 * Among equally near clusters the one before in the chain is taken, then the one of lowest number; x + y keeps the larger
 * of the two numbers. This is the order of scipy, so that ties also fall alike.
 */
export function linkageChain(X: Matrix, linkage: ChainLinkage): Merges {
  const n = X.rows;
  const D = distanceTriangle(X, linkage === "ward");
  const start = Int32Array.from({ length: n }, (_, i) => (i * (i - 1)) / 2); // D(i, j), j < i, is at start[i] + j
  const sizes = new Int32Array(n).fill(1);
  const rows = Int32Array.from({ length: n }, (_, i) => i); // the row that names the cluster in each place
  const active = rows.slice(); // places in use, rising
  let count = n;
  let places = n;
  const chain = new Int32Array(n);
  let length = 0;
  const from = new Int32Array(n - 1);
  const to = new Int32Array(n - 1);
  const heights = new Float64Array(n - 1);
  for (let merge = 0; merge < n - 1; merge++) {
    if (count < PACKED * places && count > 2) {
      pack(D, active, count, sizes, rows, chain, length);
      places = count;
    }
    if (length === 0) {
      chain[0] = active[0];
      length = 1;
    }
    let x: number;
    let y: number;
    let least: number;
    for (;;) {
      x = chain[length - 1];
      y = -1;
      least = Infinity;
      if (length > 1) {
        y = chain[length - 2];
        least = x > y ? D[start[x] + y] : D[start[y] + x];
      }
      const row = start[x];
      let p = 0;
      for (; p < count && active[p] < x; p++) {
        const distance = D[row + active[p]];
        if (distance < least) {
          least = distance;
          y = active[p];
        }
      }
      for (p++; p < count; p++) {
        const distance = D[start[active[p]] + x];
        if (distance < least) {
          least = distance;
          y = active[p];
        }
      }
      if (length > 1 && y === chain[length - 2]) break;
      chain[length++] = y;
    }
    length -= 2;
    const gone = Math.min(x, y);
    const kept = Math.max(x, y);
    from[merge] = rows[gone];
    to[merge] = rows[kept];
    heights[merge] = linkage === "ward" ? Math.sqrt(least) : least;
    count = remove(active, count, gone);
    update(D, start, active, count, sizes, gone, kept, least, linkage);
    sizes[kept] += sizes[gone];
  }
  return { from, to, heights };
}

function update(
  D: Float64Array,
  start: Int32Array,
  active: Int32Array,
  count: number,
  sizes: Int32Array,
  gone: number,
  kept: number,
  between: number,
  linkage: ChainLinkage,
): void {
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
      const squared = ((nx + ni) * dx + (ny + ni) * dy - ni * between) / (nx + ny + ni);
      D[at] = squared > between ? squared : between; // no merge is below one it holds, but for rounding
    }
  }
}

/** Brings the places in use together, in their order, so that what is read lies close. */
function pack(
  D: Float64Array,
  active: Int32Array,
  count: number,
  sizes: Int32Array,
  rows: Int32Array,
  chain: Int32Array,
  length: number,
): void {
  const moved = new Int32Array(active[count - 1] + 1);
  for (let p = 0; p < count; p++) moved[active[p]] = p;
  for (let p = 0; p < length; p++) chain[p] = moved[chain[p]];
  // Nothing moves up, so writing never runs ahead of reading.
  for (let a = 0, at = 0; a < count; a++) {
    const row = (active[a] * (active[a] - 1)) / 2;
    for (let b = 0; b < a; b++) D[at++] = D[row + active[b]];
    sizes[a] = sizes[active[a]];
    rows[a] = rows[active[a]];
  }
  for (let a = 0; a < count; a++) active[a] = a;
}

/** Takes `value` out of a rising list and returns the number that is left. */
export function remove(list: Int32Array, count: number, value: number): number {
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
