import { describe, expect, it } from "vitest";
import { spectral, spectralFamily } from "../../src/cluster/index.ts";
import { choosePartition } from "../../src/compare/index.ts";
import { byAngle, unitRows } from "../../src/features/unitRows.ts";
import { random } from "../../src/core/random.ts";
import { nearestNeighbors } from "../../src/graph/nearestNeighbors.ts";
import { neighborGraph } from "../../src/graph/neighborGraph.ts";
import { fromRows, matrix, toRows, type Matrix } from "../../src/matrix/matrix.ts";
import { adjustedRand } from "../../src/score/rand.ts";
import { blobs, cloud } from "./sets.ts";

describe("graphs of the pool", () => {
  const X = cloud(60, 2, 11, "gaussian");

  it("has weights exp(-d^2 / (s_i s_j)) with local scaling", () => {
    const { graph } = neighborGraph(X, { neighbors: 6, kind: "union", localScale: 4 });
    const rows = toRows(X);
    const distance = (i: number, j: number): number =>
      Math.hypot(rows[i][0] - rows[j][0], rows[i][1] - rows[j][1]);
    const scales = rows.map(
      (_, i) => rows.map((__, j) => distance(i, j)).sort((p, q) => p - q)[4], // the first is the row itself
    );
    graph.from.forEach((i, e) => {
      const j = graph.to[e];
      expect(graph.weights[e]).toBeCloseTo(Math.exp(-(distance(i, j) ** 2) / (scales[i] * scales[j])), 10);
    });
  });

  it("is the same from neighbours that are known", () => {
    const known = nearestNeighbors(X, 12);
    const options = { neighbors: 6, kind: "union", localScale: 4 } as const;
    expect(neighborGraph(X, options, known)).toEqual(neighborGraph(X, options));
  });

  it("gives the spectral clusterings of single numbers", () => {
    const { X: rows } = blobs(
      [
        [0, 0],
        [4, 0],
        [0, 4],
        [5, 5],
      ],
      [40, 40, 40, 40],
      12,
    );
    const options = { neighbors: 10, normalize: "rows", restarts: 3, seed: 0 } as const;
    const family = spectralFamily(rows, options, 8);
    for (const clusters of [3, 4, 5]) {
      const own = family(clusters);
      if (own === undefined) continue; // fewer than the graph has parts
      expect(adjustedRand(own.labels, spectral(rows, { ...options, clusters }).labels)).toBeGreaterThan(0.99);
    }
    expect(family(4)).toBeDefined();
  });
});

describe("counts that are mostly zeros", () => {
  /** Two topics, each with words of its own; texts of very different lengths. */
  function texts(seed: number): { X: Matrix; y: number[] } {
    const source = random(seed);
    const y = Array.from({ length: 160 }, (_, i) => i % 2);
    const rows = y.map((topic) => {
      const row = Array.from({ length: 120 }, () => 0);
      const words = 6 + source.integer(30);
      for (let w = 0; w < words; w++)
        row[source.uniform() < 0.85 ? 60 * topic + source.integer(60) : source.integer(120)]++;
      return row;
    });
    return { X: fromRows(rows), y };
  }

  it("are compared by angle, and said to be", () => {
    const { X, y } = texts(13);
    expect(byAngle(X)).toBe(true);
    const choice = choosePartition(X, { clusters: 2 });
    expect(choice.notes.map(({ code }) => code)).toContain("angle");
    expect(adjustedRand(choice.labels, y)).toBeGreaterThan(0.8);
  });

  it("are rows of length 1 then; other tables are left alone", () => {
    const Y = unitRows(
      fromRows([
        [3, 4],
        [0, 0],
        [1e200, 0],
      ]),
    );
    expect(toRows(Y)).toEqual([
      [0.6, 0.8],
      [0, 0],
      [1, 0],
    ]);
    expect(byAngle(cloud(20, 60, 1, "uniform"))).toBe(false);
    expect(byAngle(matrix(20, 60, new Float64Array(1200).fill(-1)))).toBe(false);
  });
});
