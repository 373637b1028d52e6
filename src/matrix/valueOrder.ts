import { takeRows, type Matrix } from "./matrix.ts";
import { isSparse, type Sparse } from "./sparse.ts";

/**
 * The rows in the order of their values: by the first column, ties by the next; equal rows keep their input
 * order. Computations in this order are the same, to the last bit, for every order of the input. The order
 * stays when columns are shifted, or stretched by a positive factor. Rows must be finite.
 *
 * A column is sorted by the digits of its values, first on the scale from its least value to its largest, which two passes
 * over the rows do, then, for the rows that these leave equal, by its bits, 32 at a time. Few rows are compared.
 */
export function valueOrder(X: Matrix | Sparse): Int32Array {
  const n = X.rows;
  const order = new Int32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  if (isOrdered(X)) return order;
  const compare = (i: number, j: number): number => compareRows(X, i, j) || i - j;
  if (isSparse(X)) return order.sort(compare);
  const { cols: d, data } = X;
  const values = new Float64Array(n);
  const words = new Uint32Array(values.buffer);
  values[0] = 1;
  const upper = words[0] === 0 ? 1 : 0; // by the order of bytes of the machine
  const keys = new Uint32Array(n);
  const otherKeys = new Uint32Array(n);
  const otherRows = new Int32Array(n);
  // Runs of rows that are equal in the steps before `step`: the scale, the upper and the lower word of each column.
  const runs = [[0, n, 0]];
  for (let run = runs.pop(); run !== undefined; run = runs.pop()) {
    const [start, end, step] = run;
    const m = end - start;
    if (step === 3 * d) continue;
    if (m <= FEW) {
      order.subarray(start, end).sort(compare);
      continue;
    }
    const word = step % 3;
    const f = (step - word) / 3;
    let least = Infinity;
    let most = -Infinity;
    for (let p = 0; p < m; p++) {
      const value = data[order[start + p] * d + f] + 0; // -0 is 0
      values[p] = value;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    if (least === most) {
      runs.push([start, end, step - word + 3]);
      continue;
    }
    if (word === 0) {
      // No rounding exchanges the order of two values; a scale that overflows gives the key 0 to all.
      const scale = (2 ** SCALE - 1) / (most - least);
      for (let p = 0; p < m; p++) keys[p] = (values[p] - least) * scale;
    } else {
      const at = word === 1 ? upper : 1 - upper;
      for (let p = 0; p < m; p++) {
        // Bits of positive numbers increase with the number, those of negative ones decrease.
        const flip = words[2 * p + upper] >>> 31 === 1 ? -1 : word === 1 ? 1 << 31 : 0;
        keys[p] = words[2 * p + at] ^ flip;
      }
    }
    sortByDigits(m, keys, order.subarray(start, end), otherKeys, otherRows, word === 0 ? SCALE : 32);
    for (let first = 0; first < m;) {
      let last = first + 1;
      while (last < m && keys[last] === keys[first]) last++;
      if (last - first === 2) {
        const [i, j] = [order[start + first], order[start + first + 1]];
        if (compare(i, j) > 0) [order[start + first], order[start + first + 1]] = [j, i];
      } else if (last - first > 2) runs.push([start + first, start + last, step + 1]);
      first = last;
    }
  }
  return order;
}

/** Up to this many rows, comparisons are faster than digits. */
const FEW = 256;
const DIGIT = 11;
/** Bits of a value on the scale of its column. */
const SCALE = 2 * DIGIT;

/** Sorts m keys of so many bits and their rows, the rows of equal keys in their order; `otherKeys` and `otherRows` have room for them. */
function sortByDigits(
  m: number,
  keys: Uint32Array,
  rows: Int32Array,
  otherKeys: Uint32Array,
  otherRows: Int32Array,
  bits: number,
): void {
  const places = new Int32Array(2 ** DIGIT);
  let [fromKeys, fromRows, toKeys, toRows] = [keys, rows, otherKeys, otherRows];
  for (let shift = 0; shift < bits; shift += DIGIT) {
    places.fill(0);
    for (let p = 0; p < m; p++) places[(fromKeys[p] >>> shift) & (2 ** DIGIT - 1)]++;
    if (places[(fromKeys[0] >>> shift) & (2 ** DIGIT - 1)] === m) continue;
    for (let v = 0, sum = 0; v < places.length; v++) {
      const count = places[v];
      places[v] = sum;
      sum += count;
    }
    for (let p = 0; p < m; p++) {
      const q = places[(fromKeys[p] >>> shift) & (2 ** DIGIT - 1)]++;
      toKeys[q] = fromKeys[p];
      toRows[q] = fromRows[p];
    }
    [fromKeys, fromRows, toKeys, toRows] = [toKeys, toRows, fromKeys, fromRows];
  }
  if (fromKeys === keys) return;
  keys.set(fromKeys.subarray(0, m));
  rows.set(fromRows.subarray(0, m));
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
