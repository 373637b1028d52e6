import { describe, expect, test } from "vitest";
import { random } from "../../../src/core/random.ts";
import {
  checkConstraints,
  samplePairs,
  scale,
  type Constraints,
  type Pair,
} from "../../../src/data/index.ts";
import { fromRows, matrix, row, type Matrix } from "../../../src/matrix/index.ts";
import { distBoost, loadDistBoost } from "../../../src/metric/index.ts";
import { constrainedMixture } from "../../../src/metric/pairs/distBoost.ts";
import { adjustedRand } from "../../../src/score/index.ts";

/** Two classes that a shift of one column tells apart, and three columns of noise with more spread. */
function sample(n: number, K: number): { X: Matrix; y: number[] } {
  const stream = random(4);
  const X = matrix(n, 4);
  const y = Array.from({ length: n }, (_, i) => i % K);
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < 4; f++) X.data[i * 4 + f] = stream.normal() + (f === 0 ? 4 * y[i] : 0);
  }
  return { X: scale(X).X, y };
}

describe.each([2, 3])("%s components", (components) => {
  const { X, y } = sample(90, components);
  const fit = distBoost(X, { ...samplePairs(y, { mustLink: 80, cannotLink: 80 }), components, rounds: 8 });
  const all: Pair[] = Array.from({ length: 300 }, (_, p) => [p % 90, (7 * p + 1) % 90] as Pair).filter(
    ([i, j]) => i !== j,
  );

  test("tells pairs apart that it was not given", () => {
    const H = fit.similarities(X, all);
    const right = all.filter(([i, j], p) => H[p] > 0 === (y[i] === y[j])).length;
    expect(right / all.length).toBeGreaterThan(0.85);
    expect(fit.pairError).toBeLessThan(0.1);
    expect(fit.agreements.every((r) => r > 0)).toBe(true);
  });

  test("values lie in [-1, 1], distances in [0, 1], both symmetric", () => {
    fit.similarities(X, all).forEach((H, p) => {
      const [i, j] = all[p];
      expect(Math.abs(H)).toBeLessThanOrEqual(1 + 1e-12);
      expect(fit.distance(row(X, i), row(X, j))).toBeCloseTo((1 - H) / 2, 12);
      expect(fit.distance(row(X, j), row(X, i))).toBeCloseTo((1 - H) / 2, 12);
    });
  });

  test("the transform's inner products rank as H does, and are H for two components", () => {
    const T = fit.transform(X);
    const H = fit.similarities(X, all);
    all.forEach(([i, j], p) => {
      const inner = row(T, i).reduce((sum, value, c) => sum + value * row(T, j)[c], 0);
      expect(Math.abs(inner - H[p])).toBeLessThanOrEqual(1 - 2 / components + 1e-9);
    });
  });

  test("JSON keeps the distance, and a damaged file is refused", () => {
    const stored = JSON.parse(JSON.stringify(fit));
    const again = loadDistBoost(stored);
    expect(again.similarities(X, all)).toEqual(fit.similarities(X, all));
    expect(again.pairError).toBe(fit.pairError);
    expect(() => loadDistBoost({ ...stored, strengths: [1] })).toThrow(/damaged/);
    expect(() => loadDistBoost({ ...stored, kind: "bregman" })).toThrow(
      /the DistBoost distance is damaged.*"kind" must be "dist-boost"/,
    );
  });

  test("the same seed gives the same distance", () => {
    const again = distBoost(X, {
      ...samplePairs(y, { mustLink: 80, cannotLink: 80 }),
      components,
      rounds: 8,
    });
    expect(again.strengths).toEqual(fit.strengths);
  });
});

test("without a number of components it takes one that the pairs agree with, and says that pairs repeat", () => {
  const { X, y } = sample(90, 3);
  const { mustLink, cannotLink } = samplePairs(y, { mustLink: 80, cannotLink: 80 });
  const fit = distBoost(X, { mustLink: [...mustLink, mustLink[0]], cannotLink, rounds: 8 });
  expect(fit.components).toBeGreaterThan(2);
  expect(fit.pairError).toBeLessThan(0.1);
  expect(fit.warnings.join()).toContain("1 pair has been given before and counts once");
});

test("a mixture starts at rows and the spread of all of them, and finds clouds", () => {
  const { X, y } = sample(90, 3);
  const even = new Float64Array(90).fill(1);
  const start = constrainedMixture(X, even, checkConstraints(90, {}), 3, 0, random(1));
  for (const { mean, share } of start.components) {
    const nearest = Math.min(...y.map((_, i) => Math.hypot(...row(X, i).map((value, f) => value - mean[f]))));
    expect(nearest).toBeLessThan(1e-12);
    expect(share).toBeCloseTo(1 / 3, 12);
  }
  const pairs = checkConstraints(90, samplePairs(y, { mustLink: 60, cannotLink: 60 }));
  const { component, confidence } = constrainedMixture(X, even, pairs, 3, 20, random(1)).classify(X);
  expect(adjustedRand(component, y)).toBeGreaterThan(0.8);
  expect(Math.min(...confidence)).toBeGreaterThanOrEqual(1 / 3);
});

test.each([1, 3, 7, 21])(
  "pairs that nothing can tell apart, %i of each kind: distance 1/2, no NaN",
  (count) => {
    // Equal rows: every learner agrees with the pairs by chance, up to the rounding of the sum.
    const X = matrix(4 * count, 2);
    const link = (from: number): Pair[] =>
      Array.from({ length: count }, (_, p) => [from + 2 * p, from + 2 * p + 1]);
    const fit = distBoost(X, { mustLink: link(0), cannotLink: link(2 * count), rounds: 3 });
    expect(fit.strengths).toHaveLength(0);
    expect(fit.warnings.join()).toMatch(/better than chance/);
    expect(fit.distance([0, 0], [1, 1])).toBe(0.5);
    expect(fit.transform(X)).toEqual(matrix(X.rows, 2));
    expect(loadDistBoost(JSON.parse(JSON.stringify(fit))).distance([0, 0], [1, 1])).toBe(0.5);
  },
);

test("bad input", () => {
  const X = fromRows([
    [0, 1],
    [1, 0],
    [2, 2],
  ]);
  const pairs: Constraints = { mustLink: [[0, 1]], cannotLink: [[0, 2]] };
  expect(() => distBoost(X, { ...pairs, cannotLink: [] })).toThrow(/at least one of each/);
  expect(() => distBoost(X, { ...pairs, components: 4 })).toThrow(/4 components for 3 rows/);
  expect(() => distBoost(X, { ...pairs, mustLink: [[0, 2]] })).toThrow(/contradict/);
  expect(() => distBoost(X, pairs).distance([1], [2, 3])).toThrow(/2 columns/);
});
