import { ascending } from "../../matrix/internal.ts";

/** The q-quantile of sorted values, by linear interpolation between neighbours (type 7 of Hyndman and Fan 1996). */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  const place = q * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(sorted.length - 1, below + 1);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

export function quartiles(sorted: ArrayLike<number>): [low: number, high: number] {
  return [quantile(sorted, 0.25), quantile(sorted, 0.75)];
}

/** Ranks 1 .. n, ties share their mean rank; NaN stays NaN. */
export function ranks(values: Float64Array): Float64Array {
  const out = new Float64Array(values.length).fill(Number.NaN);
  const present = ascending(values);
  for (let start = 0; start < present.length;) {
    let end = start + 1;
    while (end < present.length && values[present[end]] === values[present[start]]) end++;
    for (let p = start; p < end; p++) out[present[p]] = (start + 1 + end) / 2;
    start = end;
  }
  return out;
}
