import type { Column } from "kindred/data";

/** The share of a column's variance that lies between the groups of a partition, 0 to 1. */
export function separation(
  { values, codes, levels }: Column,
  { labels, sizes }: { readonly labels: ArrayLike<number>; readonly sizes: readonly number[] },
): number {
  if (values !== undefined) return between(values, labels, sizes);
  if (codes === undefined || levels === undefined) return 0;
  let most = 0;
  for (let level = 0; level < Math.min(levels.length, 50); level++) {
    const is = Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : Number(code === level)));
    most = Math.max(most, between(is, labels, sizes));
  }
  return most;
}

function between(values: ArrayLike<number>, labels: ArrayLike<number>, sizes: readonly number[]): number {
  const sums = new Float64Array(sizes.length);
  const counts = new Float64Array(sizes.length);
  let [mean, known] = [0, 0];
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) continue;
    known++;
    mean += (values[i] - mean) / known;
  }
  let total = 0;
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) continue;
    const from = values[i] - mean;
    total += from * from;
    // A row alone is no group: its own value would explain it.
    if (labels[i] < 0 || sizes[labels[i]] < 2) continue;
    sums[labels[i]] += from;
    counts[labels[i]]++;
  }
  let apart = 0;
  for (let k = 0; k < sizes.length; k++) if (counts[k] > 0) apart += sums[k] ** 2 / counts[k];
  return total > 0 ? Math.min(1, apart / total) : 0;
}
