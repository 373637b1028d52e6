export type { Alternative, Choice, ClusterTrust, JudgedCandidate, PathEntry, Recipe } from "./choice.ts";
export { choosePartition, type ChooseOptions } from "./choosePartition.ts";
export { chosenPartition } from "./chosenPartition.ts";
export type { PartitionCandidate } from "./pool.ts";
export type { Trust } from "./trust.ts";
