import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sphericalKmeans } from "../../../src/cluster/index.ts";
import { matrix, row } from "../../../src/matrix/index.ts";
import { clouds } from "../clouds.ts";

const cosine = (x: Float64Array, y: Float64Array): number =>
  x.reduce((sum, value, f) => sum + value * y[f], 0) / Math.hypot(...x) / Math.hypot(...y);

test("E is what the labels and the directions say, never rises, and no row has a nearer direction", () => {
  fc.assert(
    fc.property(fc.nat(1e6), fc.integer({ min: 1, max: 6 }), (seed, clusters) => {
      const { X } = clouds(60, 3, 3, 1, seed);
      const weights = Float64Array.from({ length: 60 }, (_, i) => i % 4);
      const { labels, centers, objective, history, converged } = sphericalKmeans(X, {
        clusters,
        seed,
        weights,
      });
      expect(converged).toBe(true);
      let E = 0;
      for (let i = 0; i < 60; i++) {
        const cosines = Array.from({ length: clusters }, (_, k) => cosine(row(X, i), row(centers, k)));
        E += weights[i] * (1 - cosines[labels[i]]);
        expect(Math.max(...cosines) - cosines[labels[i]]).toBeLessThan(1e-12);
      }
      expect(objective).toBeCloseTo(E, 9);
      history.slice(1).forEach((value, t) => expect(value).toBeLessThanOrEqual(history[t] + 1e-12));
    }),
    { numRuns: 30 },
  );
});

test("lengths of rows do not matter; a row of zeros and too few directions are said", () => {
  const { X } = clouds(90, 4, 3, 0.5, 2);
  // Each row by a factor of its own, a power of two: its direction has the same bits.
  const stretched = matrix(
    90,
    4,
    X.data.map((value, p) => value * 2 ** (Math.floor(p / 4) % 5)),
  );
  const found = sphericalKmeans(X, { clusters: 3, restarts: 30 });
  const again = sphericalKmeans(stretched, { clusters: 3, restarts: 30 });
  expect(again.objective).toBeCloseTo(found.objective, 9);
  expect(found.predict(stretched)).toEqual(found.labels);
  expect(again.predict(X)).toEqual(again.labels);
  expect(() => sphericalKmeans(matrix(3, 2), { clusters: 2 })).toThrow(/has no cosine/);
  const few = sphericalKmeans(matrix(3, 1, Float64Array.of(1, 2, 5)), { clusters: 2 });
  expect(few.clusters).toBe(1);
  expect(few.warnings).toContain("the rows have only 1 distinct directions");
});
