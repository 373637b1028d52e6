export {
  allColumns,
  classColumnsAccumulator,
  classColumnStatistics,
  columnScaling,
  columnStatistics,
  mergeClassColumnStatistics,
  mergeColumnStatistics,
  type ClassColumnsAccumulator,
  type ClassColumnStatistics,
  type Columns,
  type ColumnStatistics,
} from "./columnStatistics.ts";
export {
  classwiseAccumulator,
  knownGroups,
  loadClasswiseMoments,
  mergeClasswiseMoments,
  type ClasswiseAccumulator,
  type ClasswiseMoments,
  type ClasswiseMomentsData,
  allMoments,
  labelledMoments,
  loadMomentStatistics,
  mergeStatistics,
  mlcaFromStatistics,
  momentAccumulator,
  momentStatistics,
  type MomentAccumulator,
  type MomentStatistics,
  type MomentStatisticsData,
  type ClassMomentsData,
} from "./momentStatistics.ts";
export {
  gaussianMixtureStream,
  type GaussianMixtureStream,
  type GaussianMixtureStreamOptions,
  gaussianMixtureStreamOptions,
} from "./passes/gaussianMixtureStream.ts";
export {
  kmeansByPassesOptions,
  type KmeansByPasses,
  type KmeansPassOptions,
} from "./passes/kmeansByPasses.ts";
export { kmeansStream, type KmeansStream, type KmeansStreamOptions } from "./passes/kmeansStream.ts";
export type { LabelledBatch } from "./passes/streamPasses.ts";
export {
  levelCounts,
  levelCountsAccumulator,
  type LevelCountsAccumulator,
  type LevelCountsOptions,
  loadLevelCounts,
  mergeLevelCounts,
} from "./levelCounts.ts";
export { levelScheme, levelSchemeFromColumns, type LevelSchemeOptions } from "./levelScheme.ts";
export { scaledMoments, statisticsScaling } from "./momentScaling.ts";
export {
  rowBatches,
  type BatchOptions,
  type BatchSource,
  type RowBatch,
  scaledBatches,
} from "./rowBatches.ts";
export { pcaFromMoments, type PcaFromMomentsOptions } from "./pcaFromMoments.ts";
export { convexStream, type ConvexStream } from "./passes/convexStream.ts";
