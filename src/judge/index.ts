export type { Alternative, Choice, ClusterTrust, JudgedCandidate, Maker, PathEntry } from "./choice.ts";
export { choosePartition, type ChooseOptions } from "./choosePartition.ts";
export { chosenPartition } from "./chosenPartition.ts";
export type { Trust } from "./trust.ts";
