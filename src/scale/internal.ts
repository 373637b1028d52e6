// What other rooms import from scale/ beside its public names (index.ts). `npm run lint` keeps it exact.
export { classwiseFrom, momentsOfBatches } from "./classwiseMoments.ts";
export { pairsRule } from "./levelCounts.ts";
export { checkedCuts, cutRules, type CutOptions } from "./levelScheme.ts";
export { COUNTED, kindOf, UNLABELLED, type Counted } from "./rowsByLabel.ts";
export { requirePairCells, requireScheme, storedLevelCounts } from "./levelCountsData.ts";
export { statisticsFrom } from "./momentStatistics.ts";
export {
  checkMixtureStart,
  mixtureByPasses,
  rowsToDraw,
  type InUnit,
} from "./passes/gaussianMixtureStream.ts";
export { stoppedEarly } from "./passes/passOptions.ts";
export { groupedSums } from "./passes/groupedSums.ts";
export { checkPassOptions, kmeansByPasses, requireWidth } from "./passes/kmeansByPasses.ts";
export { CONVEX_PASSES } from "./passes/convexStream.ts";
export { passCount, type Drawn, type RowPasses, type Sample } from "./passes/rowPasses.ts";
export { sampleRows } from "./sampleRows.ts";
