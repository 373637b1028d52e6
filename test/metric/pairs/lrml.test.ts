import { beforeAll, describe, expect, it } from "vitest";
import type { Constraints } from "../../../src/data/constraints.ts";
import { fromRows, matrix, row, type Matrix, mapped } from "../../../src/matrix/matrix.ts";
import { nearestNeighbors } from "../../../src/graph/nearestNeighbors.ts";
import { rankOneUpdate } from "../../../src/matrix/multiply.ts";
import { lrml } from "../../../src/metric/pairs/lrml.ts";
import { difference, isInvariant, peer, squaredDistances, wideRows, wine, winePairs } from "./pairFixture.ts";

let X: Matrix;
beforeAll(async () => {
  ({ X } = await wine());
});

/** sum over the neighbour pairs of w (x_i - x_j)(x_i - x_j)', by definition, at trace 1. */
function smoothness(Y: Matrix, k: number, weights: "gaussian" | "one"): Matrix {
  const near = nearestNeighbors(Y, k);
  const pairs = new Map<string, number>();
  for (let i = 0; i < Y.rows; i++) {
    for (let q = i * k; q < (i + 1) * k; q++) {
      const j = near.indices[q];
      pairs.set(i < j ? `${i} ${j}` : `${j} ${i}`, near.distances[q]);
    }
  }
  const sorted = [...pairs.values()].toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  const A = matrix(Y.cols, Y.cols);
  for (const [key, square] of pairs) {
    const [i, j] = key.split(" ").map(Number);
    rankOneUpdate(
      A,
      weights === "one" ? 1 : Math.exp(-square / median),
      row(Y, i).map((value, f) => value - row(Y, j)[f]),
    );
  }
  return unitTrace(A);
}

function scatter(Y: Matrix, pairs: readonly (readonly [number, number])[]): Matrix {
  const A = matrix(Y.cols, Y.cols);
  for (const [i, j] of pairs)
    rankOneUpdate(
      A,
      1,
      row(Y, i).map((value, f) => value - row(Y, j)[f]),
    );
  return unitTrace(A);
}

function unitTrace(A: Matrix): Matrix {
  const trace = A.data.reduce((sum, value, p) => (p % (A.rows + 1) === 0 ? sum + value : sum), 0);
  return mapped(A, (value) => value / trace);
}

describe("lrml", () => {
  it.each(["gaussian", "one"] as const)("inverts the bracket of the text, weights %s", (weights) => {
    const metric = lrml(X, { ...winePairs, neighbors: 5, weights, similar: 2, different: 0 });
    const smooth = smoothness(X, 5, weights);
    const S = scatter(X, peer.must);
    const M = metric.matrix;
    for (let f = 0; f < 13; f++) {
      for (let g = 0; g < 13; g++) {
        let value = 0;
        for (let h = 0; h < 13; h++)
          value += (smooth.data[f * 13 + h] + 2 * S.data[f * 13 + h]) * M.data[h * 13 + g];
        expect(value).toBeCloseTo(f === g ? 1 : 0, 8);
      }
    }
    expect(metric.certificate.residual).toBeLessThan(1e-9);
  });

  it("has a minimum whatever the weight of the cannot-links below its limit", () => {
    const condition = [0, 0.5, 0.9, 0.999].map((different) => {
      const metric = lrml(X, { ...winePairs, different });
      expect(metric.rank).toBe(13);
      expect(metric.certificate.residual).toBeLessThan(1e-8);
      return metric.condition;
    });
    expect(condition[3]).toBeGreaterThan(10 * condition[1]);
    expect(() => lrml(X, { ...winePairs, different: 1 })).toThrow("below 1");
  });

  it("puts cannot-links farther from must-links than the Euclidean metric does", () => {
    const metric = lrml(X, winePairs);
    const mean = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    const euclidean = (pairs: readonly (readonly [number, number])[]): number =>
      mean(pairs.map(([i, j]) => row(X, i).reduce((sum, value, f) => sum + (value - row(X, j)[f]) ** 2, 0)));
    expect(
      mean(squaredDistances(metric, X, peer.cannot)) / mean(squaredDistances(metric, X, peer.must)),
    ).toBeGreaterThan((1.3 * euclidean(peer.cannot)) / euclidean(peer.must));
    expect(metric.threshold).toBeGreaterThan(0);
  });

  it("does not depend on the order of rows, a shift, repeated pairs; a unit only scales it", () => {
    isInvariant(lrml, X, { order: 1e-8, shift: 1e-6 });
    const wide = mapped(X, (value) => 8 * value);
    expect(difference(lrml(wide, winePairs), lrml(X, winePairs))).toBeLessThan(1e-8);
  });

  it("is finite with one kind of pair, d > n, zero columns and equal rows", () => {
    expect(lrml(X, { mustLink: [], cannotLink: peer.cannot }).rank).toBe(13);
    expect(lrml(X, { mustLink: peer.must, cannotLink: [] }).threshold).toBeUndefined();
    const wide = wideRows(3, 10, 4);
    const pairs: Constraints = { mustLink: [[0, 1]], cannotLink: [[0, 2]] };
    const metric = lrml(wide, pairs);
    expect(metric.factor.data.every(Number.isFinite)).toBe(true);
    expect(metric.warnings.join()).toContain("singular");
    const equal = fromRows([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(lrml(equal, pairs).factor.data.every(Number.isFinite)).toBe(true);
    expect(() => lrml(X, { mustLink: [], cannotLink: [] })).toThrow("at least one pair");
  });
});
