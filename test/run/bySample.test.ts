import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import type { MethodName } from "../../src/run/callOptions.ts";
import { asTable, cluster } from "../../src/run/index.ts";
import { drawnVectors } from "../../src/features/drawnRows.ts";
import { fittedRows, sampleSize } from "../../src/run/fit/fit.ts";
import { methods } from "../../src/run/methods.ts";
import { matrix, takeRows, type Matrix } from "../../src/matrix/index.ts";
import { labelRows, placingOf } from "../../src/method/placing.ts";
import { adjustedRand } from "../../src/score/index.ts";

/** Groups far from each other, in the plane. */
function groups(n: number, K: number): { X: Matrix; truth: Int32Array } {
  const { normal } = random(3);
  const X = matrix(n, 2);
  const truth = Int32Array.from({ length: n }, (_, i) => i % K);
  for (let i = 0; i < n; i++) {
    X.data[2 * i] = 12 * Math.cos((2 * Math.PI * truth[i]) / K) + normal();
    X.data[2 * i + 1] = 12 * Math.sin((2 * Math.PI * truth[i]) / K) + normal();
  }
  return { X, truth };
}

describe("a sample is fitted and places all rows", () => {
  const { X, truth } = groups(3000, 3);
  for (const method of [
    "kmeans",
    "gmm",
    "ward",
    "average",
    "single",
    "spectral",
    "k-medoids",
    "kernel-kmeans",
    "cpd-uml",
    "auto",
  ]) {
    test(`${method}`, async () => {
      const found = await cluster(X, {
        method: method as MethodName,
        clusters: 3,
        sample: 300,
        scale: "none",
      });
      expect(found.labels).toHaveLength(3000);
      expect(adjustedRand(found.labels, truth)).toBeGreaterThan(0.99);
      expect(found.sizes.reduce((sum, size) => sum + size)).toBe(3000);
      const [said] = found.notes.filter(({ code }) => code === "sample");
      expect(said.message).toContain("300 of 3000");
      // The model gives the labels of all rows back.
      const again = found.assign(asTable(X)).labels;
      expect(adjustedRand(again, found.labels)).toBeGreaterThan(0.99);
      for (const { typical } of found.representatives) {
        for (const row of typical) expect(row).toBeLessThan(3000);
      }
    });
  }
});

test("all rows are fitted where the sample would have as many, and nothing is said", async () => {
  const { X } = groups(200, 2);
  const found = await cluster(X, { method: "ward", clusters: 2, sample: 200, scale: "none" });
  expect(found.notes.filter(({ code }) => code === "sample")).toEqual([]);
  await expect(cluster(X, { method: "ward", clusters: 2, sample: 1 })).rejects.toThrow(/at least 2, got 1/);
});

test("pairs and labels hold, because their rows are in the sample", async () => {
  const { X } = groups(2000, 2);
  // Rows 0 and 1 are in different groups, and 2 with 0.
  const pairs = { mustLink: [[0, 1]] as const, cannotLink: [[0, 2]] as const };
  const { labels } = await cluster(X, {
    method: "cop-kmeans",
    clusters: 2,
    sample: 50,
    scale: "none",
    ...pairs,
  });
  expect(labels[0]).toBe(labels[1]);
  expect(labels[0]).not.toBe(labels[2]);
  const known = Array.from({ length: 2000 }, (_, i) => (i < 4 ? (i % 2 ? "odd" : "even") : ""));
  const seeded = await cluster(X, { method: "seeded-kmeans", labels: known, sample: 50, scale: "none" });
  expect(seeded.sizes).toEqual([1000, 1000]);
  const many = Array.from({ length: 2000 }, (_, i) => (i % 2 ? "odd" : "even"));
  await expect(cluster(X, { method: "seeded-kmeans", labels: many, sample: 50 })).rejects.toThrow(
    /hints concern 2000 rows, more than half of the 50 rows/,
  );
});

test("which rows are drawn depends on their values and the seed, not on their order", () => {
  const { X } = groups(1000, 4);
  const order = random(5).sample(1000, 1000);
  const values = (Y: Matrix, rows: Int32Array): number[] => Array.from(takeRows(Y, rows).data);
  const drawn = values(X, drawnVectors(X, 100, 1));
  const turned = takeRows(X, order);
  expect(values(turned, drawnVectors(turned, 100, 1))).toEqual(drawn);
  expect(values(X, drawnVectors(X, 100, 2))).not.toEqual(drawn);
  expect(Array.from(drawnVectors(X, 100, 1, [7, 8]))).toEqual(expect.arrayContaining([7, 8]));
});

test("rows that equal each other are drawn one by one, and every row as often as any", () => {
  // Ten values, 1000 rows each; and -0 is 0.
  const X = matrix(10_000, 1);
  for (let i = 0; i < X.rows; i++) X.data[i] = i % 10 || (i % 20 ? 0 : -0);
  const counts = Array<number>(10).fill(0);
  for (const row of drawnVectors(X, 2000, 0)) counts[row % 10]++;
  // 200 expected, standard deviation about 12.6.
  for (const count of counts) expect(Math.abs(count - 200)).toBeLessThan(70);
});

test("labels without distances are those of the rule", async () => {
  const { X } = groups(1500, 3);
  for (const method of ["ward", "hdbscan", "gmm", "kmeans"]) {
    const { placing } = await cluster(X, {
      method: method as MethodName,
      ...(method !== "hdbscan" && { clusters: 3 }),
    });
    expect(labelRows(placing, X)).toEqual(placingOf(placing)(X).labels);
  }
});

test("every method says how many rows it fits, and a sample is fewer", () => {
  for (const method of methods) {
    const fitted = fittedRows(method, 5e6);
    expect(fitted).toBe(fitted < 5e6 ? sampleSize(method) : 5e6);
    expect(fittedRows(method, 1000)).toBe(1000);
    expect(fittedRows(method, 5e6, 777)).toBe(777);
    expect(method.needs.quadratic !== true || fitted <= 20_000).toBe(true);
  }
});
