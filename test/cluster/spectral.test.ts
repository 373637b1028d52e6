import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalizedCut, normalizedCutGraph, spectral, spectralGraph } from "../../src/cluster/index.ts";
import { placeByRows } from "../../src/cluster/spectral/neighborVote.ts";
import { bestSplit } from "../../src/cluster/spectral/normalizedCut.ts";
import { affinityOf } from "../../src/cluster/spectral/spectralGraph.ts";
import { random } from "../../src/core/random.ts";
import { rings } from "../../src/data/index.ts";
import type { Edges } from "../../src/graph/index.ts";
import { fromRows, matrix, symmetricEigen, toSparse, type Matrix } from "../../src/matrix/index.ts";
import { kernelFunction, kernelMatrix } from "../../src/metric/index.ts";
import { adjustedRand } from "../../src/score/index.ts";
import { blobs, farthest, moons, peers } from "../classicalFixture.ts";

function graphOf({ rows, cols, weights }: { rows: number[]; cols: number[]; weights: number[] }): Edges {
  const nodes = Math.max(...rows, ...cols) + 1;
  return {
    nodes,
    from: Int32Array.from(rows),
    to: Int32Array.from(cols),
    weights: Float64Array.from(weights),
  };
}

/** A symmetric matrix of affinities in which every pair is connected. */
function complete(n: number, seed: number): Matrix {
  const { uniform } = random(seed);
  const A = matrix(n, n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) A.data[i * n + j] = A.data[j * n + i] = 0.05 + uniform();
  }
  return A;
}

describe("spectral", () => {
  it("agrees with scikit-learn on the same affinities", () => {
    for (const name of ["moons", "wine"] as const) {
      const { graph, labels, k } = peers.spectral[name];
      const ours = spectralGraph(graphOf(graph), { clusters: k });
      expect(ours.converged).toBe(true);
      expect(adjustedRand(ours.labels, labels)).toBeGreaterThanOrEqual(0.99);
    }
    const { labels, k, sigma } = peers.spectral.dense;
    const K = kernelMatrix(blobs, blobs, kernelFunction(blobs, { sigma }));
    expect(adjustedRand(spectralGraph(K, { clusters: k }).labels, labels)).toBeGreaterThanOrEqual(0.99);
    const fromRowsDirectly = spectral(blobs, { clusters: k, graph: "full", sigma });
    expect(adjustedRand(fromRowsDirectly.labels, labels)).toBeGreaterThanOrEqual(0.99);
  });

  it("has the eigenvalues of the dense problem, and an objective above their bound", () => {
    const n = 200;
    const A = complete(n, 3);
    const { eigenvalues, objective, clusters } = spectralGraph(toSparse(A), { clusters: 3 });
    const degrees = Array.from({ length: n }, (_, i) =>
      A.data.subarray(i * n, (i + 1) * n).reduce((sum, value) => sum + value, 0),
    );
    const N = matrix(
      n,
      n,
      A.data.map((value, p) => value / Math.sqrt(degrees[Math.floor(p / n)] * degrees[p % n])),
    );
    const { values } = symmetricEigen(N);
    expect(farthest(eigenvalues, values.subarray(0, 3))).toBeLessThan(1e-8);
    expect(eigenvalues[0]).toBeCloseTo(1, 10);
    const bound = clusters - eigenvalues.reduce((sum, value) => sum + value, 0);
    expect(objective).toBeGreaterThan(bound - 1e-9);
  });

  it("finds rings and moons, which k-means does not", () => {
    const { X, labels } = rings({ rows: 400, seed: 2 });
    const result = spectral(X, { clusters: 2 });
    expect(adjustedRand(result.labels, labels)).toBe(1);
    const truth = Int32Array.from(peers.spectral.moons.labels);
    expect(adjustedRand(spectral(moons, { clusters: 2, alpha: 1 }).labels, truth)).toBeGreaterThan(0.9);
    expect(adjustedRand(normalizedCut(moons, { clusters: 2 }).labels, truth)).toBeGreaterThan(0.9);
  });

  it("predicts its own rows", () => {
    const result = spectral(moons, { clusters: 2 });
    expect(result.predict(moons)).toEqual(result.labels);
    expect(() => result.predict(blobs)).toThrow(/3 columns, but the clusters have 2/);
  });
});

describe("graphs that are not connected", () => {
  const clouds = (count: number): Matrix => {
    const { normal } = random(1);
    return matrix(
      20 * count,
      2,
      Float64Array.from({ length: 40 * count }, (_, p) => 100 * (Math.floor(p / 40) % count) + normal()),
    );
  };
  const truth = (count: number): number[] => Array.from({ length: 20 * count }, (_, i) => Math.floor(i / 20));

  it("are said to be, and their parts are clusters", () => {
    for (const run of [spectral, normalizedCut]) {
      const result = run(clouds(3), { clusters: 3, neighbors: 5 });
      expect(adjustedRand(result.labels, truth(3))).toBe(1);
      expect(result.objective).toBe(0);
      expect(result.warnings.join()).toMatch(/3 unconnected parts \(20, 20, 20 rows\)/);
    }
  });

  it("are divided further when more clusters are asked for", () => {
    for (const run of [spectral, normalizedCut]) {
      const { labels, sizes } = run(clouds(3), { clusters: 4, neighbors: 5 });
      expect(sizes).toHaveLength(4);
      for (let k = 0; k < 4; k++) {
        const inside = new Set(truth(3).filter((_, i) => labels[i] === k));
        expect(inside.size).toBe(1);
      }
    }
  });

  it("are connected by short edges when fewer are asked for", () => {
    for (const run of [spectral, normalizedCut]) {
      const { labels, warnings } = run(clouds(4), { clusters: 2, neighbors: 5 });
      expect(warnings.join()).toMatch(/4 unconnected parts.*edges were added/);
      for (let part = 0; part < 4; part++) {
        expect(new Set(labels.subarray(20 * part, 20 * part + 20)).size).toBe(1);
      }
    }
  });

  it("when given as a graph, share the last cluster", () => {
    const pairs = Array.from({ length: 10 }, (_, i) => i);
    const graph: Edges = {
      nodes: 21,
      from: Int32Array.from(pairs, (i) => 2 * i),
      to: Int32Array.from(pairs, (i) => 2 * i + 1),
      weights: new Float64Array(10).fill(1),
    };
    const { sizes, warnings, objective } = spectralGraph(graph, { clusters: 3 });
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(21);
    expect(objective).toBe(0);
    expect(warnings.join()).toMatch(/11 unconnected parts.*more parts than clusters/);
    expect(normalizedCutGraph(graph, { clusters: 3 }).clusters).toBe(3);
  });
});

describe("normalizedCut", () => {
  it("finds the best threshold of a two-way cut", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 9 }), fc.nat(), (n, seed) => {
        const { W, degrees } = affinityOf(complete(n, seed), "test");
        const nodes = Int32Array.from({ length: n }, (_, i) => i);
        const { sides, cut } = bestSplit(W, nodes, 0)!;
        expect(sides[0].length + sides[1].length).toBe(n);
        // The value of the cut that is returned, from its definition.
        const inside = new Set(sides[0]);
        let crossing = 0;
        let association = 0;
        let total = 0;
        for (let i = 0; i < n; i++) {
          total += degrees[i];
          if (!inside.has(i)) continue;
          association += degrees[i];
          for (let p = W.offsets[i]; p < W.offsets[i + 1]; p++) {
            if (!inside.has(W.indices[p])) crossing += W.values[p];
          }
        }
        expect(cut).toBeCloseTo(crossing / association + crossing / (total - association), 10);
      }),
      { numRuns: 50 },
    );
  });

  it("cuts a weak link, and stops where the next cut costs too much", () => {
    const A = complete(40, 5);
    for (let i = 0; i < 40; i++) {
      for (let j = 0; j < 40; j++) if (i < 15 !== j < 15) A.data[i * 40 + j] *= 0.01;
    }
    const { labels, cuts, clusters } = normalizedCutGraph(A, { maxCut: 0.3 });
    expect(clusters).toBe(2);
    expect(Array.from(labels)).toEqual(Array.from({ length: 40 }, (_, i) => (i < 15 ? 0 : 1)));
    expect(cuts).toHaveLength(1);
    expect(cuts[0].cut).toBeLessThan(0.3);
    expect(normalizedCutGraph(A, { maxCut: 0 }).clusters).toBe(1);
  });

  it("predicts its own rows", () => {
    const result = normalizedCut(blobs, { clusters: 3 });
    expect(result.predict(blobs)).toEqual(result.labels);
  });
});

describe("bad input", () => {
  it("is refused by name", () => {
    const X = fromRows([[1], [2], [4]]);
    for (const run of [spectral, normalizedCut]) {
      expect(() => run(X, { clusters: 4 })).toThrow(/cannot make 4 clusters of 3 rows/);
      expect(() => run(X, { clusters: 2, sigma: 1 })).toThrow(/"sigma" belongs to the full graph/);
      for (const kind of ["union", "mutual"] as const) {
        expect(() => run(X, { clusters: 2, graph: "full", kind })).toThrow(
          /"kind" belongs to the neighbour graph/,
        );
      }
      expect(() => run(X, { clusters: 2, graph: "full", alpha: 1 })).toThrow(/"alpha" belongs/);
      expect(() => run(X, { clusters: 2, graph: "full", sigma: 0 })).toThrow(/"sigma" must be .* above 0/);
      expect(() => run(fromRows([[1], [Number.NaN]]), { clusters: 1 })).toThrow(/row 1, column 0/);
    }
    expect(() => normalizedCut(X, {})).toThrow(/give option "clusters", option "maxCut" or both/);
    const skewed = fromRows([
      [0, 1],
      [2, 0],
    ]);
    expect(() => spectralGraph(skewed, { clusters: 1 })).toThrow(
      /rows 0 and 1 is 1, but that of 1 and 0 is 2/,
    );
    const negative = fromRows([
      [0, -1],
      [-1, 0],
    ]);
    expect(() => spectralGraph(negative, { clusters: 1 })).toThrow(/is -1; it must be finite and at least 0/);
  });

  it("of a sigma too small or too large is said", () => {
    for (const run of [spectral, normalizedCut]) {
      const small = run(blobs, { clusters: 3, graph: "full", sigma: 1e-6 });
      expect(small.warnings.join()).toMatch(/90 unconnected parts.*sigma 0.000001 is too small/);
      expect(small.labels.every((label) => label >= 0 && label < 3)).toBe(true);
      const large = run(blobs, { clusters: 3, graph: "full", sigma: 1e9 });
      expect(large.warnings.join()).toMatch(/almost 1.*too large/);
      expect(large.objective).toBeGreaterThan(0);
    }
  });

  it("of duplicate rows and as many clusters as rows gives clusters", () => {
    const twins = fromRows([[1], [1], [1], [5], [5], [5]]);
    for (const run of [spectral, normalizedCut]) {
      expect(adjustedRand(run(twins, { clusters: 2, neighbors: 2 }).labels, [0, 0, 0, 1, 1, 1])).toBe(1);
      const all = run(fromRows([[1], [2], [4], [8]]), { clusters: 4 });
      expect(all.warnings.join()).toMatch(/10 neighbours join all 4 rows equally/);
      expect(all.labels.length).toBe(4);
      expect(all.sizes.reduce((sum, size) => sum + size, 0)).toBe(4);
      expect(run(twins, { clusters: 1 }).labels).toEqual(new Int32Array(6));
    }
  });
});

it("a row that a map moved by no more than rounding keeps its cluster, others follow the vote", () => {
  const rows = fromRows([[1000], [1001], [1002]]);
  const vote = { rows, labels: Int32Array.from([0, 1, 1]), clusters: 2, neighbors: 3, gamma: 0 };
  expect([...placeByRows(vote)(fromRows([[1000 * (1 + 1e-13)], [1000 * (1 + 1e-9)]]))]).toEqual([0, 1]);
});
