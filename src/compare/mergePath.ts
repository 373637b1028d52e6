import type { Borders } from "./evidence/border.ts";
import { type Weakest, weakest } from "./evidence/judge.ts";
import { mergedPartition, type Partition, type RowCodes } from "./partition.ts";

/** A partition between a fine one and one cluster, with its weakest border. */
export interface MergeStep {
  readonly partition: Partition;
  readonly weakest: Weakest;
}

/** Smaller clusters show no border: partitions with such clusters are not offered. */
export const LEAST_CLUSTER = 6;

/**
 * Starting from a fine partition, the two clusters with the weakest border between them are merged
 * repeatedly. Every step keeps the borders with most evidence, including partitions that no single method
 * finds.
 */
export function mergePath(borders: Borders, start: Partition, codes: RowCodes): MergeStep[] {
  const steps: MergeStep[] = [];
  let edges = borders.edges(start);
  for (let current = start; current.clusters.length > 1;) {
    const least = weakest(borders, current, -Infinity, edges);
    steps.push({ partition: current, weakest: least });
    const [a, b] =
      least.a === undefined || least.b === undefined ? nearest(borders, current) : [least.a, least.b];
    edges = mergedEdges(edges, current.clusters.length, a, b);
    current = mergedPartition(current, a, b, codes);
  }
  return steps;
}

/**
 * Clusters are numbered by their first rows, so the first of a pair keeps its number, and later ones move
 * up.
 */
function mergedEdges(B: Float64Array, K: number, a: number, b: number): Float64Array {
  const [first, second] = a < b ? [a, b] : [b, a];
  const place = (k: number): number => (k === second ? first : k > second ? k - 1 : k);
  const merged = new Float64Array((K - 1) * (K - 1));
  for (let k = 0; k < K; k++) {
    for (let l = 0; l < K; l++) merged[place(k) * (K - 1) + place(l)] += B[k * K + l];
  }
  return merged;
}

/** If no clusters touch: the two with the cheapest merger (Ward). */
function nearest(borders: Borders, { clusters }: Partition): [number, number] {
  let best: [number, number] = [0, 1];
  let least = Infinity;
  const all = clusters.map(borders.momentsOf);
  for (let a = 0; a < all.length; a++) {
    for (let b = a + 1; b < all.length; b++) {
      let square = 0;
      for (let f = 0; f < all[a].mean.length; f++) square += (all[a].mean[f] - all[b].mean[f]) ** 2;
      const cost = (square * all[a].count * all[b].count) / (all[a].count + all[b].count);
      if (cost < least) [least, best] = [cost, [a, b]];
    }
  }
  return best;
}
