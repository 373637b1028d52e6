import {
  asTable,
  cluster,
  compare,
  choosePartition,
  learnFromHints,
  namedData,
  scale,
  type ClusterOptions,
  type MethodName,
} from "kindred";
import { agglomerative, gaussianMixture, hdbscan, kmeans } from "kindred/cluster";
import { cc } from "kindred/convex";
import { crossValidate, svm } from "kindred/classify";
import { itml, lmnn } from "kindred/metric";

/*
 * Calls as programs make them, and calls that must not compile: each line after "@ts-expect-error" holds one mistake, and the
 * compiler complains where it finds none. Nothing here runs.
 */
const rows = [
  { plan: "pro", price: 12 },
  { plan: "free", price: 0 },
];
const numbers = [
  [1, 2],
  [3, 4],
];

export async function right(): Promise<void> {
  await cluster(rows);
  await cluster(rows, { clusters: 2, maxClusters: 5, budget: 3, outliers: "mark" });
  await cluster(rows, { method: "kmeans", clusters: 2, restarts: 20, seed: 1 });
  await cluster(rows, { method: "hdbscan", minClusterSize: 5 });
  await cluster(rows, { mustLink: [[0, 1]], certain: true });
  await cluster(rows, { method: "ccml", clusters: 2, neighbors: 5, ridge: 0.1 });
  const later: ClusterOptions<"gmm"> = { method: "gmm", clusters: 2, covariance: "tied" };
  await cluster(rows, later);
  const named = process.argv[2] as MethodName;
  await cluster(rows, { method: named, clusters: 3 });
  const { X, label } = await namedData("wine");
  const fit = kmeans(scale(X).X, { clusters: label.values.length });
  fit.sizes.at(0)?.toFixed();
}

export async function wrong(): Promise<void> {
  // @ts-expect-error: cluters
  await cluster(rows, { cluters: 4 });
  // @ts-expect-error: no such method
  await cluster(rows, { method: "kmaens" });
  // @ts-expect-error: no option is a function
  await cluster(rows, { foo: () => 1 });
  // @ts-expect-error: an option of another method
  await cluster(rows, { method: "kmeans", clusters: 2, minClusterSize: 4 });
  // @ts-expect-error: misspelt
  await cluster(rows, { method: "gmm", clusters: 2, covarance: "full" });
  // @ts-expect-error: no such covariance
  await cluster(rows, { method: "gmm", clusters: 2, covariance: "round" });
  // @ts-expect-error: a number
  await cluster(rows, { clusters: "3" });
  // @ts-expect-error: a name
  await cluster(rows, { method: 5 });
  // @ts-expect-error: a list of names
  await cluster(rows, { use: 1 });
  // @ts-expect-error: pairs of rows
  await cluster(rows, { mustLink: [0, 1] });
  // @ts-expect-error: "auto" or "equal"
  await cluster(rows, { weights: [1, 2] });
  // @ts-expect-error: no table
  await cluster(5);
  // @ts-expect-error: misspelt
  await compare(rows, { reseed: 2 });
  // @ts-expect-error: without its number of clusters
  gaussianMixture(numbers, {});
  // @ts-expect-error: misspelt
  kmeans(numbers, { clusters: 2, restart: 3 });
  // @ts-expect-error: a linkage
  agglomerative(numbers, { linkage: "wards", clusters: 2 });
  // @ts-expect-error: a number
  gaussianMixture(numbers, { clusters: "two" });
  // @ts-expect-error: misspelt
  hdbscan(numbers, { minClustersize: 4 });
  // @ts-expect-error: a norm
  cc(numbers, { clusters: 2, norm: 3 });
  // @ts-expect-error: labels first
  lmnn(numbers, { neighbors: 3 });
  // @ts-expect-error: pairs, not labels
  itml(numbers, ["a", "b"]);
  // @ts-expect-error: a model is trained by the function
  crossValidate(numbers, ["a", "b"], svm(numbers, ["a", "b"]));
  // @ts-expect-error: misspelt
  choosePartition(numbers, { cluster: 3 });
  // @ts-expect-error: hints first
  learnFromHints(numbers, { clusters: 3 });
  // @ts-expect-error: a label column has values
  void (await namedData("wine")).label.names.length;
  // @ts-expect-error: rows
  asTable(7);
}
