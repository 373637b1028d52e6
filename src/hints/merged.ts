import { evidence, pairTable, scaledTo, sumOf, togetherIn, type PairTable } from "./evidence.ts";
import { dense } from "./arrange.ts";
import { relation, type Known } from "./known.ts";
import type { Member } from "./posterior.ts";
import type { Candidate } from "./shelf.ts";

/** Members that are merged, and merges of each. */
const PARENTS = 60;
const MERGES = 5;

/**
 * Candidates that join two clusters of another one, as answers "same" across them ask for: of every likely member the two
 * clusters are joined that raise the evidence most, and so on while it rises. The prior of a member is divided among its
 * merges of two clusters, so a merge must be worth the choice among them.
 */
export function mergedCandidates(members: readonly Member[], known: Known, least: number): Candidate[] {
  const parents = members
    .filter(({ clusters, heldOut }) => clusters > Math.max(2, least) && heldOut === undefined)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, PARENTS);
  const found = new Map<string, Candidate>();
  for (const parent of parents) {
    let current: Candidate = parent;
    for (let step = 0; step < MERGES && current.clusters > Math.max(2, least); step++) {
      const merge = bestMerge(current.labels, known);
      if (merge === undefined) break;
      const { clusters } = current;
      const labels = dense(current.labels.map((label) => (label === merge.from ? merge.into : label)));
      const prior = current.prior - Math.log((clusters * (clusters - 1)) / 2);
      const name = step === 0 ? `${parent.name}, merged` : current.name;
      current = { name, labels, clusters: clusters - 1, prior, together: togetherIn(labels) };
      const key = labels.join();
      const before = found.get(key);
      if (before === undefined || before.prior < prior) found.set(key, current);
    }
  }
  return [...found.values()];
}

/** The two clusters whose union has the most evidence, if that is more than without. */
function bestMerge(labels: Int32Array, known: Known): { from: number; into: number } | undefined {
  const table = pairTable(known, labels);
  const across = new Map<string, { into: number; from: number; change: PairTable }>();
  known.hinted.forEach((i, p) => {
    for (let q = 0; q < p; q++) {
      const j = known.hinted[q];
      const said = relation(known, i, j);
      if (said === 0 || labels[i] === labels[j]) continue;
      const [into, from] = labels[i] < labels[j] ? [labels[i], labels[j]] : [labels[j], labels[i]];
      const key = `${into} ${from}`;
      const before = across.get(key)?.change ?? NONE;
      across.set(key, { into, from, change: sumOf(before, said === 1 ? SAME : DIFFERENT) });
    }
  });
  let best = evidence(scaledTo(table, known.answers));
  let found: { from: number; into: number } | undefined;
  for (const { into, from, change } of across.values()) {
    if (change.togetherSame === 0) continue;
    const value = evidence(scaledTo(sumOf(table, change), known.answers));
    if (value <= best) continue;
    best = value;
    found = { from, into };
  }
  return found;
}

/** What the table gains if the clusters of such a pair are one. */
const NONE: PairTable = { togetherSame: 0, togetherDifferent: 0, apartSame: 0, apartDifferent: 0 };
const SAME: PairTable = { ...NONE, togetherSame: 1, apartSame: -1 };
const DIFFERENT: PairTable = { ...NONE, togetherDifferent: 1, apartDifferent: -1 };
