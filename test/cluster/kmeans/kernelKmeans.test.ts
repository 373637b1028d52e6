import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kernelKmeans, kmeans, loadKernelKmeans } from "../../../src/cluster/index.ts";
import { random } from "../../../src/core/random.ts";
import { fromRows, takeRows, type Matrix } from "../../../src/matrix/index.ts";
import { kernelFunction, kernelMatrix } from "../../../src/metric/index.ts";
import { adjustedRand } from "../../../src/score/index.ts";
import { blobs, moons, peers } from "../../classicalFixture.ts";
import { normal } from "../../matrix/samples.ts";

/** E from its definition. */
function energy(K: Matrix, labels: ArrayLike<number>, weights?: ArrayLike<number>): number {
  const n = K.rows;
  const w = (i: number): number => weights?.[i] ?? 1;
  let sum = 0;
  for (const c of new Set(Array.from(labels))) {
    const rows = Array.from({ length: n }, (_, i) => i).filter((i) => labels[i] === c);
    const mass = rows.reduce((total, i) => total + w(i), 0);
    let squares = 0;
    for (const i of rows) for (const j of rows) squares += w(i) * w(j) * K.data[i * n + j];
    for (const i of rows) sum += w(i) * K.data[i * (n + 1)];
    if (mass > 0) sum -= squares / mass;
  }
  return sum;
}

describe("kernelKmeans", () => {
  it.each(["blobs", "moons"] as const)(
    "is not above a plain implementation from the same starts: %s",
    (name) => {
      const X = name === "blobs" ? blobs : moons;
      const clusters = name === "blobs" ? 3 : 2;
      const { sigma, starts, objectives, best } = peers.kernelKmeans[name];
      starts.forEach((initialLabels, r) => {
        const ours = kernelKmeans(X, { clusters, sigma, initialLabels });
        expect(ours.converged).toBe(true);
        expect(ours.objective).toBeLessThanOrEqual(objectives[r] + 1e-9);
      });
      // Theirs is the best of 30 starts. With many local optima no one seed is sure to find it.
      const found = [0, 1, 2].map(
        (seed) => kernelKmeans(X, { clusters, sigma, restarts: 30, seed }).objective,
      );
      expect(Math.min(...found)).toBeLessThanOrEqual(best + 1e-9);
      expect(Math.max(...found)).toBeLessThan(best * 1.002);
    },
  );

  it("has the objective of its definition, never rising, at a partition no single move improves", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 25 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(),
        fc.boolean(),
        (n, clusters, seed, weighted) => {
          const X = normal(n, 2, seed);
          const K = kernelMatrix(X, X, kernelFunction(X, { sigma: 0.8 }));
          const { uniform } = random(seed + 1);
          const weights = weighted ? Array.from({ length: n }, () => 0.1 + uniform()) : undefined;
          const result = kernelKmeans(X, { clusters, sigma: 0.8, restarts: 2, weights });
          expect(result.objective).toBeCloseTo(energy(K, result.labels, weights), 9);
          result.history.slice(1).forEach((value, t) => {
            expect(value).toBeLessThanOrEqual(result.history[t]);
          });
          const labels = result.labels.slice();
          for (let i = 0; i < n; i++) {
            if (result.sizes[result.labels[i]] === 1) continue;
            for (let c = 0; c < clusters; c++) {
              labels[i] = c;
              expect(energy(K, labels, weights)).toBeGreaterThan(result.objective - 1e-9);
            }
            labels[i] = result.labels[i];
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it("is k-means for the linear kernel, and for a Gaussian of huge sigma", () => {
    const plain = kmeans(blobs, { clusters: 3 });
    const linear = kernelKmeans(blobs, { clusters: 3, kernel: "linear" });
    expect(linear.objective).toBeLessThanOrEqual(plain.objective * (1 + 1e-9));
    expect(adjustedRand(linear.labels, plain.labels)).toBeGreaterThan(0.95);
    const huge = kernelKmeans(blobs, { clusters: 3, sigma: 1e8 });
    expect(adjustedRand(huge.labels, linear.labels)).toBe(1);
    expect(huge.objective * 1e16).toBeCloseTo(linear.objective, 4);
  });

  it("counts a weight of 2 as a row that occurs twice, and 0 as none", () => {
    const X = normal(20, 2, 7);
    const weights = Array.from({ length: 20 }, (_, i) => i % 3);
    const rows = weights.flatMap((weight, i) => Array<number>(weight).fill(i));
    const twice = takeRows(X, rows);
    const sigma = 1;
    const initialLabels = Array.from({ length: 20 }, (_, i) => i % 2);
    const a = kernelKmeans(X, { clusters: 2, sigma, weights, restarts: 20 });
    const b = kernelKmeans(twice, { clusters: 2, sigma, restarts: 20 });
    expect(a.objective).toBeCloseTo(b.objective, 9);
    expect(a.labels).toHaveLength(20);
    expect(kernelKmeans(X, { clusters: 2, sigma, weights, initialLabels }).converged).toBe(true);
  });

  it("sees through a kernel what k-means on the rows does not", () => {
    // Points on two lines through the origin: squares and products of the coordinates tell them apart.
    const { normal: draw } = random(3);
    const truth = Array.from({ length: 120 }, (_, i) => i % 2);
    const X = fromRows(
      truth.map((line, i) => {
        const t = (i % 4 < 2 ? 1 : -1) * (2 + Math.abs(draw()) / 4);
        return line === 0 ? [t, 0.1 * draw()] : [0.1 * draw(), t];
      }),
    );
    expect(adjustedRand(kmeans(X, { clusters: 2 }).labels, truth)).toBeLessThan(0.5);
    const squared = kernelKmeans(X, { clusters: 2, kernel: "polynomial", offset: 0 });
    expect(adjustedRand(squared.labels, truth)).toBe(1);
  });

  it("predicts its own rows, also after JSON", () => {
    for (const kernel of ["gaussian", "polynomial", "linear"] as const) {
      const result = kernelKmeans(blobs, { clusters: 3, kernel });
      expect(adjustedRand(result.predict(blobs), result.labels)).toBeGreaterThan(0.9);
      const back = loadKernelKmeans(JSON.parse(JSON.stringify(result.model())));
      expect(back.predict(blobs)).toEqual(result.predict(blobs));
      expect(() => result.predict(moons)).toThrow(/2 columns, but the clusters have 3/);
      expect(() => loadKernelKmeans({ ...result.model(), labels: [0] })).toThrow(/damaged/);
    }
  });

  it("makes fewer clusters of fewer distinct rows, and says so", () => {
    const twins = fromRows([[1], [1], [5], [5]]);
    const result = kernelKmeans(twins, { clusters: 3, sigma: 2 });
    expect(result.clusters).toBe(2);
    expect(result.warnings.join()).toMatch(/only 2 rows differ/);
    expect(result.objective).toBeLessThan(1e-12);
    expect(kernelKmeans(fromRows([[1], [1]]), { clusters: 2 }).clusters).toBe(1);
  });

  it("says when sigma is too small to compare rows", () => {
    const { warnings, labels } = kernelKmeans(blobs, { clusters: 3, sigma: 1e-6 });
    expect(warnings.join()).toMatch(/almost 0.*a larger sigma/);
    expect(labels.every((label) => label >= 0 && label < 3)).toBe(true);
  });

  it("refuses bad input by name", () => {
    const X = fromRows([[1], [2]]);
    expect(() => kernelKmeans(X, { clusters: 3 })).toThrow(/cannot make 3 clusters of 2 rows/);
    expect(() => kernelKmeans(X, { clusters: 2, sigma: 0 })).toThrow(/"sigma" must be .* above 0/);
    expect(() => kernelKmeans(X, { clusters: 2, weights: [1] })).toThrow(/2 rows, but 1 weights/);
    expect(() => kernelKmeans(X, { clusters: 2, weights: [1, -1] })).toThrow(/weight of row 1 is -1/);
    expect(() => kernelKmeans(X, { clusters: 2, weights: [0, 0] })).toThrow(/all weights are 0/);
    expect(() => kernelKmeans(X, { clusters: 2, initialLabels: [0, 2] })).toThrow(/label of row 1 is 2/);
    expect(() => kernelKmeans(X, { clusters: 2, initialLabels: [0, 1], restarts: 3 })).toThrow(/must be 1/);
  });
});
