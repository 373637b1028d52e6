export { learnFeatures, type FeatureOptions, type Features } from "./learnFeatures.ts";
export { applyFeatures, columnsOf, type AppliedFeatures } from "./applyFeatures.ts";
export type { FeatureColumn, FeaturePart, FeatureRecord, FeatureScale, MissingCells } from "./featureRecord.ts";
export { splitKinds, type SplitCategory, type SplitKinds } from "./splitKinds.ts";
