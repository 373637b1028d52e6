// What other rooms import from scale/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { classwiseFrom, momentsOfBatches, statisticsFrom } from "./momentStatistics.ts";
export { pairsRule, requirePairCells } from "./levelCounts.ts";
export { checkedCuts, cutRules, type CutOptions } from "./levelScheme.ts";
export { COUNTED, kindOf, mergeClassColumnStatistics, UNLABELLED, type Counted } from "./columnStatistics.ts";
export {
  checkMixtureStart,
  mixtureByPasses,
  rowsToDraw,
  type InUnit,
} from "./passes/gaussianMixtureStream.ts";
export { stoppedEarly, passCount, type Drawn, type RowPasses, type Sample } from "./passes/rowPasses.ts";
export type { MixtureSums } from "./passes/mixtureSums.ts";
export { groupedSumsAccumulator, type FarRow, type GroupedSums } from "./passes/groupedSums.ts";
export { checkPassOptions, kmeansByPasses, requireWidth } from "./passes/kmeansByPasses.ts";
export { CONVEX_PASSES } from "./passes/convexStream.ts";
export { sampleRows } from "./sampleRows.ts";
