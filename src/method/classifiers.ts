import type { Classifier } from "../classify/index.ts";
import { rule } from "../core/internal.ts";
import type { ScaleKind } from "../data/index.ts";
import type { Matrix } from "../matrix/index.ts";
import type { ClassColumnStatistics } from "../scale/index.ts";
import type { Label } from "../score/index.ts";
import type { LevelCounts } from "../select/index.ts";
import { passed } from "./fromFunction.ts";
import type { GivenOptions, Method } from "./method.ts";

/** A classifier, for `kindred classify`. */
export interface ClassifierMethod extends Method<OpenClassifier> {
  /** The default scaling of features. */
  readonly scale: ScaleKind;
  /** The number of classes; absent: any number. */
  readonly classes?: 2;
  /** It can be learned from sums over the rows; absent: it needs the rows themselves. */
  readonly sums?: true;
}

/** The code of a method. */
export interface OpenClassifier {
  /** All options by their names; those with a `control` are for people. */
  readonly options: rule.OptionRules;
  fit(X: Matrix, labels: readonly Label[], options?: ClassifierOptions): FittedClassifier;
  /** The same from sums over rows that do not fit into memory; the options decide which sums. */
  readonly sums?: (options?: ClassifierOptions) => ClassifierSums;
}

/** The sums for a classifier, and how it learns from them. */
export type ClassifierSums =
  | { readonly kind: "class columns"; learn(columns: ClassColumnStatistics): FittedClassifier }
  | { readonly kind: "level counts"; learn(counts: LevelCounts): FittedClassifier };

export type ClassifierOptions = GivenOptions;

/** A classifier with its report beyond the predictions. */
export interface FittedClassifier {
  readonly classifier: Classifier;
  /** One line for people. */
  readonly facts: string;
  readonly converged?: boolean;
  /** Per feature, where the method has it. */
  readonly importance?: ArrayLike<number>;
}

/**
 * Every method of `kindred classify`. A new one needs its function, an export of its room, and an entry
 * here.
 */
export const classifiers: readonly ClassifierMethod[] = [
  {
    name: "forest",
    title: "Random forest",
    sentence: "Hardly any setting, features of any scale, and the importance of each feature.",
    scale: "none",
    async open() {
      const { randomForest, randomForestOptions } = await import("../classify/forest/randomForest.ts");
      return classifier(randomForestOptions, randomForest, (fit) => {
        const { trees, outOfBag, importance } = fit;
        const told =
          outOfBag === null ? "" : `, out-of-bag accuracy ${(100 * outOfBag.accuracy).toFixed(1)} %`;
        return { facts: `${trees.roots.length} trees${told}`, importance };
      });
    },
  },
  {
    name: "svm",
    title: "Support vector machine",
    sentence: "Strong on scaled measurements with the RBF kernel, up to some ten thousand rows.",
    scale: "zscore",
    async open() {
      const { svm, svmOptions } = await import("../classify/svm/svm.ts");
      return classifier(svmOptions, svm, ({ supportVectors, converged, certificate }) => ({
        facts: `${supportVectors.rows} support vectors, ${state(converged)}, violation ${certificate.residual.toExponential(1)}`,
        converged,
      }));
    },
  },
  {
    name: "linear-svm",
    title: "Linear support vector machine",
    sentence: "For many features, a weight for each.",
    scale: "zscore",
    async open() {
      const { linearSvm, linearSvmOptions } = await import("../classify/svm/linearSvm.ts");
      return classifier(linearSvmOptions, linearSvm, ({ converged, certificate }) => ({
        facts: `${state(converged)}, relative gap ${certificate.residual.toExponential(1)}`,
        converged,
      }));
    },
  },
  {
    name: "naive-bayes",
    title: "Naive Bayes",
    sentence: "A quick first guess, also for data larger than memory; discrete for codes and categories.",
    scale: "none",
    sums: true,
    async open() {
      const room = await import("../classify/index.ts");
      const { gaussianNaiveBayesOptions: ofGaussian, discreteNaiveBayesOptions: ofDiscrete } = room;
      const options = {
        discrete: rule.flag(false, { says: "counts features that are codes, instead of fitting Gaussians" }),
        smoothing: rule.real({
          min: 0,
          says: `${ofGaussian.smoothing.control!.says}; discrete: ${ofDiscrete.smoothing.control!.says}`,
          usual: `${ofGaussian.smoothing.fallback}; discrete: ${ofDiscrete.smoothing.fallback}`,
        }),
      };
      const own = ({ discrete, ...given }: ClassifierOptions = {}) => ({
        discrete: discrete === true,
        given: passed(options, given),
      });
      const gaussian = (model: Classifier): FittedClassifier => ({ classifier: model, facts: "Gaussian" });
      const discreteOf = (model: Classifier): FittedClassifier => ({
        classifier: model,
        facts: "discrete, Laplace smoothing",
      });
      return {
        options,
        fit(X, labels, all) {
          const { discrete, given } = own(all);
          return discrete
            ? discreteOf(room.discreteNaiveBayes(X, labels, given))
            : gaussian(room.gaussianNaiveBayes(X, labels, given));
        },
        sums(all) {
          const { discrete, given } = own(all);
          return discrete
            ? {
                kind: "level counts",
                learn: (counts) => discreteOf(room.discreteNaiveBayesFromCounts(counts, given)),
              }
            : {
                kind: "class columns",
                learn: (columns) => gaussian(room.gaussianNaiveBayesFromColumns(columns, given)),
              };
        },
      };
    },
  },
  {
    name: "mlca-sign",
    title: "MLCA for two classes",
    sentence: "Two classes by the sign of one score, in closed form; a weight for each feature.",
    scale: "zscore",
    classes: 2,
    async open() {
      const { mlcaSign, mlcaSignOptions } = await import("../classify/mlcaSign.ts");
      return classifier(mlcaSignOptions, mlcaSign, ({ certificate }) => ({
        facts: `closed form, residual ${certificate.residual.toExponential(1)}`,
      }));
    },
  },
  {
    name: "knn",
    title: "k nearest neighbours",
    sentence: "No assumptions; for scaled features, and after a learned metric.",
    scale: "zscore",
    async open() {
      const { kNearestNeighbors, kNearestNeighborsOptions } =
        await import("../classify/kNearestNeighbors.ts");
      return classifier(kNearestNeighborsOptions, kNearestNeighbors, ({ neighbors }) => ({
        facts: `${neighbors} neighbours`,
      }));
    },
  },
];

/** A classifier that is one function of the library. */
function classifier<C extends Classifier>(
  options: rule.OptionRules,
  fit: (X: Matrix, labels: readonly Label[], options: never) => C,
  tell: (fit: C) => Omit<FittedClassifier, "classifier">,
): OpenClassifier {
  return {
    options,
    fit(X, labels, given = {}) {
      const model = fit(X, labels, passed(options, given) as never);
      return { classifier: model, ...tell(model) };
    },
  };
}

function state(converged: boolean): string {
  return converged ? "converged" : "NOT converged";
}
