import { expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { nearestNeighbors } from "../../src/graph/index.ts";
import { matrix, takeRows, type Matrix } from "../../src/matrix/matrix.ts";
import { clouds } from "../cluster/clouds.ts";

/** Rows near a curved surface of few dimensions, as vectors of texts and pictures are. */
function surface(n: number, d: number, q: number): Matrix {
  const { normal } = random(3);
  const A = Float64Array.from({ length: q * d }, () => normal() / Math.sqrt(q));
  const X = matrix(n, d);
  for (let i = 0; i < n; i++) {
    const z = Float64Array.from({ length: q }, () => normal());
    for (let f = 0; f < d; f++) {
      let sum = 0.05 * normal();
      for (let a = 0; a < q; a++) sum += z[a] * A[a * d + f];
      X.data[i * d + f] = Math.tanh(sum);
    }
  }
  return X;
}

function share(found: Int32Array, exact: Int32Array, k: number): number {
  let right = 0;
  for (let start = 0; start < exact.length; start += k) {
    const true_ = new Set(exact.subarray(start, start + k));
    for (let p = start; p < start + k; p++) if (true_.has(found[p])) right++;
  }
  return right / exact.length;
}

test.each(["euclidean", "angle"] as const)("approximate neighbours are nearly all, %s", (distance) => {
  const X = surface(3000, 41, 6);
  const exact = nearestNeighbors(X, 10, { distance, search: "exact" });
  const close = nearestNeighbors(X, 10, { distance, search: "approximate", seed: 4 });
  const recall = share(close.indices, exact.indices, 10);
  expect(exact.recall).toBeUndefined();
  expect(recall).toBeGreaterThan(0.95);
  expect(Math.abs(close.recall! - recall)).toBeLessThan(0.05);
  // Distances are those of the exact search, bit for bit, and rise.
  const lengths = new Map(
    Array.from(exact.indices, (j, p) => [`${Math.floor(p / 10)} ${j}`, exact.distances[p]]),
  );
  const wrong = Array.from(close.indices.keys()).filter((p) => {
    const i = Math.floor(p / 10);
    const length = lengths.get(`${i} ${close.indices[p]}`) ?? close.distances[p];
    const falls = p % 10 > 0 && close.distances[p] < close.distances[p - 1];
    return falls || close.distances[p] !== length || close.indices[p] === i;
  });
  expect(wrong).toEqual([]);
  const again = nearestNeighbors(X, 10, { distance, search: "approximate", seed: 4 });
  expect(again.indices).toEqual(close.indices);
  const other = nearestNeighbors(X, 10, { distance, search: "approximate", seed: 5 });
  expect(share(other.indices, exact.indices, 10)).toBeGreaterThan(0.95);
});

test("the order of the rows does not matter", () => {
  const X = surface(900, 30, 5);
  const order = random(8).shuffle(Int32Array.from({ length: 900 }, (_, i) => i));
  const one = nearestNeighbors(X, 6, { search: "approximate", seed: 2 });
  const other = nearestNeighbors(takeRows(X, order), 6, { search: "approximate", seed: 2 });
  expect(other.recall).toBe(one.recall);
  order.forEach((row, place) => {
    const moved = Array.from(other.indices.subarray(6 * place, 6 * place + 6), (j) => order[j]);
    expect(moved).toEqual([...one.indices.subarray(6 * row, 6 * row + 6)]);
  });
});

test("where a sample shows too few, more are looked at", () => {
  const { normal } = random(6);
  const X = matrix(
    4000,
    40,
    Float64Array.from({ length: 160_000 }, () => normal()),
  );
  const exact = nearestNeighbors(X, 10, { search: "exact" });
  const [little, more] = [0, 0.95].map((recall) =>
    nearestNeighbors(X, 10, { search: "approximate", recall }),
  );
  const shares = [little, more].map(({ indices }) => share(indices, exact.indices, 10));
  expect(shares[0]).toBeLessThan(0.9);
  expect(shares[1]).toBeGreaterThan(shares[0] + 0.05);
  for (const [p, { recall }] of [little, more].entries()) {
    expect(Math.abs(recall! - shares[p])).toBeLessThan(0.05);
  }
});

test("duplicates and more neighbours than a leaf holds are found", () => {
  const { X } = clouds(40, 5, 2, 3, 1);
  const many = takeRows(
    X,
    Array.from({ length: 800 }, (_, i) => i % 40),
  );
  const close = nearestNeighbors(many, 8, { search: "approximate" });
  for (let p = 0; p < close.indices.length; p++) {
    expect(close.indices[p]).toBeGreaterThanOrEqual(0);
    expect(close.distances[p]).toBe(0);
  }
  const wide = nearestNeighbors(clouds(700, 30, 3, 4, 2).X, 150, { search: "approximate" });
  expect(wide.indices.every((j) => j >= 0)).toBe(true);
  expect(wide.recall).toBeGreaterThan(0.9);
});

test("a row without direction is refused by angle", () => {
  expect(() => nearestNeighbors(matrix(5, 2), 1, { distance: "angle" })).toThrow("row 0 is zero");
});
