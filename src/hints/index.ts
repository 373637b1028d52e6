export {
  askQuestions,
  type AskedPair,
  type AskQuestionsOptions,
  type Reply,
} from "./questions/askQuestions.ts";
export {
  learnFromHints,
  type Advice,
  type Explained,
  type HintedClustering,
  type HintedMember,
  type LearnFromHintsOptions,
  type MovedRow,
} from "./learnFromHints.ts";
export type { ColumnWeight, ReadableMetric } from "./readableMetric.ts";
export type { SuspiciousHint } from "./mistakes.ts";
export type { GivenPartition } from "./shelf.ts";
export { TRUST_TABLE, type HintTrust, type TrustRow } from "./trust.ts";
