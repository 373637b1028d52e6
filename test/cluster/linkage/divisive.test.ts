import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { divisive, kmeans } from "../../../src/cluster/index.ts";
import { fromRows, toRows, type Matrix } from "../../../src/matrix/index.ts";
import { adjustedRand, withinSumOfSquares } from "../../../src/score/index.ts";
import { blobs } from "../../classicalFixture.ts";
import { normal } from "../../matrix/samples.ts";

const SPLITS = ["kmeans", "diana"] as const;

/** DIANA as the book has it, every mean measured anew. */
function slowDiana(X: Matrix, K: number): number[] {
  const points = toRows(X);
  const distance = (i: number, j: number): number => Math.hypot(...points[i].map((x, f) => x - points[j][f]));
  const mean = (i: number, others: number[]): number =>
    others.length === 0 ? 0 : others.reduce((sum, j) => sum + distance(i, j), 0) / others.length;
  let clusters = [points.map((_, i) => i)];
  while (clusters.length < K) {
    const diameters = clusters.map((rows) =>
      Math.max(...rows.flatMap((i) => rows.map((j) => distance(i, j)))),
    );
    const next = clusters[diameters.indexOf(Math.max(...diameters))];
    let stay = next;
    const gone: number[] = [];
    for (;;) {
      const gains = stay.map((i) => {
        const others = stay.filter((j) => j !== i);
        return mean(i, others) - mean(i, gone);
      });
      const best = gains.indexOf(Math.max(...gains));
      if (stay.length === 1 || (gone.length > 0 && !(gains[best] > 0))) break;
      gone.push(stay[best]);
      stay = stay.filter((i) => i !== stay[best]);
    }
    clusters = [...clusters.filter((rows) => rows !== next), stay, gone];
  }
  const labels: number[] = [];
  clusters.forEach((rows, k) => rows.forEach((i) => (labels[i] = k)));
  return labels;
}

describe("divisive", () => {
  it("divides by DIANA as the book has it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 20 }), fc.integer({ min: 1, max: 3 }), fc.nat(), (n, K, seed) => {
        const X = normal(n, 2, seed);
        expect(adjustedRand(divisive(X, { clusters: K, split: "diana" }).labels, slowDiana(X, K))).toBe(1);
      }),
      { numRuns: 40 },
    );
  });

  it("bisects as two-means does, and accounts for the sum of squares", () => {
    const two = divisive(blobs, { clusters: 2 });
    expect(adjustedRand(two.labels, kmeans(blobs, { clusters: 2 }).labels)).toBe(1);
    const five = divisive(blobs, { clusters: 5 });
    const total = withinSumOfSquares(blobs, new Int32Array(90));
    const gained = five.divisions.reduce((sum, { height }) => sum + height, 0);
    expect(five.objective).toBeCloseTo(total - gained, 8);
    expect(five.objective).toBeCloseTo(withinSumOfSquares(blobs, five.labels), 10);
  });

  it.each(SPLITS)("is a hierarchy: more clusters divide fewer ones (%s)", (split) => {
    const coarse = divisive(blobs, { clusters: 3, split });
    const fine = divisive(blobs, { clusters: 7, split });
    for (let k = 0; k < 7; k++) {
      expect(new Set(coarse.labels.filter((_, i) => fine.labels[i] === k)).size).toBe(1);
    }
    expect(fine.divisions.slice(0, 2)).toEqual(coarse.divisions);
    expect(
      adjustedRand(
        coarse.labels,
        Int32Array.from({ length: 90 }, (_, i) => Math.floor(i / 30)),
      ),
    ).toBeGreaterThan(0.6);
  });

  it.each(SPLITS)("predicts (%s)", (split) => {
    const result = divisive(blobs, { clusters: 4, split });
    const agreed = result.predict(blobs).filter((label, i) => label === result.labels[i]).length;
    expect(agreed).toBeGreaterThan(split === "kmeans" ? 88 : 75);
    expect(() => result.predict(fromRows([[1]]))).toThrow(/1 columns, but the clusters have 3/);
  });

  it.each(SPLITS)("handles duplicates and one row (%s)", (split) => {
    const twins = fromRows([[1], [1], [5], [5], [5]]);
    expect(adjustedRand(divisive(twins, { clusters: 2, split }).labels, [0, 0, 1, 1, 1])).toBe(1);
    const three = divisive(twins, { clusters: 3, split });
    expect(three.clusters).toBe(2);
    expect(three.warnings.join()).toMatch(/only 2 distinct rows/);
    expect(divisive(fromRows([[2]]), { clusters: 1, split }).labels).toEqual(new Int32Array(1));
    expect(divisive(fromRows([[1], [2], [4]]), { clusters: 3, split }).clusters).toBe(3);
  });

  it("refuses bad input by name", () => {
    const X = fromRows([[1], [2]]);
    expect(() => divisive(X, { clusters: 3 })).toThrow(/cannot make 3 clusters of 2 rows/);
    expect(() => divisive(X, { clusters: 2, split: "diana", restarts: 3 })).toThrow(/"restarts" belongs to/);
    expect(() => divisive(fromRows([[1], [Number.NaN]]), { clusters: 1 })).toThrow(/row 1, column 0/);
  });
});
