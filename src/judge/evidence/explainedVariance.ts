import type { Matrix } from "../../matrix/index.ts";
import type { FeatureRange } from "../factors.ts";

/** The mean over the columns of the share of their variance between the clusters, less what chance explains. */
export function explainedVariance(
  { rows: n, cols: d, data }: Matrix,
  groups: readonly FeatureRange[],
  labels: Int32Array,
  sizes: Int32Array,
): number {
  const K = sizes.length;
  const sums = new Float64Array(K * d);
  const means = new Float64Array(d);
  const squares = new Float64Array(d);
  for (let i = 0; i < n; i++) {
    const at = labels[i] * d;
    for (let f = 0; f < d; f++) {
      const value = data[i * d + f];
      sums[at + f] += value;
      means[f] += value / n;
      squares[f] += value * value;
    }
  }
  const chance = (K - 1) / (n - 1);
  let total = 0;
  for (const { first, count } of groups) {
    let between = 0;
    let all = 0;
    for (let f = first; f < first + count; f++) {
      const middle = n * means[f] ** 2;
      for (let k = 0; k < K; k++) between += sums[k * d + f] ** 2 / sizes[k];
      between -= middle;
      all += squares[f] - middle;
    }
    if (all > 0) total += Math.max(0, (between / all - chance) / (1 - chance));
  }
  return total / groups.length;
}
