import { contingency, type Contingency, type LabelOptions } from "./contingency.ts";
import { logGamma } from "./incompleteBeta.ts";
import type { Labeling } from "./labels.ts";
import { entropy, mutualInformationOf } from "./nmi.ts";

/**
 * N. X. Vinh, J. Epps and J. Bailey (2010), "Information theoretic measures for clusterings comparison":
 *
 *     AMI(A, B) = (I(A; B) - E) / ((H(A) + H(B)) / 2 - E),
 *
 * E the expected I of labelings with these class sizes whose rows are permuted at random. 0 in expectation for unrelated
 * labelings, 1 exactly for equal partitions, and possibly negative.
 */
export function adjustedMutualInformation(
  predicted: Labeling,
  truth: Labeling,
  options?: LabelOptions,
): number {
  return adjustedMutualInformationOf(contingency(predicted, truth, options));
}

export function adjustedMutualInformationOf(table: Contingency): number {
  const { rows, first, second, counts } = table;
  // Equal partitions have one cell in each row and column.
  if (counts.length === first.length && counts.length === second.length) return 1;
  const bound = (entropy(first, rows) + entropy(second, rows)) / 2;
  const expected = expectedInformation(table);
  const room = bound - expected;
  // With all rows alone in one labeling nothing is left to chance.
  if (room <= 1e-12 * bound) return 0;
  return Math.min(1, (mutualInformationOf(table) - expected) / room);
}

/**
 * E = sum over a, b and m of (m / n) log(n m / (n_a n_b)) P(m), P the hypergeometric probability of m common rows: from its
 * mode both ways until it no longer counts. Classes of one size share their terms.
 */
function expectedInformation({ rows: n, first, second }: Contingency): number {
  let sum = 0;
  for (const [a, timesA] of sizeCounts(first)) {
    for (const [b, timesB] of sizeCounts(second)) {
      const mode = Math.floor(((a + 1) * (b + 1)) / (n + 2));
      const chance = Math.exp(logChance(mode, a, b, n));
      let part = 0;
      let up = chance;
      for (let m = mode; m <= Math.min(a, b) && up > LEAST; m++) {
        if (m > 0) part += (m / n) * Math.log((n * m) / (a * b)) * up;
        up *= ((a - m) / (m + 1)) * ((b - m) / (n - a - b + m + 1));
      }
      let down = chance;
      for (let m = mode; m > Math.max(1, a + b - n) && down > LEAST; m--) {
        down *= (m / (a - m + 1)) * ((n - a - b + m) / (b - m + 1));
        part += ((m - 1) / n) * Math.log((n * (m - 1)) / (a * b)) * down;
      }
      sum += timesA * timesB * part;
    }
  }
  return sum;
}

/** Probabilities below this do not change a sum of numbers near 1. */
const LEAST = 1e-20;

/** log of C(a, m) C(n - a, b - m) / C(n, b). */
function logChance(m: number, a: number, b: number, n: number): number {
  const choose = (N: number, k: number): number => logGamma(N + 1) - logGamma(k + 1) - logGamma(N - k + 1);
  return choose(a, m) + choose(n - a, b - m) - choose(n, b);
}

function sizeCounts(sizes: Float64Array): Map<number, number> {
  const times = new Map<number, number>();
  for (const size of sizes) times.set(size, (times.get(size) ?? 0) + 1);
  return times;
}
