import { accuracyOf, purityOf } from "./accuracy.ts";
import { contingency, type LabelOptions } from "./contingency.ts";
import { deltaLossOf } from "./deltaLoss.ts";
import type { Labeling } from "./labels.ts";
import { nmiOf } from "./nmi.ts";
import { pairScoresOf } from "./pairScores.ts";
import { adjustedRandOf, randLossOf, randOf } from "./rand.ts";

export interface AllScores {
  /** Numbers of counted rows, and of rows left out because one of the two labels is unknown. */
  readonly rows: number;
  readonly omitted: number;
  readonly clusters: number;
  readonly classes: number;
  readonly rand: number;
  readonly adjustedRand: number;
  /** Arithmetic normalisation. */
  readonly nmi: number;
  readonly accuracy: number;
  readonly purity: number;
  /** Over all pairs. */
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  readonly deltaLoss: number;
  readonly randLoss: number;
}

/** Every score of two labelings, from one table of counts. */
export function allScores(predicted: Labeling, truth: Labeling, options?: LabelOptions): AllScores {
  const table = contingency(predicted, truth, options);
  const { precision, recall, f1 } = pairScoresOf(table);
  return {
    rows: table.rows,
    omitted: table.omitted,
    clusters: table.first.length,
    classes: table.second.length,
    rand: randOf(table),
    adjustedRand: adjustedRandOf(table),
    nmi: nmiOf(table),
    accuracy: accuracyOf(table),
    purity: purityOf(table),
    precision,
    recall,
    f1,
    deltaLoss: deltaLossOf(table),
    randLoss: randLossOf(table),
  };
}
