import { takeRows, type Matrix } from "./matrix.ts";
import { isSparse, type Sparse } from "./sparse.ts";

/**
 * The rows in the order of their values: by the first column, ties by the next; equal rows keep their input
 * order. Computations in this order are the same, to the last bit, for every order of the input. The order
 * stays when columns are shifted, or stretched by a positive factor. Rows must be finite.
 *
 * A column is sorted by two digits of its values on the scale from its least value to its largest; rows that these leave
 * equal are sorted again, on their own scale, and by the next column where this one is the same. Few rows are compared.
 */
export function valueOrder(X: Matrix | Sparse): Int32Array {
  const n = X.rows;
  const order = new Int32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  if (isOrdered(X)) return order;
  const compare = (i: number, j: number): number => compareRows(X, i, j) || i - j;
  if (isSparse(X)) return order.sort(compare);
  const values = new Float64Array(n);
  const [keys, otherKeys, otherRows] = [new Int32Array(n), new Int32Array(n), new Int32Array(n)];
  // Runs of rows that are equal in the columns before the given one.
  const runs = [[0, n, 0]];
  for (let run = runs.pop(); run !== undefined; run = runs.pop()) {
    const [start, end, f] = run;
    const m = end - start;
    if (f === X.cols) continue;
    const rows = order.subarray(start, end);
    const [least, most] = readColumn(X, f, rows, values);
    const scale = (2 ** (2 * DIGIT) - 1) / (most - least);
    if (least === most) runs.push([start, end, f + 1]);
    else if (m <= FEW || !(scale > 0 && scale < Infinity)) rows.sort(compare);
    else {
      scaleKeys(m, values, least, scale, keys);
      sortByDigit(m, 0, keys, rows, otherKeys, otherRows);
      sortByDigit(m, DIGIT, otherKeys, otherRows, keys, rows);
      for (const [first, last] of equalKeys(m, keys)) {
        if (last - first > 2) runs.push([start + first, start + last, f]);
        else if (compare(rows[first], rows[first + 1]) > 0)
          [rows[first], rows[first + 1]] = [rows[first + 1], rows[first]];
      }
    }
  }
  return order;
}

/** Up to this many rows, comparisons are faster than digits. */
const FEW = 256;
/** Bits of a digit. */
const DIGIT = 11;

// Long loops have functions of their own, which JavaScript engines optimise soon and for good.

/** Reads a column of some rows; returns its least and its largest value. */
function readColumn({ cols: d, data }: Matrix, f: number, rows: Int32Array, values: Float64Array): number[] {
  let least = Infinity;
  let most = -Infinity;
  for (let p = 0; p < rows.length; p++) {
    const value = data[rows[p] * d + f];
    values[p] = value;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return [least, most];
}

/** Values become integers; no rounding exchanges the order of two. */
function scaleKeys(m: number, values: Float64Array, least: number, scale: number, keys: Int32Array): void {
  for (let p = 0; p < m; p++) keys[p] = (values[p] - least) * scale;
}

/** Where sorted keys are equal: from where, to before where. */
function equalKeys(m: number, keys: Int32Array): number[][] {
  const runs = [];
  for (let first = 0, p = 1; p <= m; p++) {
    if (p < m && keys[p] === keys[first]) continue;
    if (p - first > 1) runs.push([first, p]);
    first = p;
  }
  return runs;
}

/** Sorts m keys and their rows by the digit from the bit `shift` on, those of equal digits in their order. */
function sortByDigit(
  m: number,
  shift: number,
  keys: Int32Array,
  rows: Int32Array,
  toKeys: Int32Array,
  toRows: Int32Array,
): void {
  const places = new Int32Array(2 ** DIGIT + 1);
  for (let p = 0; p < m; p++) places[((keys[p] >> shift) & (2 ** DIGIT - 1)) + 1]++;
  for (let v = 1; v < places.length; v++) places[v] += places[v - 1];
  for (let p = 0; p < m; p++) {
    const q = places[(keys[p] >> shift) & (2 ** DIGIT - 1)]++;
    toKeys[q] = keys[p];
    toRows[q] = rows[p];
  }
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
