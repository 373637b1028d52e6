import fitted from "./fitted.json.ts";
import type { Trust } from "../model/index.ts";
import { EVIDENCE } from "./evidence.ts";
import type { SampleBelief } from "./sampleBelief.ts";
import { logistic } from "./trust.ts";

/**
 * The probability that the rows have no groups: data with the same columns would give a partition that is as good. A
 * logistic function of the largest expected agreement, of the evidence of the whole pool and of the share of distinct rows
 * (equal ones look like groups), fitted to sets with and without groups (`npm run fit:judge`).
 */
export function withoutGroups(belief: SampleBelief): number {
  const distinct = belief.distinct / belief.rows;
  const values = [distinct, Math.max(...belief.expected), ...means(belief), ...largest(belief)];
  return logistic(fitted.none, values);
}

/** Of the evidence, over the members by their weight. */
function means({ evidence, weights }: SampleBelief): number[] {
  return EVIDENCE.map((name) => evidence.reduce((sum, own, j) => sum + weights[j] * own[name], 0));
}

function largest({ evidence }: SampleBelief): number[] {
  return EVIDENCE.map((name) => evidence.reduce((most, own) => Math.max(most, own[name]), -Infinity));
}

/** @param probability that there are none; 1: there is no grouping at all */
export function trustWithout(probability: number): Trust {
  const why =
    probability === 1
      ? "there is nothing to tell rows apart"
      : "this is the most plausible grouping, but data without groups often look the same";
  return { word: "none", probability, why };
}
