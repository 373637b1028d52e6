export {
  choosePartition,
  type Alternative,
  type Choice,
  type ChooseOptions,
  type ClusterTrust,
  type JudgedCandidate,
  type PathEntry,
  type Recipe,
} from "./choosePartition.ts";
export type { Candidate } from "./pool.ts";
export type { Trust } from "./trust.ts";
