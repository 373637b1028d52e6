/** How far to trust a clustering learned from hints. */
export interface HintTrust {
  readonly word: "poor" | "fair" | "good" | "very good";
  /** Mean adjusted Rand index with the true groups that was reached at such values. */
  readonly expected: number;
  /** The range of nine of ten such runs. */
  readonly between: readonly [number, number];
  /** Mean of the held-out balance and of the agreement of the members, from which this is read. */
  readonly support: number;
  readonly answers: number;
}

export interface TrustRow {
  readonly support: number;
  readonly expected: number;
  readonly low: number;
  readonly high: number;
}

/** Agreement reached by support, with 20 and 50 answers, of which some were wrong, on half of the sets of bench/hints-real.mjs. */
export const TRUST_TABLE: readonly TrustRow[] = [
  { support: 0.4, expected: 0.2, low: 0, high: 0.45 },
  { support: 0.45, expected: 0.24, low: 0, high: 0.5 },
  { support: 0.55, expected: 0.32, low: 0.05, high: 0.6 },
  { support: 0.64, expected: 0.42, low: 0.1, high: 0.75 },
  { support: 0.71, expected: 0.49, low: 0.15, high: 0.8 },
  { support: 0.775, expected: 0.56, low: 0.2, high: 0.85 },
  { support: 0.825, expected: 0.63, low: 0.25, high: 0.9 },
  { support: 0.875, expected: 0.7, low: 0.35, high: 0.95 },
  { support: 0.925, expected: 0.8, low: 0.5, high: 0.98 },
  { support: 0.97, expected: 0.9, low: 0.7, high: 1 },
];

/**
 * Below this many answers the support itself is uncertain: the expectation is lower, and the range begins at
 * chance.
 */
export const FEW_ANSWERS = 15;
const FEW_FACTOR = 0.9;

/** Read from the table by linear interpolation. */
export function trustIn(support: number, answers: number): HintTrust {
  const last = TRUST_TABLE.length - 1;
  const at = Math.min(TRUST_TABLE[last].support, Math.max(TRUST_TABLE[0].support, support));
  let r = 1;
  while (r < last && at > TRUST_TABLE[r].support) r++;
  const [from, to] = [TRUST_TABLE[r - 1], TRUST_TABLE[r]];
  const share = (at - from.support) / (to.support - from.support);
  const read = (of: (row: TrustRow) => number): number => of(from) + share * (of(to) - of(from));
  const few = answers < FEW_ANSWERS;
  const expected = read((row) => row.expected) * (few ? FEW_FACTOR : 1);
  const word = expected < 0.35 ? "poor" : expected < 0.6 ? "fair" : expected < 0.82 ? "good" : "very good";
  return {
    word,
    expected,
    between: [few ? 0 : read((row) => row.low), read((row) => row.high)],
    support,
    answers,
  };
}

/** Expectation from which on even an undecided change is trusted. */
const SURE = 0.75;

/** The same, not above "fair" if rows moved, the hints hardly say whether that is better, and support is no more than good. */
export function atMostFair(trust: HintTrust): HintTrust {
  return trust.word === "good" && trust.expected < SURE ? { ...trust, word: "fair" } : trust;
}
