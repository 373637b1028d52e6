export { cfs, type CfsOptions, type CfsSelection } from "./cfs.ts";
export { chowLiuSelect, type ChowLiuSelection, type ChowLiuSelectOptions } from "./chowLiuSelect.ts";
export { chowLiuTree, drawTree, rerootTree, type ChowLiuOptions, type ChowLiuTree } from "./chowLiuTree.ts";
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
export { maxRelevance } from "./maxRelevance.ts";
export { mrmr, type MrmrForm, type MrmrOptions } from "./mrmr.ts";
export type { Selection, SelectionCertificate, SelectOptions } from "./selection.ts";
