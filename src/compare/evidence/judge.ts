import type { Border, Borders } from "./border.ts";
import { icl } from "./likelihood.ts";
import type { Partition } from "../partition.ts";

/** Pairs of clusters that are examined, the most connected first. */
export interface Contact {
  readonly a: number;
  readonly b: number;
  /** Number of edges between the two, as a share of the smaller one's edge ends. */
  readonly share: number;
}

/** Pairs that share at least one edge, most connected first. */
export function contacts(
  borders: Borders,
  partition: Partition,
  B: Float64Array = borders.edges(partition),
): Contact[] {
  const K = partition.clusters.length;
  const volumes = Float64Array.from({ length: K }, (_, k) => {
    let sum = 0;
    for (let l = 0; l < K; l++) sum += B[k * K + l];
    return sum;
  });
  const found: Contact[] = [];
  for (let a = 0; a < K; a++) {
    for (let b = a + 1; b < K; b++) {
      if (B[a * K + b] > 0) found.push({ a, b, share: B[a * K + b] / Math.min(volumes[a], volumes[b]) });
    }
  }
  return found.sort((p, q) => q.share - p.share);
}

/** Each cluster and its most connected neighbour; all touching pairs if there are at most 4 clusters. */
export function closest(found: readonly Contact[], clusters: number): Contact[] {
  if (clusters <= 4) return [...found];
  const done = new Set<number>();
  return found.filter(({ a, b }) => {
    const first = !done.has(a) || !done.has(b);
    done.add(a);
    done.add(b);
    return first;
  });
}

/** Contacts below this share are not borders for the depth of a partition. */
const LEAST_SHARE = 0.01;
/** A partition without contacts. */
const APART = 3;
export const CERTAIN = 12;

/**
 * V: the smallest depth of a valley over the touching pairs. Ends early once it falls below `enough`: the
 * partition is rejected then, and the value is an upper bound.
 */
export function leastDepth(borders: Borders, partition: Partition, enough: number = -Infinity): number {
  let least = APART;
  for (const { a, b, share } of contacts(borders, partition)) {
    if (share <= LEAST_SHARE) break;
    least = Math.min(least, borders.depthBetween(partition.clusters[a], partition.clusters[b]));
    if (least < enough) break;
  }
  return least;
}

export interface Weakest {
  readonly evidence: number;
  /** The pair; absent if no clusters touch. */
  readonly a?: number;
  readonly b?: number;
  readonly border?: Border;
}

/** The weakest border; as above, `enough` ends the search. */
export function weakest(
  borders: Borders,
  partition: Partition,
  enough: number = -Infinity,
  edges?: Float64Array,
): Weakest {
  let least: Weakest = { evidence: CERTAIN };
  for (const { a, b } of closest(contacts(borders, partition, edges), partition.clusters.length)) {
    // Most are clearly better than the weakest, as their gap shows.
    if (borders.atLeast(partition.clusters[a], partition.clusters[b]) > least.evidence) continue;
    const border = borders.between(partition.clusters[a], partition.clusters[b]);
    if (border.evidence < least.evidence) least = { evidence: border.evidence, a, b, border };
    if (least.evidence < enough) break;
  }
  return least;
}

export function partitionIcl(borders: Borders, partition: Partition, spread: number): number {
  return icl(partition.clusters.map(borders.momentsOf), spread);
}
