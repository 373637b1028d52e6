export {
  allColumns,
  classColumnsAccumulator,
  classColumnStatistics,
  columnScaling,
  columnStatistics,
  type ClassColumnStatistics,
  type Columns,
  type ColumnStatistics,
} from "./columnStatistics.ts";
export {
  classwiseAccumulator,
  knownGroups,
  type ClasswiseMoments,
  allMoments,
  labelledMoments,
  mlcaFromStatistics,
  momentAccumulator,
  momentStatistics,
  type MomentStatistics,
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
export { levelCounts, levelCountsAccumulator, type LevelCountsOptions } from "./levelCounts.ts";
export { levelScheme, levelSchemeFromColumns, type LevelSchemeOptions } from "./levelScheme.ts";
export { scaledMoments, statisticsScaling } from "./momentScaling.ts";
export {
  rowBatches,
  type BatchOptions,
  type BatchSource,
  type RowBatch,
  scaledBatches,
} from "./rowBatches.ts";
export { convexStream, type ConvexStream } from "./passes/convexStream.ts";
