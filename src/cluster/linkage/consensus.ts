import { inputError, plain, progressGate, rule, sizesOf } from "../../core/internal.ts";
import { random } from "../../core/index.ts";
import { asMatrix, takeRows, type MatrixLike } from "../../matrix/index.ts";
import { inGivenOrder, valueOrder } from "../../matrix/internal.ts";
import { requireClusters } from "../clusterInput.ts";
import type { Clustered } from "../clustered.ts";
import { nearestRowPlacing } from "../givenDistances.ts";
import { kmeansLabels } from "../kmeans/kmeans.ts";
import { cutDendrogram, dendrogram, type Dendrogram } from "./dendrogram.ts";
import { averageChain } from "./linkageChain.ts";

export const consensusOptions = {
  /** Default: where the tree of the votes has its longest gap. */
  clusters: rule.integer({ min: 1 }),
  /** A share of 100 votes has a standard error of at most .05. */
  partitions: rule.integer({ min: 2, default: 100, says: "partitions that vote" }),
  seed: rule.seed,
  onProgress: rule.progress,
};

export type ConsensusOptions = rule.OptionsOf<typeof consensusOptions>;

export interface Consensus extends Clustered {
  readonly method: "consensus";
  /** Average linkage of the share of partitions that part two rows. */
  readonly tree: Dendrogram;
}

/** A tree of votes, and its cut. */
export interface ConsensusCut {
  readonly labels: Int32Array;
  readonly tree: Dendrogram;
}

/**
 * Consensus clustering by accumulated evidence (A. Fred and A. K. Jain, 2005): k-means divides the rows again and again, each
 * time from other centres and into another number of clusters, between sqrt(n) / 2 and sqrt(n). Two rows are as far apart as the
 * share of the partitions that part them, and average linkage of these distances is cut.
 *
 * When not: more than some ten thousand rows, for the votes of all pairs are kept; clear round groups, which one k-means finds.
 */
export function consensus(input: MatrixLike, options: ConsensusOptions = {}): Consensus {
  const X = asMatrix(input, "consensus");
  const settings = rule.resolveOptions("consensus", options, consensusOptions);
  requireClusters("consensus", X, settings.clusters);
  const { rows: n } = X;
  const order = valueOrder(X);
  const sorted = takeRows(X, order);
  const streams = random(settings.seed);
  const most = Math.max(1, Math.floor(Math.sqrt(n)));
  const gate = progressGate(settings.onProgress);
  const drawn: Int32Array[] = [];
  const share = () => ({ fraction: drawn.length / settings.partitions, label: "partitions" });
  while (drawn.length < settings.partitions && gate(share())) {
    const stream = streams.split();
    const clusters = Math.ceil(most / 2) + stream.integer(most - Math.ceil(most / 2) + 1);
    const { labels } = kmeansLabels(sorted, { clusters, restarts: 1, seed: stream.integer(2 ** 31) });
    drawn.push(inGivenOrder(labels, order));
  }
  const { labels, tree } = consensusOf(drawn, { clusters: settings.clusters, order });
  const sizes = sizesOf(labels, labels.reduce((last, label) => Math.max(last, label), 0) + 1);
  return plain<Consensus>({
    method: "consensus",
    clusters: sizes.length,
    labels,
    sizes,
    tree,
    converged: !gate.stopped,
    warnings: gate.stopped ? [`stopped by onProgress after ${drawn.length} partitions`] : [],
    ...nearestRowPlacing("consensus", X, labels, sizes.length),
  });
}

/** How votes become clusters. */
export interface ConsensusOfOptions {
  /** Absent: where the tree has its longest gap. */
  readonly clusters?: number | undefined;
  /** The rows as ties shall take them; absent: as they come. */
  readonly order?: Int32Array;
}

/** The consensus of partitions that exist: a label for each row in each of them. */
export function consensusOf(
  partitions: readonly ArrayLike<number>[],
  { clusters, order }: ConsensusOfOptions = {},
): ConsensusCut {
  const n = partitions[0]?.length ?? 0;
  if (n === 0 || partitions.some((labels) => labels.length !== n)) {
    throw inputError("consensusOf: give one or more partitions of the same rows, a label for each row");
  }
  const at = order ?? Int32Array.from({ length: n }, (_, i) => i);
  const { from, to, heights } = averageChain(n, shareApart(partitions, at));
  const tree = dendrogram(n, { from: from.map((p) => at[p]), to: to.map((p) => at[p]), heights });
  return { labels: cutDendrogram(tree, { clusters: clusters ?? longestGap(tree) }), tree };
}

/** The share of partitions that part the rows at the places j < i of `order`, at i (i - 1) / 2 + j. */
function shareApart(partitions: readonly ArrayLike<number>[], order: Int32Array): Float64Array {
  const n = order.length;
  const together = new Float64Array((n * (n - 1)) / 2);
  for (const labels of partitions) {
    const members = new Map<number, number[]>();
    order.forEach((row, i) => {
      const earlier = members.get(labels[row]) ?? [];
      for (const j of earlier) together[(i * (i - 1)) / 2 + j]++;
      earlier.push(i);
      members.set(labels[row], earlier);
    });
  }
  return together.map((count) => 1 - count / partitions.length);
}

/** The number of clusters, at least two, that lives longest as the tree is cut lower and lower. */
function longestGap({ rows: n, heights }: Dendrogram): number {
  let best = Math.min(2, n);
  let longest = 0;
  for (let K = 2; K < n; K++) {
    const gap = heights[n - K] - heights[n - K - 1];
    if (gap > longest) [best, longest] = [K, gap];
  }
  return best;
}
