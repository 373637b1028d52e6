import { beforeAll, describe, expect, it } from "vitest";
import { random } from "../../../src/core/random.ts";
import type { Constraints, Pair } from "../../../src/data/constraints.ts";
import { rings } from "../../../src/data/generate.ts";
import { samplePairs } from "../../../src/data/samplePairs.ts";
import { fromRows, identity, matrix, row, type Matrix, mapped } from "../../../src/matrix/matrix.ts";
import { pcca, loadKernelMetric, pccaKernel, type KernelMetricData } from "../../../src/metric/pairs/pcca.ts";
import { isInvariant, peer, squaredDistances, wideRows, wine, winePairs } from "./pairFixture.ts";

let X: Matrix;
beforeAll(async () => {
  ({ X } = await wine());
});

/** The objective of the text, pair by pair, at L in the units in which the mean squared pair distance is 1. */
function objective(
  Y: Matrix,
  { mustLink, cannotLink }: Constraints,
  L: Matrix,
  beta: number,
  ridge: number,
): number {
  const squared = ([i, j]: Pair, F: Matrix): number => {
    let sum = 0;
    for (let r = 0; r < F.rows; r++) {
      let step = 0;
      for (let f = 0; f < F.cols; f++) step += F.data[r * F.cols + f] * (row(Y, i)[f] - row(Y, j)[f]);
      sum += step ** 2;
    }
    return sum;
  };
  const mean = (pairs: readonly Pair[]): number =>
    pairs.reduce((sum, pair) => sum + squared(pair, identity(Y.cols)), 0) / pairs.length;
  const unit = (mean(mustLink) + mean(cannotLink)) / 2;
  const loss = (pair: Pair, y: number): number =>
    Math.log1p(Math.exp(beta * y * (squared(pair, L) - 1))) / beta;
  const total = [...mustLink.map((pair) => loss(pair, 1)), ...cannotLink.map((pair) => loss(pair, -1))];
  const norm = L.data.reduce((sum, value) => sum + value ** 2, 0) * unit;
  return total.reduce((sum, value) => sum + value, 0) / total.length + (ridge / 2) * norm;
}

describe("pcca", () => {
  it("reports the objective of the text, and no small step from the minimiser lowers it", () => {
    const metric = pcca(X, { ...winePairs, tolerance: 1e-9 });
    expect(metric.converged).toBe(true);
    expect(metric.objective).toBeCloseTo(objective(X, winePairs, metric.factor, 3, 1e-3), 10);
    const stream = random(1);
    for (let trial = 0; trial < 20; trial++) {
      const step = 10 ** -(1 + (trial % 4));
      const L = matrix(
        13,
        13,
        metric.factor.data.map((value) => value + step * stream.normal()),
      );
      expect(objective(X, winePairs, L, 3, 1e-3)).toBeGreaterThan(metric.objective! - 1e-9);
    }
  });

  it("has the right sign: must-links end below 1 and cannot-links above", () => {
    const metric = pcca(X, winePairs);
    const below = (pairs: readonly Pair[]): number =>
      squaredDistances(metric, X, pairs).filter((square) => square < 1).length / pairs.length;
    expect(below(peer.must)).toBeGreaterThan(0.95);
    expect(below(peer.cannot)).toBeLessThan(0.05);
    expect(metric.threshold).toBeGreaterThan(0.5);
    expect(metric.threshold).toBeLessThan(1.6);
  });

  it("does not overflow for sharp losses, far rows or tiny units", () => {
    for (const factor of [1e-8, 1, 1e8]) {
      const Y = mapped(X, (value) => factor * value);
      const metric = pcca(Y, { ...winePairs, beta: 500 });
      expect(metric.factor.data.every(Number.isFinite)).toBe(true);
      expect(metric.objective).toBeGreaterThanOrEqual(0);
    }
  });

  it("gives the same distances in any unit, order of rows, place of the origin, and for repeated pairs", () => {
    const learn = (rows: Matrix, pairs: Constraints) => pcca(rows, { ...pairs, tolerance: 1e-9 });
    const wide = mapped(X, (value) => 1000 * value);
    expect(squaredDistances(learn(wide, winePairs), wide, peer.probes)).toEqual(
      squaredDistances(learn(X, winePairs), X, peer.probes).map((value) => expect.closeTo(value, 5)),
    );
    isInvariant(learn, X, { order: 1e-5, shift: 1e-5 });
  });

  it("projects to as few dimensions as asked for", () => {
    const metric = pcca(X, { ...winePairs, dims: 2 });
    expect(metric.factor.rows).toBe(2);
    expect(metric.converged).toBe(true);
    expect(metric.objective!).toBeGreaterThan(pcca(X, winePairs).objective! - 1e-9);
    expect(() => pcca(X, { ...winePairs, dims: 14 })).toThrow('"dims" is 14');
  });

  it("is finite for separable pairs, d > n, zero columns and equal rows", () => {
    const wide = wideRows(3, 10, 4);
    const pairs: Constraints = { mustLink: [[0, 1]], cannotLink: [[0, 2]] };
    expect(pcca(wide, pairs).converged).toBe(true);
    const equal = fromRows([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(pcca(equal, pairs).factor.data.every(Number.isFinite)).toBe(true);
    expect(() => pcca(X, { mustLink: [], cannotLink: [[0, 60]] })).toThrow("at least one of each");
  });
});

describe("pccaKernel", () => {
  it("with the linear kernel is linear PCCA", () => {
    const linear = pcca(X, { ...winePairs, tolerance: 1e-9 });
    const kernel = pccaKernel(X, { ...winePairs, kernel: "linear", dims: 13, tolerance: 1e-9 });
    // The ridge counts in the units of K / mean diagonal, which cancel: v is rescaled to mean length 1 either way.
    expect(kernel.objective).toBeCloseTo(linear.objective!, 6);
    const squares = peer.probes.map(([i, j]) => kernel.distance(row(X, i), row(X, j)) ** 2);
    expect(squares).toEqual(
      squaredDistances(linear, X, peer.probes).map((value) => expect.closeTo(value, 3)),
    );
  });

  it("separates rings, which no linear metric does", () => {
    const { X: points, labels } = rings({ rows: 120, noise: 0.05, seed: 1 });
    const pairs = samplePairs(labels, { mustLink: 150, cannotLink: 150, seed: 2 });
    const held = samplePairs(labels, { mustLink: 200, cannotLink: 200, seed: 9 });
    const correct = (same: (a: Float64Array, b: Float64Array) => boolean): number => {
      const right = (list: readonly Pair[], answer: boolean): number =>
        list.filter(([i, j]) => same(row(points, i), row(points, j)) === answer).length;
      return (right(held.mustLink, true) + right(held.cannotLink, false)) / 400;
    };
    const kernel = pccaKernel(points, { ...pairs, gamma: 1 });
    expect(correct((a, b) => kernel.same(a, b))).toBeGreaterThan(0.9);
    const linear = pcca(points, pairs);
    expect(correct((a, b) => linear.same!(a, b))).toBeLessThan(0.75);
    const Z = kernel.transform(points);
    expect(Math.hypot(...row(Z, 0).map((value, r) => value - row(Z, 1)[r]))).toBeCloseTo(
      kernel.distance(row(points, 0), row(points, 1)),
      10,
    );
  });

  it("survives a file", () => {
    const metric = pccaKernel(X, { ...winePairs, dims: 3 });
    const read = loadKernelMetric(JSON.parse(JSON.stringify(metric)) as KernelMetricData);
    expect(read.distance(row(X, 0), row(X, 70))).toBe(metric.distance(row(X, 0), row(X, 70)));
    expect(read.converged).toBe(metric.converged);
  });

  it("names what is wrong", () => {
    expect(() => pccaKernel(X, { mustLink: [], cannotLink: [] })).toThrow("at least one of each");
    const zero = matrix(4, 2);
    const pairs: Constraints = { mustLink: [[0, 1]], cannotLink: [[0, 2]] };
    expect(() => pccaKernel(zero, { ...pairs, kernel: "linear" })).toThrow("the mean of k(x, x) is 0");
    expect(() => pccaKernel(X, winePairs).transform(zero)).toThrow("13 columns");
  });
});
