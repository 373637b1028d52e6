import { accuracyOf, normalizedAccuracyOf, pairSetsOf, purityOf } from "./accuracy.ts";
import { adjustedMutualInformationOf } from "./adjustedMutualInformation.ts";
import { contingency, type Contingency, type LabelOptions } from "./contingency.ts";
import { deltaLossOf } from "./deltaLoss.ts";
import type { Labeling } from "./labels.ts";
import { completenessOf, homogeneityOf, nmiOf, vMeasureOf } from "./nmi.ts";
import { pairScoresOf } from "./pairScores.ts";
import { adjustedRandOf, fowlkesMallowsOf, randLossOf, randOf } from "./rand.ts";

/** A score, and what people read beside its value. */
interface Score {
  readonly title: string;
  readonly says: string;
  readonly of: (table: Contingency) => number;
}

const score = (title: string, says: string, of: Score["of"]): Score => ({ title, says, of });

/** Every score of two labelings, in the order in which they are printed. */
export const scores = {
  rand: score("Rand", "pairs judged alike by both", randOf),
  adjustedRand: score("adjusted Rand", "the same, 0 for chance", adjustedRandOf),
  /** Arithmetic normalisation. */
  nmi: score("NMI", "shared information, arithmetic mean", (table) => nmiOf(table)),
  adjustedMutualInformation: score("AMI", "the same, 0 for chance", adjustedMutualInformationOf),
  homogeneity: score("homogeneity", "1 if each cluster has rows of one class", homogeneityOf),
  completeness: score("completeness", "1 if each class is in one cluster", completenessOf),
  vMeasure: score("V", "harmonic mean of the two", vMeasureOf),
  accuracy: score("accuracy", "share of rows that are right under the best one-to-one matching", accuracyOf),
  normalizedAccuracy: score(
    "normalised accuracy",
    "the same as the mean over the classes, 0 for one cluster",
    normalizedAccuracyOf,
  ),
  pairSets: score("pair sets index", "overlap of matched clusters and classes, 0 for chance", pairSetsOf),
  purity: score("purity", "rows in their cluster's most frequent class", purityOf),
  /** Over all pairs. */
  precision: score(
    "pair precision",
    "share of the pairs in one cluster that belong together",
    (table) => pairScoresOf(table).precision,
  ),
  recall: score(
    "pair recall",
    "share of the pairs that belong together and are in one cluster",
    (table) => pairScoresOf(table).recall,
  ),
  f1: score("pair F1", "harmonic mean of the two", (table) => pairScoresOf(table).f1),
  fowlkesMallows: score("Fowlkes-Mallows", "geometric mean of pair precision and recall", fowlkesMallowsOf),
  deltaLoss: score("Delta loss", "0 for equal partitions", deltaLossOf),
  randLoss: score("Rand loss", "0 for equal partitions", randLossOf),
};

type Values = { readonly [K in keyof typeof scores]: number };

export interface AllScores extends Values {
  /** Numbers of counted rows, and of rows left out because one of the two labels is unknown. */
  readonly rows: number;
  readonly omitted: number;
  readonly clusters: number;
  readonly classes: number;
}

/** Every score of two labelings, from one table of counts. */
export function allScores(predicted: Labeling, truth: Labeling, options?: LabelOptions): AllScores {
  const table = contingency(predicted, truth, options);
  const values = Object.entries(scores).map(([name, { of }]) => [name, of(table)] as const);
  return {
    rows: table.rows,
    omitted: table.omitted,
    clusters: table.first.length,
    classes: table.second.length,
    ...(Object.fromEntries(values) as Values),
  };
}
