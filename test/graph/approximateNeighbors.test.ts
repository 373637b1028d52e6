import { expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import {
  approximateNeighbors,
  type ApproximateNeighbors,
} from "../../src/graph/approximate/approximateNeighbors.ts";
import { measuredCandidates } from "../../src/graph/approximate/measuredCandidates.ts";
import { nearestNeighbors } from "../../src/graph/index.ts";
import * as binary from "../../src/graph/kernel/cells.wasm.ts";
import { matrix, requireModerate, takeRows, type Matrix } from "../../src/matrix/matrix.ts";
import { loadKernel } from "../../src/matrix/wasm.ts";
import { clouds } from "../cluster/clouds.ts";

function searched(X: Matrix, k: number, seed: number, enough: number): ApproximateNeighbors {
  return approximateNeighbors(X, k, { seed, enough, largest: requireModerate(X) })!;
}

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

/** Clusters of unequal size and shape, a tenth of the rows noise, lengths varied. */
function uneven(n: number, d: number): Matrix {
  const { normal, uniform } = random(5);
  const centers = Float64Array.from({ length: 30 * d }, () => normal());
  const shapes = Float64Array.from({ length: 30 * 6 * d }, () => 0.4 * normal());
  const X = matrix(n, d);
  for (let i = 0; i < n; i++) {
    const c = Math.floor(30 * uniform() ** 3);
    const noise = uniform() < 0.1;
    const length = 0.7 + 0.6 * uniform();
    const z = Float64Array.from({ length: 6 }, () => normal());
    for (let f = 0; f < d; f++) {
      let sum = noise ? 1.5 * normal() : centers[c * d + f] + 0.1 * normal();
      if (!noise) for (let a = 0; a < 6; a++) sum += z[a] * shapes[(c * 6 + a) * d + f];
      X.data[i * d + f] = length * sum;
    }
  }
  return X;
}

/** Clusters that are tight and far apart: single precision cannot order the rows of one. */
function tight(n: number, d: number): Matrix {
  return clouds(n, d, 20, 1e7, 4).X;
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
  const X = surface(3000, 81, 6);
  const exact = nearestNeighbors(X, 10, { distance, search: "exact" });
  const close = nearestNeighbors(X, 10, { distance, search: "approximate", seed: 4 });
  const recall = share(close.indices, exact.indices, 10);
  expect(exact.recall).toBeUndefined();
  expect(recall).toBeGreaterThan(0.95);
  expect(recall).toBeLessThan(1);
  expect(Math.abs(close.recall! - recall)).toBeLessThan(0.03);
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
  const distinct = (i: number): boolean => new Set(close.indices.subarray(10 * i, 10 * i + 10)).size === 10;
  expect(Array.from({ length: 3000 }, (_, i) => i).every(distinct)).toBe(true);
  const again = nearestNeighbors(X, 10, { distance, search: "approximate", seed: 4 });
  expect(share(again.indices, close.indices, 10)).toBe(1);
  const other = nearestNeighbors(X, 10, { distance, search: "approximate", seed: 5 });
  expect(share(other.indices, exact.indices, 10)).toBeGreaterThan(0.95);
});

test.each([
  ["clouds without structure inside", clouds(4000, 96, 40, 0.8, 1).X, 0.95],
  ["a curved surface", surface(4000, 60, 12), 0.9],
  ["uneven clusters and noise", uneven(4000, 70), 0.9],
  ["rows that fill all columns", clouds(3000, 40, 1, 0, 2).X, 0.6],
  ["tight clusters far apart", tight(3000, 30), 0.9],
])("the share found is what is reported, and enough: %s", (_, X, enough) => {
  const exact = nearestNeighbors(X, 10, { search: "exact" });
  const close = nearestNeighbors(X, 10, { search: "approximate", recall: enough, seed: 1 });
  const recall = share(close.indices, exact.indices, 10);
  // No recall: the search turned out to be exact.
  expect(Math.abs((close.recall ?? 1) - recall)).toBeLessThan(close.recall === undefined ? 1e-9 : 0.03);
  expect(recall).toBeGreaterThan(enough - 0.02);
});

test("the order of the rows does not matter", () => {
  const X = surface(2400, 70, 5);
  const order = random(8).shuffle(Int32Array.from({ length: 2400 }, (_, i) => i));
  const one = searched(X, 6, 2, 0.9);
  const other = searched(takeRows(X, order), 6, 2, 0.9);
  expect(other.recall).toBe(one.recall);
  const moved = new Int32Array(6 * 2400);
  order.forEach((row, place) => {
    for (let p = 0; p < 6; p++) moved[6 * row + p] = order[other.indices[6 * place + p]];
  });
  expect(moved.every((j, p) => j === one.indices[p])).toBe(true);
});

test("a shift and a factor do not matter", () => {
  const X = surface(2400, 70, 5);
  const one = searched(X, 6, 2, 0.9);
  const moved = matrix(
    2400,
    70,
    X.data.map((value) => 1024 * (value + 2)),
  );
  const other = searched(moved, 6, 2, 0.9);
  expect(share(other.indices, one.indices, 6)).toBeGreaterThan(0.99);
});

test("more is found if more is wanted", () => {
  const X = surface(5000, 80, 15);
  const exact = nearestNeighbors(X, 10, { search: "exact" });
  const [little, more] = [0.6, 0.95].map((recall) => searched(X, 10, 0, recall));
  const shares = [little, more].map(({ indices }) => share(indices, exact.indices, 10));
  expect(shares[0]).toBeGreaterThan(0.57);
  expect(shares[0]).toBeLessThan(0.9);
  expect(shares[1]).toBeGreaterThan(0.93);
});

test("duplicates are found", () => {
  const { X } = clouds(40, 50, 2, 3, 1);
  const many = takeRows(
    X,
    Array.from({ length: 2400 }, (_, i) => i % 40),
  );
  const close = nearestNeighbors(many, 8, { search: "approximate" });
  expect(close.indices.every((j) => j >= 0)).toBe(true);
  expect(close.distances.every((value) => value === 0)).toBe(true);
  // A third of the rows are equal: their cell is divided, and the others are not lost.
  const uneven_ = surface(3000, 60, 5);
  for (let i = 0; i < 1000; i++) uneven_.data.fill(0.25, i * 60, (i + 1) * 60);
  const exact = nearestNeighbors(uneven_, 8, { search: "exact" });
  const found = searched(uneven_, 8, 0, 0.95);
  expect(found.recall).toBeGreaterThan(0.95);
  const wrong = found.distances.filter((value, p) => value > exact.distances[p - (p % 8) + 7]).length;
  expect(wrong / exact.distances.length).toBeLessThan(0.05);
  expect(found.distances.subarray(0, 8000).every((value) => value === 0)).toBe(true);
});

test("constant rows and rows of one direction", () => {
  const constant = nearestNeighbors(matrix(2200, 30), 5, { search: "approximate" });
  expect(constant.distances.every((value) => value === 0)).toBe(true);
  const line = matrix(2200, 30);
  for (let i = 0; i < 2200; i++) line.data.fill(i * i, 30 * i, 30 * i + 30);
  const exact = nearestNeighbors(line, 5, { search: "exact" });
  const close = nearestNeighbors(line, 5, { search: "approximate" });
  expect(share(close.indices, exact.indices, 5)).toBeGreaterThan(0.94);
});

test("few rows, or many neighbours of each, are compared with all", () => {
  const X = surface(700, 30, 3);
  const close = nearestNeighbors(X, 150, { search: "approximate" });
  const exact = nearestNeighbors(X, 150, { search: "exact" });
  expect(close.recall).toBeUndefined();
  expect(close.indices.every((j, p) => j === exact.indices[p])).toBe(true);
});

test("a stopped search returns what it has, with its quality", () => {
  const X = surface(4000, 80, 15);
  const exact = nearestNeighbors(X, 10, { search: "exact" });
  const stopped = nearestNeighbors(X, 10, { search: "approximate", onProgress: () => false });
  expect(stopped.indices.every((j, p) => j >= 0 && j !== Math.floor(p / 10))).toBe(true);
  expect(Math.abs(stopped.recall! - share(stopped.indices, exact.indices, 10))).toBeLessThan(0.05);
});

test("a row without direction is refused by angle", () => {
  expect(() => nearestNeighbors(matrix(5, 2), 1, { distance: "angle" })).toThrow("row 0 is zero");
});

test("neighbours are told apart in clusters that are small and far from each other", () => {
  const { normal } = random(6);
  const centers = Float64Array.from({ length: 30 * 60 }, () => normal());
  for (const spread of [0.1, 0.01, 1e-3]) {
    const X = matrix(
      6000,
      60,
      Float64Array.from(
        { length: 6000 * 60 },
        (_, p) => centers[(Math.floor(p / 60) % 30) * 60 + (p % 60)] + spread * normal(),
      ),
    );
    const exact = nearestNeighbors(X, 10, { search: "exact" });
    const close = nearestNeighbors(X, 10, { search: "approximate" });
    expect(close.recall).toBeDefined();
    expect(share(close.indices, exact.indices, 10)).toBeGreaterThan(0.93);
  }
});

test("candidates are measured alike in groups and all together, and short lists are completed", () => {
  const X = surface(300, 13, 4);
  const kernel = loadKernel<binary.Exports>("graph/cells", binary, { build: "simd" });
  const { integer } = random(2);
  const rowAt = random(9).shuffle(Int32Array.from({ length: 300 }, (_, i) => i));
  const starts = Int32Array.of(0, 100, 101, 300);
  kernel.scope(() => {
    const candidates = kernel.reserve(4 * 300 * 8);
    const values = kernel.reserve(8 * 300 * 13);
    const list = kernel.i32(candidates, 300 * 8);
    for (let at = 0; at < 300; at++) {
      const near = new Set<number>();
      while (near.size < (at % 50 === 0 ? 3 : 7)) near.add((at + 1 + integer(299)) % 300);
      list.fill(-1, at * 8, (at + 1) * 8);
      list.set([...near], at * 8 + 1);
    }
    const kept = list.slice();
    kernel.f64(values, 300 * 13).set(takeRows(X, rowAt).data);
    const [apart, together] = [undefined, values].map((all) =>
      measuredCandidates(kernel, X, 5, 8, candidates, { rowAt, starts, values: all })!,
    );
    expect(together).toEqual(apart);
    const exact = nearestNeighbors(X, 5, { search: "exact" });
    const distance = (i: number, j: number): number => {
      let sum = 0;
      for (let f = 0; f < 13; f++) sum += (X.data[i * 13 + f] - X.data[j * 13 + f]) ** 2;
      return sum;
    };
    for (let at = 0; at < 300; at++) {
      const i = rowAt[at];
      const measured = Array.from(kept.subarray(at * 8, (at + 1) * 8))
        .filter((place) => place >= 0)
        .map((place) => distance(i, rowAt[place]))
        .toSorted((a, b) => a - b);
      const expected = at % 50 === 0 ? exact.distances.subarray(i * 5, i * 5 + 5) : measured.slice(0, 5);
      expect(Array.from(apart.distances.subarray(i * 5, i * 5 + 5))).toEqual(Array.from(expected));
    }
  });
});
