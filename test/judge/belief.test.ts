import { describe, expect, it } from "vitest";
import { random } from "../../src/core/random.ts";
import { agreements } from "../../src/judge/agreement.ts";
import { beliefOver } from "../../src/judge/belief.ts";
import { directEvidence, trustTerms, widthOf } from "../../src/judge/plausibility.ts";
import { poolOf } from "../../src/judge/pool.ts";
import { spacesOf } from "../../src/judge/spaces.ts";
import { adjustedRand } from "../../src/score/rand.ts";
import { blobs, cloud } from "./sets.ts";

describe("the belief", () => {
  const { X, y } = blobs(
    [
      [0, 0, 0],
      [7, 0, 0],
      [0, 7, 0],
    ],
    [50, 40, 30],
    3,
  );
  const spaces = spacesOf(X, undefined, 0);
  const pool = poolOf(spaces, { most: 8, going: () => true });
  const members = pool.members([2, 3, 4, 5]);
  const belief = beliefOver(spaces, members);

  it("measures all agreements at once", () => {
    const g = random(2);
    const partitions = Array.from({ length: 6 }, (_, k) =>
      Int32Array.from({ length: 80 }, () => g.integer(k + 1)),
    );
    const A = agreements(partitions);
    partitions.forEach((a, i) =>
      partitions.forEach((b, j) => expect(A[6 * i + j]).toBeCloseTo(adjustedRand(a, b), 12)),
    );
  });

  it("weighs every member, and expects most of the true partition", () => {
    expect(belief.weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
    members.forEach(({ labels }, i) => {
      expect(belief.expected[i]).toBeCloseTo(belief.expectedOf(labels), 12);
    });
    const truth = belief.expectedOf(Int32Array.from(y));
    expect(truth).toBeCloseTo(Math.max(...belief.expected), 12);
    expect(belief.expectedOf(Int32Array.from({ length: 120 }, (_, i) => i % 3))).toBeLessThan(0.1);
  });

  it("supports the true partition most, and further members as it does its own", () => {
    const all = belief.supported();
    const best = all.reduce((a, b) => (b.support > a.support ? b : a));
    expect(adjustedRand(best.member.labels, y)).toBe(1);
    const width = widthOf(3);
    all.forEach(({ member, expected, support, terms }, i) => {
      expect(support).toBe(expected + directEvidence(member, belief.evidence[i], width));
      expect(terms).toEqual(trustTerms(belief.evidence[i], width));
    });
    const three = members.filter(({ clusters }) => clusters === 3);
    const again = belief.supported(three);
    again.forEach(({ member, support }) => {
      expect(support).toBeCloseTo(all.find((one) => one.member === member)!.support, 12);
    });
  });

  it("leaves a space out as if it had not been there", () => {
    expect(belief.without("related")).toBeUndefined();
    const mixed = members.map((member, i) =>
      i % 3 === 0 ? { ...member, space: "related" as const } : member,
    );
    const others = mixed.filter(({ space }) => space === "own");
    const left = beliefOver(spaces, mixed).without("related")!;
    expect(left.members).toEqual(others);
    expect(left.expected).toEqual(beliefOver(spaces, others).expected);
  });

  it("has stable members where there are clusters", () => {
    const mean = (of: readonly { readonly stability: number }[]): number =>
      of.reduce((sum, { stability }) => sum + stability, 0) / of.length;
    const other = poolOf(spacesOf(cloud(120, 3, 5, "gaussian"), undefined, 0), {
      most: 8,
      going: () => true,
    });
    const into = (all: typeof members): typeof members => all.filter(({ clusters }) => clusters === 3);
    expect(mean(into(members))).toBeGreaterThan(mean(into(other.members([2, 3, 4, 5]))) + 0.2);
  });
});
