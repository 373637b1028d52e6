import { inputError } from "../core/internal.ts";
import { restoreNumbers } from "../matrix/index.ts";
import type { Classifier, ClassifierData } from "./classifier.ts";
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
  requireData(data);
  switch (data.method) {
    case "discreteNaiveBayes":
      checkDiscrete(data);
      return loadDiscreteNaiveBayes(data);
    case "gaussianNaiveBayes":
      checkGaussian(data);
      return loadGaussianNaiveBayes(data);
    case "kNearestNeighbors":
      checkNeighbors(data);
      return loadKNearestNeighbors(data);
    case "linearSvm":
      checkLinear(data);
      return loadLinearSvm(data);
    case "mlcaSign":
      checkSign(data);
      return loadMlcaSign(data);
    case "randomForest":
      checkForest(data);
      return loadRandomForest(data);
    case "svm":
      checkSvm(data);
      return loadSvm(data);
    default:
      throw inputError(`there is no classifier "${(data as ClassifierData).method}" to load`);
  }
}

function requireData(data: Partial<ClassifierData> | null): void {
  const { classes, features, warnings } = data ?? {};
  if (!Array.isArray(classes) || classes.length < 2 || !Number.isInteger(features) || features! < 1) {
    throw inputError("this is not a stored classifier: it has no classes and features");
  }
  const named = classes.every((name) => typeof name === "string" || Number.isFinite(name));
  if (!named || new Set(classes).size < classes.length) {
    throw inputError("the classes of the classifier are not different names or numbers: the file is damaged");
  }
  if (!Array.isArray(warnings)) throw damaged("warnings");
}

function checkDiscrete({
  classes,
  features,
  logPriors,
  levels,
  logLikelihoods,
}: DiscreteNaiveBayesData): void {
  const K = classes.length;
  restoreNumbers(logPriors, "the priors of the classifier", { count: K, max: 0 });
  if (!Array.isArray(levels) || levels.length !== features) throw damaged("levels of every feature");
  const values = levels.map((own) => restoreNumbers(own, "the levels of a feature"));
  if (values.some((own) => own.some((value, place) => place > 0 && value <= own[place - 1]))) {
    throw damaged("levels in ascending order");
  }
  const count = values.reduce((sum, own) => sum + own.length, 0);
  restoreNumbers(logLikelihoods, "the likelihoods of the classifier", { count: K * count, max: 0 });
}

function checkGaussian({ classes, features, logPriors, means, variances }: GaussianNaiveBayesData): void {
  const K = classes.length;
  restoreNumbers(logPriors, "the priors of the classifier", { count: K, max: 0 });
  restoreNumbers(means, "the means of the classes", { count: K * features });
  restoreNumbers(variances, "the variances of the classes", { count: K * features, min: 0 });
}

function checkNeighbors({ classes, features, neighbors, weights, codes, rows }: KNearestNeighborsData): void {
  restoreNumbers(codes, "the classes of the rows", { min: 0, max: classes.length - 1, whole: true });
  restoreNumbers(rows, "the rows of the classifier", {
    count: codes.length * features,
    min: -1e100,
    max: 1e100,
  });
  restoreNumbers([neighbors], "the number of neighbours", { min: 1, max: codes.length, whole: true });
  if (weights !== "uniform" && weights !== "distance") throw damaged("weights of the votes");
}

function checkLinear({ classes, features, weights, intercepts, machines }: LinearSvmData): void {
  const K = classes.length;
  restoreNumbers(weights, "the weights of the classifier", { count: K * features });
  restoreNumbers(intercepts, "the intercepts of the classifier", { count: K });
  checkFits(machines, K === 2 ? 1 : K);
}

function checkSign({ classes, features, weights, offset, residual }: MlcaSignData): void {
  if (classes.length !== 2) throw damaged("two classes");
  restoreNumbers(weights, "the weights of the classifier", { count: features });
  restoreNumbers([offset, residual], "the offset of the classifier");
}

function checkForest(data: RandomForestData): void {
  const { classes, features, roots, feature, threshold, left, distributions, importance } = data;
  const K = classes.length;
  const shares = restoreNumbers(distributions, "the class shares of the forest", { min: 0, max: 1 });
  const nodes = restoreNumbers(feature, "the features of the forest", {
    min: -1,
    max: features - 1,
    whole: true,
  });
  const count = nodes.length;
  restoreNumbers(threshold, "the thresholds of the forest", { count });
  restoreNumbers(importance, "the importance of the features", { count: features, min: 0 });
  restoreNumbers(roots, "the roots of the forest", { min: 0, max: count - 1, whole: true });
  const ascending = roots.every((root, place) => (place === 0 ? root === 0 : root > roots[place - 1]));
  if (roots.length === 0 || !ascending || shares.length % K !== 0) throw damaged("trees");
  const children = restoreNumbers(left, "the nodes of the forest", { count, min: 0, whole: true });
  // A split leads to two later nodes, a leaf to a row of shares: every path ends.
  const wrong = children.some((to, node) =>
    nodes[node] >= 0 ? to <= node || to + 1 >= count : to >= shares.length / K,
  );
  if (wrong) throw damaged("trees");
}

function checkSvm(data: SvmData): void {
  const { classes, features, kernel, supportCounts, supportVectors, coefficients, intercepts, pairs } = data;
  const K = classes.length;
  const P = (K * (K - 1)) / 2;
  if (kernel?.kind !== "linear" && kernel?.kind !== "rbf") throw damaged("kernel");
  if (kernel.kind === "rbf") restoreNumbers([kernel.gamma], "gamma of the kernel", { min: 0 });
  const counts = restoreNumbers(supportCounts, "the counts of support vectors", {
    count: K,
    min: 0,
    whole: true,
  });
  const all = counts.reduce((sum, count) => sum + count, 0);
  restoreNumbers(supportVectors, "the support vectors", { count: all * features });
  restoreNumbers(intercepts, "the intercepts of the classifier", { count: P });
  if (!Array.isArray(coefficients) || coefficients.length !== P) throw damaged("coefficients");
  for (let a = 0, p = 0; a < K; a++) {
    for (let b = a + 1; b < K; b++, p++) {
      restoreNumbers(coefficients[p], "the coefficients of a pair", { count: counts[a] + counts[b] });
    }
  }
  checkFits(pairs, P);
}

function checkFits(
  fits: readonly { readonly objective: number; readonly gap: number }[],
  count: number,
): void {
  if (!Array.isArray(fits) || fits.length !== count) throw damaged("fits");
  for (const fit of fits as typeof fits) {
    restoreNumbers([fit?.objective, fit?.gap], "the objective and the gap of a fit");
  }
}

function damaged(what: string): Error {
  return inputError(`the classifier lacks its ${what}: the file is damaged`);
}
