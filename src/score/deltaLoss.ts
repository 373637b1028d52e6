import { contingency, type Contingency, type LabelOptions } from "./contingency.ts";
import type { Labeling } from "./labels.ts";

/**
 * The Frobenius distance of normalised partition matrices (R. Lajugie, S. Arlot and F. Bach, 2014):
 *
 *     Delta = || Y1 (Y1'Y1)^-1 Y1' - Y2 (Y2'Y2)^-1 Y2' ||_F^2 = K1 + K2 - 2 sum_ab n_ab^2 / (n_a n_b)
 *
 * without the factor 1/2 or 1/n of some papers. In [0, K1 + K2 - 2], 0 exactly for equal partitions; classes
 * without rows do not count, so the definition's 0/0 cannot occur.
 */
export function deltaLoss(predicted: Labeling, truth: Labeling, options?: LabelOptions): number {
  return deltaLossOf(contingency(predicted, truth, options));
}

export function deltaLossOf(table: Contingency): number {
  const { first, second, a, b, counts } = table;
  let overlap = 0;
  for (let c = 0; c < counts.length; c++) {
    overlap += (counts[c] / first[a[c]]) * (counts[c] / second[b[c]]);
  }
  return Math.max(0, first.length + second.length - 2 * overlap);
}
