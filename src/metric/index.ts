export { calibrate, type CalibrateOptions } from "./calibrate.ts";
export {
  classMoments,
  classMomentsAccumulator,
  classMomentsFromSums,
  mergeClassMoments,
  type AccumulatorOptions,
  type ClassMoments,
  type ClassMomentsAccumulator,
} from "./moments/classMoments.ts";
export { kissme, kissmeFromMoments, type KissmeOptions } from "./moments/kissme.ts";
export { lda, ldaFromMoments, type LdaOptions } from "./moments/lda.ts";
export { lfda, type LfdaOptions } from "./neighbours/lfda.ts";
export {
  loadMahalanobis,
  mahalanobis,
  mahalanobisFromMatrix,
  withThreshold,
  type Mahalanobis,
  type MahalanobisData,
} from "./mahalanobis.ts";
export { mlca, mlcaFromMoments, type MlcaOptions, type MlcaRowOptions } from "./moments/mlca.ts";
export { mlcaUnivariate, type MlcaUnivariate } from "./moments/mlcaUnivariate.ts";
export { rca, rcaFromMoments, type RcaOptions } from "./moments/rca.ts";
export { itml, type Itml, type ItmlOptions } from "./pairs/itml.ts";
export { mmc, type Mmc, type MmcOptions } from "./pairs/mmc.ts";
export { sdml, type Sdml, type SdmlOptions } from "./pairs/sdml.ts";
export { nca, type NcaOptions } from "./neighbours/nca.ts";
export type { Start } from "./neighbours/startingFactor.ts";
export { lmnn, type LmnnOptions } from "./neighbours/lmnn.ts";
export { dca, type DcaOptions } from "./moments/dca.ts";
export { xqda, type XqdaOptions } from "./moments/xqda.ts";
export { lrml, type LrmlOptions } from "./pairs/lrml.ts";
export { pcca, type PccaOptions } from "./pairs/pcca.ts";
export {
  kernelDiagonal,
  kernelFunction,
  kernelMatrix,
  shiftedKernelMatrix,
  type KernelFunction,
  type KernelOptions,
} from "./kernelFunction.ts";
export {
  loadKernelMetric,
  pccaKernel,
  type KernelMetric,
  type KernelMetricData,
  type PccaKernelOptions,
} from "./pairs/pccaKernel.ts";
export { scml, scmlFromTriplets, type ScmlOptions, type ScmlTripletOptions } from "./neighbours/scml.ts";
export { lajugie, type LajugieOptions } from "./moments/lajugie.ts";
export { bregman, type BregmanOptions } from "./bregman/bregman.ts";
export type { BregmanFunction } from "./bregman/bregmanFunction.ts";
export { loadBregman, type BregmanDistance, type BregmanDistanceData } from "./bregman/bregmanModel.ts";
export {
  distBoost,
  loadDistBoost,
  type DistBoost,
  type DistBoostData,
  type DistBoostOptions,
} from "./pairs/distBoost.ts";
