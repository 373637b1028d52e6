import { requireEdges } from "../../graph/edgeList.ts";
import { extended } from "../../core/result.ts";
import { inGivenOrder } from "../../matrix/valueOrder.ts";
import type { Fit } from "./fit.ts";
import { fusionTree } from "./fusionTree.ts";
import type { Solved } from "./path.ts";
import type { ConvexClustering } from "./result.ts";

/** A clustering of rows in `order`, for the rows as they came. */
export function rowsAsGiven<R extends ConvexClustering>(result: R, order: Int32Array): R {
  const { labels, candidates, path, graph, pairs, compression } = result;
  // One partition is one array, wherever the result shows it.
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
  const { rounds } = result as { readonly rounds?: readonly { readonly fit: FitOfRound }[] };
  return extended(result, {
    labels: moved(labels),
    candidates: candidates.map(relabelled),
    path: { ...path, steps, ...fusionTree(steps, order.length) },
    // With pairs the nodes are groups of rows.
    ...(pairs === undefined
      ? {
          graph: requireEdges({
            ...graph,
            from: graph.from.map((i) => order[i]),
            to: graph.to.map((i) => order[i]),
          }),
        }
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

type FitOfRound = Pick<Fit<Solved>, "chosen" | "candidates" | "step" | "path">;
