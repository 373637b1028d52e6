import type { Member } from "./posterior.ts";

/** For every row the share of the belief in its cluster: of each member the part of the row's cluster there that lies in it. */
export function rowShares(
  labels: Int32Array,
  members: readonly Pick<Member, "labels" | "weight">[],
): Float64Array {
  const shares = new Float64Array(labels.length);
  const count = labels.reduce((most, label) => Math.max(most, label + 1), 0);
  for (const { labels: own, weight } of members) {
    const sizes = new Map<number, number>();
    const inside = new Map<number, number>();
    own.forEach((label, p) => {
      sizes.set(label, (sizes.get(label) ?? 0) + 1);
      const key = label * count + labels[p];
      inside.set(key, (inside.get(key) ?? 0) + 1);
    });
    own.forEach((label, p) => {
      shares[p] += (weight * inside.get(label * count + labels[p])!) / sizes.get(label)!;
    });
  }
  return shares;
}

/** The share of the rows whose cluster is undecided. */
export function openShare(labels: Int32Array, members: readonly Pick<Member, "labels" | "weight">[]): number {
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  const shares = rowShares(labels, members);
  return 1 - shares.reduce((sum, share) => sum + share, 0) / (total * labels.length);
}
