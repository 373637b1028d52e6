import { random } from "kindred";
import {
  correctShare,
  discreteNaiveBayes,
  type FitClassifier,
  holdout,
  randomForest,
  stratifiedFolds,
  svm,
} from "kindred/classify";
import { scale } from "kindred/data";
import { matrix, type Matrix, takeColumns, takeRows } from "kindred/matrix";
import {
  applyDiscretization,
  cfs,
  chowLiuSelect,
  type Discretization,
  discretize,
  maxRelevance,
  mrmr,
} from "kindred/select";
import { classedSet } from "../knownSets.ts";
import {
  type ChowLiuClassifier,
  type ChowLiuSelector,
  type ChowLiuSet,
  CLASSIFIERS,
  DATA,
  PROTOCOL,
  SELECTIONS,
} from "./chowLiuTables.ts";
import { textChowLiu } from "./textChowLiu.ts";

/** One random split of one set: every selection at every size, judged by every classifier. */
export interface SplitTask {
  readonly kind: "split";
  readonly set: ChowLiuSet;
  readonly seed: number;
  readonly train: number;
  readonly sizes: readonly number[];
  /** The classifiers are cross-validated inside the other rows, and do not learn from the rows of the selection. */
  readonly inside: boolean;
  readonly folder?: string;
}

export type SplitResult = ReturnType<typeof judgeSplit>;

export async function runSplit({ set, folder, ...how }: SplitTask): Promise<SplitResult> {
  const { X, truth } = await classedSet(DATA[set].data, folder);
  return judgeSplit(X, truth, how);
}

export function judgeSplit(
  X: Matrix,
  labels: readonly string[],
  { seed, train, sizes, inside }: Pick<SplitTask, "seed" | "train" | "sizes" | "inside">,
) {
  const split = holdout(labels, { train, seed });
  const part = (rows: Int32Array): Part => ({
    X: takeRows(X, rows),
    labels: Array.from(rows, (i) => labels[i]),
  });
  const [training, test] = [part(split.train), part(split.test)];
  const judge = judges(training, test, seed, inside);
  const most = sizes.reduce((a, b) => Math.max(a, b), 0);
  let byGain = most;
  const select: Record<ChowLiuSelector, () => Int32Array> = {
    clt() {
      const { features, filledFrom } = chowLiuSelect(training.X, training.labels, { features: most });
      byGain = filledFrom ?? features.length;
      return features;
    },
    mrmr: () => mrmr(training.X, training.labels, { features: most }).features,
    cfs: () => cfs(training.X, training.labels, { features: most }).features,
    cltText: () => textChowLiu(training.X, training.labels, most),
    maxRelevance: () => maxRelevance(training.X, training.labels, { features: most }).features,
    random: () => random(seed).split().sample(most, X.cols),
  };
  const chosen = record(SELECTIONS, (name) => select[name]());
  const everything = Int32Array.from({ length: X.cols }, (_, f) => f);
  const levels = judge.constant;
  return {
    /** On the test rows, by size. */
    accuracies: record(SELECTIONS, (name) =>
      record(CLASSIFIERS, (classifier) =>
        sizes.map((size) => judge.accuracy(classifier, chosen[name].subarray(0, size))),
      ),
    ),
    /** With all features. */
    all: record(CLASSIFIERS, (classifier) => judge.accuracy(classifier, everything)),
    /** Share of the most frequent training class. */
    majority: judge.majority,
    /** Number of features that CLT chose by gain. */
    byGain,
    /** Features of one level in the training part, and how many of them the text's algorithm selected. */
    constant: levels.reduce((sum, one) => sum + one, 0),
    constantSelected: chosen.cltText.filter((f) => levels[f] === 1).length,
  };
}

interface Part {
  readonly X: Matrix;
  readonly labels: readonly string[];
}

/** Naive Bayes sees the three levels, SVM and forest z-scores; cuts and scales come from the training part, in both readings. */
function judges(training: Part, test: Part, seed: number, inside: boolean) {
  const cuts = discretize(training.X);
  const levels = { training: levelMatrix(cuts, training.X), test: levelMatrix(cuts, test.X) };
  const scaled = scale(training.X);
  const scores = { training: scaled.X, test: scaled.apply(test.X) };
  const place = new Map(scaled.kept.map((f, column) => [f, column]));
  const majority = majorityShare(training.labels, test.labels);
  const folds = inside ? stratifiedFolds(test.labels, { folds: PROTOCOL.folds, seed }).splits : [];
  const labelsOf = (rows: Int32Array): string[] => Array.from(rows, (i) => test.labels[i]);
  const fit: Record<ChowLiuClassifier, FitClassifier> = {
    naiveBayes: (X, labels) => discreteNaiveBayes(X, labels, { levels: [0, 1, 2] }),
    svm: (X, labels) => svm(X, labels, { cost: PROTOCOL.cost }),
    forest: (X, labels) => randomForest(X, labels, { trees: PROTOCOL.trees, seed }),
  };
  return {
    majority,
    /** 1 for features of one level in the training part. */
    constant: Uint8Array.from({ length: training.X.cols }, (_, f) => Number(isConstant(levels.training, f))),
    accuracy(classifier: ChowLiuClassifier, features: Int32Array): number {
      const discrete = classifier === "naiveBayes";
      const rows = discrete ? levels : scores;
      const columns = discrete
        ? Array.from(features)
        : Array.from(features).flatMap((f) => place.get(f) ?? []);
      // All of them constant in the training part.
      if (columns.length === 0) return majority;
      const [own, others] = [takeColumns(rows.training, columns), takeColumns(rows.test, columns)];
      if (!inside) {
        return correctShare(fit[classifier](own, [...training.labels]).predict(others), test.labels);
      }
      let correct = 0;
      for (const fold of folds) {
        const model = fit[classifier](takeRows(others, fold.train), labelsOf(fold.train));
        correct +=
          fold.test.length * correctShare(model.predict(takeRows(others, fold.test)), labelsOf(fold.test));
      }
      return correct / test.labels.length;
    },
  };
}

function levelMatrix(cuts: Discretization, X: Matrix): Matrix {
  const { codes } = applyDiscretization(cuts, X);
  const levels = matrix(X.rows, X.cols);
  for (let f = 0; f < X.cols; f++) {
    for (let i = 0; i < X.rows; i++) levels.data[i * X.cols + f] = codes[f * X.rows + i];
  }
  return levels;
}

function isConstant({ rows, cols, data }: Matrix, f: number): boolean {
  for (let i = 1; i < rows; i++) if (data[i * cols + f] !== data[f]) return false;
  return true;
}

function majorityShare(training: readonly string[], test: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const label of training) counts.set(label, (counts.get(label) ?? 0) + 1);
  const [most] = [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best));
  return test.filter((label) => label === most).length / test.length;
}

function record<K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, V>;
}
