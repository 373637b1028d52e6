import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import {
  components,
  edgeList,
  nearestNeighbors,
  neighborGraph,
  requireEdges,
} from "../../src/graph/index.ts";
import { fromRows, matrix, type Matrix } from "../../src/matrix/index.ts";

function gaussian(n: number, d: number, seed: number): Matrix {
  const draw = random(seed);
  return matrix(
    n,
    d,
    Float64Array.from({ length: n * d }, () => draw.normal()),
  );
}

function pairsOf(graph: { from: Int32Array; to: Int32Array }): string[] {
  return Array.from(graph.from, (i, e) => `${i}-${graph.to[e]}`);
}

describe("neighborGraph", () => {
  test.each(["mutual", "union"] as const)("%s pairs are those of the definition, in order", (kind) => {
    const X = gaussian(60, 3, 4);
    const k = 4;
    const { indices } = nearestNeighbors(X, k);
    const lists = Array.from({ length: 60 }, (_, i) => new Set(indices.slice(i * k, (i + 1) * k)));
    const expected: string[] = [];
    for (let i = 0; i < 60; i++) {
      for (let j = i + 1; j < 60; j++) {
        const both = lists[i].has(j) && lists[j].has(i);
        const one = lists[i].has(j) || lists[j].has(i);
        if (kind === "mutual" ? both : one) expected.push(`${i}-${j}`);
      }
    }
    expect(pairsOf(neighborGraph(X, { neighbors: k, kind }).graph)).toEqual(expected);
  });

  test("weights: raw form, scale-free form, alpha 0", () => {
    const X = fromRows([[0], [1], [3]]);
    const raw = neighborGraph(X, { neighbors: 2, alpha: 0.5, scaleFree: false });
    expect(Array.from(raw.graph.weights)).toEqual([Math.exp(-0.5), Math.exp(-4.5), Math.exp(-2)]);
    const free = neighborGraph(X, { neighbors: 2, alpha: 0.5 });
    expect(free.scale).toBe(4);
    expect(Array.from(free.graph.weights)).toEqual([Math.exp(-0.125), Math.exp(-1.125), Math.exp(-0.5)]);
    expect(Array.from(neighborGraph(X, { neighbors: 2, alpha: 0 }).graph.weights)).toEqual([1, 1, 1]);
  });

  test("the scale-free graph does not change with the unit or the origin of the data", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e6 }),
        fc.constantFrom(2 ** -20, 0.25, 8, 2 ** 30),
        (seed, unit) => {
          const X = gaussian(40, 2, seed);
          const Y = matrix(
            40,
            2,
            X.data.map((x) => x * unit),
          );
          const a = neighborGraph(X, { neighbors: 5 }).graph;
          const b = neighborGraph(Y, { neighbors: 5 }).graph;
          expect(pairsOf(b)).toEqual(pairsOf(a));
          for (let e = 0; e < a.weights.length; e++) expect(b.weights[e]).toBeCloseTo(a.weights[e], 12);
        },
      ),
      { numRuns: 20 },
    );
  });

  test("far apart groups: components are counted, and joined on request by edges that are not lighter than the rest", () => {
    const draw = random(1);
    const X = matrix(
      30,
      2,
      Float64Array.from({ length: 60 }, (_, p) => draw.normal() + 1000 * Math.floor(p / 20)),
    );
    const apart = neighborGraph(X, { neighbors: 9 });
    expect(apart.components).toBe(3);
    expect(apart.joined).toBe(0);
    const joined = neighborGraph(X, { neighbors: 9, join: true });
    expect(joined.components).toBe(1);
    expect(joined.joined).toBe(2);
    expect(components(joined.graph).count).toBe(1);
    expect(Math.min(...joined.graph.weights)).toBe(Math.min(...apart.graph.weights));
  });

  test("weights that underflow are dropped, and the result says so", () => {
    const X = fromRows([[0], [0.001], [50], [50.001]]);
    const result = neighborGraph(X, { neighbors: 3, alpha: 1, scaleFree: false });
    expect(pairsOf(result.graph)).toEqual(["0-1", "2-3"]);
    expect(result.dropped).toBe(4);
    expect(result.warnings[0]).toMatch(/4 of 6 edges .* smaller alpha/);
  });

  test("duplicate rows: weight 1 between them, and a scale from the other distances", () => {
    const X = fromRows([[0], [0], [0], [0], [2]]);
    const { graph, scale } = neighborGraph(X, { neighbors: 4 });
    expect(scale).toBe(4);
    expect(graph.weights[0]).toBe(1);
    expect(neighborGraph(matrix(5, 2), { neighbors: 2 }).graph.weights.every((w) => w === 1)).toBe(true);
  });

  test("refuses one row and options it does not know", () => {
    expect(() => neighborGraph(matrix(1, 2))).toThrow(/at least 2 rows/);
    expect(() => neighborGraph(matrix(3, 2), { neighbours: 3 } as object)).toThrow(/no option "neighbours"/);
    expect(() => neighborGraph(matrix(3, 2), { alpha: -1 })).toThrow(/alpha/);
  });
});

describe("edgeList", () => {
  test("orders pairs, drops weight zero", () => {
    const graph = edgeList(
      4,
      [
        [3, 1],
        [0, 1],
        [2, 0],
      ],
      [2, 1, 0],
    );
    expect(pairsOf(graph)).toEqual(["0-1", "1-3"]);
    expect(Array.from(graph.weights)).toEqual([1, 2]);
  });

  test("names the bad edge", () => {
    expect(() => edgeList(3, [[0, 1]], [Number.NaN])).toThrow(/edge 0 \(0, 1\) has weight NaN/);
    expect(() => edgeList(3, [[0, 1]], [-1])).toThrow(/weight -1/);
    expect(() => edgeList(3, [[0, 3]])).toThrow(/leaves the rows 0 to 2/);
    expect(() => edgeList(3, [[2, 2]])).toThrow(/joins a row with itself/);
    expect(() => edgeList(3, [[0.5, 2]])).toThrow(/not a row number: 0.5/);
    expect(() =>
      edgeList(3, [
        [0, 1],
        [1, 0],
      ]),
    ).toThrow(/edges 0 and 1 join the same rows 0 and 1/);
    expect(() => edgeList(3, [[0, 1]], [1, 2])).toThrow(/1 edges, but 2 weights/);
    const short = { nodes: 2, from: new Int32Array(1), to: new Int32Array(0), weights: new Float64Array(1) };
    expect(() => requireEdges(short)).toThrow(/as many/);
  });
});

describe("components", () => {
  test("of the whole graph and of a part of its edges", () => {
    const graph = edgeList(5, [
      [0, 1],
      [1, 2],
      [3, 4],
    ]);
    expect(Array.from(components(graph).labels)).toEqual([0, 0, 0, 1, 1]);
    const part = components(graph, [0, 1, 1]);
    expect(Array.from(part.labels)).toEqual([0, 1, 1, 2, 2]);
    expect(Array.from(part.sizes)).toEqual([1, 2, 2]);
  });
});

test("more neighbours than there are others join all rows", () => {
  const { graph } = neighborGraph(fromRows([[0], [1], [3], [7]]), { neighbors: 10 });
  expect(graph.from).toHaveLength(6);
});

test("local scaling divides by the distances to the neighbours of a rank", () => {
  const { normal } = random(6);
  const X = matrix(
    40,
    3,
    Float64Array.from({ length: 120 }, () => normal()),
  );
  const { graph } = neighborGraph(X, { neighbors: 5, kind: "union", localScale: 3 });
  const squared = (i: number, j: number): number =>
    [0, 1, 2].reduce((sum, f) => sum + (X.data[3 * i + f] - X.data[3 * j + f]) ** 2, 0);
  const scales = Array.from({ length: 40 }, (_, i) => {
    const others = Array.from({ length: 40 }, (_, j) => squared(i, j)).sort((a, b) => a - b);
    return Math.sqrt(others[3]); // after the row itself
  });
  graph.from.forEach((i, e) => {
    const j = graph.to[e];
    expect(graph.weights[e]).toBeCloseTo(Math.exp(-squared(i, j) / (scales[i] * scales[j])), 12);
  });
});
