import { comparisonGraph, rankPartitions, representatives } from "../../cluster/index.ts";
import { kmeansInOrder } from "../../cluster/internal.ts";
import { resolveOptions } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import { borderCuts } from "../solve/borderCuts.ts";
import { REPRESENTATIVES } from "./cc.ts";
import {
  clusterRepresentatives,
  compressionWarning,
  type ConvexCompression,
  placedRows,
} from "./compressedCc.ts";
import { massGraph } from "../solve/massGraph.ts";
import type { RecipeCandidate } from "./recipePool.ts";
import { COMMON, type ConvexOptions, type ResolvedOptions } from "../path/setting.ts";

/**
 * The candidates of the default for many rows: convex clustering of weighted representatives on two neighbourhood sizes,
 * and weighted k-means of the same, ranked by modularity on their graph of 10 nearest neighbours. Labels of candidates
 * are the representatives'.
 */
export function representativePool(
  Z: Matrix,
  clusters: number | undefined,
  seed: number,
  going: (label: string, fraction: number) => boolean,
  warnings: string[],
): { pool: RecipeCandidate[]; labels: Int32Array; compression: ConvexCompression } {
  going("representatives", 0);
  const found = representatives(Z, { count: affordable(Z.cols) });
  const { points, masses } = found;
  const pool: Omit<RecipeCandidate, "modularity">[] = [];
  let count = clusters;
  for (const [s, neighbors] of [30, 10].entries()) {
    if (!going(`convex clustering, ${neighbors} neighbours`, 0.1 + 0.4 * s)) break;
    const options: ConvexOptions = {
      scale: "none",
      neighbors: Math.min(neighbors, Math.max(2, Math.floor(points.rows / 5))),
      ...(count !== undefined && { clusters: count }),
    };
    const { clustering } = clusterRepresentatives(
      "convexRecipe",
      found,
      resolveOptions("convexRecipe", options, COMMON) as ResolvedOptions,
    );
    const { labels, gamma, certificate, converged, sizes } = clustering;
    if (s === 0) warnings.push(compressionWarning(found.compression));
    pool.push({ method: "cc", neighbors, labels, gamma, certificate, converged });
    count ??= sizes.length;
  }
  if (pool.length === 0 || (going("k-means", 0.9) && count !== 1)) {
    const { labels, converged } = kmeansInOrder(points, { clusters: count ?? 2, seed, weights: masses });
    pool.push({ method: "kmeans", labels, converged });
  }
  const ranked = rankPartitions(massGraph(comparisonGraph(points), masses), pool, clusters).map(
    ({ partition, modularity }) => ({ ...partition, modularity }),
  );
  const placed = placedRows(Z, found.cells, borderCuts(points, masses, ranked[0].labels));
  const { labels, border } = placed;
  return { pool: ranked, labels, compression: { ...found.compression, cells: found.cells, border } };
}

/**
 * The number that is solved on both neighbourhoods in about a minute (see chooseForm in convexRecipe.ts).
 */
function affordable(features: number): number {
  const work = 3.5e8 / (27 * features * 30);
  return Math.max(1000, Math.min(REPRESENTATIVES, Math.floor((work * Math.sqrt(2000)) ** (2 / 3))));
}
