import { describe, expect, it } from "vitest";
import { random } from "../../src/core/random.ts";
import { clusterMoments, reproduced } from "../../src/judge/evidence/discriminant.ts";
import { explainedVariance } from "../../src/judge/evidence/explainedVariance.ts";
import { leastValley } from "../../src/judge/evidence/leastValley.ts";
import { neighborPurity } from "../../src/judge/evidence/neighborPurity.ts";
import { sizesOf } from "../../src/judge/evidence.ts";
import { nearestNeighbors } from "../../src/graph/index.ts";
import { blobs, cloud } from "./sets.ts";

const apart = blobs(
  [
    [0, 0],
    [8, 0],
    [0, 8],
  ],
  [60, 50, 40],
  5,
);
const truth = Int32Array.from(apart.y);
const g = random(9);
const chance = Int32Array.from(truth, () => g.integer(3));

describe("evidence for a partition", () => {
  it("neighbours are in the cluster, or there by chance", () => {
    const { indices } = nearestNeighbors(apart.X, 10);
    expect(neighborPurity(indices, 10, truth, sizesOf(truth))).toBe(1);
    const none = neighborPurity(indices, 10, chance, sizesOf(chance));
    expect(Math.abs(none)).toBeLessThan(0.1);
  });

  it("columns vary between the clusters, whatever their origin", () => {
    const groups = [
      { first: 0, count: 1 },
      { first: 1, count: 1 },
    ];
    const found = explainedVariance(apart.X, groups, truth, sizesOf(truth));
    expect(found).toBeGreaterThan(0.8);
    const moved = { ...apart.X, data: apart.X.data.map((x) => x + 100) };
    expect(explainedVariance(moved, groups, truth, sizesOf(truth))).toBeCloseTo(found, 6);
    expect(explainedVariance(apart.X, groups, chance, sizesOf(chance))).toBeLessThan(0.05);
  });

  it("valleys are empty between clusters, and absent where one is cut in two", () => {
    const of = (X: typeof apart.X, labels: Int32Array): number =>
      leastValley(X, labels, sizesOf(labels), clusterMoments(X, labels, sizesOf(labels)));
    expect(of(apart.X, truth)).toBeGreaterThan(0.9);
    const one = cloud(300, 2, 3, "gaussian");
    const halves = Int32Array.from({ length: 300 }, (_, i) => Number(one.data[2 * i] > 0));
    expect(of(one, halves)).toBeLessThan(0.2);
  });

  it("a discriminant reproduces linear borders alone", () => {
    const of = (labels: Int32Array): number =>
      reproduced(apart.X, labels, sizesOf(labels), clusterMoments(apart.X, labels, sizesOf(labels)));
    expect(of(truth)).toBe(1);
    expect(of(chance)).toBeLessThan(0.3);
  });

  it("moments within clusters are smaller than those of all rows, and add up with those of the means", () => {
    const sizes = sizesOf(chance);
    const { means, within } = clusterMoments(apart.X, chance, sizes);
    const whole = clusterMoments(apart.X, new Int32Array(150), Int32Array.of(150));
    for (let f = 0; f < 2; f++) {
      const middle = whole.means.data[f];
      const between = sizes.reduce(
        (sum, size, k) => sum + (size / 150) * (means.data[2 * k + f] - middle) ** 2,
        0,
      );
      expect(within[3 * f] + between).toBeCloseTo(whole.within[3 * f], 9);
      expect(between).toBeGreaterThan(0);
    }
  });
});
