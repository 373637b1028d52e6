export {
  classMoments,
  classMomentsAccumulator,
  mergeClassMoments,
  type AccumulatorOptions,
  type ClassMoments,
  type ClassMomentsAccumulator,
} from "./moments/classMoments.ts";
export { kissme, kissmeFromMoments, type KissmeOptions, kissmeOptions } from "./moments/kissme.ts";
export { lda, ldaFromMoments, type LdaOptions, ldaOptions } from "./moments/lda.ts";
export { lfda, type LfdaOptions, lfdaOptions } from "./neighbours/lfda.ts";
export {
  loadMahalanobis,
  mahalanobis,
  mahalanobisFromMatrix,
  type Mahalanobis,
  type MahalanobisData,
} from "./mahalanobis.ts";
export {
  mlca,
  mlcaFromMoments,
  type MlcaOptions,
  type MlcaRowOptions,
  mlcaFromMomentsOptions,
  mlcaOptions,
  mlcaUnivariate,
  type MlcaUnivariate,
} from "./moments/mlca.ts";
export {
  isMahalanobis,
  loadAnyMetric,
  metricWidth,
  requireMatrix,
  type AnyMetric,
  type AnyMetricData,
} from "./anyMetric.ts";
export { triplets, type TripletOptions, tripletsOptions } from "./neighbours/triplets.ts";
export {
  rca,
  rcaFromMoments,
  type RcaOptions,
  rcaOptions,
  dca,
  type DcaOptions,
  dcaOptions,
} from "./moments/rca.ts";
export { itml, type Itml, type ItmlOptions, itmlOptions } from "./pairs/itml.ts";
export { mmc, type Mmc, type MmcOptions, mmcOptions } from "./pairs/mmc.ts";
export { sdml, type Sdml, type SdmlOptions, sdmlOptions } from "./pairs/sdml.ts";
export { nca, type NcaOptions, ncaOptions, type Start } from "./neighbours/nca.ts";
export { lmnn, type LmnnOptions, lmnnOptions } from "./neighbours/lmnn.ts";
export { xqda, type XqdaOptions, xqdaOptions } from "./moments/xqda.ts";
export { lrml, type LrmlOptions, lrmlOptions } from "./pairs/lrml.ts";
export {
  pcca,
  type PccaOptions,
  pccaOptions,
  loadKernelMetric,
  pccaKernel,
  type KernelMetric,
  type KernelMetricData,
  type PccaKernelOptions,
  pccaKernelOptions,
} from "./pairs/pcca.ts";
export {
  kernelDiagonal,
  kernelFunction,
  kernelMatrix,
  shiftedKernelMatrix,
  type KernelFunction,
  type KernelOptions,
} from "./kernelFunction.ts";
export {
  scml,
  scmlFromTriplets,
  type ScmlOptions,
  type ScmlTripletOptions,
  scmlOptions,
  scmlFromTripletsOptions,
} from "./neighbours/scml.ts";
export {
  lajugie,
  lajugieSets,
  type LabelledSet,
  type LajugieOptions,
  lajugieOptions,
} from "./moments/lajugie.ts";
export { bregman, type BregmanLoss, type BregmanOptions, bregmanOptions } from "./bregman/bregman.ts";
export {
  type BregmanFunction,
  loadBregman,
  type BregmanDistance,
  type BregmanDistanceData,
} from "./bregman/bregmanModel.ts";
export {
  distBoost,
  loadDistBoost,
  type DistBoost,
  type DistBoostData,
  type DistBoostOptions,
  distBoostOptions,
} from "./pairs/distBoost.ts";
