import { inputError } from "../core/internal.ts";
import type { Classifier } from "./classifier.ts";
import { loadDiscreteNaiveBayes, type DiscreteNaiveBayesData } from "./discreteNaiveBayes.ts";
import { loadGaussianNaiveBayes, type GaussianNaiveBayesData } from "./gaussianNaiveBayes.ts";
import { loadKNearestNeighbors, type KNearestNeighborsData } from "./kNearestNeighbors.ts";
import { loadLinearSvm, type LinearSvmData } from "./svm/linearSvm.ts";
import { loadMlcaSign, type MlcaSignData } from "./mlcaSign.ts";
import { loadRandomForest, type RandomForestData } from "./forest/randomForest.ts";
import { loadSvm, type SvmData } from "./svm/svm.ts";

/** The output of `toJSON` of a classifier of this room. */
export type AnyClassifierData =
  | DiscreteNaiveBayesData
  | GaussianNaiveBayesData
  | KNearestNeighborsData
  | LinearSvmData
  | MlcaSignData
  | RandomForestData
  | SvmData;

/**
 * Restores a classifier from the output of its `toJSON`, parsed from a file or posted from a worker; refuses
 * damaged data.
 */
export function loadClassifier(data: AnyClassifierData): Classifier {
  switch (data?.method) {
    case "discreteNaiveBayes":
      return loadDiscreteNaiveBayes(data);
    case "gaussianNaiveBayes":
      return loadGaussianNaiveBayes(data);
    case "kNearestNeighbors":
      return loadKNearestNeighbors(data);
    case "linearSvm":
      return loadLinearSvm(data);
    case "mlcaSign":
      return loadMlcaSign(data);
    case "randomForest":
      return loadRandomForest(data);
    case "svm":
      return loadSvm(data);
    case undefined:
      throw inputError("this is not a stored classifier: it has no method");
    default:
      throw inputError(
        `there is no classifier "${String((data as { method?: unknown } | null)?.method)}" to load`,
      );
  }
}
