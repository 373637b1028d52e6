import { adjustedRand } from "../../score/index.ts";
import type { FitAnswer } from "./compareTasks.ts";
import { isDefault, type MethodChoice, nameOf } from "./methodChoices.ts";
import type { FeatureRecord } from "../../features/index.ts";
import { sampleBelief } from "../../judge/internal.ts";
import { isSparse, type Matrix, type Sparse, toDense } from "../../matrix/index.ts";

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

/** What the belief over partitions says of one, without labels. */
export interface Judgement {
  /** Its expected agreement with the truth (adjusted Rand index); null if the rows are too many numbers. */
  readonly expected: number | null;
}

export type Judge = (labels: Int32Array) => Judgement;

/** Numbers (rows x columns) up to which sparse rows are made dense for judging. */
const MOST_NUMBERS = 4e7;

/**
 * Judges every partition of a comparison by the belief of the default, so the numbers of two partitions are comparable. Rows
 * in no cluster count as one more cluster.
 */
export function judgeOf(rows: Matrix | Sparse, record: FeatureRecord | undefined, seed: number): Judge {
  if (isSparse(rows) && rows.rows * rows.cols > MOST_NUMBERS) return () => ({ expected: null });
  const X = isSparse(rows) ? toDense(rows) : rows;
  const belief = sampleBelief(X, record, { seed, going: () => true });
  const sample = belief.order.subarray(0, belief.rows);
  return (labels) => {
    const own = Int32Array.from(sample, (row) => labels[row] + 1);
    return { expected: new Set(own).size < 2 ? null : belief.expectedOf(own) };
  };
}
