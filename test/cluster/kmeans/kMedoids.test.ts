import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { kMedoids, kmeans, type RowDistance } from "../../../src/cluster/index.ts";
import { random } from "../../../src/core/index.ts";
import { fromRows, matrix, takeRows, type Matrix } from "../../../src/matrix/index.ts";
import { adjustedRand } from "../../../src/score/index.ts";
import { clouds } from "../clouds.ts";

const kinds: readonly RowDistance[] = ["euclidean", "manhattan", "cosine"];

/** Written from the definitions. */
function distanceOf(kind: RowDistance, X: Matrix, i: number, j: number): number {
  const x = X.data.subarray(i * X.cols, (i + 1) * X.cols);
  const y = X.data.subarray(j * X.cols, (j + 1) * X.cols);
  if (kind === "manhattan") return x.reduce((sum, value, f) => sum + Math.abs(value - y[f]), 0);
  if (kind === "euclidean") return Math.sqrt(x.reduce((sum, value, f) => sum + (value - y[f]) ** 2, 0));
  const dot = (a: Float64Array, b: Float64Array): number =>
    a.reduce((sum, value, f) => sum + value * b[f], 0);
  return 1 - dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}

function loss(D: readonly (readonly number[])[], medoids: readonly number[]): number {
  return D.reduce((sum, row) => sum + Math.min(...medoids.map((m) => row[m])), 0);
}

function table(kind: RowDistance, X: Matrix): number[][] {
  return Array.from({ length: X.rows }, (_, i) =>
    Array.from({ length: X.rows }, (_, j) => distanceOf(kind, X, i, j)),
  );
}

/** The swap of PAM: the best of all pairs of a medoid and another row, each loss summed afresh. */
function bestSwap(D: readonly (readonly number[])[], medoids: readonly number[]): number {
  let least = Infinity;
  for (let i = 0; i < medoids.length; i++) {
    for (let c = 0; c < D.length; c++) {
      if (!medoids.includes(c)) least = Math.min(least, loss(D, medoids.with(i, c)));
    }
  }
  return least;
}

function subsets(n: number, K: number, first = 0): number[][] {
  if (K === 0) return [[]];
  const found: number[][] = [];
  for (let i = first; i <= n - K; i++) for (const rest of subsets(n, K - 1, i + 1)) found.push([i, ...rest]);
  return found;
}

describe.each(kinds)("kMedoids, %s", (distance) => {
  test("no swap of a naive PAM lowers the loss, which is that of the definition", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1000 }),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom("build", "seeded" as const),
        (seed, clusters, start) => {
          const { X } = clouds(40, 3, 4, 1.5, seed);
          const fit = kMedoids(X, { clusters, distance, start, restarts: 1, seed });
          const D = table(distance, X);
          const medoids = Array.from(fit.medoids);
          const E = loss(D, medoids);
          expect(fit.converged).toBe(true);
          expect(fit.objective).toBeCloseTo(E, 9);
          expect(bestSwap(D, medoids)).toBeGreaterThanOrEqual(E * (1 - 1e-9));
          expect(fit.certificate.kind).toBe("local optimum");
          expect(E + fit.certificate.change).toBeCloseTo(bestSwap(D, medoids), 9);
          for (let t = 1; t < fit.history.length; t++) {
            expect(fit.history[t]).toBeLessThanOrEqual(fit.history[t - 1]);
          }
          fit.labels.forEach((k, j) =>
            expect(D[j][medoids[k]]).toBeCloseTo(Math.min(...medoids.map((m) => D[j][m])), 12),
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  test("the best of several runs is the best of all sets of medoids, on few rows", () => {
    for (let seed = 1; seed <= 8; seed++) {
      const { X } = clouds(13, 2, 3, 1, seed);
      const D = table(distance, X);
      for (const clusters of [1, 2, 3]) {
        const least = Math.min(...subsets(13, clusters).map((medoids) => loss(D, medoids)));
        expect(kMedoids(X, { clusters, distance, restarts: 20 }).objective).toBeCloseTo(least, 9);
      }
    }
  });

  test("the order of the rows has no influence, and copies of rows are where these are", () => {
    const { X } = clouds(90, 3, 3, 1, 4);
    const fit = kMedoids(X, { clusters: 4, distance });
    const order = random(7).shuffle(Int32Array.from({ length: 90 }, (_, i) => i));
    const shuffled = kMedoids(takeRows(X, order), { clusters: 4, distance });
    expect(shuffled.objective).toBe(fit.objective);
    expect(shuffled.medoids.map((m) => order[m])).toEqual(fit.medoids);
    const twice = takeRows(X, [...order, ...order]);
    const copied = kMedoids(twice, { clusters: 4, distance });
    expect(copied.objective).toBeCloseTo(2 * fit.objective, 9);
    expect(copied.labels.slice(0, 90)).toEqual(copied.labels.slice(90));
  });
});

test("shifts and scales move medoids with the rows; multiples of rows are the same for the cosine", () => {
  const { X } = clouds(60, 3, 3, 2, 9);
  const moved = { ...X, data: X.data.map((value, p) => 3 * value + [100, -7, 0.5][p % 3]) };
  const longer = { ...X, data: X.data.map((value, p) => value * (1 + (Math.floor(p / 3) % 5))) };
  for (const distance of ["euclidean", "manhattan"] as const) {
    const fit = kMedoids(X, { clusters: 3, distance });
    expect(kMedoids(moved, { clusters: 3, distance }).medoids).toEqual(fit.medoids);
    expect(kMedoids(moved, { clusters: 3, distance }).objective).toBeCloseTo(3 * fit.objective, 8);
  }
  const fit = kMedoids(X, { clusters: 3, distance: "cosine" });
  expect(kMedoids(longer, { clusters: 3, distance: "cosine" }).objective).toBeCloseTo(fit.objective, 9);
});

test("finds clouds in spite of far rows, which k-means would give a cluster", () => {
  const { X, truth } = clouds(150, 2, 3, 8, 3);
  const far = matrix(153, 2);
  far.data.set(X.data);
  far.data.set([130, 120, -120, 110, 100, -130], 300);
  const fit = kMedoids(far, { clusters: 3 });
  expect(adjustedRand(fit.labels.slice(0, 150), truth)).toBeGreaterThan(0.95);
  expect(adjustedRand(kmeans(far, { clusters: 3 }).labels.slice(0, 150), truth)).toBeLessThan(0.8);
  expect(Array.from(fit.medoids).every((m) => m < 150)).toBe(true);
});

test("many rows: distances are computed as needed, with the same answer for the same start", () => {
  const { X, truth } = clouds(4200, 2, 3, 12, 6);
  const fit = kMedoids(X, { clusters: 3 });
  expect(fit.converged).toBe(true);
  expect(adjustedRand(fit.labels, truth)).toBeGreaterThan(0.99);
  expect(fit.predict(X)).toEqual(fit.labels);
});

test("few distinct rows, all rows and one row", () => {
  const equal = kMedoids([[1, 2], [1, 2], [5, 5], [5, 5]], { clusters: 3 }); // prettier-ignore
  expect(equal.clusters).toBe(2);
  expect(equal.objective).toBe(0);
  expect(equal.warnings[0]).toMatch(/only 2 distinct rows/);
  const all = kMedoids([[1], [2], [4]], { clusters: 3 });
  expect([Array.from(all.medoids), all.objective, all.certificate]).toEqual([[0, 1, 2], 0, { kind: "local optimum", change: 0 }]); // prettier-ignore
  expect(Array.from(kMedoids([[7]], { clusters: 1 }).labels)).toEqual([0]);
  expect(kMedoids([[1], [2], [9]], { clusters: 1 }).medoids[0]).toBe(1);
  const tiny = kMedoids([[0], [1e-300], [2e-300], [1]], { clusters: 3, distance: "manhattan" });
  expect(tiny.sizes.every((size) => size > 0)).toBe(true);
});

test("it stops when asked to, with the best so far", () => {
  const { X } = clouds(300, 3, 5, 1, 3);
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 300));
  const fit = kMedoids(X, { clusters: 8, start: "seeded", restarts: 3, onProgress: () => false });
  vi.restoreAllMocks();
  expect(fit.converged).toBe(fit.certificate.kind === "local optimum");
  expect(fit.warnings).toContain("stopped by onProgress in restart 1 of 3");
  expect(fit.labels).toHaveLength(300);
});

test.each<readonly [string, () => unknown, RegExp]>([
  ["no rows", () => kMedoids([], { clusters: 1 }), /empty/],
  [
    "more clusters than rows",
    () => kMedoids([[1], [2]], { clusters: 3 }),
    /cannot make 3 clusters of 2 rows/,
  ],
  [
    "a zero row under the cosine",
    () =>
      kMedoids(
        [
          [1, 0],
          [0, 0],
        ],
        { clusters: 1, distance: "cosine" },
      ),
    /row 1 are 0/,
  ],
  ["NaN", () => kMedoids(fromRows([[1], [Number.NaN]]), { clusters: 1 }), /row 1, column 0/],
  [
    "another distance",
    () => kMedoids([[1]], { clusters: 1, distance: "chebyshev" as never }),
    /one of "euclidean"/,
  ],
  [
    "too many rows",
    () => kMedoids(matrix(30_001, 1), { clusters: 2 }),
    /at most 30000\. kmeans takes any number/,
  ],
  [
    "other columns",
    () => kMedoids([[1], [2]], { clusters: 1 }).predict([[1, 2]]),
    /2 columns, but the clusters have 1/,
  ],
])("%s is refused by name", (_, run, message) => {
  expect(run).toThrow(message);
});
