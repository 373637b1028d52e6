import { togetherIn, type Together } from "./evidence.ts";
import { fitted } from "./fitted.ts";

export interface Partition {
  readonly name: string;
  readonly labels: Int32Array;
}

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
 * The belief before the answers is shared by the partition that is chosen without hints, all others that were judged, those
 * of white rows, and those that are learned.
 */
export type Shares = Readonly<Partial<Record<"usual" | "judged" | "white" | "learned", number>>>;

/** ln of the probability of a candidate before the answers, up to a constant. */
export function logPrior({ shares, merged }: Pick<Candidate, "shares" | "merged">): number {
  const { usual, judged, white, learned } = fitted.prior;
  const { usual: a = 0, judged: b = 0, white: c = 0, learned: d = 0 } = shares;
  const share = usual * a + judged * b + white * c + learned * d;
  return Math.log(share * (merged === true ? fitted.prior.merged : 1) + Number.MIN_VALUE);
}

/**
 * The partition that is chosen without hints, and the judged ones with their plausibility.
 *
 * @param given the first is the one that is chosen without hints, unless it has a weight
 * @param usualCount the number of clusters without hints, if none was chosen; 1 without groups
 */
export function shelfOf(
  rows: number,
  given: readonly (Partition & { readonly weight?: number })[],
  white: readonly Partition[],
  usualCount: number | undefined,
): Shelf {
  const found = new Map<string, Candidate>();
  const others = given.filter(({ weight = 0 }) => weight > 0);
  const chosen = given.find(({ weight }) => weight === undefined);
  const first = chosen ??
    likeliestInto(others, usualCount) ?? { name: "one cluster", labels: new Int32Array(rows) };
  const usualK = countOf(first.labels);
  // Where no groups were found, every cluster more or less than the fewest costs a nat.
  const judged =
    chosen !== undefined
      ? others
      : others.map((one) => ({
          ...one,
          weight: one.weight! * Math.exp(-Math.abs(countOf(one.labels) - usualK)),
        }));
  const total = judged.reduce((sum, { weight = 0 }) => sum + weight, 0);
  const add = ({ name, labels }: Partition, kind: keyof Shares, share: number): void => {
    const key = labels.join();
    const before = found.get(key);
    const one = before ?? { name, labels, clusters: countOf(labels), together: togetherIn(labels) };
    found.set(key, { ...one, shares: { ...before?.shares, [kind]: (before?.shares[kind] ?? 0) + share } });
  };
  add(first, "usual", 1);
  for (const one of judged) add(one, "judged", (one.weight ?? 0) / total);
  const probability = numbersPrior(judged, usualK);
  const weights = white.reduce((sum, { labels }) => sum + probability(countOf(labels)), 0);
  for (const one of white) add(one, "white", probability(countOf(one.labels)) / weights);
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

/** The likeliest partition into that number of clusters; where there are no groups, into the fewest. */
function likeliestInto<P extends Partition & { readonly weight?: number }>(
  judged: readonly P[],
  count: number | undefined,
): P | undefined {
  const wanted = count === 1 ? Math.min(...judged.map(({ labels }) => countOf(labels))) : count;
  const suited = judged.filter(({ labels }) => countOf(labels) === wanted);
  return (suited.length > 0 ? suited : [...judged]).sort((a, b) => (b.weight ?? 0) - (a.weight ?? 0))[0];
}

export function countOf(labels: Int32Array): number {
  return labels.reduce((most, label) => Math.max(most, label + 1), 1);
}
