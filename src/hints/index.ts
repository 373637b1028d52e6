export {
  askQuestions,
  type AskedPair,
  type AskQuestionsOptions,
  type Reply,
} from "./questions/askQuestions.ts";
export {
  learnFromHints,
  type Explained,
  type HintedClustering,
  type HintedMember,
  type LearnFromHintsOptions,
} from "./learnFromHints.ts";
export type { Advice } from "./advice.ts";
export type { MovedRow } from "./moved.ts";
export type { ColumnWeight, ReadableMetric } from "./readableMetric.ts";
export type { SuspiciousHint } from "./mistakes.ts";
export type { GivenPartition } from "./shelf.ts";
export type { HintTrust } from "./trust.ts";
