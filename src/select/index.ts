export { cfs, cfsFromCounts, type CfsOptions, type CfsSearch, type CfsSelection } from "./cfs.ts";
export {
  chowLiuSelect,
  chowLiuSelectFromCounts,
  type ChowLiuFill,
  type ChowLiuSelection,
  type ChowLiuSelectOptions,
} from "./chowLiuSelect.ts";
export {
  chowLiuTree,
  chowLiuTreeFromCounts,
  drawTree,
  rerootTree,
  type ChowLiuOptions,
  type ChowLiuTree,
} from "./chowLiuTree.ts";
export type { Discrete } from "./discrete.ts";
export {
  applyDiscretization,
  discretize,
  type Discretization,
  type DiscretizationKind,
  type Discretized,
  type DiscretizeOptions,
} from "./discretize.ts";
export {
  conditionalInformation,
  entropy,
  information,
  informationMatrix,
  symmetricUncertainty,
  type InformationOptions,
  type InformationMatrixOptions,
  type Values,
} from "./information.ts";
export type { Estimator, Unit } from "./informationTable.ts";
export { jmi } from "./jmi.ts";
export type { LevelCounts, LevelCountsData, LevelScheme } from "./levelCounts.ts";
export { maxRelevance, maxRelevanceFromCounts } from "./maxRelevance.ts";
export { mrmr, mrmrFromCounts, type MrmrForm, type MrmrOptions } from "./mrmr.ts";
export type { FromCounts, Selection, SelectionCertificate, SelectOptions } from "./selection.ts";
