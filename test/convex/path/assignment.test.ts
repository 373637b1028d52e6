import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assignClusters, bigSize, clusterMeans, countBig } from "../../../src/convex/path/assignment.ts";
import { random } from "../../../src/core/random.ts";
import { fromRows, matrix } from "../../../src/matrix/index.ts";

describe("assignClusters", () => {
  // Two pairs, a triple and a far row: components 0 (rows 0-2), 1 (3, 4), 2 (5, 6), 3 (7).
  const X = fromRows([[0], [0.1], [0.2], [5], [5.1], [7], [7.1], [6.9]]);
  const labels = Int32Array.from([0, 0, 0, 1, 1, 2, 2, 3]);
  const sizes = Int32Array.from([3, 2, 2, 1]);

  test("keeps the K largest components and gives the other rows to the nearest", () => {
    const found = assignClusters(X, labels, sizes, 2, 2, "largest")!;
    expect(Array.from(found.labels)).toEqual([0, 0, 0, 1, 1, 1, 1, 1]);
    expect(found.coverage).toBe(5 / 8);
    expect(Array.from(found.sizes)).toEqual([3, 5]);
    expect(found.centers.data[1]).toBeCloseTo((5 + 5.1 + 7 + 7.1 + 6.9) / 5, 12);
  });

  test("merges big components at the least growth of variance", () => {
    const found = assignClusters(X, labels, sizes, 2, 2, "ward")!;
    expect(Array.from(found.labels)).toEqual([1, 1, 1, 0, 0, 0, 0, 0]);
    expect(found.coverage).toBe(7 / 8);
    const three = assignClusters(X, labels, sizes, 3, 2, "ward")!;
    expect(Array.from(three.labels)).toEqual([0, 0, 0, 1, 1, 2, 2, 2]);
  });

  test("offers nothing when too few components are big", () => {
    expect(assignClusters(X, labels, sizes, 2, 3, "largest")).toBeUndefined();
    expect(countBig(sizes, 2)).toBe(3);
    expect(bigSize(1000, 5)).toBe(30);
    expect(bigSize(10, 5)).toBe(3);
  });

  test("any components become K clusters, none empty, each row of a kept component with its component", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 40 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 1e6 }),
        fc.constantFrom("largest" as const, "ward" as const),
        (n, clusters, seed, merge) => {
          const draw = random(seed);
          const X = matrix(
            n,
            2,
            Float64Array.from({ length: 2 * n }, () => draw.normal()),
          );
          const components = Int32Array.from({ length: n }, (_, i) =>
            i < clusters ? i : draw.integer(clusters + 3),
          );
          const sizes = new Int32Array(clusters + 3);
          for (const component of components) sizes[component]++;
          const found = assignClusters(X, components, sizes, clusters, 1, merge)!;
          expect(found.sizes.every((size) => size > 0)).toBe(true);
          expect(Array.from(clusterMeans(X, found.labels, clusters).sizes)).toEqual(Array.from(found.sizes));
          expect(found.coverage).toBeGreaterThan(0);
          expect(merge === "ward" ? found.coverage : 1).toBe(1);
        },
      ),
      { numRuns: 100 },
    );
  });
});
