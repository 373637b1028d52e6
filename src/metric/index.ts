export { calibrate, type CalibrateOptions } from "./calibrate.ts";
export {
  classMoments,
  classMomentsAccumulator,
  classMomentsFromSums,
  mergeClassMoments,
  type AccumulatorOptions,
  type ClassMoments,
  type ClassMomentsAccumulator,
} from "./classMoments.ts";
export { kissme, kissmeFromMoments, type KissmeOptions } from "./kissme.ts";
export { lda, ldaFromMoments, type LdaOptions } from "./lda.ts";
export { lfda, type LfdaOptions } from "./lfda.ts";
export {
  loadMahalanobis,
  mahalanobis,
  mahalanobisFromMatrix,
  withThreshold,
  type Mahalanobis,
  type MahalanobisData,
} from "./mahalanobis.ts";
export { mlca, mlcaFromMoments, type MlcaOptions, type MlcaRowOptions } from "./mlca.ts";
export { mlcaUnivariate, type MlcaUnivariate } from "./mlcaUnivariate.ts";
export { rca, rcaFromMoments, type RcaOptions } from "./rca.ts";
export { itml, type Itml, type ItmlOptions } from "./itml.ts";
export { mmc, type Mmc, type MmcOptions } from "./mmc.ts";
export { sdml, type Sdml, type SdmlOptions } from "./sdml.ts";
export { nca, type NcaOptions } from "./nca.ts";
export type { Start } from "./startingFactor.ts";
export { lmnn, type LmnnOptions } from "./lmnn.ts";
export { dca, type DcaOptions } from "./dca.ts";
export { xqda, type XqdaOptions } from "./xqda.ts";
export { lrml, type LrmlOptions } from "./lrml.ts";
export { pcca, type PccaOptions } from "./pcca.ts";
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
} from "./pccaKernel.ts";
export { scml, scmlFromTriplets, type ScmlOptions, type ScmlTripletOptions } from "./scml.ts";
export { lajugie, type LajugieOptions } from "./lajugie.ts";
export { bregman, type BregmanOptions } from "./bregman.ts";
export type { BregmanFunction } from "./bregmanFunction.ts";
export { loadBregman, type BregmanDistance, type BregmanDistanceData } from "./bregmanModel.ts";
export {
  distBoost,
  loadDistBoost,
  type DistBoost,
  type DistBoostData,
  type DistBoostOptions,
} from "./distBoost.ts";
