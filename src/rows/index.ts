export { engineRows } from "./engineRows.ts";
export { learnClassifier, type LearnClassifierOptions, type LearnedClassifier } from "./learnClassifier.ts";
export { learnMetric, type LearnedMetric, type LearnMetricOptions } from "./learnMetric.ts";
export {
  cellRows,
  openFeatureStream,
  type FeatureStream,
  type FeatureStreamOptions,
} from "./featureStream.ts";
export {
  numberRows,
  asNotes,
  requireSums,
  type Destination,
  type Found,
  type LabelledBatch,
  type Outcome,
  type LevelOptions,
  type Measure,
  type MeasuredFit,
  type MeasuredRows,
  type NamedRows,
  type PassedRows,
  type PlacedRows,
  type RowSample,
  type RowSource,
  type SummedRows,
  type TableRows,
} from "./rowSource.ts";
export { placeOnEngine, type PlacedOnEngine, type PlaceOnEngineOptions } from "./placeOnEngine.ts";
export { selectFeatures, type SelectedFeatures, type SelectFeaturesOptions } from "./selectFeatures.ts";
export { streamRows, type StreamSource } from "./streamRows.ts";
