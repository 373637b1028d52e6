export { learnFeatures, type FeatureOptions, type Features } from "./learnFeatures.ts";
export { applyFeatures, type AppliedFeatures } from "./applyFeatures.ts";
export type {
  FeatureColumn,
  FeaturePart,
  FeatureRecord,
  FeatureScale,
  MissingCells,
} from "./featureRecord.ts";
