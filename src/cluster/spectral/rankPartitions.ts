import { inputError } from "../../core/internal.ts";
import type { Edges } from "../../graph/index.ts";
import { adjustedRand, modularity } from "../../score/index.ts";

/**
 * Chooses among several partitions of the same rows without labels: the one with the largest modularity
 * (Newman 2006) on the 10-nearest-neighbour graph. Modularity cannot distinguish close partitions; among
 * those within 2 % of the largest the one with the best mean adjusted Rand index with all is taken.
 */
export interface Ranked<P> {
  readonly partition: P;
  readonly modularity: number;
  /**
   * Mean adjusted Rand index with the other partitions (among those that have, or miss, the requested
   * number); 1 if there is no other.
   */
  readonly agreement: number;
}

export interface Labelled {
  readonly labels: ArrayLike<number>;
}

/** Partitions within this share of the largest modularity count as equally good. */
const CLOSE = 0.02;

/**
 * The choice first, then the others by decreasing modularity. Partitions with the requested number of
 * clusters come before those without.
 */
export function rankPartitions<P extends Labelled>(
  graph: Edges,
  partitions: readonly P[],
  clusters?: number,
): Ranked<P>[] {
  if (partitions.length === 0) throw inputError("rankPartitions: there is no partition to choose from");
  const exact = partitions.filter(({ labels }) => clusterCount(labels) === clusters);
  const missed = partitions.filter((partition) => !exact.includes(partition));
  return [...settle(graph, exact), ...settle(graph, missed)];
}

/** The number of different labels. */
function clusterCount(labels: ArrayLike<number>): number {
  const seen = new Set<number>();
  for (let i = 0; i < labels.length; i++) seen.add(labels[i]);
  return seen.size;
}

function settle<P extends Labelled>(graph: Edges, partitions: readonly P[]): Ranked<P>[] {
  if (partitions.length === 0) return [];
  const ranked = partitions
    .map((partition, p) => ({
      partition,
      modularity: modularity(graph, partition.labels),
      agreement: agreement(partitions, p),
    }))
    .toSorted((a, b) => b.modularity - a.modularity);
  const enough = ranked[0].modularity - CLOSE * Math.abs(ranked[0].modularity);
  const close = ranked.filter((candidate) => candidate.modularity >= enough);
  const chosen = close.reduce((best, next) => (next.agreement > best.agreement ? next : best));
  return [chosen, ...ranked.filter((candidate) => candidate !== chosen)];
}

function agreement(partitions: readonly Labelled[], own: number): number {
  if (partitions.length === 1) return 1;
  const sum = partitions.reduce(
    (total, other, p) => total + (p === own ? 0 : adjustedRand(partitions[own].labels, other.labels)),
    0,
  );
  return sum / (partitions.length - 1);
}
