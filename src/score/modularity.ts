import { inputError, rule } from "../core/internal.ts";
import { encodeLabels, requireLabels, type Labeling } from "./labels.ts";

/**
 * A weighted undirected graph: edge e joins `from[e]` and `to[e]`; any edge list of the graph room has this
 * form.
 */
export interface EdgeList {
  readonly nodes: number;
  readonly from: ArrayLike<number>;
  readonly to: ArrayLike<number>;
  readonly weights: ArrayLike<number>;
}

/**
 * Modularity of a partition of the nodes (M. E. J. Newman and M. Girvan, 2004), with the resolution of J. Reichardt and
 * S. Bornholdt (2006):
 *
 *     Q = sum_c [ w_c / W - resolution (d_c / 2W)^2 ]
 *
 * w_c: weight of the edges inside community c, d_c: total degree of its nodes, W: total weight. Nodes with unknown
 * label are left out with their edges; a graph without edges has Q = 0.
 */
export function modularity(graph: EdgeList, labels: Labeling, options?: { resolution?: number }): number {
  const { resolution } = rule.resolveOptions("modularity", options, {
    resolution: rule.real({ min: 0, default: 1 }),
  });
  requireLabels(labels);
  if (labels.length !== graph.nodes) {
    throw inputError(`modularity: the graph has ${graph.nodes} nodes, but there are ${labels.length} labels`);
  }
  const { codes, classes } = encodeLabels(labels);
  const degree = new Float64Array(classes.length);
  let inside = 0;
  let total = 0;
  for (let e = 0; e < graph.from.length; e++) {
    const weight = graph.weights[e];
    if (!(weight >= 0 && weight < Infinity)) {
      throw inputError(`modularity: edge ${e} has weight ${weight}; weights must be finite and not negative`);
    }
    const a = codes[graph.from[e]];
    const b = codes[graph.to[e]];
    if (a < 0 || b < 0) continue;
    total += weight;
    degree[a] += weight;
    degree[b] += weight;
    if (a === b) inside += weight;
  }
  if (total === 0) return 0;
  let expected = 0;
  for (const d of degree) expected += (d / (2 * total)) ** 2;
  return inside / total - resolution * expected;
}
