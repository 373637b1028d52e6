import fitted from "./fitted.json.ts";
import { EVIDENCE } from "./evidence.ts";
import type { Supported } from "./belief.ts";
import type { SampleBelief } from "./sampleBelief.ts";
import type { Trust } from "../model/index.ts";
import { logistic } from "./trust.ts";

/**
 * The probability that the rows have no groups: data with the same columns would give a partition that is as good. A
 * logistic function of the largest expected agreement and of the evidence of the whole pool, fitted to sets with and without
 * groups (`npm run fit:judge`).
 */
export function withoutGroups(belief: SampleBelief): number {
  const { mean, deviation, beta, constant } = fitted.none;
  const values = [Math.max(...belief.expected), ...means(belief), ...largest(belief)];
  return logistic(
    values.reduce((sum, value, e) => sum + (beta[e] * (value - mean[e])) / deviation[e], constant),
  );
}

/** Of the evidence, over the members by their weight. */
function means({ evidence, weights }: SampleBelief): number[] {
  return EVIDENCE.map((name) => evidence.reduce((sum, own, j) => sum + weights[j] * own[name], 0));
}

function largest({ evidence }: SampleBelief): number[] {
  return EVIDENCE.map((name) => evidence.reduce((most, own) => Math.max(most, own[name]), -Infinity));
}

export function trustWithout(belief: SampleBelief, best: Supported | undefined): Trust {
  if (best === undefined) {
    return { word: "none", probability: 1, why: "there is nothing to tell rows apart" };
  }
  const probability = withoutGroups(belief);
  return {
    word: "none",
    probability,
    why:
      `no groups needed: data without groups give partitions that agree as well; the most plausible grouping is this one ` +
      `(expected agreement ${best.expected.toFixed(2)})`,
  };
}
