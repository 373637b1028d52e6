import { beforeAll, describe, expect, test } from "vitest";
import type { Triplet } from "../../../src/data/index.ts";
import { drawnTriplets } from "./drawnTriplets.ts";
import { symmetricEigen } from "../../../src/matrix/factor/eigen.ts";
import { matrix, takeRows, type Matrix, mapped } from "../../../src/matrix/matrix.ts";
import { triplets } from "../../../src/metric/index.ts";
import { standardized } from "../pairs/pairFixture.ts";

let X: Matrix;
let labels: readonly string[];

beforeAll(async () => {
  ({ X, labels } = await standardized("iris"));
});

/** mean_t [1 + d_ij - d_il]_+ + price sum_f var_f M_ff, by loops. */
function objective(rows: Matrix, list: readonly Triplet[], price: number, M: Float64Array): number {
  const d = rows.cols;
  const square = (i: number, j: number): number => {
    let sum = 0;
    for (let f = 0; f < d; f++) {
      for (let g = 0; g < d; g++) {
        sum +=
          (rows.data[i * d + f] - rows.data[j * d + f]) *
          M[f * d + g] *
          (rows.data[i * d + g] - rows.data[j * d + g]);
      }
    }
    return sum;
  };
  let value = 0;
  for (const [i, j, l] of list) value += Math.max(0, 1 + square(i, j) - square(i, l)) / list.length;
  for (let f = 0; f < d; f++) {
    let [mean, variance] = [0, 0];
    for (let i = 0; i < rows.rows; i++) mean += rows.data[i * d + f] / rows.rows;
    for (let i = 0; i < rows.rows; i++) variance += (rows.data[i * d + f] - mean) ** 2 / rows.rows;
    value += price * variance * M[f * d + f];
  }
  return value;
}

/** Subgradient steps in M, each projected on the positive semidefinite matrices; the least value seen. */
function reference(rows: Matrix, list: readonly Triplet[], price: number): number {
  const d = rows.cols;
  let M = new Float64Array(d * d);
  let least = Infinity;
  for (let t = 1; t <= 4000; t++) {
    least = Math.min(least, objective(rows, list, price, M));
    const G = new Float64Array(d * d);
    for (let f = 0; f < d; f++) G[f * d + f] = price; // z-scored columns: variance 1
    for (const [i, j, l] of list) {
      const a = Array.from({ length: d }, (_, f) => rows.data[i * d + f] - rows.data[j * d + f]);
      const b = Array.from({ length: d }, (_, f) => rows.data[i * d + f] - rows.data[l * d + f]);
      let slack = 1;
      for (let f = 0; f < d; f++) {
        for (let g = 0; g < d; g++) slack += M[f * d + g] * (a[f] * a[g] - b[f] * b[g]);
      }
      if (slack <= 0) continue;
      for (let f = 0; f < d; f++) {
        for (let g = 0; g < d; g++) G[f * d + g] += (a[f] * a[g] - b[f] * b[g]) / list.length;
      }
    }
    const size = Math.hypot(...G);
    const moved = matrix(
      d,
      d,
      M.map((value, p) => value - G[p] / size / t ** 0.6),
    );
    const { values, vectors } = symmetricEigen(moved);
    M = new Float64Array(d * d);
    for (let r = 0; r < d; r++) {
      if (values[r] <= 0) continue;
      for (let p = 0; p < d * d; p++) {
        M[p] += values[r] * vectors.data[Math.floor(p / d) * d + r] * vectors.data[(p % d) * d + r];
      }
    }
  }
  return least;
}

describe("a metric from triplets", () => {
  test.each([0.1, 0.01, 0.001])("price %s: projected subgradients come near, and not below", (price) => {
    const list = drawnTriplets(labels, { count: 80, seed: 3 });
    const fit = triplets(X, list, { price, tolerance: 1e-5 });
    expect(fit.converged).toBe(true);
    expect(fit.objective!).toBeCloseTo(objective(X, list, price, fit.matrix.data), 9);
    const near = reference(X, list, price);
    expect(fit.objective!).toBeLessThanOrEqual(near * (1 + 1e-5));
    expect(near).toBeLessThan(fit.objective! * 1.1);
  });

  test("an early end is told by its gap", () => {
    const list = drawnTriplets(labels, { count: 200, seed: 3 });
    const { converged, certificate, warnings } = triplets(X, list, { maxIterations: 2 });
    expect(converged).toBe(false);
    expect(certificate.residual).toBeGreaterThan(1e-3);
    expect(warnings).toEqual([
      `the duality gap is ${certificate.residual.toExponential(1)} after 2 iterations`,
    ]);
  });

  test("is the same in other units and for rows in another order", () => {
    const list = drawnTriplets(labels, { count: 100, seed: 4 });
    const fit = triplets(X, list, { tolerance: 1e-4 });
    const units = mapped(X, (value, p) => 7 + value * 10 ** (p % X.cols));
    const other = triplets(units, list, { tolerance: 1e-4 });
    expect(Math.abs(other.objective! / fit.objective! - 1)).toBeLessThan(2e-4);
    const turned = Int32Array.from({ length: X.rows }, (_, i) => X.rows - 1 - i);
    const back = list.map(([i, j, l]): Triplet => [X.rows - 1 - i, X.rows - 1 - j, X.rows - 1 - l]);
    const reordered = triplets(takeRows(X, turned), back, { tolerance: 1e-4 });
    expect(Math.abs(reordered.objective! / fit.objective! - 1)).toBeLessThan(2e-4);
  });

  test("triplets of classes bring the classes together", () => {
    const fit = triplets(X, drawnTriplets(labels, { count: 300, seed: 5 }));
    const held = drawnTriplets(labels, { count: 2000, seed: 6 });
    const row = (i: number): Float64Array => X.data.subarray(i * X.cols, (i + 1) * X.cols);
    const wrong = (distance: (i: number, j: number) => number): number =>
      held.filter(([i, j, l]) => distance(i, j) >= distance(i, l)).length / held.length;
    const learned = wrong((i, j) => fit.distance(row(i), row(j)));
    const plain = wrong((i, j) => Math.hypot(...row(i).map((value, f) => value - row(j)[f])));
    expect(learned).toBeLessThan(plain / 2);
  });

  test("constant columns count for nothing; what cannot be is refused", () => {
    const wide = matrix(X.rows, 5);
    for (let i = 0; i < X.rows; i++) wide.data.set(X.data.subarray(i * 4, i * 4 + 4), i * 5);
    const list = drawnTriplets(labels, { count: 60, seed: 1 });
    const fit = triplets(wide, list);
    expect(fit.relevance[4]).toBe(0);
    expect(fit.converged).toBe(true);
    expect(() => triplets(X, [])).toThrow(/no triplets/);
    expect(() => triplets(X, [[0, 0, 1]])).toThrow(/names a row twice/);
    expect(() => triplets(X, [[0, 1, 150]])).toThrow(/no row 150/);
    expect(() => triplets(matrix(4, 2), [[0, 1, 2]])).toThrow(/constant/);
    expect(triplets(X, list, { price: 1e6 }).warnings.join()).toMatch(/zero/);
  });
});
