/**
 * Agglomerative clustering: starting from single rows, the two nearest clusters are joined until one is left.
 * The linkage defines the distance between clusters, with Euclidean distances between rows:
 *
 *     ward      sqrt(2 n_x n_y / (n_x + n_y)) ||c_x - c_y||: the least growth of the within sum of squares
 *     average   mean distance of a row of one to a row of the other
 *     complete  largest such distance
 *     single    smallest such distance
 *
 * The whole dendrogram is found, and cut at a number of clusters or at a height.
 */
import { joinGroups, type Joins, primTree } from "../../graph/index.ts";
import { asMatrix, row, takeRows, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { requireFinite, valueOrder } from "../../matrix/internal.ts";
import { inputError, option, optionError, plain, rule, sizesOf } from "../../core/internal.ts";
import { knownPlacing } from "../knownRows.ts";
import { LINKAGES, predictByLinkage, type Linkage } from "./agglomerativePredict.ts";
import { cutDendrogram, dendrogram, type Cut, type Dendrogram } from "./dendrogram.ts";
import { linkageChain, triangleChain, type Merges } from "./linkageChain.ts";
import { linkageRounds } from "./linkageRounds.ts";
import { withPoints } from "../kmeans/withPoints.ts";
import { mergesInRange, wardMerges } from "./wardTree.ts";
import { clusterMeansOf } from "../kmeans/weightedMeans.ts";
import { metricRule, nearestRowPlacing, requireDistances } from "../givenDistances.ts";
import { requireClusters } from "../clusterInput.ts";
import type { Clustered } from "../clustered.ts";

export const agglomerativeOptions = {
  /** Default "ward". */
  linkage: rule.oneOf(LINKAGES, "ward"),
  /** Cut into K clusters; this or `height` is required. */
  clusters: rule.integer({ min: 1 }),
  metric: metricRule,
  height: rule.real({ min: 0, says: "undoes all merges above this height, instead of a number of clusters" }),
};

export type AgglomerativeOptions = rule.OptionsOf<typeof agglomerativeOptions>;

export interface Agglomerative extends Clustered {
  readonly method: "agglomerative";
  readonly linkage: Linkage;
  /** 0 .. clusters - 1, in the order of the clusters' first rows. */
  readonly labels: Int32Array;
  readonly tree: Dendrogram;
  /** Heights between which a cut gives these clusters: from the last merge kept to the first undone. */
  readonly between: readonly [number, number];
  /** The clusters are exact: always true. */
  readonly converged: true;
  /**
   * The cluster that each row of Y would join: the nearest by the linkage, with the row as a cluster of its
   * own. Training rows stay in their cluster.
   */
  predict(Y: MatrixLike): Int32Array;
  /** The same dendrogram, cut elsewhere. */
  cut(at: Cut): Int32Array;
  readonly placement: "linkage";
}

export function agglomerative(input: MatrixLike, options: AgglomerativeOptions): Agglomerative {
  const X = asMatrix(input, "agglomerative");
  const { linkage, clusters, height, metric } = rule.resolveOptions(
    "agglomerative",
    options,
    agglomerativeOptions,
  );
  if ((clusters === undefined) === (height === undefined)) {
    throw optionError(`agglomerative: give one of ${option("clusters")} and ${option("height")}`);
  }
  const n = X.rows;
  requireClusters("agglomerative", X, clusters);
  const tree = dendrogram(n, metric === "precomputed" ? givenMerges(X, linkage) : rowMerges(X, linkage));
  const labels = cutDendrogram(tree, clusters === undefined ? { height: height! } : { clusters });
  const K = labels.reduce((most, label) => Math.max(most, label), -1) + 1;
  const sizes = sizesOf(labels, K);
  const between = [tree.heights[n - K - 1] ?? 0, tree.heights[n - K] ?? Infinity] as const;
  const warnings: string[] = [];
  if (between[0] === between[1] && K < n) {
    warnings.push(
      `the cut divides merges of the same height (${Number(between[0].toPrecision(6))}), where the values of ` +
        "the rows decide",
    );
  }
  const rows = (): Matrix => (linkage === "ward" ? clusterMeansOf(X, labels, K) : X);
  const place = (Y: Matrix): Int32Array => predictByLinkage(linkage, rows(), labels, K, Y);
  const { predict } = knownPlacing(X, labels, place);
  const given =
    metric === "precomputed" ? nearestRowPlacing("agglomerative", undefined, labels, K) : undefined;
  return plain({
    method: "agglomerative",
    linkage,
    clusters: K,
    labels,
    sizes,
    tree,
    between,
    converged: true,
    warnings,
    placement: "linkage",
    predict: given?.predict ?? predict,
    cut: (at) => cutDendrogram(tree, at),
  });
}

/** Ties follow the order of the values, not that of the input. */
function rowMerges(X: Matrix, linkage: Linkage): Merges {
  requireFinite(X);
  const order = valueOrder(X);
  const found = merges(takeRows(X, order), linkage);
  const [from, to] = [found.from, found.to].map((ends) => ends.map((p) => order[p]));
  return { ...found, from, to };
}

function givenMerges(D: Matrix, linkage: Linkage): Merges {
  requireDistances("agglomerative", D);
  if (linkage === "ward") {
    throw optionError(
      "agglomerative: ward measures the means of clusters, so it needs rows; average takes distances",
    );
  }
  if (linkage !== "single") return triangleChain(D, linkage);
  const { from, to, distances } = primTree(D.rows, (i) => row(D, i));
  return { from, to, heights: distances };
}

/** Beyond this, 32 bits cannot index the triangle of distances. */
const MOST_ROWS = 65_000;

function merges(X: Matrix, linkage: Linkage): Merges {
  return mergesInRange(X, (S) => {
    if (linkage === "single") return singleLinkage(S);
    if (linkage === "ward") return wardMerges(S);
    if (S.rows > MOST_ROWS) {
      throw inputError(
        `agglomerative: ${linkage} linkage takes at most ${MOST_ROWS} rows, and these are ${S.rows}; ward and single take more`,
      );
    }
    return linkageRounds(S, linkage) ?? linkageChain(S, linkage);
  });
}

/** Columns up to which the boxes of a k-d tree exclude enough rows to be faster; by timings. */
const TREE_COLUMNS = 12;

/**
 * Single linkage: its merges are the edges of a minimum spanning tree by rising length (Gower and Ross 1969).
 * The tree comes from a k-d tree in few dimensions, otherwise from Prim's algorithm; both need memory
 * proportional to n d.
 */
function singleLinkage(X: Matrix): Merges {
  const eachAlone = (): Int32Array => Int32Array.from({ length: X.rows }, (_, i) => i);
  const tree = X.cols <= TREE_COLUMNS ? joinGroups(X, eachAlone()) : prim(X);
  return { from: tree.from, to: tree.to, heights: tree.distances.map(Math.sqrt) };
}

/** Prim's algorithm on the distances of the rows. */
function prim(X: Matrix): Joins {
  const { rows: n, cols: d, data } = X;
  const squares = new Float64Array(n);
  return withPoints(X, (points) =>
    primTree(n, (i) => {
      points.distances(0, n, data.subarray(i * d, (i + 1) * d), 1, squares);
      return squares;
    }),
  );
}
