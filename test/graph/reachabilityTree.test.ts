import { describe, expect, test } from "vitest";
import { nearestNeighbors } from "../../src/graph/nearestNeighbors.ts";
import { reachabilityTree } from "../../src/graph/spanningTree.ts";
import { withSearchTree } from "../../src/graph/kdTree.ts";
import { unionFind } from "../../src/graph/unionFind.ts";
import { matrix, type Matrix } from "../../src/matrix/matrix.ts";
import { nearestRows } from "../../src/matrix/nearest.ts";
import { random } from "../../src/core/random.ts";
import { clouds } from "../cluster/clouds.ts";
import { primCosts } from "./prim.ts";

const { integer } = random(8);
const grid = matrix(
  300,
  2,
  Float64Array.from({ length: 600 }, () => integer(9)),
);
/** Rows of equal core distances, whose neighbours are at different distances. */
const gaps = matrix(
  200,
  2,
  Float64Array.from({ length: 400 }, () => integer(30)),
);
const sets: readonly (readonly [string, Matrix])[] = [
  ["2 columns", clouds(900, 2, 5, 4, 1).X],
  ["10 columns", clouds(500, 10, 4, 6, 2).X],
  ["40 columns", clouds(250, 40, 3, 1, 3).X],
  ["a grid with duplicates", grid],
  ["a grid with gaps", gaps],
];

describe.each(sets)("%s", (_, X) => {
  const k = 6;
  const near = nearestNeighbors(X, k);
  const cores = Float64Array.from({ length: X.rows }, (_, i) => near.distances[(i + 1) * k - 1]);

  test("the tree finds the neighbours that comparing all rows finds, bit for bit", () => {
    const found = withSearchTree(X, (tree) => tree.nearest(k));
    const all = nearestRows(X, k);
    expect(found.indices).toEqual(all.indices);
    expect(found.distances).toEqual(all.distances);
    const share = withSearchTree(X, (tree) => tree.measured(k));
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThanOrEqual(1);
  });

  test("the spanning tree has the costs of Prim's, and its edges have them", () => {
    const { from, to, distances } = reachabilityTree(X, cores, near);
    expect(distances).toEqual(primCosts(X, cores));
    const sets = unionFind(X.rows);
    from.forEach((i, e) => {
      expect(sets.union(i, to[e])).toBe(true);
      let length = 0;
      for (let f = 0; f < X.cols; f++) length += (X.data[i * X.cols + f] - X.data[to[e] * X.cols + f]) ** 2;
      expect(Math.max(length, cores[i], cores[to[e]])).toBe(distances[e]);
    });
  });

  test.runIf(X.rows <= 500)("among edges of one cost the shorter ones are taken", () => {
    const lengthOf = (i: number, j: number): number => {
      let length = 0;
      for (let f = 0; f < X.cols; f++) length += (X.data[i * X.cols + f] - X.data[j * X.cols + f]) ** 2;
      return length;
    };
    const pairs: { i: number; j: number; cost: number; length: number }[] = [];
    for (let i = 0; i < X.rows; i++) {
      for (let j = 0; j < i; j++) {
        const length = lengthOf(i, j);
        pairs.push({ i, j, length, cost: Math.max(length, cores[i], cores[j]) });
      }
    }
    pairs.sort((a, b) => a.cost - b.cost || a.length - b.length);
    const sets = unionFind(X.rows);
    const kruskal = pairs.filter(({ i, j }) => sets.union(i, j));
    const { from, to } = reachabilityTree(X, cores, near);
    expect(Array.from(from, (i, e) => lengthOf(i, to[e]))).toEqual(kruskal.map(({ length }) => length));
  });
});
