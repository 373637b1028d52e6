/** How far to trust a clustering that was learned from hints. */
export interface Trust {
  readonly word: "poor" | "fair" | "good" | "very good";
  /** Adjusted Rand index with what the person means that was reached at such values, on average. */
  readonly expected: number;
  /** Held-out agreement with the hints that this is read from, 1/2 is chance. */
  readonly balance: number;
  readonly answers: number;
}

/** Mean agreement reached, by the held-out balance: see docs/hints.md for the sets behind it. */
export const TRUST_TABLE: readonly { readonly balance: number; readonly expected: number }[] = [
  { balance: 0.5, expected: 0.1 },
  { balance: 0.65, expected: 0.35 },
  { balance: 0.75, expected: 0.55 },
  { balance: 0.85, expected: 0.75 },
  { balance: 0.95, expected: 0.9 },
];

/** Read from the table by linear interpolation; few answers are drawn towards the middle. */
export function trustIn(balance: number, answers: number): Trust {
  const last = TRUST_TABLE.length - 1;
  let expected = TRUST_TABLE[last].expected;
  if (balance <= TRUST_TABLE[0].balance) expected = TRUST_TABLE[0].expected;
  else {
    for (let r = 1; r <= last; r++) {
      const [low, high] = [TRUST_TABLE[r - 1], TRUST_TABLE[r]];
      if (balance > high.balance) continue;
      const share = (balance - low.balance) / (high.balance - low.balance);
      expected = low.expected + share * (high.expected - low.expected);
      break;
    }
  }
  const word = expected < 0.4 ? "poor" : expected < 0.65 ? "fair" : expected < 0.85 ? "good" : "very good";
  return { word, expected, balance, answers };
}
