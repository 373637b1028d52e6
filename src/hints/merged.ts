import { dense } from "./arrange.ts";
import { evidence, togetherIn } from "./evidence.ts";
import type { Member } from "./posterior.ts";
import { countOf, logPrior, type Candidate } from "./shelf.ts";
import { tableOf, type Statement } from "./statements.ts";

/** Members that are merged, and merges of each. */
const PARENTS = 60;
const MERGES = 5;

/**
 * Candidates that join two clusters of another one, as answers "same" across them ask for: of every likely member the two
 * clusters are joined that raise the evidence most, and so on while it rises. The prior of a member is divided among its
 * merges of two clusters, so a merge must be worth the choice among them. If they must go on to the least number of clusters,
 * the merge follows that contradicts the answers least where they ask for none.
 */
export function mergedCandidates(
  members: readonly Member[],
  said: readonly Statement[],
  least: number,
  must = false,
): Candidate[] {
  const parents = members
    .filter(({ clusters }) => clusters > Math.max(2, least))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, PARENTS);
  const found = new Map<string, Candidate>();
  for (const parent of parents) {
    let current: Candidate = parent;
    for (let step = 0; step < MERGES && current.clusters > Math.max(2, least); step++) {
      const labels =
        bestMerge(current.labels, said) ??
        (must && step > 0 ? bestMerge(current.labels, said, true) : undefined);
      if (labels === undefined) break;
      const { clusters } = current;
      const part = 1 / ((clusters * (clusters - 1)) / 2);
      const shares = Object.fromEntries(
        Object.entries(current.shares).map(([kind, share]) => [kind, share * part]),
      );
      const name = step === 0 ? `${parent.name}, merged` : current.name;
      current = { name, labels, clusters: clusters - 1, shares, merged: true, together: togetherIn(labels) };
      const key = labels.join();
      const before = found.get(key);
      if (before === undefined || logPrior(before) < logPrior(current)) found.set(key, current);
    }
  }
  return [...found.values()];
}

/** The labels after the merge of two clusters with the most evidence, if that is more than without; of any two if one must be. */
function bestMerge(labels: Int32Array, said: readonly Statement[], must = false): Int32Array | undefined {
  const K = countOf(labels);
  const across = { same: new Float64Array(K * K), different: new Float64Array(K * K) };
  for (const { place, comparisons } of said) {
    for (const { row, same, weight } of comparisons) {
      const [a, b] = [labels[place], labels[row]];
      if (a !== b) across[same ? "same" : "different"][Math.min(a, b) * K + Math.max(a, b)] += weight;
    }
  }
  const table = tableOf(said, togetherIn(labels));
  let most = must ? -Infinity : evidence(table);
  let best: readonly [number, number] | undefined;
  for (let into = 0; into < K; into++) {
    for (let from = into + 1; from < K; from++) {
      const [same, different] = [across.same[into * K + from], across.different[into * K + from]];
      if (same === 0 && !must) continue;
      const value = evidence({
        togetherSame: table.togetherSame + same,
        apartSame: table.apartSame - same,
        togetherDifferent: table.togetherDifferent + different,
        apartDifferent: table.apartDifferent - different,
      });
      if (value > most) [most, best] = [value, [into, from]];
    }
  }
  if (best === undefined) return undefined;
  const [into, from] = best;
  return dense(labels.map((label) => (label === from ? into : label)));
}
