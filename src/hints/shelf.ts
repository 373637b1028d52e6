import { adjustedRand } from "../score/index.ts";
import { togetherIn, type PairTable, type Together } from "./evidence.ts";
import { library, type Partition } from "./library.ts";
import type { View } from "./views.ts";

/** A partition that may be the one that is meant. */
export interface Candidate extends Partition {
  readonly clusters: number;
  /** ln of its probability before the answers, up to a constant. */
  readonly prior: number;
  readonly together: Together;
  /** Learned from the answers: what it predicted of those that it did not see. */
  readonly heldOut?: PairTable;
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
 * Before the answers, the partition that is chosen without hints, all others that were judged, those of the views, and those
 * that will be learned have a quarter each. Answers overrule this soon: every one tells about a nat.
 */
export const SHARE = 1 / 4;

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
  const add = ({ name, labels }: Partition, share: number): Candidate => {
    const key = labels.join();
    const before = found.get(key);
    const prior = Math.log(share + (before === undefined ? 0 : Math.exp(before.prior)) + Number.MIN_VALUE);
    const one = before ?? { name, labels, clusters: countOf(labels), together: togetherIn(labels) };
    const candidate = { ...one, prior };
    found.set(key, candidate);
    return candidate;
  };
  add(first, SHARE);
  for (const one of judged) add(one, (SHARE * (one.weight ?? 0)) / total);
  const sharing = new Map<number, number>();
  for (const { clusters } of own) sharing.set(clusters, (sharing.get(clusters) ?? 0) + 1);
  const weights = [...sharing.keys()].reduce((sum, K) => sum + probability(K), 0);
  for (const one of own) {
    add(one, (SHARE * probability(one.clusters)) / weights / sharing.get(one.clusters)!);
  }
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
