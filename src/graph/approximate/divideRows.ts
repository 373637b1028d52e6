import type { Random } from "../../core/index.ts";
import { nearestWoven, reserveWoven, weaveRows, type RowSpace, type WovenRows } from "./rowSpace.ts";

/** Rows per cell that give its centre, and their rounds of k-means. */
const ROWS_PER_CENTER = 24;
const CENTER_ROUNDS = 3;
/** Main directions that cells are made in. */
const CELL_DIRECTIONS = 64;

/**
 * Cells by k-means on a sample, about 2 sqrt(n) of them; puts `short` into their order.
 *
 * @param byValue the rows in the order of their values
 */
export function divideRows(space: RowSpace, byValue: Int32Array, stream: Random, k: number) {
  const { kernel, X, q, short } = space;
  const n = X.rows;
  const depth = Math.min(q, CELL_DIRECTIONS);
  const groups = Math.max(1, Math.min(Math.round(2.3 * Math.sqrt(n)), Math.floor(n / Math.max(24, 2 * k))));
  const drawn = stream.sample(Math.min(n, ROWS_PER_CENTER * groups), n).map((p) => byValue[p]);
  const rows = kernel.reserve(4 * depth * groups);
  const points = (): Float32Array => kernel.f32(short, n * q);
  const first = kernel.f32(rows, groups * depth);
  for (let c = 0; c < groups; c++) {
    first.set(points().subarray(drawn[c] * q, drawn[c] * q + depth), c * depth);
  }
  const trial = reserveWoven(space, groups, depth);
  const assign = (list: Int32Array): Int32Array => {
    weaveCenters(space, rows, trial);
    return nearestWoven(space, trial, list, 1);
  };
  for (let round = 0; round < CENTER_ROUNDS; round++) {
    const nearest = assign(drawn);
    moveCenters(nearest, drawn, points(), q, kernel.f32(rows, groups * depth), depth);
  }
  const all = Int32Array.from({ length: n }, (_, p) => p);
  const most = Math.ceil((4 * n) / groups);
  const { order, starts, cellOf } = cellOrder(assign(all), byValue, groups, most);
  const before = points().slice();
  order.forEach((i, p) => points().set(before.subarray(i * q, (i + 1) * q), p * q));
  const count = starts.length - 1;
  const means = kernel.reserve(4 * depth * count);
  moveCenters(cellOf, all, points(), q, kernel.f32(means, count * depth), depth);
  const centers = reserveWoven(space, count, depth);
  weaveCenters(space, means, centers);
  return {
    count,
    /** Cell c has positions starts[c] .. starts[c + 1] - 1. */
    starts,
    cellOf,
    /** The row of each position. */
    rowAt: order,
    /** The `wanted` nearest cells of the rows at some positions, nearest first. */
    nearest: (positions: Int32Array, wanted: number) => nearestWoven(space, centers, positions, wanted),
  };
}

/** A division of the rows into cells; positions are in the order of the cells. */
export type Cells = ReturnType<typeof divideRows>;

/** Centres, `depth` floats each from an address on. */
function weaveCenters(space: RowSpace, rows: number, centers: WovenRows): void {
  space.kernel.exports.useSpace(rows, 4 * centers.depth, 4 * centers.depth);
  weaveRows(space, centers);
}

/** Centres become the means of their rows; one without rows stays. */
function moveCenters(
  nearest: Int32Array,
  list: Int32Array,
  points: Float32Array,
  q: number,
  centers: Float32Array,
  depth: number,
): void {
  const sums = new Float64Array(centers.length);
  const sizes = new Int32Array(centers.length / depth);
  for (let p = 0; p < list.length; p++) {
    const [to, from] = [nearest[p] * depth, list[p] * q];
    sizes[nearest[p]]++;
    for (let f = 0; f < depth; f++) sums[to + f] += points[from + f];
  }
  for (let c = 0; c < sizes.length; c++) {
    if (sizes[c] === 0) continue;
    for (let f = c * depth; f < (c + 1) * depth; f++) centers[f] = sums[f] / sizes[c];
  }
}

/**
 * Rows in the order of their cells, and of their values. Cells without rows are left out; one with more than `most`, for example of
 * duplicates, is divided into equal parts.
 */
function cellOrder(nearest: Int32Array, byValue: Int32Array, groups: number, most: number) {
  const n = nearest.length;
  const offsets = new Int32Array(groups + 1);
  for (const c of nearest) offsets[c + 1]++;
  for (let c = 0; c < groups; c++) offsets[c + 1] += offsets[c];
  const order = new Int32Array(n);
  const filled = offsets.slice();
  for (const i of byValue) order[filled[nearest[i]]++] = i;
  const starts = [0];
  for (let c = 0; c < groups; c++) {
    const size = offsets[c + 1] - offsets[c];
    const parts = Math.ceil(size / most);
    for (let p = 1; p <= parts; p++) starts.push(offsets[c] + Math.floor((p * size) / parts));
  }
  const cellOf = new Int32Array(n);
  for (let c = 0; c + 1 < starts.length; c++) cellOf.fill(c, starts[c], starts[c + 1]);
  return { order, starts: Int32Array.from(starts), cellOf };
}
