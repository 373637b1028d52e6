import fitted from "./fitted.json.ts";
import type { Trust } from "../model/index.ts";
import { EVIDENCE, type Evidence } from "./evidence.ts";
import type { SampleBelief } from "./sampleBelief.ts";
import { logistic } from "./trust.ts";

/**
 * The probability that the rows have no groups: data with the same columns would give a partition that is as good. A
 * logistic function of the share of distinct rows (equal ones look like groups), of the largest expected agreement, and of the
 * means and standard deviations of the evidence over the belief, fitted to sets with and without groups (`npm run fit:judge`).
 * Where there are groups, plausible partitions are alike.
 */
export function withoutGroups(belief: SampleBelief): number {
  const distinct = belief.distinct / belief.rows;
  const values = [distinct, Math.max(...belief.expected), ...momentsOverBelief(belief)];
  return logistic(fitted.none, values);
}

/** The means of the evidence over the members by their weight, then the standard deviations. */
export function momentsOverBelief({
  evidence,
  weights,
}: Pick<SampleBelief, "evidence" | "weights">): number[] {
  const over = (value: (own: Evidence) => number): number =>
    evidence.reduce((sum, own, j) => sum + weights[j] * value(own), 0);
  const means = EVIDENCE.map((name) => over((own) => own[name]));
  const deviations = EVIDENCE.map((name, e) => Math.sqrt(over((own) => (own[name] - means[e]) ** 2)));
  return [...means, ...deviations];
}

/** Of groups that are the levels of one column, and no more (columnAlone.ts). */
export function trustInLevels(column: string): Trust {
  const why = `the most plausible groups are the levels of ${column}, and the other columns hardly differ between them`;
  return { word: "none", why };
}

/** @param probability that there are none; 1: there is no grouping at all */
export function trustWithout(probability: number): Trust {
  const why =
    probability === 1
      ? "there is nothing to tell rows apart"
      : "this is the most plausible grouping, but data without groups often look the same";
  return { word: "none", probability, why };
}
