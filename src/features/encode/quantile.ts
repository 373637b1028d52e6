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

/** The p-quantile of the standard normal (Acklam's rational approximation, relative error 1.2e-9). */
export function normalQuantile(p: number): number {
  if (p > 0.5) return -normalQuantile(1 - p);
  if (p < 0.02425) {
    const q = Math.sqrt(-2 * Math.log(p));
    return horner(TAIL_ABOVE, q) / horner(TAIL_BELOW, q);
  }
  const q = p - 0.5;
  const r = q * q;
  return (horner(MIDDLE_ABOVE, r) * q) / horner(MIDDLE_BELOW, r);
}

function horner(coefficients: readonly number[], x: number): number {
  let sum = 0;
  for (const c of coefficients) sum = sum * x + c;
  return sum;
}

const TAIL_ABOVE = [
  -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const TAIL_BELOW = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1];
const MIDDLE_ABOVE = [
  -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1,
  2.506628277459239,
];
const MIDDLE_BELOW = [
  -5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1,
  1,
];
