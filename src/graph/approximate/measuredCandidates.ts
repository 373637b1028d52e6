import { nearestRows, takeRows, type Kernel, type Matrix, type NearestRows } from "../../matrix/index.ts";
import type { Exports } from "../kernel/cells.wasm.ts";

/** Rows in some order, group after group. */
export interface Placed {
  /** The row of each place. */
  readonly rowAt: Int32Array;
  /** Group c has places starts[c] .. starts[c + 1] - 1. */
  readonly starts: Int32Array;
  /** The address of all rows in this order, if they are in the kernel's memory. */
  readonly values: number | undefined;
}

/**
 * The k nearest of the candidates of each row, measured in double precision; places become rows. Rows with fewer are
 * compared with all; undefined if there are many such rows.
 *
 * @param candidates address of `kept` places for each place, -1 for none; kept is a multiple of four
 */
export function measuredCandidates(
  kernel: Kernel<Exports>,
  X: Matrix,
  k: number,
  kept: number,
  candidates: number,
  { rowAt, starts, values }: Placed,
): NearestRows | undefined {
  const { rows: n, cols: d, data } = X;
  const result = { indices: new Int32Array(n * k), distances: new Float64Array(n * k).fill(Infinity) };
  const few: number[] = [];
  const found = kernel.i32(candidates, n * kept).slice();
  /** Takes the measured distances of the places start .. end - 1. */
  const take = (start: number, end: number, exact: Float64Array): void => {
    for (let at = start, p = 0; at < end; at++) {
      let length = 0;
      for (let t = at * kept; t < (at + 1) * kept; t++, p++) {
        if (found[t] >= 0) length = insert(result, rowAt[at] * k, k, length, rowAt[found[t]], exact[p]);
      }
      if (length < k) few.push(rowAt[at]);
    }
  };
  for (let c = 0; c + 1 < starts.length; c++) {
    const [start, end] = [starts[c], starts[c + 1]];
    const count = (end - start) * kept;
    kernel.scope(() => {
      const out = kernel.reserve(8 * count);
      if (values !== undefined) {
        kernel.exports.exactDistances(d, values, start, end, kept, candidates + 4 * start * kept, out);
      } else {
        // The rows of the group, and the others among their candidates.
        const number = new Map<number, number>();
        const numberOf = (place: number): number => {
          if (!number.has(place)) number.set(place, number.size);
          return number.get(place)!;
        };
        for (let place = start; place < end; place++) numberOf(place);
        const near = kernel.reserve(4 * count);
        const numbers = kernel.i32(near, count);
        for (let t = 0; t < count; t++) {
          const place = found[start * kept + t];
          numbers[t] = place < 0 ? -1 : numberOf(place);
        }
        const rows = kernel.reserve(8 * number.size * d);
        const copy = kernel.f64(rows, number.size * d);
        for (const [place, p] of number)
          copy.set(data.subarray(rowAt[place] * d, (rowAt[place] + 1) * d), p * d);
        kernel.exports.exactDistances(d, rows, 0, end - start, kept, near, out);
      }
      take(start, end, kernel.f64(out, count));
    });
  }
  if (few.length > n / 8) return undefined;
  if (few.length > 0) {
    const others = nearestOthers(X, k, few);
    few.forEach((i, at) => {
      result.indices.set(others.indices.subarray(at * k, (at + 1) * k), i * k);
      result.distances.set(others.distances.subarray(at * k, (at + 1) * k), i * k);
    });
  }
  return result;
}

/**
 * Into a list of at most k that begins at `first`, ordered by distance and then by row; returns its new length.
 */
function insert(
  { indices, distances }: NearestRows,
  first: number,
  k: number,
  length: number,
  j: number,
  distance: number,
): number {
  const after = (p: number): boolean =>
    distances[p] > distance || (distances[p] === distance && indices[p] > j);
  let p = first + length;
  if (length === k) {
    if (!after(--p)) return k;
  }
  for (; p > first && after(p - 1); p--) {
    indices[p] = indices[p - 1];
    distances[p] = distances[p - 1];
  }
  indices[p] = j;
  distances[p] = distance;
  return Math.min(k, length + 1);
}

/** The exact neighbours of some rows. */
export function nearestOthers(X: Matrix, k: number, rows: readonly number[]): NearestRows {
  const { indices, distances } = nearestRows(X, k + 1, { queries: takeRows(X, rows) });
  const result = { indices: new Int32Array(rows.length * k), distances: new Float64Array(rows.length * k) };
  rows.forEach((row, at) => {
    let to = at * k;
    for (let p = at * (k + 1); p < (at + 1) * (k + 1) && to < (at + 1) * k; p++) {
      if (indices[p] === row) continue;
      result.indices[to] = indices[p];
      result.distances[to++] = distances[p];
    }
  });
  return result;
}
