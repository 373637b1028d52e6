import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { random } from "../../../src/core/random.ts";
import type { Constraints, Pair } from "../../../src/data/constraints.ts";
import { namedData } from "../../../src/data/named.ts";
import { scale } from "../../../src/data/scaling.ts";
import { matrix, row, type Matrix, mapped } from "../../../src/matrix/matrix.ts";
import type { Mahalanobis } from "../../../src/metric/mahalanobis.ts";

/** What metric-learn gave on wine; see test/fixtures/pair-metrics.py. */
export const peer = JSON.parse(readFileSync("test/fixtures/pair-metrics.json", "utf8")) as {
  must: Pair[];
  cannot: Pair[];
  probes: Pair[];
  percentiles: [number, number];
  squaredPercentiles: [number, number];
  "itml gamma 1": number[];
  "itml gamma 0.1": number[];
  "itml prior": { matrix: number[][]; squares: number[] };
  mmc: number;
  "mmc diagonal": number;
  "graphical lasso": { covariance: number[][]; alpha: number; matrix: number[][] };
};

export const winePairs: Constraints = { mustLink: peer.must, cannotLink: peer.cannot };

export function wine(): ReturnType<typeof standardized> {
  return standardized("wine");
}

/** A set with zero mean and unit variance, and its classes. */
export async function standardized(name: "wine" | "iris"): Promise<{ X: Matrix; labels: readonly string[] }> {
  const table = await namedData(name);
  return { X: scale(table.X, "zscore").X as Matrix, labels: table.label!.values };
}

export function squaredDistances(metric: Mahalanobis, X: Matrix, pairs: readonly Pair[]): number[] {
  return pairs.map(([i, j]) => metric.distance(row(X, i), row(X, j)) ** 2);
}

/** How far the matrices of two metrics are apart, relative to the largest entry. */
export function difference(a: Mahalanobis, b: Mahalanobis): number {
  const B = b.matrix.data;
  return Math.max(...a.matrix.data.map((value, p) => Math.abs(value - B[p]))) / Math.max(...B.map(Math.abs));
}

/** The rows in another order, with the pairs that follow them. */
export function permuted(
  X: Matrix,
  constraints: Constraints,
  order: ArrayLike<number>,
): { X: Matrix; constraints: Constraints; position: Int32Array } {
  const position = new Int32Array(X.rows);
  const Y = matrix(X.rows, X.cols);
  for (let i = 0; i < X.rows; i++) {
    position[order[i]] = i;
    Y.data.set(row(X, order[i]), i * X.cols);
  }
  const move = (pairs: readonly Pair[]): Pair[] => pairs.map(([i, j]) => [position[i], position[j]]);
  return {
    X: Y,
    constraints: { mustLink: move(constraints.mustLink), cannotLink: move(constraints.cannotLink) },
    position,
  };
}

/** The metric of the wine pairs does not depend on the order of rows and a shift, up to these differences, nor on repeats. */
export function isInvariant(
  learn: (X: Matrix, pairs: Constraints) => Mahalanobis,
  X: Matrix,
  { order, shift, by = 100 }: { readonly order: number; readonly shift: number; readonly by?: number },
): void {
  const metric = learn(X, winePairs);
  const shuffled = random(5).shuffle(Int32Array.from({ length: X.rows }, (_, i) => i));
  const moved = permuted(X, winePairs, shuffled);
  expect(difference(learn(moved.X, moved.constraints), metric)).toBeLessThan(order);
  expect(difference(learn(shifted(X, by), winePairs), metric)).toBeLessThan(shift);
  const reversed = peer.must.map(([i, j]): Pair => [j, i]);
  const twice = learn(X, { mustLink: [...peer.must, ...reversed], cannotLink: peer.cannot });
  expect(difference(twice, metric)).toBe(0);
  expect(twice.warnings.join()).toContain(`${peer.must.length} pairs have been given before and count once`);
}

/** Of the first rows. */
export const FEW_PAIRS: Constraints = {
  mustLink: [
    [0, 1],
    [2, 3],
  ],
  cannotLink: [
    [0, 2],
    [1, 4],
  ],
};

/** Six rows of more columns, one of them zero. */
export function wideRows(seed: number, cols: number, zero: number): Matrix {
  const stream = random(seed);
  const values = Float64Array.from({ length: 6 * cols }, (_, p) => (p % cols === zero ? 0 : stream.normal()));
  return matrix(6, cols, values);
}

export function shifted(X: Matrix, by: number): Matrix {
  return mapped(X, (value) => value + by);
}
