import { describe, expect, it } from "vitest";
import type { Judged, Found } from "../../src/compare/found.ts";
import { partition, rowCodes } from "../../src/compare/partition.ts";
import { numberOfClusters } from "../../src/compare/evidence/secondOpinion.ts";

const ROWS = 600;
const codes = rowCodes(ROWS);

/** For every number: evidence, ICL, whether the four methods made the same partition, and the BIC of mixtures. */
type Numbers = Record<
  number,
  { evidence: number; icl: number; same: boolean | "almost"; small?: boolean; bic?: number }
>;

function foundWith(numbers: Numbers): Found {
  const judged: Judged[] = [one(() => 0, 0, 0)];
  const proposals = new Map<number, Map<string, Judged>>();
  for (const [K, { evidence, icl, same, small }] of Object.entries(numbers)) {
    const count = Number(K);
    const made = ["kmeans", "ward", "spectral 10", "spectral 20"].map((name, m) => {
      // Equal parts of consecutive rows, turned by half a part for every second method that disagrees.
      const shift = same === true ? 0 : same === "almost" ? (m * ROWS) / 100 : (m * ROWS) / (2 * count);
      const label = (i: number): number =>
        small === true && count > 1
          ? i < 6
            ? 0
            : 1 + Math.floor(((i - 6) * (count - 1)) / (ROWS - 6))
          : Math.floor((((i + shift) % ROWS) * count) / ROWS);
      return [name, one(label, evidence, icl)] as const;
    });
    proposals.set(count, new Map(made));
    judged.push(...made.map(([, own]) => own));
  }
  const bic = ({ partition: { clusters } }: Judged): number => numbers[clusters.length].bic ?? -Infinity;
  return { judged, proposals, bic } as unknown as Found;
}

function one(label: (i: number) => number, evidence: number, icl: number): Judged {
  const labels = Int32Array.from({ length: ROWS }, (_, i) => label(i));
  return { partition: partition(labels, codes), made: [], weakest: { evidence }, icl };
}

const choose = (numbers: Numbers): [number, number | undefined] => {
  const { clusters, byBorders } = numberOfClusters(foundWith(numbers), ROWS, false);
  return [clusters, byBorders];
};

describe("the second opinion on the number of clusters", () => {
  const clear = { 2: { evidence: 6, icl: 1, same: true }, 3: { evidence: -3, icl: 0.5, same: true } };

  it("leaves the number of the borders where nothing is said against it", () => {
    expect(choose(clear)).toEqual([2, undefined]);
    expect(choose({ 2: { evidence: -3, icl: -0.1, same: true } })).toEqual([1, undefined]);
  });

  it("takes more where methods agree on likelier clusters of similar sizes", () => {
    expect(choose({ ...clear, 3: { evidence: -3, icl: 1.2, same: true } })).toEqual([3, 2]);
    expect(choose({ ...clear, 3: { evidence: -3, icl: 1.2, same: false } })).toEqual([2, undefined]);
    expect(choose({ ...clear, 3: { evidence: -3, icl: 1.2, same: true, small: true } })).toEqual([
      2,
      undefined,
    ]);
    expect(choose({ ...clear, 3: { evidence: -4.5, icl: 1.2, same: true } })).toEqual([2, undefined]);
  });

  it("takes fewer with strong borders where methods differ, or nothing is gained", () => {
    const fine = { evidence: 2, icl: 1.5, same: true };
    const end = { 4: { evidence: -4, icl: 0, same: false } };
    expect(choose({ 2: clear[2], 3: fine, ...end })).toEqual([3, undefined]);
    expect(choose({ 2: clear[2], 3: { ...fine, same: false }, ...end })).toEqual([2, 3]);
    expect(choose({ 2: clear[2], 3: { ...fine, same: "almost" }, ...end })).toEqual([3, undefined]);
    expect(choose({ 2: clear[2], 3: { ...fine, same: "almost", icl: 1.1 }, ...end })).toEqual([2, 3]);
    expect(choose({ 2: clear[2], 3: { ...fine, icl: 1.1 }, ...end })).toEqual([3, undefined]);
    const likely = { ...clear[2], evidence: 2.4 };
    expect(choose({ 2: { ...likely, same: false }, 3: { ...fine, same: false }, ...end })).toEqual([
      3,
      undefined,
    ]);
  });

  it("takes fewer that the methods agree on where they differ on more, and borders are likely", () => {
    const fine = { evidence: 0.5, icl: 1.5, same: false };
    const end = { 4: { evidence: -4, icl: 0, same: false } };
    expect(choose({ 2: { evidence: 0.9, icl: 1, same: true }, 3: fine, ...end })).toEqual([2, 3]);
    expect(choose({ 2: { evidence: 0.9, icl: 1, same: true }, 3: { ...fine, same: true }, ...end })).toEqual([
      3,
      undefined,
    ]);
    expect(choose({ 2: { evidence: -0.2, icl: 1, same: true }, 3: fine, ...end })).toEqual([3, undefined]);
  });

  it("takes more that overlap where borders are moderate: mixtures are likelier, methods agree", () => {
    const two = { evidence: 1, icl: 1, same: true, bic: 5 };
    const three = { evidence: -3, icl: 0.8, same: true, bic: 5.1 };
    expect(choose({ 2: two, 3: three })).toEqual([3, 2]);
    expect(choose({ 2: two, 3: { ...three, bic: 4.9 } })).toEqual([2, undefined]);
    expect(choose({ 2: two, 3: { ...three, same: false } })).toEqual([2, undefined]);
    expect(choose({ 2: two, 3: { ...three, small: true } })).toEqual([2, undefined]);
    expect(choose({ 2: { ...two, evidence: 3 }, 3: three })).toEqual([2, undefined]);
    expect(choose({ 2: two, 3: three, 4: { ...three, bic: 5.2 } })).toEqual([4, 2]);
    // More than twice as many are pieces of curves.
    expect(choose({ 2: two, 3: three, 4: { ...three, bic: 5 }, 5: { ...three, bic: 6, icl: 2 } })).toEqual([
      3, 2,
    ]);
  });
});
