export { duckdbDialect, sparkDialect, type Dialect } from "./dialect.ts";
export { classColumnsOnEngine, type ClassColumnsOnEngine } from "./counts/classColumnsOnEngine.ts";
export { convexOnEngine, type ConvexOnEngine } from "./cluster/convexOnEngine.ts";
export { duckdb, type DuckdbOptions } from "./duckdb.ts";
export { answer, type Engine, type EngineBatch, type EngineColumn } from "./engine.ts";
export { engineCells, engineBatches } from "./engineBatches.ts";
export { engineMoments, type EngineMoments, type EngineMomentsOptions } from "./engineMoments.ts";
export {
  checkedTable,
  engineTable,
  openEngineCells,
  openEngineTable,
  scaledTable,
  transformedTable,
  type CheckedTable,
  type EngineFeature,
  type EngineSource,
  type EngineTable,
  type EngineTableOptions,
} from "./engineTable.ts";
export {
  gaussianMixtureOnEngine,
  type GaussianMixtureOnEngine,
  type GaussianMixtureOnEngineOptions,
} from "./cluster/gaussianMixtureOnEngine.ts";
export { kmeansOnEngine, type KmeansOnEngine, type KmeansOnEngineOptions } from "./cluster/kmeansOnEngine.ts";
export {
  levelCountsOnEngine,
  type LevelCountsOnEngine,
  type LevelCountsOnEngineOptions,
} from "./counts/levelCountsOnEngine.ts";
export { namedOnEngine, sampleOnEngine, type EngineSample } from "./sampleOnEngine.ts";
export { spark, type SparkOptions } from "./spark.ts";
export {
  writeLabels,
  type Labelling,
  type LabelTarget,
  type WriteLabelsOptions,
  writeFoundLabels,
  type PlaceRows,
} from "./cluster/writeLabels.ts";
export { writeParquet, writeTable, type WriteParquetOptions, type WriteTableOptions } from "./writeTable.ts";
export type { Route } from "./route.ts";
