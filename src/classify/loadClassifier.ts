import { inputError } from "../core/internal.ts";
import type { Classifier } from "./classifier.ts";
import { loadDiscreteNaiveBayes } from "./discreteNaiveBayes.ts";
import { loadGaussianNaiveBayes } from "./gaussianNaiveBayes.ts";
import { loadKNearestNeighbors } from "./kNearestNeighbors.ts";
import { loadLinearSvm } from "./svm/linearSvm.ts";
import { loadMlcaSign } from "./mlcaSign.ts";
import { loadRandomForest } from "./forest/randomForest.ts";
import { loadSvm } from "./svm/svm.ts";

const LOADERS = {
  discreteNaiveBayes: loadDiscreteNaiveBayes,
  gaussianNaiveBayes: loadGaussianNaiveBayes,
  kNearestNeighbors: loadKNearestNeighbors,
  linearSvm: loadLinearSvm,
  mlcaSign: loadMlcaSign,
  randomForest: loadRandomForest,
  svm: loadSvm,
};

/** The output of `toJSON` of a classifier of this room. */
export type AnyClassifierData = Parameters<(typeof LOADERS)[keyof typeof LOADERS]>[0];

/**
 * Restores a classifier from the output of its `toJSON`, parsed from a file or posted from a worker; refuses
 * damaged data.
 */
export function loadClassifier(data: AnyClassifierData): Classifier {
  const method: string | undefined = data?.method;
  if (method === undefined) throw inputError("this is not a stored classifier: it has no method");
  if (!Object.hasOwn(LOADERS, method)) throw inputError(`there is no classifier "${method}" to load`);
  return LOADERS[method as keyof typeof LOADERS](data as never);
}
