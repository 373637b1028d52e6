import { inputError } from "../core/errors.ts";
import { stored, type Stored } from "../core/stored.ts";
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
  requireClassifier(data);
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

/** Shapes, ranges, counts against lengths and references: what a file says is held against itself. */
function requireClassifier(data: AnyClassifierData): void {
  const checked = stored(data, "the classifier");
  const classes = checked.list("classes");
  const isLabel = (label: unknown): boolean =>
    typeof label === "string" ||
    typeof label === "boolean" ||
    (typeof label === "number" && Number.isFinite(label));
  if (classes.length < 2 || !classes.every(isLabel)) {
    throw checked.damaged('"classes" must be a list of at least two labels');
  }
  const K = classes.length;
  const features = checked.whole("features", { min: 1, max: 2 ** 31 });
  checked.texts("warnings");
  switch (data.method) {
    case "discreteNaiveBayes": {
      checked.numbers("logPriors", K, { max: 1e-9 });
      const levels = checked.list("levels", features);
      let values = 0;
      levels.forEach((level, f) => {
        const ascending = stored({ values: level }, `the classifier, "levels[${f}]",`).numbers("values");
        if (ascending.some((value, v) => v > 0 && value <= ascending[v - 1])) {
          throw checked.damaged(`"levels[${f}]" does not ascend`);
        }
        values += ascending.length;
      });
      checked.numbers("logLikelihoods", values * K, { max: 1e-9 });
      return;
    }
    case "gaussianNaiveBayes":
      checked.numbers("logPriors", K, { max: 1e-9 });
      checked.numbers("means", K * features);
      checked.numbers("variances", K * features, { min: 0 });
      return;
    case "kNearestNeighbors": {
      const rows = checked.wholes("codes", undefined, { min: 0, max: K - 1 }).length;
      checked.whole("neighbors", { min: 1, max: rows });
      checked.choice("weights", ["uniform", "distance"]);
      checked.numbers("rows", rows * features, { min: -1e100, max: 1e100 });
      return;
    }
    case "linearSvm":
      checked.choice("loss", ["squared-hinge", "hinge"]);
      checked.finite("cost", { above: 0 });
      checked.numbers("weights", K * features);
      checked.numbers("intercepts", K);
      checked.parts("machines", K === 2 ? 1 : K).forEach(requireFit);
      return;
    case "randomForest":
      requireForest(checked, K, features);
      return;
    case "svm": {
      const kernel = checked.part("kernel");
      if (kernel.choice("kind", ["linear", "rbf"]) === "rbf") kernel.finite("gamma", { above: 0 });
      checked.finite("cost", { above: 0 });
      const counts = checked.wholes("supportCounts", K, { min: 0 });
      checked.numbers("supportVectors", counts.reduce((sum, count) => sum + count, 0) * features);
      const pairs = (K * (K - 1)) / 2;
      const coefficients = checked.list("coefficients", pairs);
      let pair = 0;
      for (let a = 0; a < K; a++) {
        for (let b = a + 1; b < K; b++, pair++) {
          const what = `the classifier, "coefficients[${pair}]",`;
          stored({ values: coefficients[pair] }, what).numbers("values", counts[a] + counts[b]);
        }
      }
      checked.numbers("intercepts", pairs);
      checked.parts("pairs", pairs).forEach(requireFit);
    }
  }
}

function requireFit(fit: Stored): void {
  fit.finite("objective");
  fit.finite("gap");
  fit.whole("iterations", { min: 0 });
  fit.flag("converged");
}

/** Children come after their node, so that every way down ends. */
function requireForest(checked: Stored, K: number, features: number): void {
  const feature = checked.wholes("feature", undefined, { min: -1, max: features - 1 });
  const nodes = feature.length;
  checked.numbers("threshold", nodes);
  const left = checked.wholes("left", nodes, { min: 0 });
  const roots = checked.wholes("roots", undefined, { min: 0, max: nodes - 1 });
  if (roots.length === 0) throw checked.damaged('"roots" is empty');
  const leaves = checked.numbers("distributions", undefined, { min: 0, max: 1 }).length / K;
  if (!Number.isInteger(leaves) || leaves < K) throw checked.damaged('"distributions" has another length');
  for (let v = 0; v < nodes; v++) {
    const wrong = feature[v] < 0 ? left[v] >= leaves : left[v] <= v || left[v] + 1 >= nodes;
    if (wrong) throw checked.damaged(`"left[${v}]" leads nowhere`);
  }
  checked.numbers("importance", features, { min: 0 });
  if (checked.value.outOfBag !== null) {
    const outOfBag = checked.part("outOfBag");
    outOfBag.finite("accuracy", { min: 0, max: 1 });
    outOfBag.whole("rows", { min: 0 });
  }
}
