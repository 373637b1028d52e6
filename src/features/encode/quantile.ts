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
export function ranks(values: ArrayLike<number>): Float64Array {
  const n = values.length;
  const out = new Float64Array(n).fill(Number.NaN);
  const order = new Int32Array(n);
  let count = 0;
  for (let i = 0; i < n; i++) if (!Number.isNaN(values[i])) order[count++] = i;
  const present = order.subarray(0, count).sort((a, b) => values[a] - values[b]);
  for (let start = 0; start < count;) {
    let end = start + 1;
    while (end < count && values[present[end]] === values[present[start]]) end++;
    for (let p = start; p < end; p++) out[present[p]] = (start + 1 + end) / 2;
    start = end;
  }
  return out;
}
