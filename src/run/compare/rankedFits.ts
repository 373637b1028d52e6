import { adjustedRand } from "../../score/index.ts";
import type { FitAnswer } from "./compareTasks.ts";
import type { Judgement } from "./judgement.ts";
import { isDefault, nameOf, type MethodChoice } from "./methodChoices.ts";

/** Adjusted Rand index above which two partitions count as the same. */
export const SAME = 0.98;

export interface Fit {
  readonly choice: MethodChoice;
  readonly answer: FitAnswer;
  readonly judgement: Judgement;
}

/**
 * The default's choice first. Of the others those with the requested number of clusters first, then by expected
 * agreement.
 */
export function ranked(fits: readonly Fit[], clusters: number): Fit[] {
  const order = (fit: Fit): readonly number[] => [
    isDefault(fit.choice) ? 0 : 1,
    fit.answer.clusters === clusters ? 0 : 1,
    -(fit.judgement.expected ?? -Infinity),
  ];
  return fits
    .map((fit) => ({ fit, keys: [...order(fit), nameOf(fit.choice)] }))
    .toSorted((a, b) => {
      for (const [k, key] of a.keys.entries()) {
        if (key < b.keys[k]) return -1;
        if (key > b.keys[k]) return 1;
      }
      return 0;
    })
    .map(({ fit }) => fit);
}

/** Fits with (nearly) the same partition form one group, represented by the first. */
export function grouped(fits: readonly Fit[]): [Fit, ...Fit[]][] {
  const groups: [Fit, ...Fit[]][] = [];
  for (const fit of fits) {
    const like = groups.find(([leader]) => agreementOf(leader, fit) >= SAME);
    if (like === undefined) groups.push([fit]);
    else like.push(fit);
  }
  return groups;
}

export function agreementOf(a: Fit, b: Fit): number {
  return adjustedRand(a.answer.labels, b.answer.labels, { unknown: "class" });
}
