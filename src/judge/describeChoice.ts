import { agreementBetween } from "./agreement.ts";
import type { Alternative, EqualWeights, JudgedCandidate, Maker, PathEntry } from "./choice.ts";
import { sizesOf } from "./evidence.ts";
import { odds } from "./plausibility.ts";
import type { Member } from "./pool.ts";
import type { Supported } from "./belief.ts";
import { countOf, mostSupported, type SampleBelief } from "./sampleBelief.ts";
import { trustIn } from "./trust.ts";

/** Different partitions that are listed. */
const MOST_CANDIDATES = 12;

/** Members with the number of clusters of the chosen one, equal ones once. */
export function candidatesOf(
  belief: SampleBelief,
  chosen: Supported,
  spread: (labels: Int32Array) => Int32Array,
): JudgedCandidate[] {
  const K = countOf(chosen.member.labels);
  const found = new Map<string, { one: Supported; methods: Maker[] }>();
  found.set(chosen.member.labels.join(), { one: chosen, methods: [makerOf(chosen.member)] });
  for (const one of belief.supported()) {
    if (countOf(one.member.labels) !== K || one.member === chosen.member) continue;
    const key = one.member.labels.join();
    const known = found.get(key);
    if (known !== undefined) known.methods.push(makerOf(one.member));
    else found.set(key, { one, methods: [makerOf(one.member)] });
  }
  const [first, ...others] = found.values();
  return [first, ...others.toSorted((a, b) => b.one.support - a.one.support)]
    .slice(0, MOST_CANDIDATES)
    .map(({ one: { member, expected, support }, methods }) => ({
      clusters: K,
      labels: spread(member.labels),
      methods,
      expected,
      support,
      agreement: agreementBetween(member.labels, chosen.member.labels),
    }));
}

export function makerOf({ method, space }: Member): Maker {
  return { method, space };
}

/** The best partition into every number of clusters, with the chosen one. */
export function bestByCount(belief: SampleBelief, chosen: Supported, most: number): Map<number, Supported> {
  const best = new Map<number, Supported>();
  for (const one of belief.supported()) {
    const K = countOf(one.member.labels);
    const known = best.get(K);
    if (K <= most && (known === undefined || one.support > known.support)) best.set(K, one);
  }
  best.set(countOf(chosen.member.labels), chosen);
  return new Map([...best].sort(([a], [b]) => a - b));
}

export function pathOf(byCount: ReadonlyMap<number, Supported>): PathEntry[] {
  let before: Int32Array | undefined;
  return [...byCount].map(([clusters, { member, expected, support }]) => {
    const { labels } = member;
    const divides = before === undefined ? undefined : division(before, labels);
    before = labels;
    const sizes = Array.from(sizesOf(labels)).sort((a, b) => b - a);
    return { clusters, expected, support, sizes, ...(divides !== undefined && { divides }) };
  });
}

/** The cluster of the coarser partition that the finer one splits most. */
function division(coarse: Int32Array, fine: Int32Array): NonNullable<PathEntry["divides"]> {
  const sizes = sizesOf(coarse);
  const K = countOf(fine);
  const both = new Int32Array(sizes.length * K);
  coarse.forEach((k, i) => both[k * K + fine[i]]++);
  let worst = { share: Infinity, size: 0, into: [0, 0] as [number, number] };
  sizes.forEach((size, k) => {
    const [first, second = 0] = Array.from(both.subarray(k * K, (k + 1) * K)).sort((a, b) => b - a);
    if (first / size < worst.share) worst = { share: first / size, size, into: [first, second] };
  });
  return { size: worst.size, into: worst.into };
}

/** Partitions that agree less are different answers. */
const SAME = 0.9;

/** What the spaces choose where columns count the same, if it is another answer. */
export function underEqualWeights(
  belief: SampleBelief,
  { member: { labels } }: Supported,
  isAllowed: (clusters: number) => boolean,
): EqualWeights | undefined {
  const equal = belief.without("related");
  const best = mostSupported(equal?.supported().filter(({ member }) => isAllowed(member.clusters)) ?? []);
  if (equal === undefined || best === undefined) return undefined;
  const agreement = agreementBetween(best.member.labels, labels);
  if (agreement >= SAME) return undefined;
  return { clusters: countOf(best.member.labels), agreement, expected: equal.expectedOf(labels) };
}

/** Odds against the chosen number at which another one is still worth a word. */
const WORTH = 1 / 3;

/** The best partitions into at most two other numbers that are nearly as plausible. */
export function alternativesTo(chosen: Supported, byCount: ReadonlyMap<number, Supported>): Supported[] {
  const K = countOf(chosen.member.labels);
  return [...byCount]
    .filter(([other, { support }]) => other !== K && odds(support - chosen.support) >= WORTH)
    .map(([, other]) => other)
    .toSorted((a, b) => b.support - a.support)
    .slice(0, 2);
}

export function alternativeOf(
  { member, expected, terms }: Supported,
  chosen: Supported,
  labels: Int32Array,
): Alternative {
  const clusters = countOf(member.labels);
  return {
    kind: clusters < countOf(chosen.member.labels) ? "coarse" : "fine",
    clusters,
    labels,
    expected,
    trust: trustIn(expected, terms, false),
  };
}
