import { takeRows, type Matrix } from "./matrix.ts";
import { isSparse, type Sparse } from "./sparse.ts";

/**
 * The rows in the order of their values: by the first column, ties by the next; equal rows keep their input
 * order. Computations in this order are the same, to the last bit, for every order of the input. The order
 * stays when columns are shifted, or stretched by a positive factor. Rows must be finite.
 *
 * The first column is sorted as whole numbers that hold the leading bits of a value and the number of its
 * row, which is fast; rows with equal leading bits are compared.
 */
export function valueOrder(X: Matrix | Sparse): Int32Array {
  const order = Int32Array.from({ length: X.rows }, (_, i) => i);
  if (isOrdered(X)) return order;
  if (isSparse(X)) return order.sort((i, j) => compareRows(X, i, j) || i - j);
  const { rows: n, cols: d, data } = X;
  const bits = Math.ceil(Math.log2(n));
  const step = 2 ** bits;
  const cut = 2 ** Math.max(0, 32 - (53 - bits));
  const keys = new Float64Array(n);
  const value = new Float64Array(1);
  const words = new Uint32Array(value.buffer);
  value[0] = 1;
  const upper = words[0] === 0 ? 1 : 0; // by the order of bytes of the machine
  for (let i = 0; i < n; i++) {
    value[0] = data[i * d] + 0; // -0 is 0
    // Bits of positive numbers increase with the number, those of negative ones decrease.
    const high = words[upper];
    const rising = high >= 2 ** 31 ? 2 ** 32 - 1 - high : high + 2 ** 31;
    keys[i] = Math.floor(rising / cut) * step + i;
  }
  keys.sort();
  const lead = (p: number): number => Math.floor(keys[p] / step);
  for (let p = 0; p < n; p++) order[p] = keys[p] - lead(p) * step;
  for (let start = 0; start < n;) {
    let end = start + 1;
    while (end < n && lead(end) === lead(start)) end++;
    if (end - start > 1) order.subarray(start, end).sort((i, j) => compareRows(X, i, j) || i - j);
    start = end;
  }
  return order;
}

/** Results for rows in `order`, one entry each, in the original order. */
export function inGivenOrder(values: Int32Array, order: Int32Array): Int32Array {
  const placed = new Int32Array(values.length);
  for (let p = 0; p < order.length; p++) placed[order[p]] = values[p];
  return placed;
}

/** The same for the rows of a matrix. */
export function rowsInGivenOrder(values: Matrix, order: Int32Array): Matrix {
  return takeRows(values, placesIn(order));
}

/** The position of each row in `order`. */
export function placesIn(order: Int32Array): Int32Array {
  const places = new Int32Array(order.length);
  for (let p = 0; p < order.length; p++) places[order[p]] = p;
  return places;
}

export function equalRows(X: Matrix | Sparse, i: number, j: number): boolean {
  return compareRows(X, i, j) === 0;
}

function compareRows(X: Matrix | Sparse, i: number, j: number): number {
  if (isSparse(X)) return compareSparseRows(X, i, j);
  const { cols: d, data } = X;
  for (let f = 0; f < d; f++) {
    const [a, b] = [data[i * d + f], data[j * d + f]];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}

/** Missing entries are 0; the columns of a row are used as stored, ascending in all files. */
function compareSparseRows({ offsets, indices, values }: Sparse, i: number, j: number): number {
  let [p, q] = [offsets[i], offsets[j]];
  const [pEnd, qEnd] = [offsets[i + 1], offsets[j + 1]];
  while (p < pEnd || q < qEnd) {
    const column = Math.min(p < pEnd ? indices[p] : Infinity, q < qEnd ? indices[q] : Infinity);
    const a = p < pEnd && indices[p] === column ? values[p++] : 0;
    const b = q < qEnd && indices[q] === column ? values[q++] : 0;
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}

function isOrdered(X: Matrix | Sparse): boolean {
  for (let i = 1; i < X.rows; i++) if (compareRows(X, i - 1, i) > 0) return false;
  return true;
}
