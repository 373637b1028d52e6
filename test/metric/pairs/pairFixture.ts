import { readFileSync } from "node:fs";
import type { Constraints, Pair } from "../../../src/data/constraints.ts";
import { namedData } from "../../../src/data/named.ts";
import { scale } from "../../../src/data/scaling.ts";
import { matrix, row, type Matrix } from "../../../src/matrix/matrix.ts";
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

/** Wine with zero mean and unit variance, and its classes. */
export async function wine(): Promise<{ X: Matrix; labels: readonly string[] }> {
  const table = await namedData("wine");
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

export function shifted(X: Matrix, by: number): Matrix {
  return matrix(
    X.rows,
    X.cols,
    X.data.map((value) => value + by),
  );
}
