import { evidence, evidenceOfNone, pairsIn, pairTable, scaledTo, type PairTable } from "./evidence.ts";
import type { Known } from "./known.ts";
import type { Candidate } from "./shelf.ts";

/** A candidate with its probability after the answers. */
export interface Member extends Candidate {
  readonly weight: number;
  /** Its table of the answers, scaled to their number; of a learned one, of held-out answers. */
  readonly table: PairTable;
  /** ln of the probability of the answers under it. */
  readonly evidence: number;
}

/**
 * The posterior over partitions: prior times the probability of the answers (evidence.ts). Answers accumulate as they are; what
 * was learned from answers is judged by those that it did not see. Answers of which no partition tells anything are no reason
 * to leave the usual one: it has the weight of this explanation too.
 */
export function posterior(candidates: readonly Candidate[], known: Known, usual?: Candidate): Member[] {
  const judged = candidates.map((one) => {
    const table = tableOf(one, known);
    const own = evidenceIn(one, table, known.answers);
    const none = one.labels === usual?.labels ? Math.exp(evidenceOfNone(table) - own) : 0;
    return { ...one, table, evidence: own + Math.log1p(none) };
  });
  const weights = softmax(judged.map((one) => one.prior + one.evidence));
  return judged.map((one, m) => ({ ...one, weight: weights[m] }));
}

function tableOf({ heldOut, labels }: Candidate, known: Known): PairTable {
  return scaledTo(heldOut ?? pairTable(known, labels), known.answers);
}

/** Of a learned partition, answers that no fold holds out count as the others do, or as chance if there are none. */
function evidenceIn({ heldOut }: Candidate, table: PairTable, answers: number): number {
  const value = evidence(table);
  if (heldOut === undefined) return value;
  const pairs = pairsIn(table);
  return pairs > 0 ? value * Math.max(1, answers / pairs) : -Math.LN2 * answers;
}

/** ln of the odds of all other candidates together against this one, after the answers. */
export function oddsAgainst(members: readonly Member[], one: Candidate): number {
  const own = members.find(({ labels }) => labels === one.labels)!.weight;
  return Math.log((1 - own) / Math.max(own, Number.MIN_VALUE));
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

/** exp(values), of sum 1. */
export function softmax(values: readonly number[]): number[] {
  const most = Math.max(...values);
  const raw = values.map((value) => Math.exp(value - most));
  const total = raw.reduce((a, b) => a + b, 0);
  return raw.map((value) => value / total);
}
