import { random } from "../core/index.ts";
import type { Matrix } from "../matrix/index.ts";
import { equalRows, valueOrder } from "../matrix/internal.ts";

/** Rows that stand for a table in which every distinct row occurs `times` times as often. */
export interface DistinctOrder {
  readonly order: Int32Array;
  /** For every row the place in `order` of an equal one. */
  readonly places: Int32Array;
}

/**
 * An order of the rows that depends only on their values, never on the order of the input: sorted (valueOrder.ts), then
 * shuffled. What is there by multiplication is left out: if every distinct row occurs 2, 4 or 6 times, each is taken half as often.
 * A table that was written twice has the same clusters.
 */
export function distinctOrder(X: Matrix): DistinctOrder {
  const sorted = valueOrder(X);
  let divisor = 0;
  for (let p = 1, start = 0; p <= sorted.length; p++) {
    if (p < sorted.length && equalRows(X, sorted[p - 1], sorted[p])) continue;
    divisor = commonDivisor(divisor, p - start);
    start = p;
  }
  const kept = sorted.filter((_, p) => divisor < 2 || p % divisor === 0);
  const shuffled = random(0).shuffle(Int32Array.from(kept, (_, q) => q));
  const places = new Int32Array(X.rows);
  const place = new Int32Array(kept.length);
  shuffled.forEach((q, at) => (place[q] = at));
  sorted.forEach((row, p) => (places[row] = place[Math.floor(p / Math.max(divisor, 1))]));
  return { order: shuffled.map((q) => kept[q]), places };
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
