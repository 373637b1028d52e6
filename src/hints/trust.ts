import { fitted } from "./fitted.ts";

/** How far to trust a clustering learned from hints. */
export interface HintTrust {
  readonly word: "poor" | "fair" | "good" | "very good";
  /** Mean adjusted Rand index with the true groups that was reached at such values. */
  readonly expected: number;
  /** The range of eight of ten such runs. */
  readonly between: readonly [number, number];
  /** Mean of the held-out balance and of the agreement of the members, from which this is read. */
  readonly support: number;
  readonly answers: number;
}

/** Below this many answers the support itself is uncertain, and the range begins at chance. */
export const FEW_ANSWERS = 15;

/**
 * Read by linear interpolation from what was reached on labelled tables (`npm run fit:hints`). A change that the answers
 * hardly support is not above "fair".
 */
export function trustIn(
  fit: { readonly balance: number; readonly expected: number; readonly undecided: boolean },
  answers: number,
): HintTrust {
  const support = (fit.balance + fit.expected) / 2;
  const table = fitted.trust;
  const last = table.length - 1;
  const at = Math.min(table[last].support, Math.max(table[0].support, support));
  let r = 1;
  while (r < last && at > table[r].support) r++;
  const [from, to] = [table[r - 1], table[r]];
  const share = (at - from.support) / (to.support - from.support);
  const read = (of: (row: (typeof table)[0]) => number): number => of(from) + share * (of(to) - of(from));
  const expected = read((row) => row.expected);
  const few = answers < FEW_ANSWERS;
  const word =
    expected < 0.35
      ? "poor"
      : expected < 0.6 || fit.undecided
        ? "fair"
        : expected < 0.82
          ? "good"
          : "very good";
  return {
    word,
    expected,
    between: [few ? 0 : read((row) => row.low), read((row) => row.high)],
    support,
    answers,
  };
}
