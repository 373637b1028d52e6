import { plain, progressGate, rule, sizesOf } from "../../core/internal.ts";
import { unionFind } from "../../graph/index.ts";
import { asMatrix, type MatrixLike } from "../../matrix/index.ts";
import { requireClusters } from "../clusterInput.ts";
import type { Clustered } from "../clustered.ts";
import { densityTree } from "../density/densityTree.ts";
import { metricRule, nearestRowPlacing } from "../givenDistances.ts";
import type { RowModelData } from "../rowModel.ts";

export const genieOptions = {
  /** K. */
  clusters: rule.required(rule.integer({ min: 1 })),
  gini: rule.real({
    min: 0,
    max: 1,
    default: 0.3,
    says: "how unequal the sizes may become before the smallest cluster must merge; 1 is single linkage",
  }),
  smoothing: rule.integer({
    min: 0,
    default: 0,
    says: "distance to the neighbour of this rank below which all distances count the same; 0: none",
  }),
  metric: metricRule,
  onProgress: rule.progress,
};

export type GenieOptions = rule.OptionsOf<typeof genieOptions>;

export interface Genie extends Clustered {
  readonly method: "genie";
  readonly gini: number;
  model(): RowModelData;
}

/** A minimum spanning tree of the rows, cheapest edge first. */
interface SpanningEdges {
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/**
 * Genie (M. Gagolewski, M. Bartoszuk and A. Cena, 2016): single linkage, but while the Gini index of the sizes exceeds `gini`,
 * a smallest cluster is merged next. Clusters of any shape, without chains of single rows.
 *
 * When not: clusters of very unequal size, which the index forbids, and overlapping ones; ward and mixtures take those.
 */
export function genie(input: MatrixLike, options: GenieOptions): Genie {
  const X = asMatrix(input, "genie");
  const settings = rule.resolveOptions("genie", options, genieOptions);
  const { clusters, gini, smoothing, metric } = settings;
  requireClusters("genie", X, clusters);
  const gate = progressGate(settings.onProgress);
  const one = X.rows === 1;
  const tree = one ? undefined : densityTree("genie", X, Math.min(smoothing, X.rows - 1), metric, gate);
  const labels = tree === undefined ? new Int32Array(1) : genieTree(tree, gini)(clusters);
  return plain<Genie>({
    method: "genie",
    clusters,
    gini,
    labels,
    sizes: sizesOf(labels, clusters),
    converged: !gate.stopped,
    warnings: gate.stopped
      ? ["stopped by onProgress: rows that were not joined yet came in their order"]
      : [],
    ...nearestRowPlacing("genie", metric === "precomputed" ? undefined : X, labels, clusters),
  });
}

/** The merges of all numbers of clusters. */
export function genieTree({ from, to }: SpanningEdges, gini: number): (clusters: number) => Int32Array {
  const n = from.length + 1;
  const sets = unionFind(n);
  const used = new Uint8Array(n);
  const merges: number[] = [];
  const bySize = new Int32Array(n + 1);
  bySize[1] = n;
  let first = 0;
  for (let count = n; count > 1; count--) {
    while (used[first] === 1) first++;
    let edge = first;
    if (giniIndex(bySize, count, n) > gini) {
      let least = 1;
      while (bySize[least] === 0) least++;
      while (used[edge] === 1 || (sets.size(from[edge]) !== least && sets.size(to[edge]) !== least)) edge++;
    }
    used[edge] = 1;
    merges.push(edge);
    const [a, b] = [sets.size(from[edge]), sets.size(to[edge])];
    bySize[a]--;
    bySize[b]--;
    bySize[a + b]++;
    sets.union(from[edge], to[edge]);
  }
  return (clusters) => {
    const own = unionFind(n);
    for (let m = 0; m < n - clusters; m++) own.union(from[merges[m]], to[merges[m]]);
    return own.labels();
  };
}

/** Of `count` sizes that sum to n, given how many have each size: 0 all equal, 1 all rows in one. */
function giniIndex(bySize: Int32Array, count: number, n: number): number {
  let sum = 0;
  let rank = 0;
  for (let size = 1; rank < count; size++) {
    const own = bySize[size];
    // sum of (2 rank - count - 1) size over these ranks.
    if (own > 0) sum += own * size * (2 * rank + own - count);
    rank += own;
  }
  return count < 2 ? 0 : sum / ((count - 1) * n);
}
