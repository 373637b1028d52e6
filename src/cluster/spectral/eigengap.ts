/**
 * The number of clusters in a neighbour graph: the K of at least 2 with the largest relative gap
 *
 *     (l_K - l_{K+1}) / (1 - l_{K+1})
 *
 * of the eigenvalues l of D^(-1/2) W D^(-1/2) (von Luxburg 2007, section 8.3). K nearly separate groups give
 * K eigenvalues near 1. If no gap reaches a quarter, there is one cluster.
 */
import { inputError, rule } from "../../core/internal.ts";
import { neighborGraph } from "../../graph/index.ts";
import { topEigen, type Matrix } from "../../matrix/index.ts";
import { requireFinite } from "../../matrix/internal.ts";
import { affinityOf, normalizedAffinity } from "./spectralGraph.ts";

export const eigengapOptions = {
  mostClusters: rule.integer({ min: 1, default: 30, says: "maximum number of clusters to consider" }),
  neighbors: rule.integer({ min: 1, default: 10, says: "neighbours of each row in the graph" }),
  seed: rule.seed,
};

export type EigengapOptions = rule.OptionsOf<typeof eigengapOptions>;

export interface Eigengap {
  readonly clusters: number;
  /** The largest first; one more than the numbers of clusters considered. */
  readonly eigenvalues: Float64Array;
  /** The largest relative gap, from 0 to 1. */
  readonly gap: number;
  readonly converged: boolean;
}

export function eigengap(X: Matrix, options: EigengapOptions = {}): Eigengap {
  const { mostClusters, neighbors, seed } = rule.resolveOptions("eigengap", options, eigengapOptions);
  requireFinite(X);
  if (X.rows < 3 || X.cols === 0) throw inputError(`eigengap: the data is too small (${X.rows} x ${X.cols})`);
  const { graph } = neighborGraph(X, { neighbors, kind: "union", alpha: 0 });
  const count = Math.min(mostClusters + 1, X.rows - 1);
  const { values, converged } = topEigen(normalizedAffinity(affinityOf(graph, "eigengap")), count, {
    seed,
    tolerance: 1e-6,
  });
  let best = 1;
  let gap = 0;
  for (let k = 1; k + 1 < count; k++) {
    const below = 1 - values[k + 1];
    // Eigenvalues of 1 belong to unconnected parts of the graph.
    const relative = below > 1e-6 ? (values[k] - values[k + 1]) / below : 0;
    if (relative > gap + 1e-9) {
      gap = relative;
      best = k + 1;
    }
  }
  return { clusters: gap < LEAST_GAP ? 1 : best, eigenvalues: values, gap, converged };
}

const LEAST_GAP = 0.25;
