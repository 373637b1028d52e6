import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import fixtures from "../fixtures/scores.json" with { type: "json" };
import { random } from "../../src/core/index.ts";
import { fromRows, matrix, row, type Matrix } from "../../src/matrix/index.ts";
import { modularity, silhouette, silhouetteRows, withinSumOfSquares } from "../../src/score/index.ts";

const X = fromRows(fixtures.silhouette.X);
const { labels } = fixtures.silhouette;

describe("silhouette", () => {
  it("agrees with scikit-learn row by row, with 0 for a cluster of one", () => {
    const { values } = silhouetteRows(X, labels);
    values.forEach((value, i) => expect(value).toBeCloseTo(fixtures.silhouette.values[i], 12));
    expect(values[44]).toBe(0);
  });

  it("scores a seeded sample of the rows against all rows", () => {
    const { rows, values } = silhouetteRows(X, labels, { sample: 10, seed: 3 });
    expect(new Set(rows).size).toBe(10);
    rows.forEach((i, r) => expect(values[r]).toBeCloseTo(fixtures.silhouette.values[i], 12));
    expect(silhouette(X, labels, { sample: 1000 })).toBe(silhouette(X, labels));
  });

  it("is defined for one cluster, for coinciding rows and for unknown labels", () => {
    expect(
      silhouette(
        X,
        labels.map(() => 0),
      ),
    ).toBe(0);
    expect(
      silhouette(
        X,
        labels.map((_, i) => i),
      ),
    ).toBe(0);
    expect(silhouette(matrix(4, 2), [0, 0, 1, 1])).toBe(0);
    const known = labels.map((label, i) => (i < 5 ? -1 : label));
    expect(silhouetteRows(X, known).rows.length).toBe(X.rows - 5);
    expect(() =>
      silhouette(
        X,
        labels.map(() => ""),
      ),
    ).toThrow("no row");
    expect(() => silhouette(X, [0])).toThrow("45 rows, but 1 labels");
  });

  it("agrees with distances one by one, across blocks and scales", () => {
    const { normal } = random(8);
    const points = matrix(
      300,
      5,
      Float64Array.from({ length: 1500 }, (_, p) => normal() + 20 * (Math.floor(p / 5) % 3)),
    );
    const groups = Array.from({ length: 300 }, (_, i) =>
      i < 20 ? "" : `g${(i % 3) + (i % 7 === 0 ? 1 : 0)}`,
    );
    const { rows, values } = silhouetteRows(points, groups);
    rows.forEach((i, r) => expect(values[r]).toBeCloseTo(slowSilhouette(points, groups, i), 11));
    for (const factor of [2 ** -1000, 2 ** 900]) {
      const scaled = matrix(
        300,
        5,
        points.data.map((value) => value * factor),
      );
      expect(silhouette(scaled, groups)).toBeCloseTo(silhouette(points, groups), 12);
    }
  });

  it("does not lose small distances far from the origin", () => {
    const near = fromRows([[1e8], [1e8 + 1], [1e8 + 10], [1e8 + 11]]);
    expect(silhouette(near, [0, 0, 1, 1])).toBeCloseTo(1 - (1 / 10.5 + 1 / 9.5) / 2, 12);
  });
});

describe("withinSumOfSquares", () => {
  it("is the sum of squared deviations from the cluster means", () => {
    expect(withinSumOfSquares(fromRows([[0], [2], [10]]), ["a", "a", "b"])).toBe(2);
    expect(withinSumOfSquares(fromRows([[0], [2], [10]]), ["a", "a", -1])).toBe(2);
    expect(withinSumOfSquares(fromRows([[0], [3]]), [0, 0], [2, 1])).toBeCloseTo(6, 12);
    expect(withinSumOfSquares(fromRows([[1e9], [1e9 + 2]]), [0, 0])).toBe(2);
  });

  it("takes a weight for a number of copies", () => {
    const points = fromRows([
      [1, 2],
      [3, 5],
      [4, 4],
      [1, 2],
      [1, 2],
    ]);
    const merged = fromRows([
      [1, 2],
      [3, 5],
      [4, 4],
    ]);
    expect(withinSumOfSquares(merged, [0, 0, 1], [3, 1, 1])).toBeCloseTo(
      withinSumOfSquares(points, [0, 0, 1, 0, 0]),
      12,
    );
  });

  it("refuses what does not fit", () => {
    expect(() => withinSumOfSquares(X, [0])).toThrow("labels");
    expect(() => withinSumOfSquares(fromRows([[1]]), [0], [-1])).toThrow("row 0");
    expect(() => withinSumOfSquares(fromRows([[Infinity]]), [0])).toThrow("row 0, column 0");
  });
});

describe("modularity", () => {
  it("is the textbook value for two triangles joined by an edge", () => {
    const graph = {
      nodes: 6,
      from: [0, 0, 1, 3, 3, 4, 2],
      to: [1, 2, 2, 4, 5, 5, 3],
      weights: Array(7).fill(1),
    };
    expect(modularity(graph, [0, 0, 0, 1, 1, 1])).toBeCloseTo(6 / 7 - 2 * (7 / 14) ** 2, 14);
    expect(modularity(graph, [0, 0, 0, 0, 0, 0])).toBeCloseTo(0, 14);
    expect(modularity(graph, [0, 0, 0, -1, -1, -1])).toBeCloseTo(0, 14);
    expect(modularity(graph, [0, 0, 0, 1, 1, 1], { resolution: 0 })).toBeCloseTo(6 / 7, 14);
  });

  it("agrees with the double sum over nodes", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 12 }), fc.nat(1000), (n, seed) => {
        const { uniform, integer } = random(seed);
        const from: number[] = [];
        const to: number[] = [];
        const weights: number[] = [];
        for (let i = 0; i < n; i++) {
          for (let j = i + 1; j < n; j++) {
            if (uniform() < 0.4) continue;
            from.push(i);
            to.push(j);
            weights.push(uniform());
          }
        }
        const labels = Array.from({ length: n }, () => integer(3));
        expect(modularity({ nodes: n, from, to, weights }, labels)).toBeCloseTo(
          doubleSum(n, from, to, weights, labels),
          12,
        );
      }),
    );
  });

  it("is 0 without edges and names a bad weight", () => {
    expect(modularity({ nodes: 2, from: [], to: [], weights: [] }, [0, 1])).toBe(0);
    expect(() => modularity({ nodes: 2, from: [0], to: [1], weights: [Number.NaN] }, [0, 1])).toThrow(
      "edge 0",
    );
    expect(() => modularity({ nodes: 2, from: [], to: [], weights: [] }, [0])).toThrow("2 nodes");
  });
});

function slowSilhouette(A: Matrix, labels: string[], i: number): number {
  const sums = new Map<string, number[]>();
  for (let j = 0; j < A.rows; j++) {
    if (j === i || labels[j] === "") continue;
    const distance = Math.hypot(...row(A, i).map((value, k) => value - row(A, j)[k]));
    sums.set(labels[j], [...(sums.get(labels[j]) ?? []), distance]);
  }
  const mean = (values: number[]) => values.reduce((s, v) => s + v, 0) / values.length;
  const a = mean(sums.get(labels[i])!);
  const b = Math.min(...[...sums].filter(([label]) => label !== labels[i]).map(([, values]) => mean(values)));
  return (b - a) / Math.max(a, b);
}

function doubleSum(n: number, from: number[], to: number[], weights: number[], labels: number[]): number {
  const A = new Float64Array(n * n);
  from.forEach((i, e) => {
    A[i * n + to[e]] += weights[e];
    A[to[e] * n + i] += weights[e];
  });
  const degree = Array.from({ length: n }, (_, i) => A.slice(i * n, (i + 1) * n).reduce((s, w) => s + w, 0));
  const twice = degree.reduce((s, d) => s + d, 0);
  if (twice === 0) return 0;
  let Q = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (labels[i] === labels[j]) Q += (A[i * n + j] - (degree[i] * degree[j]) / twice) / twice;
    }
  }
  return Q;
}
