import { inputError, rule } from "../core/internal.ts";
import { contingency, LABEL_RULES, type Contingency } from "./contingency.ts";
import { encodeLabels, type Labeling } from "./labels.ts";
import { pairCounts } from "./rand.ts";

/** Precision, recall and F1 of the relation "in the same cluster", over pairs of rows. */
export interface PairScores {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly falseNegatives: number;
  readonly trueNegatives: number;
  /** How many pairs were counted. */
  readonly pairs: number;
}

const RULES = {
  ...LABEL_RULES,
  /** Pairs of rows to leave out, usually the constraints that the method was given, in any order and repetition. */
  exclude: rule.given<readonly (readonly [number, number])[]>("an array of pairs [i, j]", isPairs, []),
};

export type PairScoreOptions = rule.OptionsOf<typeof RULES>;

/**
 * Scores over all pairs, or over the pairs that are not in `exclude`. A quotient with denominator 0 (no pair predicted
 * together, no pair truly together) is 0.
 */
export function pairScores(predicted: Labeling, truth: Labeling, options: PairScoreOptions = {}): PairScores {
  const { exclude, unknown } = rule.resolveOptions("pairScores", options, RULES);
  const all = pairScoresOf(contingency(predicted, truth, { unknown }));
  return exclude.length === 0 ? all : without(all, predicted, truth, exclude, unknown);
}

export function pairScoresOf(table: Contingency): PairScores {
  const { both, firstOnly, secondOnly, neither } = pairCounts(table);
  return fromCounts(both, firstOnly, secondOnly, neither);
}

function without(
  all: PairScores,
  predicted: Labeling,
  truth: Labeling,
  exclude: readonly (readonly [number, number])[],
  unknown: "omit" | "class",
): PairScores {
  const n = predicted.length;
  const P = encodeLabels(predicted).codes;
  const T = encodeLabels(truth).codes;
  // counts[2 p + t]: pairs that are together in the prediction (p) and in truth (t)
  const counts = [all.trueNegatives, all.falseNegatives, all.falsePositives, all.truePositives];
  const seen = new Set<number>();
  for (const [i, j] of exclude) {
    checkPair(i, j, n);
    const key = Math.min(i, j) * n + Math.max(i, j);
    if (seen.has(key)) continue;
    seen.add(key);
    if (unknown === "omit" && (P[i] < 0 || P[j] < 0 || T[i] < 0 || T[j] < 0)) continue;
    counts[(P[i] === P[j] ? 2 : 0) + (T[i] === T[j] ? 1 : 0)]--;
  }
  return fromCounts(counts[3], counts[2], counts[1], counts[0]);
}

function isPairs(value: unknown): value is readonly (readonly [number, number])[] {
  return Array.isArray(value) && value.every((pair) => Array.isArray(pair) && pair.length === 2);
}

function checkPair(i: number, j: number, n: number): void {
  for (const index of [i, j]) {
    if (!Number.isInteger(index) || index < 0 || index >= n) {
      throw inputError(`pairScores: pair [${i}, ${j}] of "exclude" is not a pair of rows 0 to ${n - 1}`);
    }
  }
  if (i === j) throw inputError(`pairScores: pair [${i}, ${j}] of "exclude" joins a row with itself`);
}

function fromCounts(
  truePositives: number,
  falsePositives: number,
  falseNegatives: number,
  trueNegatives: number,
): PairScores {
  const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
  return {
    precision: ratio(truePositives, truePositives + falsePositives),
    recall: ratio(truePositives, truePositives + falseNegatives),
    f1: ratio(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives),
    truePositives,
    falsePositives,
    falseNegatives,
    trueNegatives,
    pairs: truePositives + falsePositives + falseNegatives + trueNegatives,
  };
}
