import { requireEdges, type Edges } from "../graph/index.ts";
import { extended } from "../core/internal.ts";
import { matrix } from "../matrix/index.ts";
import { inGivenOrder, rowsInGivenOrder } from "../matrix/internal.ts";
import { fusionTree, type RoundFit } from "../convex/internal.ts";
import type { CentersAndDuals, ConvexClustering } from "./result.ts";

/** A clustering of rows in `order`, converted to the original order. */
export function rowsAsGiven<R extends ConvexClustering>(result: R, order: Int32Array): R {
  const { labels, candidates, path, graph, pairs, compression, solution } = result;
  // Equal partitions share one array in the result.
  const known = new Map<Int32Array, Int32Array>();
  const moved = (values: Int32Array): Int32Array => {
    const found = known.get(values) ?? inGivenOrder(values, order);
    known.set(values, found);
    return found;
  };
  const relabelled = <T extends { readonly labels: Int32Array }>(part: T): T => ({
    ...part,
    labels: moved(part.labels),
  });
  if (compression !== undefined) {
    const cells = moved(compression.cells);
    return extended(result, {
      labels: moved(labels),
      compression: { ...compression, cells },
    }) as unknown as R;
  }
  const steps = path.steps.map(relabelled);
  const { rounds } = result as { readonly rounds?: readonly { readonly fit: RoundFit }[] };
  return extended(result, {
    labels: moved(labels),
    candidates: candidates.map(relabelled),
    path: { ...path, steps, ...fusionTree(steps, order.length) },
    // With pairs the nodes are groups of rows.
    ...(pairs === undefined
      ? graphAsGiven(graph, order, solution)
      : { pairs: { ...pairs, groups: moved(pairs.groups) } }),
    ...(rounds !== undefined && {
      rounds: rounds.map((round) => ({
        ...round,
        fit: {
          ...round.fit,
          chosen: relabelled(round.fit.chosen),
          candidates: round.fit.candidates.map(relabelled),
          step: relabelled(round.fit.step),
          path: { ...round.fit.path, steps: round.fit.path.steps.map(relabelled) },
        },
      })),
    }),
  }) as unknown as R;
}

/** The graph between the original rows, its edges sorted and each from the smaller row, and its solution. */
function graphAsGiven(graph: Edges, order: Int32Array, solution: CentersAndDuals | undefined) {
  const from = graph.from.map((i) => order[i]);
  const to = graph.to.map((i) => order[i]);
  const moved = requireEdges({ ...graph, from, to });
  if (solution === undefined) return { graph: moved };
  const key = (i: number, j: number): number => Math.min(i, j) * graph.nodes + Math.max(i, j);
  const places = new Map(Array.from(moved.from, (i, e) => [key(i, moved.to[e]), e] as const));
  const d = solution.Z.cols;
  const Z = matrix(from.length, d);
  for (let e = 0; e < from.length; e++) {
    const at = places.get(key(from[e], to[e]))!;
    const sign = from[e] < to[e] ? 1 : -1;
    for (let k = 0; k < d; k++) Z.data[at * d + k] = sign * solution.Z.data[e * d + k];
  }
  return { graph: moved, solution: { U: rowsInGivenOrder(solution.U, order), Z } };
}
