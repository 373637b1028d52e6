/**
 * Random forest (Breiman 2001): trees on bootstrap samples of the rows, each split chosen among a few random
 * features; the class with the largest mean share in the leaves of a row wins, the first one in a tie.
 * Features are binned once (binning.ts), trees are grown on bins (growForest.ts), independent of each other.
 */
import { matrix, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { random } from "../../core/index.ts";
import { form, option, optionError, plain, progressGate, rule } from "../../core/internal.ts";
import type { Labeling } from "../../score/index.ts";
import { largestOf, newRows, trainingRows, classifierFields, type Classifier } from "../classifier.ts";
import { binRows, type BinnedRows } from "./binning.ts";
import { growForest, type OutOfBagVotes, type GrownTree } from "./growForest.ts";

export const randomForestOptions = {
  /** Default 100. */
  trees: rule.integer({ min: 1, max: 100_000, default: 100, says: "trees to grow" }),
  /** Features tried per split; default: the square root of their number, rounded down. */
  features: rule.integer({ min: 1 }),
  /** Maximum number of splits between root and leaf; default no limit. */
  maxDepth: rule.integer({
    min: 1,
    default: Number.MAX_SAFE_INTEGER,
    says: "maximum number of splits between root and leaf",
    usual: "no limit",
  }),
  /** Minimum number of rows of the bootstrap sample on each side of a split; default 1. */
  minLeaf: rule.integer({ min: 1, default: 1, says: "minimum number of rows in a leaf" }),
  /** Bins per feature, 2 to 256; default 256. */
  bins: rule.integer({ min: 2, max: 256, default: 256 }),
  seed: rule.seed,
  onProgress: rule.progress,
};

export type RandomForestOptions = rule.OptionsOf<typeof randomForestOptions>;

/** Accuracy on each row by the trees that did not see it. */
const outOfBagForm = form.record({
  accuracy: form.unchecked<number>(),
  /** Rows that some tree did not see. */
  rows: form.unchecked<number>(),
});
export interface OutOfBag extends form.StoredOf<typeof outOfBagForm> {}

const forestForm = form.where(
  form.record({
    ...classifierFields,
    method: form.choice("randomForest"),
    feature: form.wholes("nodes", { min: -1, below: "features" }),
    threshold: form.numbers("nodes"),
    left: form.wholes("nodes", { min: 0 }),
    roots: form.wholes(undefined, { min: 0, below: "nodes" }),
    distributions: form.numbers(undefined, { min: 0, max: 1 }),
    importance: form.numbers("features", { min: 0 }),
    outOfBag: form.nullable(outOfBagForm),
  }),
  ({ classes, roots, feature, left, distributions }, refuse) => {
    const leaves = distributions.length / classes.length;
    if (!Number.isInteger(leaves)) throw refuse("distributions", "has no share for each class");
    if (roots.length === 0 || roots.some((root, t) => (t === 0 ? root !== 0 : root <= roots[t - 1]))) {
      throw refuse("roots", "does not ascend from 0");
    }
    // A split leads to two later nodes, a leaf to a row of shares: every path ends.
    const lost = left.findIndex((to, node) =>
      feature[node] >= 0 ? to <= node || to + 1 >= left.length : to >= leaves,
    );
    if (lost >= 0) throw refuse(`left[${lost}]`, "leads nowhere");
  },
);

export interface RandomForestData extends form.StoredOf<typeof forestForm> {}

export interface RandomForest extends Classifier<RandomForestData> {
  readonly trees: ForestTrees;
  /** Each feature's share of the decrease of the Gini index, averaged over trees; sums to 1, or all 0 without splits. */
  readonly importance: Float64Array;
  /** null where every tree saw every row. */
  readonly outOfBag: OutOfBag | null;
  probabilities(Y: MatrixLike): Matrix;
}

const METHOD = "randomForest";
/** Seeds of trees are below. */
const SEEDS = 2 ** 52;

export function randomForest(
  input: MatrixLike,
  labels: Labeling,
  options: RandomForestOptions = {},
): RandomForest {
  const settings = rule.resolveOptions(METHOD, options, randomForestOptions);
  const training = trainingRows(METHOD, input, labels);
  const { codes, classes, warnings } = training;
  const d = training.X.cols;
  const K = classes.length;
  const data = binRows(training.X, settings.bins);
  const { maxDepth, minLeaf } = settings;
  const tried = settings.features ?? Math.floor(Math.sqrt(d));
  if (tried > d) throw optionError(`${METHOD}: ${option("features")} is ${tried}, but there are only ${d}`);
  const builder = forestBuilder(data.cuts, K);
  const importance = new Float64Array(d);
  const stream = random(settings.seed);
  const seeds = Float64Array.from({ length: settings.trees }, () => stream.integer(SEEDS));
  const gate = progressGate(settings.onProgress);
  let grown = 0;
  const votes = growForest(data, codes, K, { tried, maxDepth, minLeaf }, seeds, (tree) => {
    builder.add(tree);
    grown++;
    const total = tree.importance.reduce((sum, value) => sum + value, 0);
    if (total > 0) for (let f = 0; f < d; f++) importance[f] += tree.importance[f] / total;
    return gate({ fraction: grown / settings.trees, label: `tree ${grown} of ${settings.trees}` });
  });
  if (grown < settings.trees) warnings.push(`stopped after ${grown} of ${settings.trees} trees`);
  const sum = importance.reduce((total, value) => total + value, 0);
  if (sum > 0) for (let f = 0; f < d; f++) importance[f] /= sum;
  else warnings.push("no split was possible: every tree predicts by the class frequencies alone");
  return assemble({
    classes,
    features: d,
    warnings,
    ...builder.finish(),
    importance,
    outOfBag: outOfBagAccuracy(votes, codes),
  });
}

export function loadRandomForest(data: RandomForestData): RandomForest {
  return assemble(form.load(forestForm, data, "the classifier"));
}

type Parts = Omit<form.LoadedOf<typeof forestForm>, "method">;

function assemble(parts: Parts): RandomForest {
  const { roots, feature, threshold, left, distributions, ...rest } = parts;
  const trees = { roots, feature, threshold, left, distributions };
  const { classes, features } = rest;
  const probabilities = (input: MatrixLike): Matrix => {
    const Y = newRows(METHOD, input, features);
    const P = matrix(Y.rows, classes.length);
    addVotes(trees, Y, P);
    return P;
  };
  return plain({
    ...rest,
    method: METHOD,
    trees,
    probabilities,
    predict: (Y) => largestOf(probabilities(Y), classes),
    toJSON: () => forestForm.save({ ...parts, method: METHOD }),
  });
}

function outOfBagAccuracy({ votes, seen }: OutOfBagVotes, codes: Int32Array): OutOfBag | null {
  const K = votes.cols;
  let rows = 0;
  let correct = 0;
  for (let i = 0; i < seen.length; i++) {
    if (seen[i] === 0) continue;
    rows++;
    let best = 0;
    for (let k = 1; k < K; k++) if (votes.data[i * K + k] > votes.data[i * K + best]) best = k;
    if (best === codes[i]) correct++;
  }
  return rows === 0 ? null : { accuracy: correct / rows, rows };
}

/** The trees of a forest, one after the other in flat arrays. */
export interface ForestTrees {
  /** The first node of each tree. */
  readonly roots: Int32Array;
  /** Feature of a split, -1 for a leaf. */
  readonly feature: Int32Array;
  /** x <= threshold goes left. */
  readonly threshold: Float64Array;
  /** Split: the left child, which the right one follows. Leaf: its row of `distributions`. */
  readonly left: Int32Array;
  /** Class shares, K per row; the first K rows are the pure ones. */
  readonly distributions: Float64Array;
}

/** Collects copies of trees as they are grown. */
function forestBuilder(
  cuts: BinnedRows["cuts"],
  K: number,
): {
  add(tree: GrownTree): void;
  finish(): ForestTrees;
} {
  const trees: GrownTree[] = [];
  return {
    add({ feature, bin, left, shares, importance }) {
      trees.push({
        feature: feature.slice(),
        bin: bin.slice(),
        left: left.slice(),
        shares: shares.slice(),
        importance,
      });
    },
    finish() {
      const nodes = trees.reduce((sum, { feature }) => sum + feature.length, 0);
      const shares = trees.reduce((sum, tree) => sum + tree.shares.length, 0);
      const forest = {
        roots: new Int32Array(trees.length),
        feature: new Int32Array(nodes),
        threshold: new Float64Array(nodes),
        left: new Int32Array(nodes),
        distributions: new Float64Array(K * K + shares),
      };
      for (let k = 0; k < K; k++) forest.distributions[k * (K + 1)] = 1;
      let [root, next] = [0, K * K];
      trees.forEach((tree, t) => {
        forest.roots[t] = root;
        forest.feature.set(tree.feature, root);
        forest.distributions.set(tree.shares, next);
        for (let v = 0, at = root; v < tree.feature.length; v++, at++) {
          const f = tree.feature[v];
          const to = tree.left[v];
          if (f >= 0) {
            forest.threshold[at] = cuts[f][tree.bin[v]];
            forest.left[at] = root + to;
          } else forest.left[at] = to < K ? to : next / K + to - K;
        }
        root += tree.feature.length;
        next += tree.shares.length;
      });
      return forest;
    },
  };
}

/** Mean class shares of the leaves that each row of Y reaches, added up tree by tree into `P`. */
function addVotes(trees: ForestTrees, Y: Matrix, P: Matrix): void {
  const { roots, feature, threshold, left, distributions } = trees;
  const { rows, cols: d, data } = Y;
  const K = P.cols;
  for (const root of roots) {
    for (let i = 0; i < rows; i++) {
      let v = root;
      while (feature[v] >= 0) v = data[i * d + feature[v]] <= threshold[v] ? left[v] : left[v] + 1;
      const leaf = left[v];
      if (leaf < K) P.data[i * K + leaf]++;
      else for (let k = 0; k < K; k++) P.data[i * K + k] += distributions[leaf * K + k];
    }
  }
  for (let p = 0; p < P.data.length; p++) P.data[p] /= roots.length;
}
