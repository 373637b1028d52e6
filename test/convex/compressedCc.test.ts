import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { representatives } from "../../src/cluster/compress/representatives.ts";
import { borderCuts, rowLabels, uncut } from "../../src/recipes/borderCuts.ts";
import { cc, type ConvexProblem, type Norm, solveConvex } from "../../src/recipes/index.ts";
import { massGraph } from "../../src/convex/path/setting.ts";
import { random } from "../../src/core/random.ts";
import { blobs } from "../../src/data/index.ts";
import type { Edges } from "../../src/graph/edges.ts";
import { fromRows, matrix, type Matrix, takeRows } from "../../src/matrix/matrix.ts";
import { adjustedRand } from "../../src/score/index.ts";
import { graphOf } from "./instances.ts";

/** Rows in clumps, so that cells hold several. */
function clumps(seed: number, n: number, d: number): Matrix {
  const r = random(seed);
  const centers = Array.from({ length: 6 * d }, () => 3 * r.normal());
  const X = matrix(n, d);
  for (let p = 0; p < n * d; p++)
    X.data[p] = centers[(Math.floor(p / d) % 6) * d + (p % d)] + 0.3 * r.normal();
  return X;
}

/** All pairs of representatives, with random weights. */
function anyGraph(seed: number, nodes: number): Edges {
  const r = random(seed);
  const list: [number, number, number][] = [];
  for (let i = 0; i < nodes; i++) for (let j = 0; j < i; j++) list.push([j, i, 0.1 + r.uniform()]);
  return graphOf(nodes, list);
}

/** The problem of the rows: between two rows the weight of their cells, W / (m m'). */
function problemOfRows(
  X: Matrix,
  cells: Int32Array,
  masses: Float64Array,
  graph: Edges,
  norm: Norm,
): ConvexProblem {
  const members = Array.from(masses, (_, c) => [...cells.keys()].filter((i) => cells[i] === c));
  const list: [number, number, number][] = [];
  graph.weights.forEach((W, e) => {
    const [a, b] = [graph.from[e], graph.to[e]];
    for (const i of members[a]) for (const j of members[b]) list.push([i, j, W / (masses[a] * masses[b])]);
  });
  return { X, graph: graphOf(X.rows, list), norm };
}

describe("convex clustering by representatives", () => {
  it("is within its bound of the problem of the rows", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e6 }),
        fc.constantFrom<Norm>(1, 2, "inf"),
        fc.double({ min: -3, max: 2, noNaN: true }),
        (seed, norm, exponent) => {
          const X = clumps(seed, 24, 2);
          const { points, masses, cells, compression } = representatives(X, { count: 8 });
          const graph = massGraph(anyGraph(seed + 1, points.rows), masses);
          const gamma = 10 ** exponent;
          const few = solveConvex({ X: points, graph, norm, masses }, { gamma, tolerance: 1e-9 });
          const all = solveConvex(problemOfRows(X, cells, masses, graph, norm), { gamma, tolerance: 1e-9 });
          expect(few.converged && all.converged).toBe(true);
          const S = compression.withinSumOfSquares;
          let square = 0;
          for (let i = 0; i < X.rows; i++) {
            for (let f = 0; f < 2; f++) square += (few.U.data[cells[i] * 2 + f] - all.U.data[i * 2 + f]) ** 2;
          }
          const slack = 1e-6 * (1 + S);
          expect(square).toBeLessThanOrEqual(S + 2 * few.certificate.gap + 2 * all.certificate.gap + slack);
          expect(all.certificate.primal).toBeGreaterThanOrEqual(few.certificate.dual - slack);
          expect(all.certificate.dual).toBeLessThanOrEqual(few.certificate.primal + S / 2 + slack);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("has the answer of the rows where these occur several times", () => {
    const { X } = blobs({ rows: 120, features: 3, clusters: 3, deviation: 2, seed: 4 });
    const thrice = takeRows(
      X,
      Int32Array.from({ length: 360 }, (_, i) => i % 120),
    );
    const one = cc(X, { clusters: 3 });
    const three = cc(thrice, { clusters: 3, representatives: 120 });
    expect(three.compression).toMatchObject({
      rows: 360,
      representatives: 120,
      withinSumOfSquares: 0,
      share: 0,
    });
    expect(three.gamma / one.gamma).toBeCloseTo(1, 9);
    expect(three.certificate.primal / one.certificate.primal).toBeCloseTo(3, 6);
    expect(adjustedRand(three.labels.slice(0, 120), one.labels)).toBe(1);
    expect(three.labels.slice(120, 240)).toEqual(three.labels.slice(0, 120));
    expect(three.coverage).toBeCloseTo(one.coverage, 12);
    expect(Array.from(three.sizes)).toEqual(Array.from(one.sizes, (size) => 3 * size));
  });

  it("solves weighted points as the rows that they stand for", () => {
    const points = clumps(3, 9, 2);
    const masses = Float64Array.from([1, 4, 2, 1, 3, 1, 1, 2, 5]);
    const cells = Int32Array.from([...masses].flatMap((m, c) => Array.from({ length: m }, () => c)));
    const rows = takeRows(points, cells);
    const graph = massGraph(anyGraph(5, 9), masses);
    for (const norm of [1, 2, "inf"] as const) {
      const few = solveConvex({ X: points, graph, norm, masses }, { gamma: 0.2, tolerance: 1e-10 });
      const all = solveConvex(problemOfRows(rows, cells, masses, graph, norm), {
        gamma: 0.2,
        tolerance: 1e-10,
      });
      expect(all.certificate.primal / few.certificate.primal).toBeCloseTo(1, 8);
      cells.forEach((c, i) => {
        for (let f = 0; f < 2; f++) expect(all.U.data[i * 2 + f]).toBeCloseTo(few.U.data[c * 2 + f], 4);
      });
    }
  });

  it("finds the clusters of many rows, and says what it did", () => {
    const { X, labels } = blobs({ rows: 6000, features: 4, clusters: 5, seed: 7 });
    const found = cc(X, { clusters: 5, representatives: 400 });
    expect(adjustedRand(found.labels, labels)).toBeGreaterThan(0.99);
    expect(found.certificate.relativeGap).toBeLessThan(1e-6);
    expect(found.labels.length).toBe(6000);
    expect(found.sizes.reduce((a, b) => a + b, 0)).toBe(6000);
    expect(found.metric.relevance.length).toBe(4);
    expect(found.compression!.cells.length).toBe(6000);
    expect(found.compression!.representatives).toBe(400);
    expect(found.candidates[0].labels.length).toBe(400);
    expect(found.warnings.join()).toMatch(
      /400 weighted representatives of the 6000 rows, which hold all but [\d.]+ % of the scatter/,
    );
    expect(found.predict(takeRows(X, [0, 1, 5999]))).toEqual(
      Int32Array.from([found.labels[0], found.labels[1], found.labels[5999]]),
    );
  });

  it("finds them in any order, and beside constant columns", () => {
    const { X, labels } = blobs({ rows: 3000, features: 3, clusters: 4, deviation: 0.7, seed: 10 });
    const wide = matrix(3000, 4);
    const order = Int32Array.from({ length: 3000 }, (_, i) => (i * 1301) % 3000);
    order.forEach((i, r) => {
      for (let f = 0; f < 3; f++) wide.data[r * 4 + f] = X.data[i * 3 + f];
      wide.data[r * 4 + 3] = 5;
    });
    const a = cc(X, { clusters: 4, representatives: 300 });
    const b = cc(wide, { clusters: 4, representatives: 300 });
    expect(adjustedRand(a.labels, labels)).toBeGreaterThan(0.99);
    expect(
      adjustedRand(
        b.labels,
        Int32Array.from(order, (i) => a.labels[i]),
      ),
    ).toBeGreaterThan(0.99);
    expect(b.warnings.join()).toContain("constant columns left out: c3");
    expect(b.metric.relevance[3]).toBe(0);
  });

  it("takes the rows themselves where there are no more than representatives", () => {
    const { X } = blobs({ rows: 200, seed: 1 });
    const { compression, ...given } = cc(X, { clusters: 3, representatives: 200 });
    expect(compression).toBeUndefined();
    expect(given.labels).toEqual(cc(X, { clusters: 3 }).labels);
  });

  it("refuses what it cannot do", () => {
    const { X } = blobs({ rows: 100, seed: 1 });
    expect(() => cc(X, { clusters: 20, representatives: 10 })).toThrow(
      "cc: 20 clusters cannot be made of 10 representatives",
    );
    expect(() => cc(X, { clusters: 2, representatives: 10, mustLink: [[0, 1]] })).toThrow(
      'cc: pairs are between rows, which are replaced by representatives; leave out "representatives"',
    );
    expect(() => cc(X, { representatives: 10, graph: graphOf(100, [[0, 1, 1]]) })).toThrow(
      "cc: a graph is between rows",
    );
    expect(() => cc(X, { representatives: 1 })).toThrow('"representatives" must be an integer at least 2');
    const broken = fromRows(Array.from({ length: 20 }, (_, i) => [i, i === 7 ? NaN : 0]));
    expect(() => cc(broken, { representatives: 5 })).toThrow(/row 7/);
  });

  it("warns where representatives are too few", () => {
    const { X } = blobs({ rows: 3000, features: 8, clusters: 3, box: 1, seed: 2 });
    const { compression, warnings } = cc(X, { clusters: 3, representatives: 20 });
    expect(compression!.share).toBeGreaterThan(0.1);
    expect(warnings.join()).toMatch(
      /20 weighted .* 3000 rows, which hold all but \d\d % .* more representatives see it better/,
    );
  });
});

describe("cells at a border", () => {
  it("are cut between the clusters that meet there", () => {
    const points = fromRows([
      [0, 0],
      [0, 1],
      [3, 0],
      [3, 1],
    ]);
    const masses = Float64Array.of(5, 5, 5, 1);
    const border = borderCuts(points, masses, Int32Array.of(0, 0, 1, 1));
    expect(Array.from(border.cuts)).toEqual([0, 1, 2, -1]);
    const X = fromRows([
      [1.4, 0.3],
      [1.6, 0.3],
      [1.4, 0.3],
      [9, 9],
    ]);
    const cells = Int32Array.of(0, 0, 2, 3);
    expect(Array.from(rowLabels(X, cells, border))).toEqual([0, 1, 0, 1]);
    expect(Array.from(rowLabels(X, cells, uncut(border)))).toEqual([0, 0, 1, 1]);
  });

  it("are cut as well where the nearest cells are all of one cluster", () => {
    const points = fromRows(Array.from({ length: 71 }, (_, i) => [i < 70 ? i / 1000 : 10]));
    const labels = Int32Array.from({ length: 71 }, (_, i) => (i < 70 ? 0 : 1));
    const border = borderCuts(points, new Float64Array(71).fill(2), labels);
    expect(border.cuts.includes(-1)).toBe(false);
    expect(Array.from(rowLabels(fromRows([[4.9], [5.2]]), Int32Array.of(0, 0), border))).toEqual([0, 1]);
  });

  it("are none where there is one cluster, or one cell", () => {
    const one = borderCuts(fromRows([[1, 2]]), Float64Array.of(3), Int32Array.of(0));
    expect(one.offsets.length).toBe(0);
    const same = borderCuts(fromRows([[1], [2]]), Float64Array.of(3, 3), Int32Array.of(0, 0));
    expect(Array.from(same.cuts)).toEqual([-1, -1]);
  });
});
