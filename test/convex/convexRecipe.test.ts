import { describe, expect, test } from "vitest";
import { convexRecipe } from "../../src/recipes/index.ts";
import { principalComponents } from "../../src/matrix/principalComponents.ts";
import { random } from "../../src/core/random.ts";
import { blobs } from "../../src/data/index.ts";
import { fromRows, gram, matrix, multiply, transpose } from "../../src/matrix/index.ts";
import { adjustedRand, rand } from "../../src/score/index.ts";
import { mapped } from "../../src/matrix/matrix.ts";
import { gaussians } from "./gaussians.ts";

describe("convexRecipe", () => {
  const { X, y } = gaussians(3, 40, 4, 3);

  test("says so where there are fewer distinct rows than clusters", () => {
    const X = matrix(
      20,
      2,
      Float64Array.from({ length: 40 }, (_, p) => (p < 20 ? 1 : 5) + (p % 2)),
    );
    const { sizes, warnings } = convexRecipe(X, { clusters: 3 });
    expect(Array.from(sizes)).toEqual([10, 10]);
    expect(warnings.join()).toContain("3 clusters were asked for");
  });

  test("runs the chain and k-means, and says which it took", () => {
    const found = convexRecipe(X, { clusters: 3 });
    expect(rand(y, found.labels)).toBeGreaterThan(0.97);
    expect(found.form).toBe("full");
    expect(found.reason).toMatch(/120 rows and 4 dimensions/);
    expect(new Set(found.candidates.map(({ method }) => method))).toEqual(
      new Set(["cc", "ccml", "ccscml", "kmeans"]),
    );
    expect(found.candidates[0].labels).toBe(found.labels);
    const best = Math.max(...found.candidates.map(({ modularity }) => modularity));
    expect(found.candidates[0].modularity).toBeGreaterThanOrEqual(best * 0.98);
    for (const { certificate } of found.candidates)
      expect(certificate?.relativeGap ?? 0).toBeLessThanOrEqual(1e-6);
    expect(found.metric.relevance.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 10);
    expect(Array.from(found.predict(found.centers))).toEqual([0, 1, 2]);
  });

  test("finds the number of clusters by itself", () => {
    expect(convexRecipe(X).sizes).toHaveLength(3);
  });

  test("projects data of many features, with the metric and the prediction back on the features", () => {
    const draw = random(2);
    const wide = matrix(120, 30);
    for (let i = 0; i < 120; i++) {
      for (let f = 0; f < 30; f++) {
        wide.data[30 * i + f] = (f < 27 ? X.data[4 * i + (f % 3)] : 0) + 0.3 * draw.normal();
      }
    }
    const found = convexRecipe(wide, { clusters: 3 });
    expect(found.warnings.join()).toMatch(/principal components, \d+ % of the variance of 30 features/);
    expect(rand(y, found.labels)).toBeGreaterThan(0.97);
    expect(found.metric.projection?.rows).toBe(30);
    expect(found.metric.relevance).toHaveLength(30);
    expect(found.metric.relevance.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 10);
    expect(adjustedRand(found.predict(wide), found.labels)).toBeGreaterThan(0.9);
  });

  test("its lighter forms agree on clear clusters", () => {
    const many = gaussians(3, 500, 3, 4);
    for (const form of ["light", "landmarks"] as const) {
      const found = convexRecipe(many.X, { clusters: 3, form });
      expect(found.form).toBe(form);
      expect(found.labels).toHaveLength(1500);
      expect(rand(many.y, found.labels)).toBeGreaterThan(0.97);
    }
  });

  test("repeats itself, stops when asked, refuses bad input", () => {
    expect(convexRecipe(X, { clusters: 4 }).labels).toEqual(convexRecipe(X, { clusters: 4 }).labels);
    let calls = 0;
    const stopped = convexRecipe(gaussians(3, 300, 8, 1).X, { clusters: 3, onProgress: () => ++calls < 2 });
    expect(stopped.labels).toHaveLength(900);
    expect(calls < 2 || !stopped.converged).toBe(true);
    expect(() => convexRecipe(X, { clusters: 121 })).toThrow(/121 clusters cannot be made of 120 rows/);
    expect(() => convexRecipe(X, { klusters: 3 } as object)).toThrow(/no option "klusters"/);
    expect(() => convexRecipe(fromRows([[1], [Number.NaN]]), { clusters: 1 })).toThrow(/row 1/);
  });

  test("small, degenerate data", () => {
    expect(Array.from(convexRecipe(fromRows([[0], [1]]), { clusters: 2 }).sizes)).toEqual([1, 1]);
    expect(
      Array.from(convexRecipe(fromRows([[0], [0], [9], [9]]), { clusters: 2 }).labels.slice(0, 2)),
    ).toEqual([
      convexRecipe(fromRows([[0], [0], [9], [9]]), { clusters: 2 }).labels[0],
      convexRecipe(fromRows([[0], [0], [9], [9]]), { clusters: 2 }).labels[0],
    ]);
    expect(Array.from(convexRecipe(X, { clusters: 1 }).sizes)).toEqual([120]);
    expect(() => convexRecipe(matrix(3, 2), { clusters: 2 })).toThrow(/every column is constant/);
  });
});

describe("principalComponents", () => {
  const draw = random(9);
  const cells = Float64Array.from({ length: 60 * 8 }, (_, p) => draw.normal() * (1 + (p % 8)));

  test.each([
    ["more rows than columns", matrix(60, 8, cells)],
    ["more columns than rows", transpose(matrix(60, 8, cells))],
  ])("%s: orthonormal loadings, scores of the asked share of variance", (_name, A) => {
    const { scores, V, mean, share } = principalComponents(A, 0.9, 100);
    expect(share).toBeGreaterThanOrEqual(0.9);
    const product = gram(V);
    for (let i = 0; i < V.cols; i++) {
      for (let j = 0; j < V.cols; j++) expect(product.data[i * V.cols + j]).toBeCloseTo(i === j ? 1 : 0, 9);
    }
    const centered = mapped(A, (a, p) => a - mean[p % A.cols]);
    const again = multiply(centered, V);
    again.data.forEach((value, p) => expect(scores.data[p]).toBeCloseTo(value, 9));
    let held = 0;
    let total = 0;
    for (const value of scores.data) held += value * value;
    for (const value of centered.data) total += value * value;
    expect(held / total).toBeCloseTo(share, 9);
  });

  test("at most as many as asked for", () => {
    expect(principalComponents(matrix(60, 8, cells), 1, 2).V.cols).toBe(2);
  });
});

test("many rows are clustered by weighted representatives", () => {
  const { X, labels } = blobs({ rows: 4000, features: 4, clusters: 4, seed: 3 });
  const found = convexRecipe(X, { clusters: 4, form: "representatives" });
  expect(found.form).toBe("representatives");
  expect(adjustedRand(found.labels, labels)).toBeGreaterThan(0.99);
  expect(found.candidates.map(({ method }) => method).sort()).toEqual(["cc", "cc", "kmeans"]);
  expect(found.sizes.reduce((a, b) => a + b, 0)).toBe(4000);
  expect(found.compression).toMatchObject({ rows: 4000, representatives: 4000, share: 0 });
  expect(found.predict(X).filter((label, i) => label !== found.labels[i]).length).toBeLessThan(40);
});
