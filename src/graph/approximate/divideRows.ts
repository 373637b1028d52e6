import type { Random } from "../../core/index.ts";
import { useDepth, type RowSpace } from "./rowSpace.ts";

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
  const { kernel, X, q, short, numbers } = space;
  const n = X.rows;
  const depth = Math.min(q, CELL_DIRECTIONS);
  const groups = Math.max(1, Math.min(Math.round(2.3 * Math.sqrt(n)), Math.floor(n / Math.max(24, 2 * k))));
  const nearestAt = kernel.reserve(4 * n);
  const drawn = stream.sample(Math.min(n, ROWS_PER_CENTER * groups), n).map((p) => byValue[p]);
  const list = kernel.reserve(4 * drawn.length);
  kernel.i32(list, drawn.length).set(drawn);
  const rows = kernel.reserve(4 * depth * groups);
  const points = kernel.f32(short, n * q);
  const center = kernel.f32(rows, groups * depth);
  for (let c = 0; c < groups; c++) {
    for (let f = 0; f < depth; f++) center[c * depth + f] = points[drawn[c] * q + f];
  }
  const trial = reserveCenters(space, groups, depth);
  const assign = (rowList: number, length: number): Int32Array => {
    shrinkCenters(space, depth, rows, trial);
    nearestCenters(space, depth, trial, rowList, length, 1, nearestAt);
    return kernel.i32(nearestAt, length);
  };
  for (let round = 0; round < CENTER_ROUNDS; round++) {
    const nearest = assign(list, drawn.length);
    moveCenters(nearest, drawn, points, q, center, depth, groups);
  }
  const most = Math.ceil((4 * n) / groups);
  const { order, starts, cellOf } = cellOrder(assign(numbers, n), byValue, groups, most);
  kernel.scope(() => {
    const [list, moved] = [kernel.reserve(4 * n), kernel.reserve(4 * q * n)];
    kernel.i32(list, n).set(order);
    kernel.exports.inOrder(list, n, 4 * q, short, moved);
    kernel.f32(short, n * q).set(kernel.f32(moved, n * q));
  });
  const count = starts.length - 1;
  const means = kernel.reserve(4 * depth * count);
  const places = Int32Array.from({ length: n }, (_, p) => p);
  moveCenters(cellOf, places, kernel.f32(short, n * q), q, kernel.f32(means, count * depth), depth, count);
  const centers = reserveCenters(space, count, depth);
  shrinkCenters(space, depth, means, centers);
  return {
    count,
    /** Cell c has positions starts[c] .. starts[c + 1] - 1. */
    starts,
    cellOf,
    /** The row of each position. */
    rowAt: order,
    /** The `most` nearest cells of the rows at some positions, nearest first. */
    nearest: (positions: Int32Array, wanted: number) =>
      kernel.scope(() => {
        const list = kernel.reserve(4 * positions.length);
        const cells = kernel.reserve(4 * positions.length * wanted);
        kernel.i32(list, positions.length).set(positions);
        nearestCenters(space, depth, centers, list, positions.length, wanted, cells);
        return kernel.i32(cells, positions.length * wanted).slice();
      }),
  };
}

/** A division of the rows into cells; positions are in the order of the cells. */
export type Cells = ReturnType<typeof divideRows>;

function reserveCenters({ kernel }: RowSpace, count: number, depth: number) {
  const eights = (count + 7) & ~7;
  const [woven, units] = [kernel.reserve(2 * depth * eights), kernel.reserve(4 * eights)];
  return { count, woven, units, lengths: kernel.reserve(4 * eights) };
}

/** Addresses of centres as woven integers, of their units and of their squared lengths. */
type Centers = ReturnType<typeof reserveCenters>;

/** Centres, `depth` floats each, as integers. */
function shrinkCenters(
  { kernel, norms, numbers, zeros }: RowSpace,
  depth: number,
  rows: number,
  { count, woven, units, lengths }: Centers,
): void {
  kernel.scope(() => {
    const integers = kernel.reserve(2 * depth * count);
    kernel.exports.useSpace(rows, 4 * depth, 4 * depth, norms);
    kernel.exports.shrink(numbers, count, zeros, integers, units, lengths, 0);
    kernel.exports.weave(count, integers, woven);
  });
}

/** The `wanted` nearest centres of the listed rows, written to `cells`. */
function nearestCenters(
  space: RowSpace,
  depth: number,
  { count, woven, units, lengths }: Centers,
  list: number,
  length: number,
  wanted: number,
  cells: number,
): void {
  const { kernel, zeros } = space;
  kernel.scope(() => {
    const work = kernel.reserve(16 * (count + 8) + 4 * wanted + 32 + 8 * depth);
    useDepth(space, depth);
    kernel.exports.nearestCenters(list, length, count, woven, units, lengths, zeros, wanted, cells, work);
  });
}

/** Centres become the means of their rows; one without rows stays. */
function moveCenters(
  nearest: Int32Array,
  list: Int32Array,
  points: Float32Array,
  q: number,
  centers: Float32Array,
  depth: number,
  count: number,
): void {
  const sums = new Float64Array(count * depth);
  const sizes = new Int32Array(count);
  for (let p = 0; p < list.length; p++) {
    const [to, from] = [nearest[p] * depth, list[p] * q];
    sizes[nearest[p]]++;
    for (let f = 0; f < depth; f++) sums[to + f] += points[from + f];
  }
  for (let c = 0; c < count; c++) {
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
