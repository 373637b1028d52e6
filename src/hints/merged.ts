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
  const across = new Set<string>();
  if (must) {
    const clusters = countOf(labels);
    for (let a = 0; a < clusters; a++) for (let b = a + 1; b < clusters; b++) across.add(`${a} ${b}`);
  }
  for (const { place, compared, same } of said) {
    for (const row of same ? compared : []) {
      if (labels[place] === labels[row]) continue;
      across.add([labels[place], labels[row]].sort((a, b) => a - b).join(" "));
    }
  }
  let most = must ? -Infinity : evidence(tableOf(said, togetherIn(labels)));
  let best: number[] | undefined;
  for (const key of across) {
    const [into, from] = key.split(" ").map(Number);
    const named = (row: number): number => (labels[row] === from ? into : labels[row]);
    const value = evidence(tableOf(said, (i, j) => Number(named(i) === named(j))));
    if (value <= most) continue;
    most = value;
    best = [into, from];
  }
  if (best === undefined) return undefined;
  const [into, from] = best;
  return dense(labels.map((label) => (label === from ? into : label)));
}
