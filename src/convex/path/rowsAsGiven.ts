import { requireEdges } from "../../graph/edgeList.ts";
import { extended } from "../../core/result.ts";
import { inGivenOrder } from "../../matrix/valueOrder.ts";
import type { Fit } from "./fit.ts";
import { fusionTree } from "./fusionTree.ts";
import type { ClusterPath, ConvexClustering } from "./result.ts";
import type { Solved } from "./path.ts";

/** A clustering of rows in `order`, for the rows as they came. */
export function rowsAsGiven<R extends ConvexClustering>(result: R, order: Int32Array): R {
  const { labels, candidates, path, graph, pairs, compression } = result;
  if (compression !== undefined) {
    const cells = inGivenOrder(compression.cells, order);
    return extended(result, {
      labels: inGivenOrder(labels, order),
      compression: { ...compression, cells },
    }) as unknown as R;
  }
  const { rounds } = result as { readonly rounds?: readonly { readonly fit: FitOfRound }[] };
  return extended(result, {
    labels: inGivenOrder(labels, order),
    candidates: candidates.map((candidate) => relabelled(candidate, order)),
    path: pathInOrder(path, order),
    // With pairs the nodes are groups of rows.
    ...(pairs === undefined
      ? {
          graph: requireEdges({
            ...graph,
            from: graph.from.map((i) => order[i]),
            to: graph.to.map((i) => order[i]),
          }),
        }
      : { pairs: { ...pairs, groups: inGivenOrder(pairs.groups, order) } }),
    ...(rounds !== undefined && {
      rounds: rounds.map((round) => ({ ...round, fit: fitInOrder(round.fit, order) })),
    }),
  }) as unknown as R;
}

type FitOfRound = Pick<Fit<Solved>, "chosen" | "candidates" | "step" | "path">;

function fitInOrder(fit: FitOfRound, order: Int32Array): FitOfRound {
  const { chosen, candidates, step, path } = fit;
  return {
    ...fit,
    chosen: relabelled(chosen, order),
    candidates: candidates.map((candidate) => relabelled(candidate, order)),
    step: relabelled(step, order),
    path: { ...path, steps: path.steps.map((one) => relabelled(one, order)) },
  };
}

function pathInOrder(path: ClusterPath, order: Int32Array): ClusterPath {
  const steps = path.steps.map((step) => relabelled(step, order));
  return { ...path, steps, ...fusionTree(steps, order.length) };
}

function relabelled<T extends { readonly labels: Int32Array }>(part: T, order: Int32Array): T {
  return { ...part, labels: inGivenOrder(part.labels, order) };
}
