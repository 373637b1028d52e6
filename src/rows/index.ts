export { clusterRows, passesOf, type ClusteredRows, type ClusterRowsOptions } from "./clusterRows.ts";
export { engineRows } from "./engineRows.ts";
export { learnClassifier, type LearnClassifierOptions, type LearnedClassifier } from "./learnClassifier.ts";
export { learnMetric, type LearnedMetric, type LearnMetricOptions } from "./learnMetric.ts";
export {
  openCellStream,
  openFeatureStream,
  type CellStream,
  type FeatureStream,
  type FeatureStreamOptions,
} from "./featureStream.ts";
export { numberRows } from "./numberRows.ts";
export { placeOnEngine, type PlacedOnEngine, type PlaceOnEngineOptions } from "./placeOnEngine.ts";
export {
  requireSums,
  type Found,
  type Outcome,
  type LevelOptions,
  type Measure,
  type MeasuredFit,
  type MeasuredRows,
  type RowSource,
  type SummedRows,
  type TableRows,
} from "./rowSource.ts";
export { rowChecks, type RowChecks } from "./rowChecks.ts";
export { selectFeatures, type SelectedFeatures, type SelectFeaturesOptions } from "./selectFeatures.ts";
export { streamRows } from "./streamRows.ts";
export { passesText, readingNotes, withStream, type StreamSource } from "./streamSource.ts";
