export { cellParts } from "./encode/levelsEncoding.ts";
export {
  learnFeatures,
  type FeatureOptions,
  type TableFeatures,
  tableFeatures,
  type Nature,
} from "./learnFeatures.ts";
export { applyFeatures, columnsOf, type AppliedFeatures, byAngle, countRows } from "./applyFeatures.ts";
export type {
  FeatureColumn,
  FeaturePart,
  FeatureRecord,
  FeatureScale,
  MissingCells,
} from "./featureRecord.ts";
export { followsColumn } from "./weigh/weighColumns.ts";
export {
  MEASURES,
  rowDistances,
  rowDistancesOptions,
  type Measure,
  type RowDistancesOptions,
} from "./rowDistances.ts";
export { featureGroups, hasLevels, type ColumnRelevance } from "./columnShares.ts";
export {
  codesBy,
  layoutKinds,
  setAbove,
  splitKinds,
  type CodeRule,
  type KindLayout,
  type SplitCategory,
  type SplitKinds,
} from "./splitKinds.ts";
