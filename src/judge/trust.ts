import type { Trust } from "../model/index.ts";
import fitted from "./fitted.json.ts";

/** Agreement from which the words are used. */
const CLEAR = 0.8;
const DOUBTFUL = 0.5;

/**
 * How sure a choice is, in a word and as a number: the adjusted Rand index to expect with the groups that a person would name, 0
 * where chance would reach it. A logistic function of expected agreement and the partition's own evidence, fitted to labelled sets
 * that took no part in the fit of the belief (`npm run fit:judge`), which also tells what the groups of each word reached there.
 *
 * @param expected of the partition; with an open number of clusters, the largest of all
 * @param terms of its evidence (plausibility.ts)
 */
export function trustIn(expected: number, terms: readonly number[], isCountGiven: boolean): Trust {
  const kind = isCountGiven ? "given" : "open";
  const probability = logistic(fitted.trust[kind], [expected, ...terms]);
  const word = probability >= CLEAR ? "clear" : probability >= DOUBTFUL ? "doubtful" : "weak";
  const reached = fitted.bands[kind][word].toFixed(2);
  return { word, probability, why: `in tests, groups this sure matched the true ones by ${reached} of 1` };
}

/** 1 / (1 + exp(-(b_0 + b . x))). */
export function logistic([constant, ...slopes]: readonly number[], x: readonly number[]): number {
  return 1 / (1 + Math.exp(-x.reduce((sum, value, e) => sum + slopes[e] * value, constant)));
}
