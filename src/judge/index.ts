export type {
  Alternative,
  Choice,
  ClusterTrust,
  EqualWeights,
  JudgedCandidate,
  Maker,
  PathEntry,
} from "./choice.ts";
export { choosePartition, type ChooseOptions } from "./choosePartition.ts";
export { chosenPartition, type ChoiceDetails } from "./chosenPartition.ts";
