export { calibrate, type CalibrateOptions } from "./calibrate.ts";
export {
  classMoments,
  classMomentsAccumulator,
  mergeClassMoments,
  type AccumulatorOptions,
  type ClassMoments,
  type ClassMomentsAccumulator,
} from "./classMoments.ts";
export { kissme, type KissmeOptions } from "./kissme.ts";
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
export { mlca, mlcaFromMoments, mlcaFromStatistics, type MlcaOptions, type MlcaRowOptions } from "./mlca.ts";
export { mlcaUnivariate, type MlcaUnivariate } from "./mlcaUnivariate.ts";
export { rca, rcaFromMoments, type RcaOptions } from "./rca.ts";
export { itml, type Itml, type ItmlOptions } from "./itml.ts";
export { mmc, type Mmc, type MmcOptions } from "./mmc.ts";
