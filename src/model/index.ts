export { clusteringOf, type Assigned, type Clustering } from "./clustering.ts";
export {
  MODEL_FORMAT,
  type ClusteringData,
  type ModelFile,
  type Proof,
  type Space,
  type TableSpace,
  type Trust,
} from "./modelForm.ts";
export { loadModel } from "./loadModel.ts";
export { profilesOf, type Difference, type Profile } from "./profiles.ts";
export { margins, representativesOf, type Representatives } from "./representatives.ts";
export { placingIn, scalingOf, spaceOf, textsOf, type SpacedRows } from "./space.ts";
export { modelSql, type SqlNames } from "./sql.ts";
export { tableReference } from "./sqlDialect.ts";
export type { SqlDialect } from "./sqlDialect.ts";
export {
  loadClassifierModel,
  storeClassifierModel,
  type ClassifierModel,
  type ClassifierModelData,
} from "./classifierModel.ts";
export {
  loadEmbedding,
  storeEmbedding,
  type EmbeddingModelData,
  type PlacedEmbedding,
} from "./embeddingModel.ts";
export { loadMetricModel, storeMetricModel, type MetricModel, type MetricModelData } from "./metricModel.ts";
export { scaledRows, type Learned } from "./scaledRows.ts";
