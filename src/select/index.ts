export { cfs, cfsFromCounts, type CfsOptions, type CfsSearch, type CfsSelection, cfsOptions } from "./cfs.ts";
export {
  chowLiuSelect,
  chowLiuSelectFromCounts,
  type ChowLiuFill,
  type ChowLiuSelection,
  type ChowLiuSelectOptions,
  chowLiuSelectOptions,
} from "./chowLiuSelect.ts";
export {
  chowLiuTree,
  chowLiuTreeFromCounts,
  drawTree,
  type ChowLiuOptions,
  type ChowLiuTree,
  chowLiuTreeOptions,
} from "./chowLiuTree.ts";
export type { Discrete, LevelCounts, LevelScheme } from "./discrete.ts";
export {
  applyDiscretization,
  discretize,
  type Discretization,
  type DiscretizationKind,
  type Discretized,
  type DiscretizeOptions,
} from "./discretize.ts";
export {
  entropy,
  information,
  informationMatrix,
  type InformationOptions,
  type InformationMatrixOptions,
  type Values,
} from "./information.ts";
export type { Estimator, Unit } from "./pairInformation.ts";
export {
  jmi,
  jmiOptions,
  maxRelevance,
  maxRelevanceFromCounts,
  maxRelevanceOptions,
  mrmr,
  mrmrFromCounts,
  type MrmrForm,
  type MrmrOptions,
  mrmrOptions,
} from "./mrmr.ts";
export type { FromCounts, Selection, SelectionCertificate, SelectOptions } from "./selectionProblem.ts";
