import { contingency, type Contingency, type LabelOptions } from "./contingency.ts";
import type { Labeling } from "./labels.ts";

/**
 * W. M. Rand (1971), "Objective criteria for the evaluation of clustering methods"; L. Hubert and P. Arabie (1985),
 * "Comparing partitions".
 *
 * A pair of rows is together in both labelings (N11), in the first only (N10), in the second only (N01) or in neither
 * (N00). The counts are exact in doubles up to n = 9e7 rows.
 */
export interface PairCounts {
  readonly both: number;
  readonly firstOnly: number;
  readonly secondOnly: number;
  readonly neither: number;
  readonly pairs: number;
}

/** Rand index (N11 + N00) / pairs, in [0, 1]; 1 for a single row, which has no pair to disagree on. */
export function rand(predicted: Labeling, truth: Labeling, options?: LabelOptions): number {
  return randOf(contingency(predicted, truth, options));
}

/** 1 - Rand index: the share of pairs that the labelings disagree on. */
export function randLoss(predicted: Labeling, truth: Labeling, options?: LabelOptions): number {
  return randLossOf(contingency(predicted, truth, options));
}

/**
 * Rand index adjusted for chance: 0 in expectation for independent labelings with these class sizes, 1 exactly when the
 * partitions are identical (also the trivial ones, where the quotient of the definition is 0/0), and possibly negative.
 */
export function adjustedRand(predicted: Labeling, truth: Labeling, options?: LabelOptions): number {
  return adjustedRandOf(contingency(predicted, truth, options));
}

/**
 * E. B. Fowlkes and C. L. Mallows (1983): the geometric mean of pair precision and pair recall, N11 / sqrt((N11 + N10)(N11 +
 * N01)); 0 if no pair is together in both, but 1 for equal partitions.
 */
export function fowlkesMallows(predicted: Labeling, truth: Labeling, options?: LabelOptions): number {
  return fowlkesMallowsOf(contingency(predicted, truth, options));
}

export function fowlkesMallowsOf(table: Contingency): number {
  const { both, firstOnly, secondOnly } = pairCounts(table);
  if (firstOnly === 0 && secondOnly === 0) return 1;
  return both === 0 ? 0 : Math.sqrt(both / (both + firstOnly)) * Math.sqrt(both / (both + secondOnly));
}

export function randOf(table: Contingency): number {
  const { both, neither, pairs } = pairCounts(table);
  return pairs === 0 ? 1 : (both + neither) / pairs;
}

export function randLossOf(table: Contingency): number {
  const { firstOnly, secondOnly, pairs } = pairCounts(table);
  return pairs === 0 ? 0 : (firstOnly + secondOnly) / pairs;
}

export function adjustedRandOf(table: Contingency): number {
  const { both, firstOnly, secondOnly, neither } = pairCounts(table);
  if (firstOnly === 0 && secondOnly === 0) return 1;
  // The denominator is at least firstOnly^2 + secondOnly^2 > 0.
  return (
    (2 * (both * neither - firstOnly * secondOnly)) /
    ((both + firstOnly) * (firstOnly + neither) + (both + secondOnly) * (secondOnly + neither))
  );
}

export function pairCounts(table: Contingency): PairCounts {
  const pairs = (table.rows * (table.rows - 1)) / 2;
  const both = pairsWithin(table.counts);
  const firstOnly = pairsWithin(table.first) - both;
  const secondOnly = pairsWithin(table.second) - both;
  return { both, firstOnly, secondOnly, neither: pairs - both - firstOnly - secondOnly, pairs };
}

function pairsWithin(sizes: Float64Array): number {
  let total = 0;
  for (const size of sizes) total += (size * (size - 1)) / 2;
  return total;
}
