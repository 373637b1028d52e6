import fitted from "./fitted.json.ts";
import type { Trust } from "../model/index.ts";

/** Probabilities from which the words are used. */
const CLEAR = 0.8;
const DOUBTFUL = 0.5;

/**
 * How sure a choice is, in one of four words ("none": the data show no clusters) and as a probability: that its adjusted Rand
 * index with the groups that a person would name exceeds one half. A logistic function of expected agreement and direct
 * evidence, fitted to labelled sets that took no part in the fit of the belief (`npm run fit:judge`).
 *
 * @param expected of the partition; with an open number of clusters, the largest of all
 * @param direct what the partition's own evidence adds
 * @param members the number of partitions that were weighed
 */
export function trustIn(expected: number, direct: number, isCountGiven: boolean, members: number): Trust {
  const [constant, ofExpected, ofDirect] = isCountGiven ? fitted.trust.given : fitted.trust.open;
  const probability = logistic(constant + ofExpected * expected + ofDirect * direct);
  const word = trustWord(probability);
  const { agreement, sets } = fitted.bands[word];
  const reached =
    sets === 0
      ? ""
      : `; in tests, ${sets} groupings called ${word} agreed with known classes by ${agreement.toFixed(2)} on average`;
  return {
    word,
    probability,
    why: `expected agreement ${expected.toFixed(2)} with ${members} partitions of several methods${reached}`,
  };
}

/** The word for a probability that there are these clusters. */
function trustWord(probability: number): "clear" | "doubtful" | "weak" {
  return probability >= CLEAR ? "clear" : probability >= DOUBTFUL ? "doubtful" : "weak";
}

export function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
