import type { Relations } from "./relations.ts";

/**
 * Weights without labels: columns related to others count more, and none counts less than half,
 *
 *     w_i = 1/2 + 1/2 s_i / max s,   s_i = sum_j r_ij^2,
 *
 * with the squared correlations of relations.ts. If no column is related to another, all weights are 1.
 */
export function relatedWeights({ size, squares }: Pick<Relations, "size" | "squares">): Float64Array {
  const sums = Float64Array.from({ length: size }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < size; j++) if (j !== i) sum += squares[i * size + j];
    return sum;
  });
  const most = sums.reduce((a, b) => Math.max(a, b), 0);
  return sums.map((sum) => (most > 0 ? 0.5 + (0.5 * sum) / most : 1));
}
