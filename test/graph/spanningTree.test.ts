import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { joinGroups, minimumSpanningTree, unionFind } from "../../src/graph/index.ts";
import { matrix, type Matrix } from "../../src/matrix/index.ts";

function squaredDistance(X: Matrix, i: number, j: number): number {
  let sum = 0;
  for (let f = 0; f < X.cols; f++) sum += (X.data[i * X.cols + f] - X.data[j * X.cols + f]) ** 2;
  return sum;
}

/** Kruskal on all pairs of rows that lie in different groups. */
function bruteForceTotal(X: Matrix, groups: Int32Array): { total: number; count: number } {
  const pairs: { i: number; j: number; distance: number }[] = [];
  const sets = unionFind(X.rows);
  for (let i = 0; i < X.rows; i++) {
    for (let j = i + 1; j < X.rows; j++) {
      if (groups[i] === groups[j]) sets.union(i, j);
      else pairs.push({ i, j, distance: squaredDistance(X, i, j) });
    }
  }
  pairs.sort((a, b) => a.distance - b.distance);
  let total = 0;
  let count = 0;
  for (const { i, j, distance } of pairs) {
    if (!sets.union(i, j)) continue;
    total += distance;
    count++;
  }
  return { total, count };
}

describe("minimumSpanningTree", () => {
  test("a known graph", () => {
    const from = [0, 0, 1, 1, 2, 3];
    const to = [1, 2, 2, 3, 3, 4];
    const tree = minimumSpanningTree(5, from, to, [4, 1, 2, 7, 3, 5]);
    expect(Array.from(tree)).toEqual([1, 2, 4, 5]);
  });

  test("a graph in two parts gives a forest", () => {
    expect(Array.from(minimumSpanningTree(4, [0, 2], [1, 3], [2, 1]))).toEqual([1, 0]);
  });

  test("no edges, no nodes", () => {
    expect(minimumSpanningTree(3, [], [], [])).toHaveLength(0);
    expect(minimumSpanningTree(0, [], [], [])).toHaveLength(0);
  });
});

describe("joinGroups", () => {
  test("joins groups at the least total distance", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 70 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 1e6 }),
        fc.boolean(),
        (n, d, groupCount, seed, onGrid) => {
          const draw = random(seed);
          const X = matrix(
            n,
            d,
            Float64Array.from({ length: n * d }, () => (onGrid ? draw.integer(4) : draw.normal())),
          );
          const groups = Int32Array.from({ length: n }, () => draw.integer(groupCount));
          const joins = joinGroups(X, groups);
          const expected = bruteForceTotal(X, groups);
          expect(joins.from).toHaveLength(expected.count);
          expect(joins.distances.reduce((a, b) => a + b, 0)).toBeCloseTo(expected.total, 9);
          const sets = unionFind(n);
          for (let i = 0; i < n; i++) {
            for (let j = 0; j < i; j++) if (groups[i] === groups[j]) sets.union(i, j);
          }
          for (let e = 0; e < joins.from.length; e++) {
            expect(joins.from[e]).toBeLessThan(joins.to[e]);
            expect(joins.distances[e]).toBe(squaredDistance(X, joins.from[e], joins.to[e]));
            sets.union(joins.from[e], joins.to[e]);
          }
          expect(sets.count).toBe(1);
        },
      ),
      { numRuns: 80 },
    );
  });

  test("with many ties the lengths are those of Kruskal, and the answer is always the same", () => {
    for (let seed = 0; seed < 20; seed++) {
      const draw = random(seed);
      const n = 150;
      const X = matrix(
        n,
        2,
        Float64Array.from({ length: 2 * n }, () => draw.integer(16)),
      );
      const pairs = Array.from({ length: n * n }, (_, p) => [Math.floor(p / n), p % n]).filter(
        ([i, j]) => i < j,
      );
      const lengths = pairs.map(([i, j]) => squaredDistance(X, i, j));
      const [from, to] = [0, 1].map((end) => pairs.map((pair) => pair[end]));
      const expected = Array.from(minimumSpanningTree(n, from, to, lengths), (e) => lengths[e]);
      const own = Int32Array.from({ length: n }, (_, i) => i);
      const joins = joinGroups(X, own);
      expect(Array.from(joins.distances.toSorted())).toEqual(expected.toSorted((a, b) => a - b));
      expect(joinGroups(X, own)).toEqual(joins);
    }
  });

  test("one group needs no join; every row its own group is the Euclidean spanning tree", () => {
    const X = matrix(6, 1, Float64Array.from([0, 10, 1, 12, 3, 11]));
    expect(joinGroups(X, new Int32Array(6)).from).toHaveLength(0);
    const tree = joinGroups(X, Int32Array.from([0, 1, 2, 3, 4, 5]));
    expect(tree.distances.toSorted()).toEqual(Float64Array.from([1, 1, 1, 4, 49]));
  });
});
