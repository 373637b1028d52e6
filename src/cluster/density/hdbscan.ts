import { inputError, optionError, plain, progressGate, rule } from "../../core/internal.ts";
import { asMatrix, type MatrixLike } from "../../matrix/index.ts";
import { requireClusters } from "../clusterInput.ts";
import type { Clustered } from "../clustered.ts";
import { dendrogram, type Dendrogram } from "../linkage/dendrogram.ts";
import { metricRule, refuseNewRows } from "../givenDistances.ts";
import { condensedTree, selectClusters, type CondensedTree } from "./condensedTree.ts";
import { densityTree } from "./densityTree.ts";
import {
  sampledModel,
  type DensityModel,
  type DensityModelData,
  type DensityPlaced,
} from "./densityModel.ts";

export const hdbscanOptions = {
  /** The number of clusters, chosen by total stability; by default the data decide. */
  clusters: rule.integer({ min: 2 }),
  minClusterSize: rule.integer({
    min: 2,
    says: "minimum number of rows of a cluster",
    usual: "half the square root of the number of rows, at least 5",
  }),
  minSamples: rule.integer({
    min: 1,
    says: "neighbours that define the density at a row; a larger number gives more noise rows",
    usual: "min-cluster-size, at most 20",
  }),
  selection: rule.oneOf(["excess", "leaf"] as const, "excess", {
    says: "clusters to take from the tree: the most stable ones, or the smallest",
  }),
  selectionEpsilon: rule.real({
    min: 0,
    default: 0,
    says: "clusters that separate below this distance stay one",
  }),
  metric: metricRule,
  allowSingle: rule.flag(false, { says: "allow a single cluster of all rows" }),
  onProgress: rule.progress,
};

export type HdbscanOptions = rule.OptionsOf<typeof hdbscanOptions>;

export interface Hdbscan extends Clustered {
  readonly method: "hdbscan";
  /** 0 .. clusters - 1, largest first; -1 for noise. */
  readonly labels: Int32Array;
  /** How firmly each row belongs to its cluster, 0 to 1; 0 for noise. */
  readonly strengths: Float64Array;
  /** Rows in no cluster. */
  readonly noise: number;
  /**
   * For each cluster: the sum over its rows of lambda at the row's exit minus lambda at the cluster's birth.
   */
  readonly stabilities: Float64Array;
  /** For each cluster: its number in `condensed`. */
  readonly nodes: Int32Array;
  readonly condensed: CondensedTree;
  /** The whole hierarchy; heights are mutual reachability distances. */
  readonly tree: Dendrogram;
  readonly coreDistances: Float64Array;
  readonly minClusterSize: number;
  readonly minSamples: number;
  /** The sum of `stabilities`. */
  readonly objective: number;
  /** The cluster and the strength of new rows. */
  place(Y: MatrixLike): DensityPlaced;
  model(): DensityModelData;
}

const NAME = "hdbscan";

/**
 * HDBSCAN* (R. J. G. B. Campello, D. Moulavi and J. Sander, 2013; L. McInnes and J. Healy, 2017): clusters
 * are regions of high density that stay connected over a wide range of densities; other rows are noise. With
 * core_i the distance of row i to its minSamples-th neighbour, the clusters at a distance e are the
 * components of the graph of all
 *
 *     max(core_i, core_j, |x_i - x_j|) <= e.
 *
 * The minimum spanning tree of that distance, which is exact here, contains all of them. Clusters of at least
 * minClusterSize rows make the condensed tree, and those of the largest total stability are chosen. The
 * number of clusters follows; nothing is random, and the order of the rows does not matter.
 */
export function hdbscan(input: MatrixLike, options: HdbscanOptions = {}): Hdbscan {
  const X = asMatrix(input, NAME);
  const resolved = rule.resolveOptions(NAME, options, hdbscanOptions);
  const { clusters, selection, selectionEpsilon: epsilon, allowSingle, metric } = resolved;
  const n = X.rows;
  requireClusters(NAME, X);
  if (n === 1) throw inputError(`${NAME}: one row has no neighbours; give at least 2`);
  if (clusters !== undefined && (selection === "leaf" || epsilon > 0 || allowSingle)) {
    throw optionError(
      `${NAME}: a given number of clusters leaves no choice to ` +
        `${selection === "leaf" ? "selection" : epsilon > 0 ? "selectionEpsilon" : "allowSingle"}; give one of both`,
    );
  }
  const minClusterSize = resolved.minClusterSize ?? Math.max(5, Math.round(Math.sqrt(n) / 2));
  const asked = resolved.minSamples ?? Math.min(20, minClusterSize);
  const minSamples = Math.min(asked, n - 1);
  const warnings: string[] = [];
  if (minSamples < asked && resolved.minSamples !== undefined) {
    warnings.push(`${n} rows have ${minSamples} neighbours each, not minSamples = ${asked}`);
  }
  const gate = progressGate(resolved.onProgress);
  gate({ fraction: 0, label: "neighbours" });
  const { cores: coreDistances, ...edges } = densityTree(NAME, X, minSamples, metric, gate);
  const tree = dendrogram(n, edges);
  gate({ fraction: 0.95, label: "clusters" });
  const condensed = condensedTree(tree, minClusterSize);
  const chosen = selectClusters(condensed, { selection, epsilon, allowSingle, clusters });
  const found = labelled(condensed, chosen, allowSingle, epsilon);
  if (gate.stopped) warnings.push("stopped by onProgress: clusters that were not yet joined are separate");
  else if (clusters !== undefined && found.nodes.length < clusters) {
    warnings.push(
      `the tree has only ${found.nodes.length} clusters of ${minClusterSize} rows or more beside each other, ` +
        `not ${clusters}; a smaller minClusterSize has more`,
    );
  } else if (found.nodes.length === 0) {
    warnings.push(
      `no part of the rows is denser than its surroundings, for clusters of at least ${minClusterSize} rows: all are noise`,
    );
  }
  const { labels, strengths, sizes, noise, nodes, clusterLabels, leastLambda } = found;
  const stabilities = Float64Array.from(nodes, (c) => condensed.stabilities[c]);
  const fullLambdas = Float64Array.from(nodes, (c) => condensed.deaths[c]);
  let made: DensityModel | undefined;
  const model = (): DensityModel => {
    if (metric === "precomputed") refuseNewRows(NAME);
    return (made ??= sampledModel({
      clusters: nodes.length,
      minSamples,
      rows: X,
      cores: coreDistances,
      ...condensed,
      labels,
      clusterLabels,
      fullLambdas,
      leastLambda,
    }));
  };
  return plain<Hdbscan>({
    method: "hdbscan",
    clusters: nodes.length,
    labels,
    strengths,
    sizes,
    noise,
    stabilities,
    nodes,
    condensed,
    tree,
    coreDistances,
    minClusterSize,
    minSamples,
    objective: stabilities.reduce((a, b) => a + b, 0),
    converged: !gate.stopped,
    warnings,
    placement: "density",
    place: (Y) => model().place(Y),
    predict: (Y) => model().predict(Y),
    model: () => model().toJSON(),
  });
}

/** Rows belong to the chosen cluster that contains them, or contains a part that they leave. */
function labelled(tree: CondensedTree, chosen: readonly number[], allowSingle: boolean, epsilon: number) {
  const { parents, deaths, rowClusters, rowLambdas } = tree;
  const n = rowClusters.length;
  const taken = new Int32Array(parents.length).fill(-1);
  for (const c of chosen) taken[c] = c;
  for (let c = 1; c < parents.length; c++) if (taken[c] < 0) taken[c] = taken[parents[c]];
  const leastLambda = allowSingle && taken[0] === 0 ? (epsilon > 0 ? 1 / epsilon : deaths[0]) : 0;
  const isIn = (i: number): number =>
    rowClusters[i] === 0 && rowLambdas[i] < leastLambda ? -1 : taken[rowClusters[i]];
  const counts = new Int32Array(parents.length);
  const first = new Int32Array(parents.length).fill(n);
  for (let i = n - 1; i >= 0; i--) {
    const c = isIn(i);
    if (c < 0) continue;
    counts[c]++;
    first[c] = i;
  }
  const nodes = Int32Array.from(chosen.filter((c) => counts[c] > 0)).sort(
    (a, b) => counts[b] - counts[a] || first[a] - first[b],
  );
  const names = new Int32Array(parents.length).fill(-1);
  nodes.forEach((c, label) => (names[c] = label));
  const labels = Int32Array.from(rowClusters, (_, i) => (isIn(i) < 0 ? -1 : names[isIn(i)]));
  const strengths = Float64Array.from(rowLambdas, (lambda, i) =>
    labels[i] < 0 ? 0 : Math.min(1, lambda / deaths[nodes[labels[i]]]),
  );
  const sizes = Int32Array.from(nodes, (c) => counts[c]);
  return {
    labels,
    strengths,
    sizes,
    noise: n - sizes.reduce((a, b) => a + b, 0),
    nodes,
    /** With all rows in one cluster, rows that leave before this are noise. */
    leastLambda,
    /** The label of rows that leave each cluster of the tree. */
    clusterLabels: taken.map((c) => (c < 0 ? -1 : names[c])),
  };
}
