import { describe, expect, it } from "vitest";
import type { Belief, Supported } from "../../src/judge/belief.ts";
import { inDetail } from "../../src/judge/clusterTrust.ts";
import {
  alternativeOf,
  alternativesTo,
  bestByCount,
  candidatesOf,
  pathOf,
  underEqualWeights,
} from "../../src/judge/describeChoice.ts";
import { EVIDENCE, type Evidence } from "../../src/judge/evidence.ts";
import fitted from "../../src/judge/fitted.json" with { type: "json" };
import { momentsOverBelief, trustWithout, withoutGroups } from "../../src/judge/noGroups.ts";
import { SOFTNESS } from "../../src/judge/plausibility.ts";
import type { Member } from "../../src/judge/pool.ts";
import { bestInto, bestOverall, type SampleBelief } from "../../src/judge/sampleBelief.ts";
import { trustIn } from "../../src/judge/trust.ts";

const one = (labels: number[], support: number, more: Partial<Member> = {}): Supported => {
  const clusters = Math.max(...labels) + 1;
  const member: Member = { method: "ward", space: "z", clusters, labels: Int32Array.from(labels), ...more };
  return { member, expected: support - 0.1, support, terms: [0.2, -0.1] };
};
const two = one([0, 0, 0, 0, 1, 1, 1, 1], 0.8);
const skewed = one([0, 0, 0, 0, 0, 0, 1, 1], 0.5);
const three = one([0, 0, 0, 1, 2, 2, 2, 2], 0.79, { space: "related" });
const four = one([0, 0, 1, 1, 2, 2, 3, 3], 0.2);
const over = (all: readonly Supported[], between: readonly Supported[] = [], distinct = 8): SampleBelief =>
  ({
    members: all.map(({ member }) => member),
    distinct,
    rows: 8,
    supported: (further?: readonly Member[]) =>
      further === undefined ? all : between.filter(({ member }) => further.includes(member)),
    pool: {
      members: (counts: number[]) =>
        between.map(({ member }) => member).filter(({ clusters }) => counts.includes(clusters)),
    },
    expectedOf: () => 0.4,
    without(space: string) {
      const others = all.filter(({ member }) => member.space !== space);
      return others.length < all.length ? over(others) : undefined;
    },
  }) as unknown as SampleBelief;
const belief = over([skewed, two, three, four]);

describe("the choice", () => {
  it("is the member with the most support, also between the numbers of the pool", () => {
    expect(bestOverall(belief, 4)).toBe(two);
    expect(bestOverall(over([skewed, three, four]), 2)).toBe(skewed);
    expect(bestOverall(belief, 1)).toBeUndefined();
    const pool = over([two, four], [three]);
    expect(bestOverall(pool, 4)).toBe(two);
    const better = { ...three, support: 0.9 };
    expect(bestOverall(over([two, four], [better]), 4)).toBe(better);
    expect(bestOverall(over([two, four], [better]), 2)).toBe(two);
    // Beyond the last number of the pool up to twice as many.
    const eight = one([0, 1, 2, 3, 4, 5, 6, 7], 0.95);
    const seven = one([0, 1, 2, 3, 4, 5, 6, 6], 0.9);
    expect(bestOverall(over([{ ...four, support: 1 }], [eight, seven]), 30)).toEqual({ ...four, support: 1 });
    expect(bestOverall(over([four], [seven, eight]), 30)).toBe(seven);
    expect(bestOverall(over([four], [seven, eight]), 6)).toBe(four);
  });

  it("has the number that was asked for, or the nearest", () => {
    expect(bestInto(belief, 2)).toBe(two);
    expect(bestInto(belief, 3)).toBe(three);
    expect(bestInto(over([two], [three]), 3)).toBe(three);
    expect(bestInto(over([two, three], [], 2), 3)).toBe(two);
    const none = bestInto(over([two]), 6);
    expect(Array.from(none.member.labels)).toEqual([0, 1, 2, 3, 4, 5, 5, 5]);
    expect(none.support).toBe(0);
    const short = one([0, 0, 0, 0, 1, 1, 1, 1], 0.9, { clusters: 3 });
    expect(bestInto(over([short, three]), 3)).toBe(three);
    expect(bestInto(over([short]), 3)).toBe(short);
  });

  it("is told with the best partition into every number", () => {
    const path = pathOf(bestByCount(belief, two, 4));
    expect(path.map(({ clusters }) => clusters)).toEqual([2, 3, 4]);
    expect(path.map(({ support }) => support)).toEqual([0.8, 0.79, 0.2]);
    expect(path.map(({ sizes }) => sizes)).toEqual([
      [4, 4],
      [4, 3, 1],
      [2, 2, 2, 2],
    ]);
    expect(path[0].divides).toBeUndefined();
    expect(path[1].divides).toEqual({ size: 4, into: [3, 1] });
    expect(path[2].divides).toEqual({ size: 4, into: [2, 2] });
    expect([...bestByCount(belief, two, 3).keys()]).toEqual([2, 3]);
    expect(bestByCount(belief, skewed, 3).get(2)).toBe(skewed);
  });

  it("lists different partitions once, by support", () => {
    const again = one([0, 0, 0, 0, 1, 1, 1, 1], 0.8, { method: "genie" });
    const low = one([0, 1, 0, 1, 0, 1, 0, 1], 0.1);
    const found = candidatesOf(over([low, skewed, two, again, three]), two, (labels) => labels);
    expect(found.map(({ support }) => support)).toEqual([0.8, 0.5, 0.1]);
    expect(found[0].methods.map(({ method }) => method)).toEqual(["ward", "genie"]);
    expect(found[0]).toMatchObject({ clusters: 2, agreement: 1, expected: 0.8 - 0.1 });
    expect(found[2].agreement).toBeLessThan(0);
  });

  it("has alternatives with at least a third of its odds, at most two", () => {
    const byCount = new Map([two, three, four].map((own) => [own.member.clusters, own]));
    const of = (): number[] =>
      alternativesTo(two, byCount).map((own) => [...byCount].find(([, other]) => other === own)![0]);
    expect(of()).toEqual([3]);
    byCount.set(4, { ...four, support: 0.8 - SOFTNESS * Math.log(3) + 1e-9 });
    expect(of()).toEqual([3, 4]);
    byCount.set(5, { ...four, support: 0.795 });
    expect(of()).toEqual([5, 3]);
    const [other] = alternativesTo(three, byCount).filter(({ member }) => member.clusters === 2);
    const coarse = alternativeOf(other, three, other.member.labels);
    expect(coarse).toMatchObject({ kind: "coarse", clusters: 2, expected: two.expected });
    expect(coarse.trust).toEqual(trustIn(two.expected, two.terms, false));
  });

  it("tells what equal weights would give, if the weights matter", () => {
    expect(underEqualWeights(belief, two, () => true)).toBeUndefined();
    const other = underEqualWeights(belief, three, () => true)!;
    expect(other).toMatchObject({ clusters: 2, expected: 0.4 });
    expect(other.agreement).toBeGreaterThan(0.5);
    expect(other.agreement).toBeLessThan(0.9);
    expect(underEqualWeights(belief, three, (K) => K === 4)!.clusters).toBe(4);
    expect(underEqualWeights(belief, three, (K) => K === 3)).toBeUndefined();
    expect(
      underEqualWeights(over([{ ...three, member: { ...three.member, space: "z" } }]), three, () => true),
    ).toBe(undefined);
    // Weights may also decide between partitions of spaces where columns count the same.
    const swayed = { ...belief, without: () => over([two, { ...skewed, support: 0.9 }]) };
    expect(underEqualWeights(swayed, two, () => true)!.agreement).toBeLessThan(0.5);
  });
});

describe("what the belief says of clusters and rows", () => {
  const members = [
    [0, 0, 0, 1, 1, 1, 2, 2],
    [0, 0, 1, 1, 1, 1, 2, 2],
  ].map((labels) => ({ labels: Int32Array.from(labels) }));
  const { perCluster, margins } = inDetail(
    { members, weights: Float64Array.of(0.75, 0.25) } as unknown as Belief,
    members[0].labels,
  );

  it("a cluster is as sure as its nearest plausible clusters are like it", () => {
    expect(perCluster.map(({ size }) => size)).toEqual([3, 3, 2]);
    expect(perCluster[0].expected).toBeCloseTo(0.75 + 0.25 * (2 / 3), 12);
    expect(perCluster[1].expected).toBeCloseTo(0.75 + 0.25 * (3 / 4), 12);
    expect(perCluster[2].expected).toBeCloseTo(1, 12);
    expect(perCluster.slice(0, 2).map(({ nearest }) => nearest)).toEqual([1, 0]);
  });

  it("a row is as sure as its own cluster pulls it more than another one", () => {
    const pull = 0.75 + 0.25 / 3;
    expect(margins[0]).toBeCloseTo(0.75 + 0.25 * (2 / 3), 12);
    expect(margins[2]).toBeCloseTo(pull - 0.25, 12);
    expect(margins[3]).toBeCloseTo(1 - 0.25 / 3, 12);
    expect(margins[7]).toBeCloseTo(1, 12);
  });
});

describe("trust", () => {
  it.each([false, true])("has the word of the agreement to expect (number given: %s)", (isGiven) => {
    const [constant, slope, first, second] = fitted.trust[isGiven ? "given" : "open"];
    const at = (p: number) =>
      trustIn((Math.log(p / (1 - p)) - constant - 0.1 * first + 0.2 * second) / slope, [0.1, -0.2], isGiven);
    for (const [p, word] of [
      [0.9, "clear"],
      [0.8001, "clear"],
      [0.7999, "doubtful"],
      [0.5001, "doubtful"],
      [0.4999, "weak"],
      [0.1, "weak"],
    ] as const) {
      expect(at(p).probability).toBeCloseTo(p, 10);
      expect(at(p).word).toBe(word);
      expect(at(p).why).toContain(`by ${fitted.bands[isGiven ? "given" : "open"][word].toFixed(2)} of 1`);
    }
  });

  it("doubts groups by the share of distinct rows, the largest expected agreement and the evidence of the pool", () => {
    const [constant, ofDistinct, ofExpected, ...ofEvidence] = fitted.none;
    const p = EVIDENCE.length;
    expect(ofEvidence).toHaveLength(2 * p);
    const first = Object.fromEntries(EVIDENCE.map((name, e) => [name, 0.1 * e])) as Evidence;
    const second = Object.fromEntries(EVIDENCE.map((name, e) => [name, 0.1 * e - 1])) as Evidence;
    const chance = withoutGroups({
      distinct: 30,
      rows: 40,
      expected: Float64Array.of(0.6, 0),
      weights: Float64Array.of(0.75, 0.25),
      evidence: [first, second],
    } as unknown as SampleBelief);
    let logOdds = constant + 0.75 * ofDistinct + 0.6 * ofExpected;
    EVIDENCE.forEach((_, e) => {
      // Two values that differ by 1, with weights 3/4 and 1/4.
      logOdds += ofEvidence[e] * (0.1 * e - 0.25) + ofEvidence[p + e] * Math.sqrt(3 / 16);
    });
    expect(chance).toBeCloseTo(1 / (1 + Math.exp(-logOdds)), 10);
    const moments = momentsOverBelief({ evidence: [first, second], weights: Float64Array.of(1, 0) });
    expect(moments).toEqual([...EVIDENCE.map((_, e) => 0.1 * e), ...EVIDENCE.map(() => 0)]);
    expect(trustWithout(1)).toEqual({
      word: "none",
      probability: 1,
      why: "there is nothing to tell rows apart",
    });
    expect(trustWithout(0.7).why).toMatch(/most plausible grouping/);
  });
});
