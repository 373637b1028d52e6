import * as fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { kmeans } from "../../../src/cluster/index.ts";
import { lloyd, MEANS, type LloydRun } from "../../../src/cluster/kmeans/lloyd.ts";
import { densePoints, type Points } from "../../../src/cluster/kmeans/points.ts";
import { withPoints } from "../../../src/cluster/kmeans/withPoints.ts";
import { random } from "../../../src/core/index.ts";
import { matrix, setThreads, takeRows, threads, useEngine, type Matrix } from "../../../src/matrix/index.ts";
import { clouds } from "../clouds.ts";

/** Lloyd's algorithm to its end. */
function endless(points: Points, weights: Float64Array | undefined, initial: Float64Array): LloydRun {
  const assigner = points.assigner(initial.length / points.cols);
  return lloyd({ points, weights, assigner, maxIterations: 500, tolerance: 0 }, initial, () => true);
}

function reference(X: Matrix, initial: Float64Array, weights?: Float64Array): LloydRun {
  return endless(densePoints(X), weights, initial);
}

/** Where two runs part, or undefined if they took the same steps (objectives up to rounding). */
function parting(run: LloydRun, other: LloydRun): string | undefined {
  const row = run.labels.findIndex((label, i) => label !== other.labels[i]);
  if (row >= 0) return `label of row ${row}: ${run.labels[row]}, not ${other.labels[row]}`;
  if (run.history.length !== other.history.length) return `iterations: ${run.history.length}`;
  const step = run.history.findIndex(
    (value, t) => Math.abs(value - other.history[t]) > 1e-9 * Math.max(1, run.history[0]),
  );
  return step >= 0
    ? `objective of iteration ${step}: ${run.history[step]}, not ${other.history[step]}`
    : undefined;
}

describe("assignment with bounds", () => {
  const before = threads();
  afterEach(() => {
    useEngine("simd");
    setThreads(before);
  });

  it("takes the same steps as comparing every row with every centre, empty clusters included", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 5, max: 300 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 5 }),
        fc.nat(1e6),
        (n, d, K, seed) => {
          const { X } = clouds(n, d, 3, 2, seed);
          const { normal, integer } = random(seed);
          // Some of these centres are far from every row, so that clusters start empty.
          const initial = Float64Array.from({ length: K * d }, () => normal() * (integer(3) === 0 ? 50 : 2));
          const weights =
            integer(2) === 0 ? undefined : Float64Array.from({ length: n }, () => 1 + integer(3));
          const run = withPoints(X, (points) => endless(points, weights, initial));
          expect(parting(run, reference(X, initial, weights))).toBe(undefined);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    ["at once, a bound for each centre", 45, 1e9],
    ["beyond the kernel's memory", 45, 100_000],
    ["at once, several centres with a common bound", 150, 1e9],
  ])("also with products of integers: %s", (_, K, residentBytes) => {
    for (const spread of [0.1, 0.4]) {
      for (const d of [40, 33]) {
        const { X } = clouds(1300, d, K, spread, 5);
        const initial = takeRows(
          X,
          Int32Array.from({ length: K }, (_, k) => (k * 31) % 1300),
        ).data;
        const limits = { residentBytes, parallelValues: 1e9 };
        const from = (centers: Float64Array): LloydRun =>
          withPoints(X, (points) => endless(points, undefined, centers), limits);
        const run = from(initial);
        expect(parting(run, reference(X, initial))).toBe(undefined);
        expect(run.converged).toBe(true);
        // Centres far from every row: their clusters start empty.
        const far = initial.map((value, p) => (p < 3 * d ? 40 * value : value));
        expect(parting(from(far), reference(X, far))).toBe(undefined);
      }
    }
  });

  it("also in lanes, for every number of centres, and where these leave rows open", () => {
    const { normal, integer } = random(4);
    const kinds: ((i: number) => number)[] = [
      () => normal(),
      () => 1e7 + normal(),
      () => integer(3),
      (i) => (i % 97 === 0 ? 1e9 : 1) * normal(),
      (i) => (i % 97 === 0 ? 1e30 : 1) * normal(),
    ];
    for (const [p, kind] of kinds.entries()) {
      for (const K of [1, 2, 4, 5, 9, 16, 17]) {
        const [n, d] = [600 + K, 1 + ((3 * K + p) % 12)];
        const X = matrix(
          n,
          d,
          Float64Array.from({ length: n * d }, (_, at) => kind(Math.floor(at / d))),
        );
        const initial = takeRows(X, random(K).sample(K, n)).data;
        const weights = K % 2 === 0 ? undefined : Float64Array.from({ length: n }, () => integer(3));
        const run = withPoints(X, (points) => endless(points, weights, initial));
        expect([p, K, parting(run, reference(X, initial, weights))]).toEqual([p, K, undefined]);
      }
    }
  });

  it("finds the nearest where single precision cannot tell: ties, copies, far from the origin, values far apart", () => {
    const { normal, integer } = random(8);
    const n = 101;
    const d = 27;
    const K = 13;
    const kinds: ((f: number) => number)[] = [
      () => integer(2),
      () => 1e8 + normal(),
      () => 1e-9 * normal(),
      () => normal() * 10 ** (integer(60) - 30),
      (f) => (f === 0 ? 1e3 + 1e-6 * normal() : 0),
    ];
    for (const kind of kinds) {
      const X = matrix(
        n,
        d,
        Float64Array.from({ length: n * d }, (_, p) => kind(p % d)),
      );
      X.data.copyWithin(50 * d, 0, 20 * d);
      const C = X.data.slice(0, K * d);
      const plain = densePoints(X);
      const all = new Float64Array(n * K);
      plain.distances(0, n, C, K, all);
      withPoints(X, (points) => {
        points.nearest(C, K, false);
        expect(Array.from(points.labels())).toEqual(
          Array.from({ length: n }, (_, i) => {
            const row = all.subarray(i * K, (i + 1) * K);
            return row.indexOf(Math.min(...row));
          }),
        );
        // The distances to the nearest of the centres so far, to 1/64, and 0 for copies of them; and those of some rows.
        const near = (value: number, expected: number): boolean =>
          Math.abs(value - expected) <= expected / 60;
        const some = Int32Array.of(0, 3, 4, 55);
        points.seeding!(undefined, (rows) => {
          for (let k = 0, count = 1; k < K; k += count, count = Math.min(1 + (k % 5), K - k)) {
            const next = C.slice(k * d, (k + count) * d);
            const limits = rows.limits().slice();
            const D = rows.distances(some, next, count);
            rows.lower(next, count, k);
            const labels = points.labels();
            for (let i = 0; i < n; i++) {
              const own = all.subarray(i * K, i * K + k + count);
              expect([i, k, near(rows.limits()[i], Math.min(...own))]).toEqual([i, k, true]);
              expect([i, k, near(rows.limits()[i], own[labels[i]])]).toEqual([i, k, true]);
            }
            for (let e = 0; e < some.length * count; e++) {
              const i = some[Math.floor(e / count)];
              expect(near(D[e], Math.min(limits[i], all[i * K + k + (e % count)]))).toBe(true);
            }
          }
        });
      });
    }
  });

  it("keeps to the tie rule on a grid, where many distances are equal", () => {
    const X = matrix(
      400,
      2,
      Float64Array.from({ length: 800 }, (_, p) => (p % 2 ? (p >> 1) % 20 : ((p >> 1) / 20) | 0)),
    );
    for (let seed = 0; seed < 20; seed++) {
      const initial = takeRows(X, random(seed).sample(6, 400)).data;
      const run = withPoints(X, (points) => endless(points, undefined, initial));
      expect(parting(run, reference(X, initial))).toBe(undefined);
    }
  });

  it("gives the same bits in the kernel's memory or beyond it, on one thread or several", () => {
    const { X } = clouds(2000, 7, 5, 1, 9);
    const initial = takeRows(X, [0, 1, 2, 3, 4]).data;
    const run = (residentBytes: number, count: number): LloydRun => {
      setThreads(count);
      return withPoints(X, (points) => endless(points, undefined, initial), {
        residentBytes,
        parallelValues: 1,
      });
    };
    const expected = run(1e9, 1);
    expect(run(20_000, 1)).toEqual(expected);
    expect(run(1e9, 2)).toEqual(expected);
    expect(run(20_000, 3)).toEqual(expected);
  });

  it.each([
    [105_000, 20, false],
    [100_000, 21, true],
    [85_000, 25, false],
  ])("gives the same bits for any number of threads and any order of the rows: %d x %d", (n, d, weighted) => {
    const { X } = clouds(n, d, 7, 1, 4);
    const order = random(1).shuffle(Int32Array.from({ length: n }, (_, i) => i));
    const moved = takeRows(X, order);
    const weights = weighted ? Float64Array.from({ length: n }, (_, i) => 1 + (i % 3)) : undefined;
    const run = (count: number, rows: Matrix, own?: Float64Array): object => {
      setThreads(count);
      const options = { clusters: 6, restarts: 1, maxIterations: 6, ...(own && { weights: own }) };
      const { labels, centers, history, certificate } = kmeans(rows, options);
      return { labels: Buffer.from(labels.buffer).toString("base64"), centers, history, certificate };
    };
    const expected = run(1, X, weights);
    expect(run(2, X, weights)).toEqual(expected);
    expect(run(3, X, weights)).toEqual(expected);
    const elsewhere = run(2, moved, weights && Float64Array.from(order, (row) => weights[row]));
    expect({ ...elsewhere, labels: "" }).toEqual({ ...expected, labels: "" });
  });

  it("gives the same clusters for every engine", () => {
    const { X } = clouds(1000, 50, 8, 0.4, 1);
    const expected = kmeans(X, { clusters: 8, restarts: 2 });
    useEngine("relaxed");
    const other = kmeans(X, { clusters: 8, restarts: 2 });
    expect(other.labels).toEqual(expected.labels);
    expect(other.objective).toBeCloseTo(expected.objective, 8);
  });
});

it("goes on after a rise where the rule says that there may be one, and returns the best iterate", () => {
  const { X } = clouds(400, 2, 6, 1, 3);
  const initial = takeRows(X, [0, 1, 2, 3, 4, 5]).data;
  const points = densePoints(X);
  const usual = endless(points, undefined, initial);
  const objectives = [9, 5, 7];
  const run = (maxIterations: number): LloydRun => {
    let step = 0;
    const rule = { ...MEANS, mayRise: true, objective: () => objectives[step++] ?? 6 };
    const parts = { points, weights: undefined, assigner: points.assigner(6), rule, tolerance: 0 };
    return lloyd({ ...parts, maxIterations }, initial, () => true);
  };
  expect(usual.history.length).toBeGreaterThan(4);
  expect(run(500).history.length).toBe(usual.history.length);
  expect(run(500).converged).toBe(true);
  expect(run(500).labels).toEqual(run(2).labels);
  expect(run(500).centers).toEqual(run(2).centers);
});
