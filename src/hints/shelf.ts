import { adjustedRand } from "../score/index.ts";
import { togetherIn, type Together } from "./evidence.ts";
import { fitted } from "./fitted.ts";
import { library, type Partition } from "./library.ts";
import type { View } from "./views.ts";

/** A partition that may be the one that is meant. */
export interface Candidate extends Partition {
  readonly clusters: number;
  /** Its parts of the shares of the belief before the answers. */
  readonly shares: Shares;
  /** Of a learned one, what it predicts of rows whose answers it did not see. */
  readonly together: Together;
  readonly learned?: true;
  /** Made of another one, as answers ask for it. */
  readonly merged?: true;
}

/** A partition that was found without hints. */
export interface GivenPartition {
  readonly name: string;
  readonly labels: ArrayLike<number>;
  /** How plausible it is without hints, relative to the others; the partition that is chosen without hints has none. */
  readonly weight?: number;
}

/** The candidates that need no hints. */
export interface Shelf {
  readonly all: readonly Candidate[];
  /** What is taken without hints. */
  readonly usual: Candidate;
  /** The probability of a number of clusters before the answers. */
  readonly probability: (clusters: number) => number;
}

/**
 * The belief before the answers is shared by the partition that is chosen without hints, all others that were judged, those of
 * the views, and those that are learned.
 */
export type Shares = Readonly<Partial<Record<"usual" | "judged" | "views" | "learned", number>>>;

/** ln of the probability of a candidate before the answers, up to a constant. */
export function logPrior({ shares, merged }: Pick<Candidate, "shares" | "merged">): number {
  const { usual, judged, views, learned } = fitted.prior;
  const { usual: a = 0, judged: b = 0, views: c = 0, learned: d = 0 } = shares;
  const share = usual * a + judged * b + views * c + learned * d;
  return Math.log(share * (merged === true ? fitted.prior.merged : 1) + Number.MIN_VALUE);
}

/**
 * The judged partitions with their plausibility, and partitions of the views into these numbers of clusters: the
 * probability of a number is shared by all partitions into it.
 *
 * @param given the first is the one that is chosen without hints, unless it has a weight
 * @param usualCount the number of clusters without hints, if nothing is given; without groups, the fewest
 */
export function shelfOf(
  looks: readonly View[],
  counts: readonly number[],
  given: readonly (Partition & { readonly weight?: number })[],
  usualCount: number | undefined,
  seed: number,
): Shelf {
  const own = library(looks, counts, seed).map((one) => ({ ...one, clusters: countOf(one.labels) }));
  const first = given.find(({ weight }) => weight === undefined) ?? usualOf(own, usualCount);
  const judged = given.filter(({ weight = 0 }) => weight > 0);
  const probability = numbersPrior(judged, countOf(first.labels));
  const total = judged.reduce((sum, { weight = 0 }) => sum + weight, 0);
  const found = new Map<string, Candidate>();
  const add = ({ name, labels }: Partition, kind: "usual" | "judged" | "views", share: number): void => {
    const key = labels.join();
    const before = found.get(key);
    const one = before ?? { name, labels, clusters: countOf(labels), together: togetherIn(labels) };
    found.set(key, { ...one, shares: { ...before?.shares, [kind]: (before?.shares[kind] ?? 0) + share } });
  };
  add(first, "usual", 1);
  for (const one of judged) add(one, "judged", (one.weight ?? 0) / total);
  const sharing = new Map<number, number>();
  for (const { clusters } of own) sharing.set(clusters, (sharing.get(clusters) ?? 0) + 1);
  const weights = [...sharing.keys()].reduce((sum, K) => sum + probability(K), 0);
  for (const one of own) add(one, "views", probability(one.clusters) / weights / sharing.get(one.clusters)!);
  const all = [...found.values()];
  return { all, usual: all[0], probability };
}

/**
 * By the plausibility of the judged partitions into that number, or into the nearest one. Without them every cluster more or
 * less than usual costs a nat.
 */
function numbersPrior(
  judged: readonly (Partition & { readonly weight?: number })[],
  usual: number,
): (clusters: number) => number {
  const masses = new Map<number, number>();
  for (const { labels, weight = 0 } of judged) {
    const K = countOf(labels);
    masses.set(K, (masses.get(K) ?? 0) + weight);
  }
  if (masses.size === 0) return (clusters) => Math.exp(-Math.abs(clusters - usual));
  const known = [...masses.keys()].sort((a, b) => a - b);
  return (clusters) => {
    const nearest = known.reduce((a, b) => (Math.abs(b - clusters) < Math.abs(a - clusters) ? b : a));
    return masses.get(nearest)!;
  };
}

/** The first partition into the number at which the partitions agree most. */
function usualOf(own: readonly (Partition & { readonly clusters: number })[], count?: number): Partition {
  const counts = [...new Set(own.map(({ clusters }) => clusters))];
  const agreement = (K: number): number => {
    const [first, ...others] = own.filter(({ clusters }) => clusters === K).slice(0, 6);
    const sum = others.reduce((total, { labels }) => total + adjustedRand(labels, first.labels), 0);
    return others.length === 0 ? 0 : sum / others.length;
  };
  const wanted = count === 1 ? Math.min(...counts) : count;
  const best = counts.some((K) => K === wanted)
    ? wanted
    : counts.map((K) => ({ K, value: agreement(K) })).reduce((a, b) => (b.value > a.value ? b : a)).K;
  return own.find(({ clusters }) => clusters === best)!;
}

export function countOf(labels: Int32Array): number {
  return labels.reduce((most, label) => Math.max(most, label + 1), 1);
}
