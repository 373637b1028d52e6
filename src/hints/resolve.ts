import { feasible } from "../cluster/index.ts";
import type { Contradiction, HintLinks, Pair, PairHint } from "../data/index.ts";

/**
 * Links that K clusters can keep. If they are infeasible (K + 1 mutually different groups, or another graph
 * that needs more than K colours), the pair with the least weight is set aside and all are listed.
 */
export function requireColorable(
  links: HintLinks,
  K: number | undefined,
  nameOf: (row: number) => string = String,
): HintLinks {
  if (K === undefined || links.different.length === 0) return links;
  let different = [...links.different];
  const contradictions: Contradiction[] = [...links.contradictions];
  const mustLink = links.same.map(({ a, b }): Pair => [a, b]);
  for (;;) {
    const cannotLink = different.map(({ a, b }): Pair => [a, b]);
    const found = feasible(links.rows, { mustLink, cannotLink }, { clusters: K, budget: 20_000 });
    if (found.status === "feasible") return { ...links, different, contradictions };
    const involved =
      found.conflict === undefined
        ? different
        : different.filter(({ a, b }) => found.conflict!.cannotLink.some(([i, j]) => i === a && j === b));
    const setAside = lightest(involved);
    different = different.filter((hint) => hint !== setAside);
    const rows = found.conflict?.clique ?? [...new Set(involved.flatMap(({ a, b }) => [a, b]))];
    contradictions.push({
      code: "contradiction",
      rows,
      message:
        found.conflict === undefined
          ? `it could not be decided whether ${K} clusters can keep ${involved.length} hints of different rows: the hint that ${nameOf(setAside.a)} and ${nameOf(setAside.b)} differ is not used`
          : `${K} cluster${K === 1 ? "" : "s"} cannot keep rows ${rows.map(nameOf).join(", ")} apart as the hints say: ask for more clusters; that ${nameOf(setAside.a)} and ${nameOf(setAside.b)} differ is not used`,
      setAside: [setAside],
    });
  }
}

/** The smallest number of clusters, from K on, that can keep the links. */
export function colorableFrom(links: HintLinks, K: number): number {
  const mustLink = links.same.map(({ a, b }): Pair => [a, b]);
  const cannotLink = links.different.map(({ a, b }): Pair => [a, b]);
  let count = K;
  // One colour more than the largest number of neighbours always suffices, so this ends.
  while (
    cannotLink.length > 0 &&
    feasible(links.rows, { mustLink, cannotLink }, { clusters: count, budget: 20_000 }).status !== "feasible"
  ) {
    count++;
  }
  return count;
}

function lightest(hints: readonly PairHint[]): PairHint {
  return hints.reduce((a, b) => ((b.weight ?? 1) <= (a.weight ?? 1) ? b : a));
}
