import { inputError } from "../core/errors.ts";
import type { Classifier, ClassifierData } from "./classifier.ts";
import { loadDiscreteNaiveBayes, type DiscreteNaiveBayesData } from "./discreteNaiveBayes.ts";
import { loadGaussianNaiveBayes, type GaussianNaiveBayesData } from "./gaussianNaiveBayes.ts";
import { loadKNearestNeighbors, type KNearestNeighborsData } from "./kNearestNeighbors.ts";
import { loadLinearSvm, type LinearSvmData } from "./linearSvm.ts";
import { loadRandomForest, type RandomForestData } from "./randomForest.ts";
import { loadSvm, type SvmData } from "./svm.ts";

/** What `toJSON` of a classifier of this room gives. */
export type AnyClassifierData =
  | DiscreteNaiveBayesData
  | GaussianNaiveBayesData
  | KNearestNeighborsData
  | LinearSvmData
  | RandomForestData
  | SvmData;

/** Makes a classifier of what its `toJSON` gave, parsed from a file or posted from a worker. */
export function loadClassifier(data: AnyClassifierData): Classifier {
  requireData(data);
  switch (data.method) {
    case "discreteNaiveBayes":
      return loadDiscreteNaiveBayes(data);
    case "gaussianNaiveBayes":
      return loadGaussianNaiveBayes(data);
    case "kNearestNeighbors":
      return loadKNearestNeighbors(data);
    case "linearSvm":
      return loadLinearSvm(data);
    case "randomForest":
      return loadRandomForest(data);
    case "svm":
      return loadSvm(data);
    default:
      throw inputError(`there is no classifier "${(data as ClassifierData).method}" to load`);
  }
}

function requireData(data: Partial<ClassifierData> | null): void {
  const { classes, features } = data ?? {};
  if (!Array.isArray(classes) || classes.length < 2 || !Number.isInteger(features)) {
    throw inputError("this is not a stored classifier: it has no classes and features");
  }
}
