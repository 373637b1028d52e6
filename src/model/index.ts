export { clusteringOf, loadModel, type Assigned, type Clustering } from "./clustering.ts";
export { MODEL_FORMAT, type Space, type TableSpace } from "./placedForm.ts";
export type { ClusteringData, ModelFile, Proof } from "./modelForm.ts";
export type { Trust } from "../method/index.ts";
export { profilesOf, type Difference, type Profile } from "./profiles.ts";
export { margins, representativesOf, type Representatives } from "./representatives.ts";
export {
  placingIn,
  scaledRows,
  scalingOf,
  spaceOf,
  textsOf,
  type Learned,
  type SpacedRows,
} from "./space.ts";
export { modelSql, type SqlNames } from "./sql.ts";
export { tableReference, type SqlDialect } from "./sqlDialect.ts";
export {
  loadClassifierModel,
  storeClassifierModel,
  type ClassifierModel,
  type ClassifierModelData,
} from "./classifierModel.ts";
export {
  loadEmbedding,
  loadMetricModel,
  storeEmbedding,
  storeMetricModel,
  type EmbeddingModelData,
  type MetricModel,
  type MetricModelData,
  type PlacedEmbedding,
} from "./learnedModels.ts";
export type { Scored, ScoredRow, Scorer } from "./scorer.ts";
