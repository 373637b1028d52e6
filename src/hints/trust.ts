/** How far to trust a clustering that was learned from hints. */
export interface Trust {
  readonly word: "poor" | "fair" | "good" | "very good";
  /** Adjusted Rand index with what the person means that was reached at such values, on average. */
  readonly expected: number;
  /** Where nine of ten such runs ended. */
  readonly between: readonly [number, number];
  /** Held-out agreement with the hints that this is read from, 1/2 is chance. */
  readonly balance: number;
  readonly answers: number;
}

export interface TrustRow {
  readonly balance: number;
  readonly expected: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Agreement reached by the held-out balance, with 20 to 100 answers, on the seven sets of bench/hints.mjs that constants
 * were chosen on; docs/methods/hints.md has the table for the other six.
 */
export const TRUST_TABLE: readonly TrustRow[] = [
  { balance: 0.5, expected: 0.1, low: 0, high: 0.25 },
  { balance: 0.6, expected: 0.21, low: 0.05, high: 0.4 },
  { balance: 0.7, expected: 0.36, low: 0.1, high: 0.6 },
  { balance: 0.75, expected: 0.45, low: 0.2, high: 0.75 },
  { balance: 0.8, expected: 0.62, low: 0.35, high: 0.9 },
  { balance: 0.875, expected: 0.78, low: 0.5, high: 0.93 },
  { balance: 0.925, expected: 0.86, low: 0.65, high: 0.96 },
  { balance: 0.975, expected: 0.93, low: 0.8, high: 1 },
];

/** Below this many answers the balance itself is uncertain: less is expected, and the range begins at chance. */
export const FEW_ANSWERS = 15;
const FEW_FACTOR = 0.9;

/** Read from the table by linear interpolation. */
export function trustIn(balance: number, answers: number): Trust {
  const last = TRUST_TABLE.length - 1;
  const at = Math.min(TRUST_TABLE[last].balance, Math.max(TRUST_TABLE[0].balance, balance));
  let r = 1;
  while (r < last && at > TRUST_TABLE[r].balance) r++;
  const [from, to] = [TRUST_TABLE[r - 1], TRUST_TABLE[r]];
  const share = (at - from.balance) / (to.balance - from.balance);
  const read = (of: (row: TrustRow) => number): number => of(from) + share * (of(to) - of(from));
  const few = answers < FEW_ANSWERS;
  const expected = read((row) => row.expected) * (few ? FEW_FACTOR : 1);
  const word = expected < 0.35 ? "poor" : expected < 0.6 ? "fair" : expected < 0.82 ? "good" : "very good";
  return {
    word,
    expected,
    between: [few ? 0 : read((row) => row.low), read((row) => row.high)],
    balance,
    answers,
  };
}
