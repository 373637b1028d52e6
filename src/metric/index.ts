export { calibrate, type CalibrateOptions } from "./calibrate.ts";
export {
  classMoments,
  classMomentsAccumulator,
  mergeClassMoments,
  type ClassMoments,
  type ClassMomentsAccumulator,
} from "./classMoments.ts";
export { kissme, type KissmeOptions } from "./kissme.ts";
export { lda, ldaFromMoments, type LdaOptions } from "./lda.ts";
export {
  loadMahalanobis,
  mahalanobis,
  mahalanobisFromMatrix,
  withThreshold,
  type Mahalanobis,
  type MahalanobisData,
} from "./mahalanobis.ts";
export { mlca, mlcaFromMoments, mlcaFromStatistics, type MlcaOptions } from "./mlca.ts";
export { rca, rcaFromMoments, type RcaOptions } from "./rca.ts";
export { itml, type Itml, type ItmlOptions } from "./itml.ts";
