import { nearestNeighbors } from "../graph/index.ts";
import { clusterMoments, reproduced } from "./evidence/discriminant.ts";
import { explainedVariance } from "./evidence/explainedVariance.ts";
import { leastValley } from "./evidence/leastValley.ts";
import { neighborPurity } from "./evidence/neighborPurity.ts";
import type { PoolMember } from "./pool.ts";
import type { Spaces } from "./spaces.ts";

/**
 * What speaks for a partition, without labels:
 *
 * - stability: agreement with the same method on a part of the rows;
 * - agreeMethods, agreeSpaces: mean over the other methods (spaces) of the best agreement with a partition into the same
 *   number of clusters by this method (in this space);
 * - purity: neighbours in the same cluster beyond chance;
 * - leastValley: the shallowest valley between neighbouring clusters;
 * - explained: the share of the columns' variance between clusters;
 * - reproduced: agreement with its own linear discriminant;
 * - leastShare: the smallest cluster, as a share of an equal one;
 * - count: ln(K / 4).
 */
export const EVIDENCE = [
  "stability",
  "agreeMethods",
  "agreeSpaces",
  "purity",
  "leastValley",
  "explained",
  "reproduced",
  "leastShare",
  "count",
] as const;

export type Evidence = Readonly<Record<(typeof EVIDENCE)[number], number>>;

const NEIGHBORS = 10;

/** @param A agreements of the members, m x m */
export function evidenceOf(spaces: Spaces, members: readonly PoolMember[], A: Float64Array): Evidence[] {
  if (members.length === 0) return [];
  const { rows: n, plain, columns, groups, factors } = spaces;
  const count = Math.min(NEIGHBORS, n - 1);
  const neighbors = nearestNeighbors(plain, count).indices;
  // Methods often find the same partition.
  const known = new Map<string, ReturnType<typeof measured>>();
  const measured = (labels: Int32Array) => {
    const sizes = sizesOf(labels);
    const moments = clusterMoments(factors, labels, sizes);
    return {
      purity: neighborPurity(neighbors, count, labels, sizes),
      leastValley: leastValley(factors, labels, sizes, moments),
      explained: explainedVariance(columns, groups, labels, sizes),
      reproduced: reproduced(factors, labels, sizes, moments),
      leastShare: (sizes.reduce((a, b) => Math.min(a, b), n) * sizes.length) / n,
    };
  };
  const agreed = agreementWithin(members, A);
  return members.map(({ labels, clusters, stability }, i) => {
    const key = labels.join();
    let own = known.get(key);
    if (own === undefined) known.set(key, (own = measured(labels)));
    return { ...own, ...agreed[i], stability, count: Math.log(clusters / 4) };
  });
}

export function sizesOf(labels: Int32Array): Int32Array {
  const sizes = new Int32Array(labels.reduce((most, label) => Math.max(most, label + 1), 1));
  for (const label of labels) sizes[label]++;
  return sizes;
}

/** Among members with the same number of clusters; alone in its space, a member agrees as with other methods. */
function agreementWithin(
  members: readonly Pick<PoolMember, "method" | "space" | "clusters">[],
  A: Float64Array,
): { agreeMethods: number; agreeSpaces: number }[] {
  const m = members.length;
  return members.map((one, i) => {
    const methods = new Map<string, number>();
    const spaces = new Map<string, number>();
    members.forEach((other, j) => {
      if (j === i || other.clusters !== one.clusters) return;
      const agreement = A[i * m + j];
      if (other.method !== one.method) raise(methods, other.method, agreement);
      if (other.space !== one.space) raise(spaces, other.space, agreement);
    });
    const agreeMethods = mean(methods) ?? 0;
    return { agreeMethods, agreeSpaces: mean(spaces) ?? agreeMethods };
  });
}

function raise(best: Map<string, number>, name: string, value: number): void {
  best.set(name, Math.max(best.get(name) ?? -1, value));
}

function mean(values: ReadonlyMap<string, number>): number | undefined {
  if (values.size === 0) return undefined;
  let sum = 0;
  for (const value of values.values()) sum += value;
  return sum / values.size;
}
