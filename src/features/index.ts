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
export { inOriginalUnits, type OriginalValue } from "./inOriginalUnits.ts";
export {
  MEASURES,
  rowDistances,
  rowDistancesOptions,
  type Measure,
  type RowDistancesOptions,
} from "./rowDistances.ts";
export {
  featureGroups,
  featureNames,
  hasLevels,
  mostlyVectors,
  relevanceByColumn,
  type ColumnRelevance,
} from "./relevanceByColumn.ts";
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
