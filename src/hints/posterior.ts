import { evidence, evidenceOfNone, type PairTable } from "./evidence.ts";
import { logPrior, type Candidate } from "./shelf.ts";
import { tableOf, type Statement } from "./statements.ts";

/** A candidate with its probability after the answers. */
export interface Member extends Candidate {
  readonly weight: number;
  /** Its table of the answers; of a learned one, of answers that it did not see. */
  readonly table: PairTable;
  /** ln of the probability of the answers under it. */
  readonly evidence: number;
}

/**
 * The posterior over partitions: prior times the probability of the answers (evidence.ts). Answers accumulate as they are; what
 * was learned from answers is judged by those that it did not see. Answers of which no partition tells anything are no reason
 * to leave the usual one: it has the weight of this explanation too.
 */
export function posterior(
  candidates: readonly Candidate[],
  said: readonly Statement[],
  usual?: Candidate,
): Member[] {
  const judged = candidates.map((one) => {
    const table = tableOf(said, one.together);
    const own = evidence(table);
    const none = one.labels === usual?.labels ? Math.exp(evidenceOfNone(table) - own) : 0;
    return { ...one, table, evidence: own + Math.log1p(none) };
  });
  const logs = judged.map((one) => logPrior(one) + one.evidence);
  const most = Math.max(...logs);
  const raw = logs.map((log) => Math.exp(log - most));
  const total = raw.reduce((a, b) => a + b, 0);
  return judged.map((one, m) => ({ ...one, weight: raw[m] / total }));
}

/** The probability of each number of clusters, likeliest first. */
export function numbersOf(members: readonly Member[]): { clusters: number; weight: number }[] {
  const masses = new Map<number, number>();
  for (const { clusters, weight } of members) masses.set(clusters, (masses.get(clusters) ?? 0) + weight);
  return [...masses]
    .map(([clusters, weight]) => ({ clusters, weight }))
    .sort((a, b) => b.weight - a.weight || a.clusters - b.clusters);
}

/** Members that are together nearly all of the posterior, heaviest first. */
export function heaviest(members: readonly Member[], most: number): Member[] {
  const sorted = [...members].sort((a, b) => b.weight - a.weight);
  let sum = 0;
  const enough = sorted.findIndex(({ weight }) => (sum += weight) >= NEARLY_ALL) + 1;
  return sorted.slice(0, Math.min(most, enough === 0 ? sorted.length : enough));
}

const NEARLY_ALL = 0.995;

/**
 * The belief that votes: members share errors, so their odds are drawn together, by the square root. Of two members
 * one may be far likelier as a whole, but not on every row.
 */
export function spreadOut(members: readonly Member[]): Member[] {
  const total = members.reduce((sum, { weight }) => sum + Math.sqrt(weight), 0);
  return members.map((one) => ({ ...one, weight: Math.sqrt(one.weight) / total }));
}
