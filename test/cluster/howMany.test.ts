import { describe, expect, it } from "vitest";
import { gapStatistic, kmeans, partitionGap, predictionStrength } from "../../src/cluster/index.ts";
import { random } from "../../src/core/index.ts";
import { fromRows, matrix, type Matrix } from "../../src/matrix/index.ts";

function blobs(clusters: number, seed: number, apart = 8): { X: Matrix; labels: number[] } {
  const { normal } = random(seed);
  const labels = Array.from({ length: 120 }, (_, i) => i % clusters);
  const X = fromRows(
    labels.map((k) => [normal() + apart * Math.cos(2.4 * k) * k, normal() + apart * Math.sin(2.4 * k) * k]),
  );
  return { X, labels };
}

describe("gap statistic", () => {
  it("finds the number of clusters of separate blobs, and 1 for none", () => {
    for (const clusters of [1, 2, 3, 4]) {
      expect(gapStatistic(blobs(clusters, 3).X, { maxClusters: 6, restarts: 5 }).clusters).toBe(clusters);
    }
  });

  it("is the mean log sum of squares of rows drawn in the box, minus that of the rows", () => {
    const { X } = blobs(3, 5);
    const { gaps, errors } = gapStatistic(X, {
      maxClusters: 3,
      references: 200,
      box: "columns",
      restarts: 3,
    });
    // By hand: uniform rows with another stream; the mean of 200 varies by error / sqrt(200).
    const { uniform } = random(77);
    const [low, high] = [0, 1].map((f) => {
      const column = Array.from({ length: X.rows }, (_, i) => X.data[2 * i + f]);
      return [Math.min(...column), Math.max(...column)];
    });
    for (const K of [1, 3]) {
      const logs = Array.from({ length: 200 }, () => {
        const drawn = fromRows(
          Array.from({ length: X.rows }, () => [low, high].map(([a, b]) => a + uniform() * (b - a))),
        );
        return Math.log(kmeans(drawn, { clusters: K, restarts: 3 }).objective);
      });
      const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
      const expected = mean - Math.log(kmeans(X, { clusters: K }).objective);
      expect(Math.abs(gaps[K - 1] - expected)).toBeLessThan((5 * errors[K - 1]) / Math.sqrt(100));
    }
  });

  it("rates a partition that is there: the true one above a random one", () => {
    const { X, labels } = blobs(3, 6);
    const { integer } = random(1);
    const drawn = labels.map(() => integer(3));
    expect(partitionGap(X, labels).gap).toBeGreaterThan(0.5);
    expect(partitionGap(X, drawn).gap).toBeLessThan(0);
  });
});

describe("prediction strength", () => {
  it("is near 1 for the number of blobs and low above it", () => {
    const { X } = blobs(3, 8);
    const { clusters, strengths } = predictionStrength(X, { maxClusters: 5, restarts: 5 });
    expect(clusters).toBe(3);
    expect(strengths[0]).toBe(1);
    expect(strengths[2]).toBeGreaterThan(0.95);
    expect(strengths[4]).toBeLessThan(0.8);
  });
});

it("refuses what it cannot answer", () => {
  expect(() => gapStatistic(matrix(5, 2), { maxClusters: 2 })).toThrow("all of these are equal");
  expect(() => gapStatistic([[0], [1]], { maxClusters: 3 })).toThrow("cannot make 4 clusters of 2 rows");
  expect(() => predictionStrength([[0], [1], [2]], { maxClusters: 3 })).toThrow("of 3 rows");
});
