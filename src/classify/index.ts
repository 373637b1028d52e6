export type { Classifier, ClassifierData } from "./classifier.ts";
export {
  gaussianNaiveBayes,
  gaussianNaiveBayesFromColumns,
  type ClassColumns,
  type GaussianNaiveBayes,
  type GaussianNaiveBayesData,
  type GaussianNaiveBayesOptions,
  gaussianNaiveBayesOptions,
} from "./gaussianNaiveBayes.ts";
export {
  discreteNaiveBayes,
  discreteNaiveBayesFromCounts,
  type DiscreteNaiveBayes,
  type DiscreteNaiveBayesData,
  type DiscreteNaiveBayesOptions,
  discreteNaiveBayesOptions,
} from "./discreteNaiveBayes.ts";
export { svm, type Svm, type SvmData, type SvmFit, type SvmOptions, svmOptions } from "./svm/svm.ts";
export type { SvmKernel } from "./svm/smo.ts";
export {
  linearSvm,
  type LinearSvm,
  type LinearSvmData,
  type LinearSvmFit,
  type LinearSvmOptions,
  linearSvmOptions,
} from "./svm/linearSvm.ts";
export {
  randomForest,
  type OutOfBag,
  type RandomForest,
  type RandomForestData,
  type RandomForestOptions,
  randomForestOptions,
  type ForestTrees,
} from "./forest/randomForest.ts";
export {
  kNearestNeighbors,
  type KNearestNeighbors,
  type KNearestNeighborsData,
  type KNearestNeighborsOptions,
  kNearestNeighborsOptions,
} from "./kNearestNeighbors.ts";
export {
  loadMlcaSign,
  mlcaSign,
  type MlcaSign,
  type MlcaSignData,
  type MlcaSignOptions,
  mlcaSignOptions,
} from "./mlcaSign.ts";
export { loadClassifier, type AnyClassifierData } from "./loadClassifier.ts";
export {
  holdout,
  stratifiedFolds,
  type FoldOptions,
  type Folds,
  type Holdout,
  type HoldoutOptions,
  type Split,
  correctShare,
  crossValidate,
  repeatedHoldout,
  type CrossValidateOptions,
  type CrossValidation,
  type FitClassifier,
  type RepeatedHoldoutOptions,
  type Validation,
} from "./crossValidate.ts";
