import { plain, progressGate, rule, sizesOf } from "../../core/internal.ts";
import { asMatrix, type MatrixLike } from "../../matrix/index.ts";
import { requireClusters } from "../clusterInput.ts";
import type { Clustered } from "../clustered.ts";
import { densityTree } from "../density/densityTree.ts";
import { metricRule, nearestRowPlacing } from "../givenDistances.ts";
import { genieTree } from "./genieTree.ts";

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
