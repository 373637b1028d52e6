import { inputError, optionError, option, plain, progressGate, rule } from "../../core/internal.ts";
import { nearestAmong, unionFind } from "../../graph/index.ts";
import { asMatrix, takeRows, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { valueOrder } from "../../matrix/internal.ts";
import { requireClusters } from "../clusterInput.ts";
import type { Clustered } from "../clustered.ts";
import { metricRule } from "../givenDistances.ts";
import { flatModel, type DensityModel, type DensityModelData } from "./densityModel.ts";
import { densityTree, type DensityTree } from "./densityTree.ts";

export const dbscanOptions = {
  /** Instead of epsilon: the largest reach with so many clusters. */
  clusters: rule.integer({ min: 1 }),
  epsilon: rule.real({
    above: 0,
    says: "reach of a row",
    usual: "where the sorted distances to the neighbour bend",
  }),
  minSamples: rule.integer({
    min: 1,
    default: 5,
    says: "rows within epsilon, itself among them, that make a row dense",
  }),
  metric: metricRule,
  onProgress: rule.progress,
};

export type DbscanOptions = rule.OptionsOf<typeof dbscanOptions>;

export interface Dbscan extends Clustered {
  readonly method: "dbscan";
  /** 0 .. clusters - 1, largest first; -1 for noise. */
  readonly labels: Int32Array;
  readonly epsilon: number;
  readonly minSamples: number;
  /** 1 for rows that are dense, 0 for those at the border of a cluster and for noise. */
  readonly core: Uint8Array;
  readonly noise: number;
  model(): DensityModelData;
}

const NAME = "dbscan";

/**
 * DBSCAN (M. Ester, H.-P. Kriegel, J. Sander and X. Xu, 1996): a row with minSamples rows within epsilon is dense; dense rows
 * within epsilon of each other are one cluster, and other rows within epsilon of a dense one belong to the cluster of the
 * nearest; all others are noise. The clusters are a cut of the tree of HDBSCAN*, so one tree serves every epsilon.
 *
 * When not: clusters of different density, which no single epsilon separates; HDBSCAN* cuts each where it is most stable.
 */
export function dbscan(input: MatrixLike, options: DbscanOptions = {}): Dbscan {
  const X = asMatrix(input, NAME);
  const { clusters, minSamples, metric, onProgress, ...given } = rule.resolveOptions(
    NAME,
    options,
    dbscanOptions,
  );
  requireClusters(NAME, X, clusters);
  const n = X.rows;
  if (n === 1) throw inputError(`${NAME}: one row has no neighbours; give at least 2`);
  if (clusters !== undefined && given.epsilon !== undefined) {
    throw optionError(`${NAME}: give one of ${option("clusters")} and ${option("epsilon")}`);
  }
  const warnings: string[] = [];
  const gate = progressGate(onProgress);
  const rank = Math.min(minSamples, n) - 1;
  const tree = densityTree(NAME, X, rank, metric, gate);
  const epsilon =
    given.epsilon ??
    (clusters === undefined ? bend(tree.cores, tree.heights) : reachOf(tree, clusters, warnings));
  const core = Uint8Array.from(tree.cores, (distance) => (distance <= epsilon ? 1 : 0));
  if (minSamples > n) core.fill(0);
  const found = bySize(withBorders(X, componentsAt(tree, core, epsilon), core, epsilon, metric));
  const { labels, sizes } = found;
  const noise = n - sizes.reduce((sum, size) => sum + size, 0);
  if (sizes.length === 0) {
    warnings.push(
      `no row has ${minSamples} rows within epsilon = ${epsilon}, so all are noise; a larger epsilon has clusters`,
    );
  }
  const reaches = Array.from(sizes, () => epsilon);
  const model = (): DensityModel => flatModel(NAME, X, { labels, reaches, cores: tree.cores, rank, metric });
  return plain<Dbscan>({
    method: "dbscan",
    clusters: sizes.length,
    labels,
    sizes,
    epsilon,
    minSamples,
    core,
    noise,
    converged: !gate.stopped,
    warnings,
    placement: "density",
    predict: (Y) => model().predict(Y),
    model: () => model().toJSON(),
  });
}

/** The components of the dense rows; -1 for the others. */
function componentsAt({ from, to, heights }: DensityTree, core: Uint8Array, epsilon: number): Int32Array {
  const sets = unionFind(core.length);
  for (let e = 0; e < heights.length && heights[e] <= epsilon; e++) sets.union(from[e], to[e]);
  return sets.labels().map((label, i) => (core[i] === 1 ? label : -1));
}

/** Other rows join the nearest dense row within epsilon, of equally near ones the first in the order of the values. */
function withBorders(
  X: Matrix,
  labels: Int32Array,
  core: Uint8Array,
  epsilon: number,
  metric: "euclidean" | "precomputed",
): Int32Array {
  const order = metric === "precomputed" ? Int32Array.from(core.keys()) : valueOrder(X);
  const [dense, others] = [1, 0].map((wanted) => order.filter((i) => core[i] === wanted));
  if (dense.length === 0 || others.length === 0) return labels;
  const joined = labels.slice();
  if (metric === "precomputed") {
    for (const i of others) {
      const distance = (j: number): number => X.data[i * X.cols + j];
      const nearest = dense.reduce((best, j) => (distance(j) < distance(best) ? j : best));
      if (distance(nearest) <= epsilon) joined[i] = labels[nearest];
    }
    return joined;
  }
  const { indices, distances } = nearestAmong(takeRows(X, dense), 1, takeRows(X, others));
  others.forEach((i, p) => {
    if (Math.sqrt(distances[p]) <= epsilon) joined[i] = labels[dense[indices[p]]];
  });
  return joined;
}

/** Clusters by size, then by their first row. */
export function bySize(labels: Int32Array): { labels: Int32Array; sizes: Int32Array } {
  const counts = new Map<number, number>();
  for (const label of labels) if (label >= 0) counts.set(label, (counts.get(label) ?? 0) + 1);
  // Map keeps the order of the first rows, and the sort is stable.
  const order = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)!);
  const place = new Map(order.map((label, k) => [label, k]));
  const named = labels.map((label) => place.get(label) ?? -1);
  return { labels: named, sizes: Int32Array.from(order, (label) => counts.get(label)!) };
}

/**
 * Where the sorted core distances bend: farthest below the line from the first to the last. Distances to the neighbour rise
 * slowly inside clusters and fast outside of them (Ester and others, section 4.2).
 */
function bend(cores: Float64Array, heights: Float64Array): number {
  const sorted = cores.toSorted();
  const last = sorted.length - 1;
  const [low, high] = [sorted[0], sorted[last]];
  let best = last;
  let most = 0;
  sorted.forEach((value, i) => {
    const below = i / last - (value - low) / (high - low);
    if (below > most) {
      most = below;
      best = i;
    }
  });
  // All rows equal: any reach joins them.
  return sorted[best] || heights.find((height) => height > 0) || 1;
}

/** The largest reach at which there are so many clusters: rows that became dense minus edges within reach. */
function reachOf({ cores, heights }: DensityTree, clusters: number, warnings: string[]): number {
  const sorted = cores.toSorted();
  const events = Float64Array.from(new Set([...sorted, ...heights])).sort();
  let best = events.length - 1;
  let miss = Infinity;
  let found = 0;
  let [c, h] = [0, 0];
  events.forEach((reach, e) => {
    while (c < sorted.length && sorted[c] <= reach) c++;
    while (h < heights.length && heights[h] <= reach) h++;
    if (Math.abs(c - h - clusters) > miss) return;
    [best, miss, found] = [e, Math.abs(c - h - clusters), c - h];
  });
  if (miss > 0) warnings.push(`no epsilon gives ${clusters} clusters of these rows; ${found} were made`);
  const next = events[best + 1] ?? events[best];
  return events[best] + (next - events[best]) / 2 || 1;
}
