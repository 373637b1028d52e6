import { expect, test } from "vitest";
import * as kindred from "../../src/index.ts";
import { crossValidate, holdout, kNearestNeighbors, randomForest, svm } from "../../src/classify/index.ts";
import * as clusters from "../../src/cluster/index.ts";
import { blobs, samplePairs } from "../../src/data/index.ts";
import { neighborLayout, pca } from "../../src/embed/index.ts";
import { nearestRows, topEigen } from "../../src/matrix/index.ts";
import { itml, lmnn, lrml, mmc, nca } from "../../src/metric/index.ts";
import { cc, convexPath } from "../../src/recipes/index.ts";
import { nmi, pairScores, silhouette } from "../../src/score/index.ts";
import { discretize, mrmr } from "../../src/select/index.ts";

/* What a JavaScript program may get wrong in an option: each is refused by a KindredError that names the option. */
const X = Array.from({ length: 12 }, (_, i) => [i % 3, Math.sin(i), Math.cos(i)]);
const y = X.map((_, i) => `c${i % 3}`);
const P = { rows: 12, cols: 3, data: Float64Array.from(X.flat()) };
const pairs = { mustLink: [[0, 3]], cannotLink: [[0, 1]] };

type Call = (X: unknown, ...rest: unknown[]) => unknown;
const on =
  (call: unknown, ...before: unknown[]) =>
  (options: unknown): unknown =>
    (call as Call)(...(before as [unknown]), options);
const FUNCTIONS: Readonly<Record<string, (options: unknown) => unknown>> = {
  cluster: on(kindred.cluster, X),
  compare: on(kindred.compare, X),
  choosePartition: on(kindred.choosePartition, X),
  learnFromHints: on(kindred.learnFromHints, X, {}),
  askQuestions: (options) =>
    (kindred.askQuestions as unknown as Call)(X, options as object) && questions(options),
  asTable: on(kindred.asTable, X),
  namedData: on(kindred.namedData, "wine"),
  kmeans: on(clusters.kmeans, X),
  gaussianMixture: on(clusters.gaussianMixture, X),
  hdbscan: on(clusters.hdbscan, X),
  agglomerative: on(clusters.agglomerative, X),
  spectral: on(clusters.spectral, X),
  kMedoids: on(clusters.kMedoids, X),
  dbscan: on(clusters.dbscan, X),
  segment: on(clusters.segment, X),
  cc: on(cc, X),
  convexPath: on(convexPath, X),
  itml: on(itml, X),
  lmnn: on(lmnn, X, y),
  nca: on(nca, X, y),
  mmc: on(mmc, X),
  lrml: on(lrml, X),
  svm: on(svm, X, y),
  randomForest: on(randomForest, X, y),
  kNearestNeighbors: on(kNearestNeighbors, X, y),
  crossValidate: on(crossValidate, X, y, (Y: never, z: never) => kNearestNeighbors(Y, z)),
  holdout: on(holdout, y),
  pca: on(pca, X),
  neighborLayout: on(neighborLayout, X),
  mrmr: on(mrmr, X, y),
  discretize: on(discretize, X),
  silhouette: on(silhouette, X, y),
  nmi: on(nmi, y, y),
  pairScores: on(pairScores, y, y),
  blobs: on(blobs),
  samplePairs: on(samplePairs, y),
  nearestRows: on(nearestRows, P, 2),
  topEigen: on(topEigen, P, 1),
};

const questions = (options: unknown): unknown =>
  kindred.askQuestions(X, options as kindred.AskQuestionsOptions).next();

test.each<readonly [keyof typeof FUNCTIONS, string, object]>([
  ["cluster", "method", { method: 5 }],
  ["cluster", "method", { method: "kmaens" }],
  ["cluster", "use", { use: 1 }],
  ["cluster", "clusters", { clusters: 1e9 }],
  ["cluster", "clusters", { clusters: "3" }],
  ["cluster", "clusters", { clusters: Number.NaN }],
  ["cluster", "maxClusters", { maxClusters: 0 }],
  ["cluster", "budget", { budget: -1 }],
  ["cluster", "outliers", { outliers: "drop" }],
  ["cluster", "mustLink", { mustLink: [0, 1] }],
  ["cluster", "weights", { weights: [1, 2] }],
  ["cluster", "cluters", { cluters: 4 }],
  ["cluster", "onProgress", { onProgress: true }],
  ["cluster", "signal", { signal: "stop" }],
  ["cluster", "minClusterSize", { method: "kmeans", clusters: 2, minClusterSize: 4 }],
  ["cluster", "restarts", { method: "kmeans", clusters: 2, restarts: 1e9 }],
  ["compare", "reseed", { reseed: 2 }],
  ["compare", "methods", { methods: "kmeans" }],
  ["choosePartition", "cluster", { cluster: 3 }],
  ["choosePartition", "scale", { scale: "big" }],
  ["learnFromHints", "library", { library: 5 }],
  ["learnFromHints", "certain", { certain: "yes" }],
  ["askQuestions", "buget", { buget: 5 }],
  ["askQuestions", "budget", { budget: "5" }],
  ["asTable", "as", { as: 5 }],
  ["namedData", "folder", { folder: 5 }],
  ["kmeans", "clusters", {}],
  ["kmeans", "clusters", { clusters: 13 }],
  ["kmeans", "clusters", { clusters: [3] }],
  ["kmeans", "seed", { clusters: 2, seed: "a" }],
  ["gaussianMixture", "covariance", { clusters: 2, covariance: "round" }],
  ["gaussianMixture", "tolerance", { clusters: 2, tolerance: -1 }],
  ["hdbscan", "minClusterSize", { minClusterSize: 1.5 }],
  ["agglomerative", "linkage", { clusters: 2, linkage: "wards" }],
  ["agglomerative", "height", { height: -1 }],
  ["spectral", "neighbors", { clusters: 2, neighbors: 0 }],
  ["kMedoids", "clusters", { clusters: null }],
  ["dbscan", "radius", { radius: -1 }],
  ["segment", "clusters", { clusters: 0 }],
  ["cc", "norm", { clusters: 2, norm: 3 }],
  ["convexPath", "tolerance", { tolerance: 0 }],
  ["itml", "mustLink", { ...pairs, mustLink: 5 }],
  ["itml", "gamma", { ...pairs, gamma: "1" }],
  ["lmnn", "neighbors", { neighbors: -1 }],
  ["nca", "dims", { dims: 0 }],
  ["mmc", "regularization", { ...pairs, regularization: -1 }],
  ["lrml", "names", { ...pairs, names: "abc" }],
  ["svm", "cost", { cost: 0 }],
  ["randomForest", "trees", { trees: 1e9 }],
  ["kNearestNeighbors", "neighbors", { neighbors: {} }],
  ["crossValidate", "folds", { folds: 1 }],
  ["holdout", "train", { train: 2 }],
  ["pca", "dims", { dims: 1.5 }],
  ["neighborLayout", "neighbors", { neighbors: Infinity }],
  ["mrmr", "features", { features: 0 }],
  ["discretize", "bins", { kind: "width", bins: 1e9 }],
  ["silhouette", "sample", { sample: "all" }],
  ["nmi", "unknown", { unknown: "keep" }],
  ["pairScores", "exclude", { exclude: [1] }],
  ["blobs", "clusters", { clusters: 0 }],
  ["samplePairs", "mustLink", { mustLink: "2", cannotLink: 1 }],
  ["nearestRows", "queries", { queries: 5 }],
  ["topEigen", "which", { which: "middle" }],
])("%s, option %s: %o", async (name, option, options) => {
  let error: unknown;
  try {
    error = await FUNCTIONS[name](options);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ name: "KindredError", message: expect.stringContaining(option) });
});
