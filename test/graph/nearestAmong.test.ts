import { expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { nearestAmong } from "../../src/graph/index.ts";
import { matrix, nearestRows, type Matrix } from "../../src/matrix/index.ts";

function rows(n: number, d: number, from: number, values: () => number): Matrix {
  const X = matrix(n, d);
  for (let p = 0; p < X.data.length; p++) X.data[p] = from + values();
  return X;
}

test("finds bit for bit what comparing all pairs finds, in few and in many dimensions", () => {
  const { uniform } = random(1);
  for (const [n, d, k] of [
    [1500, 2, 1],
    [1500, 5, 7],
    [1200, 24, 3],
    [1200, 30, 2],
    [300, 3, 4],
  ]) {
    const X = rows(n, d, 0, uniform);
    // Beyond the points too, and points of the tree themselves.
    const Q = rows(600, d, -0.5, () => 2 * uniform());
    Q.data.set(X.data.subarray(0, 50 * d));
    const found = nearestAmong(X, k, Q);
    const expected = nearestRows(X, k, { queries: Q });
    expect(found.indices).toEqual(expected.indices);
    expect(found.distances).toEqual(expected.distances);
  }
});

test("duplicates are ordered by row number; a query that equals a row finds it", () => {
  const { uniform } = random(1);
  const X = rows(2000, 2, 0, () => Math.floor(12 * uniform()));
  const found = nearestAmong(X, 20, X);
  expect(found).toEqual(nearestRows(X, 20, { queries: { ...X } }));
  for (let i = 0; i < X.rows; i++) expect(found.distances[20 * i]).toBe(0);
});

test("values whose squares leave the number range are compared as by all pairs", () => {
  const { uniform } = random(1);
  for (const scale of [1e200, 1e-200]) {
    const X = rows(1100, 2, 0, () => scale * uniform());
    const Q = rows(200, 2, 0, () => scale * uniform());
    expect(nearestAmong(X, 2, Q)).toEqual(nearestRows(X, 2, { queries: Q }));
  }
});
