import { logGamma } from "../score/internal.ts";
import { fitted } from "./fitted.ts";

/** How often a partition puts rows together or apart that are said to be the same or different. */
export interface PairTable {
  readonly togetherSame: number;
  readonly togetherDifferent: number;
  readonly apartSame: number;
  readonly apartDifferent: number;
}

export const NO_PAIRS: PairTable = { togetherSame: 0, togetherDifferent: 0, apartSame: 0, apartDifferent: 0 };

/** a + factor b. */
export function sumOf(a: PairTable, b: PairTable, factor: number = 1): PairTable {
  return {
    togetherSame: a.togetherSame + factor * b.togetherSame,
    togetherDifferent: a.togetherDifferent + factor * b.togetherDifferent,
    apartSame: a.apartSame + factor * b.apartSame,
    apartDifferent: a.apartDifferent + factor * b.apartDifferent,
  };
}

/**
 * The logarithm of the probability of the answers if this is the partition that is meant, but for some rows and mistakes: rows
 * that it puts together are the same with an unknown probability, rows that it puts apart are different with another, each of
 * the prior Beta(a, b),
 *
 *     ln B(ts + a, td + b) + ln B(ad + a, as + b) - 2 ln B(a, b).
 *
 * So the share of mistakes is learned with each partition.
 */
export function evidence(t: PairTable): number {
  const { asSaid: a, notSaid: b } = fitted.prior;
  return (
    logBeta(t.togetherSame + a, t.togetherDifferent + b) +
    logBeta(t.apartDifferent + a, t.apartSame + b) -
    2 * logBeta(a, b)
  );
}

/** The same if no partition tells anything of the answers: "same" has one unknown probability, of the prior Beta(1, 1). */
export function evidenceOfNone(t: PairTable): number {
  return logBeta(t.togetherSame + t.apartSame + 1, t.togetherDifferent + t.apartDifferent + 1);
}

/** The probability of "same" for two rows that are together, and that are apart, as the table has taught it. */
export function sameIn(t: PairTable): { readonly together: number; readonly apart: number } {
  const { asSaid: a, notSaid: b } = fitted.prior;
  return {
    together: (t.togetherSame + a) / (t.togetherSame + t.togetherDifferent + a + b),
    apart: (t.apartSame + b) / (t.apartSame + t.apartDifferent + a + b),
  };
}

/**
 * Mean of the shares of "same" put together and of "different" put apart, each shrunk towards 1/2 by half an
 * answer.
 */
export function balance(t: PairTable): number {
  return (
    ((t.togetherSame + 0.5) / (t.togetherSame + t.apartSame + 1) +
      (t.apartDifferent + 0.5) / (t.apartDifferent + t.togetherDifferent + 1)) /
    2
  );
}

/**
 * How often two rows are together: of a partition 0 or 1, of a learned one the share of the folds that hold out one of the
 * rows; with `first`, of those that hold out the first.
 */
export type Together = (i: number, j: number, first?: boolean) => number;

export function togetherIn(labels: Int32Array): Together {
  return (i, j) => Number(labels[i] === labels[j]);
}

/** What partitions predict that were learned without the answers on some rows; 1/2 where none of them was. */
export function heldTogether(
  runs: readonly { readonly held: Uint8Array; readonly labels: Int32Array }[],
): Together {
  return (i, j, first = false) => {
    let [asked, found] = [0, 0];
    for (const run of runs) {
      if (run.held[i] === 0 && (first || run.held[j] === 0)) continue;
      asked++;
      found += Number(run.labels[i] === run.labels[j]);
    }
    return asked > 0 ? found / asked : 0.5;
  };
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}
