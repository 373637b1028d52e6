import { describe, expect, it } from "vitest";
import { random } from "../../src/core/random.ts";
import { clusterMoments, reproduced } from "../../src/judge/evidence/discriminant.ts";
import { explainedVariance } from "../../src/judge/evidence/explainedVariance.ts";
import { gaussianGain } from "../../src/judge/evidence/gaussianGain.ts";
import { leastValley } from "../../src/judge/evidence/leastValley.ts";
import { neighborPurity } from "../../src/judge/evidence/neighborPurity.ts";
import { sizesOf } from "../../src/judge/evidence.ts";
import { nearestNeighbors } from "../../src/graph/index.ts";
import { fromRows } from "../../src/matrix/index.ts";
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
    expect(neighborPurity(indices, 10, truth, sizesOf(truth))).toEqual({ mean: 1, least: 1 });
    const none = neighborPurity(indices, 10, chance, sizesOf(chance));
    expect(Math.abs(none.mean)).toBeLessThan(0.1);
    expect(none.least).toBeLessThanOrEqual(none.mean);
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

  it("moments add up to the covariance of all rows", () => {
    const { within, total } = clusterMoments(apart.X, chance, sizesOf(chance));
    const whole = clusterMoments(apart.X, new Int32Array(150), Int32Array.of(150));
    whole.within.forEach((value, p) => expect(total[p]).toBeCloseTo(value, 9));
    expect(within[0]).toBeLessThan(total[0]);
  });

  it("Gaussian clusters gain where there are some; equal variances are found by the tied covariance", () => {
    const of = (X: typeof apart.X, labels: Int32Array) =>
      gaussianGain(X.rows, 2, sizesOf(labels), clusterMoments(X, labels, sizesOf(labels)));
    const gain = of(apart.X, truth);
    expect(Math.min(gain.full, gain.tied, gain.diagonal)).toBeGreaterThan(0.5);
    expect(gain.tied).toBeGreaterThan(gain.full);
    expect(of(apart.X, chance).full).toBeLessThan(0);
    const crossed = fromRows(
      Array.from({ length: 200 }, (_, i) => {
        const [u, v] = [3 * g.normal(), 0.2 * g.normal()];
        return i % 2 === 0 ? [u, v] : [v, u];
      }),
    );
    const cross = of(
      crossed,
      Int32Array.from({ length: 200 }, (_, i) => i % 2),
    );
    expect(cross.full).toBeGreaterThan(cross.tied);
  });
});
