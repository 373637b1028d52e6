import { logGamma } from "../score/internal.ts";
import { relation, type Known } from "./known.ts";

/** How often a partition puts rows together or apart that are known to be the same or different. */
export interface PairTable {
  readonly togetherSame: number;
  readonly togetherDifferent: number;
  readonly apartSame: number;
  readonly apartDifferent: number;
}

export const NO_PAIRS: PairTable = { togetherSame: 0, togetherDifferent: 0, apartSame: 0, apartDifferent: 0 };

/** Counts over the implied pairs of hinted rows; with `only`, over those of which at least one row is marked. */
export function pairTable(known: Known, labels: Int32Array, only?: Uint8Array): PairTable {
  const all = count(known, labels, () => true);
  if (only === undefined) return all;
  return sumOf(
    all,
    count(known, labels, (i) => only[i] === 0),
    -1,
  );
}

function count(known: Known, labels: Int32Array, counts: (i: number) => boolean): PairTable {
  const shares = new Map<number, Map<number, number>>();
  for (const i of known.hinted) {
    if (!counts(i)) continue;
    const g = known.group[i];
    let own = shares.get(g);
    if (own === undefined) shares.set(g, (own = new Map()));
    own.set(labels[i], (own.get(labels[i]) ?? 0) + 1);
  }
  const size = (own: Map<number, number>): number => {
    let sum = 0;
    for (const value of own.values()) sum += value;
    return sum;
  };
  let [same, togetherSame, different, togetherDifferent] = [0, 0, 0, 0];
  for (const [g, own] of shares) {
    const total = size(own);
    same += (total * (total - 1)) / 2;
    for (const value of own.values()) togetherSame += (value * (value - 1)) / 2;
    for (const h of known.excluded[g]) {
      const other = g < h ? shares.get(h) : undefined;
      if (other === undefined) continue;
      different += total * size(other);
      for (const [k, value] of own) togetherDifferent += value * (other.get(k) ?? 0);
    }
  }
  return {
    togetherSame,
    togetherDifferent,
    apartSame: same - togetherSame,
    apartDifferent: different - togetherDifferent,
  };
}

/** a + factor b. */
export function sumOf(a: PairTable, b: PairTable, factor: number = 1): PairTable {
  return {
    togetherSame: a.togetherSame + factor * b.togetherSame,
    togetherDifferent: a.togetherDifferent + factor * b.togetherDifferent,
    apartSame: a.apartSame + factor * b.apartSame,
    apartDifferent: a.apartDifferent + factor * b.apartDifferent,
  };
}

export function pairsIn(t: PairTable): number {
  return t.togetherSame + t.togetherDifferent + t.apartSame + t.apartDifferent;
}

export function misses(t: PairTable): number {
  return t.togetherDifferent + t.apartSame;
}

/** Pairs that follow from the same answers are not independent: together they count as the answers do. */
export function scaledTo(t: PairTable, answers: number): PairTable {
  const total = pairsIn(t);
  return total > answers ? sumOf(NO_PAIRS, t, answers / total) : t;
}

/** The Beta prior of the two shares below: as after 3 pairs that are as the partition says, and 1 that is not. */
const AS_SAID = 3;
const NOT_SAID = 1;

/**
 * The logarithm of the probability of the answers if this is the partition that is meant, but for some rows: rows that it puts
 * together are the same with an unknown probability, rows that it puts apart are different with another, each of the prior
 * Beta(3, 1),
 *
 *     ln B(ts + 3, td + 1) + ln B(ad + 3, as + 1) - 2 ln B(3, 1).
 */
export function evidence(t: PairTable): number {
  return (
    logBeta(t.togetherSame + AS_SAID, t.togetherDifferent + NOT_SAID) +
    logBeta(t.apartDifferent + AS_SAID, t.apartSame + NOT_SAID) -
    2 * logBeta(AS_SAID, NOT_SAID)
  );
}

/** The same if no partition tells anything of the answers: "same" has one unknown probability, of the prior Beta(1, 1). */
export function evidenceOfNone(t: PairTable): number {
  return logBeta(t.togetherSame + t.apartSame + 1, t.togetherDifferent + t.apartDifferent + 1);
}

/** The probability of "same" for two rows that are together, and that are apart, as the table has taught it. */
export function sameIn(t: PairTable): { readonly together: number; readonly apart: number } {
  const prior = AS_SAID + NOT_SAID;
  return {
    together: (t.togetherSame + AS_SAID) / (t.togetherSame + t.togetherDifferent + prior),
    apart: (t.apartSame + NOT_SAID) / (t.apartSame + t.apartDifferent + prior),
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

/** What partitions predict that were learned without the answers on some rows. */
export function heldTogether(
  known: Known,
  labels: Int32Array,
  runs: readonly { readonly held: Uint8Array; readonly labels: Int32Array }[],
): Together {
  return (i, j, first = false) => {
    let [asked, found] = [0, 0];
    for (const run of runs) {
      if (run.held[i] === 0 && (first || run.held[j] === 0)) continue;
      asked++;
      found += Number(run.labels[i] === run.labels[j]);
    }
    if (asked > 0) return found / asked;
    // Without a fold that holds them out, what is known of the rows is no prediction.
    return relation(known, i, j) === 0 ? Number(labels[i] === labels[j]) : 0.5;
  };
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}
