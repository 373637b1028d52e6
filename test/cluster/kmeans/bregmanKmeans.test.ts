import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bregmanKmeans } from "../../../src/cluster/bregman/bregmanKmeans.ts";
import { kmeans } from "../../../src/cluster/kmeans/kmeans.ts";
import { random } from "../../../src/core/random.ts";
import { samplePairs, scale, type Pair } from "../../../src/data/index.ts";
import { fromRows, matrix, row, toSparse, type Matrix } from "../../../src/matrix/index.ts";
import { bregman, type BregmanDistance, type BregmanFunction } from "../../../src/metric/index.ts";
import { adjustedRand } from "../../../src/score/index.ts";

function sample(n: number, seed: number, K = 3): { X: Matrix; y: number[]; distance: BregmanDistance } {
  const stream = random(seed);
  const X = matrix(n, 3);
  const y = Array.from({ length: n }, (_, i) => i % K);
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < 3; f++) X.data[i * 3 + f] = stream.normal() + (f === 0 ? 3 * y[i] : 0);
  }
  const Z = scale(X).X;
  const pairs = samplePairs(y, { mustLink: n, cannotLink: n, seed });
  return { X: Z, y, distance: bregman(Z, pairs) };
}

describe("the divergence", () => {
  test("E never rises, ends at a local optimum and is what the distance says", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e6 }),
        fc.integer({ min: 2, max: 5 }),
        fc.constantFrom<BregmanFunction>("exp", "square", 4),
        (seed, clusters, h) => {
          const { X, y } = sample(40, seed);
          const distance = bregman(X, {
            ...samplePairs(y, { mustLink: 40, cannotLink: 40, seed }),
            function: h,
          });
          const result = bregmanKmeans(X, { distance, clusters, seed, restarts: 3 });
          result.history.slice(1).forEach((E, t) => {
            expect(E).toBeLessThanOrEqual(result.history[t] * (1 + 1e-10));
          });
          expect(result.converged).toBe(true);
          let E = 0;
          for (let i = 0; i < X.rows; i++) {
            const own = distance.divergence(row(X, i), row(result.centers, result.labels[i]));
            E += own;
            for (let k = 0; k < clusters; k++) {
              expect(own).toBeLessThanOrEqual(
                distance.divergence(row(X, i), row(result.centers, k)) * (1 + 1e-6) + 1e-9,
              );
            }
          }
          expect(Math.abs(E - result.objective)).toBeLessThanOrEqual(1e-8 * Math.max(1, E));
        },
      ),
      { numRuns: 25 },
    );
  });

  test("with z^2 / 2 it is k-means on the transformed rows", () => {
    const { X, y } = sample(60, 3);
    const distance = bregman(X, { ...samplePairs(y, { mustLink: 60, cannotLink: 60 }), function: "square" });
    const U = distance.project(X);
    const moved = matrix(U.rows, U.cols);
    for (let p = 0; p < U.data.length; p++) {
      moved.data[p] = U.data[p] * Math.sqrt(distance.weights[p % U.cols] / 2);
    }
    const ours = bregmanKmeans(X, { distance, clusters: 3 });
    const theirs = kmeans(moved, { clusters: 3, initialCenters: means(moved, ours.labels, 3) });
    expect(theirs.labels).toEqual(ours.labels);
    expect(ours.objective).toBeCloseTo(theirs.objective, 8);
  });

  test("finds the classes that the pairs describe, also for new and for sparse rows", () => {
    const { X, y, distance } = sample(90, 1);
    const result = bregmanKmeans(X, { distance, clusters: 3, seed: 2 });
    expect(adjustedRand(result.labels, y)).toBeGreaterThan(0.6);
    expect(result.predict(X)).toEqual(result.labels);
    expect(result.predict(toSparse(X))).toEqual(result.labels);
    expect(bregmanKmeans(toSparse(X), { distance, clusters: 3, seed: 2 }).labels).toEqual(result.labels);
  });
});

test("the symmetrised distance: the best iterate is returned, and a rise is said", () => {
  for (let seed = 0; seed < 10; seed++) {
    const { X, distance } = sample(40, seed);
    const result = bregmanKmeans(X, { distance, clusters: 4, form: "symmetrised", seed, restarts: 2 });
    expect(result.objective).toBe(Math.min(...result.history));
    let E = 0;
    for (let i = 0; i < X.rows; i++) E += distance.distance(row(X, i), row(result.centers, result.labels[i]));
    expect(Math.abs(E - result.objective)).toBeLessThanOrEqual(1e-8 * E);
    const rises = result.history.some((value, t) => t > 0 && value > result.history[t - 1] * (1 + 1e-10));
    expect(result.warnings.some((warning) => warning.includes("rose"))).toBe(rises);
  }
});

test("enforced pairs hold, without them the distance alone decides, and E still never rises", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e6 }), (seed) => {
      const { X, y, distance } = sample(50, seed);
      // Labels that have nothing to do with the rows: only enforcement can bring them about.
      const shuffled = random(seed).shuffle([...y]);
      const enforce = samplePairs(shuffled, { mustLink: 20, cannotLink: 20, seed });
      const result = bregmanKmeans(X, {
        distance,
        clusters: 3,
        ...enforce,
        enforce: true,
        seed,
        restarts: 2,
      });
      expect(result.certificate.violated).toBe(0);
      for (const [i, j] of enforce.mustLink) expect(result.labels[i]).toBe(result.labels[j]);
      for (const [i, j] of enforce.cannotLink) expect(result.labels[i]).not.toBe(result.labels[j]);
      result.history
        .slice(1)
        .forEach((E, t) => expect(E).toBeLessThanOrEqual(result.history[t] * (1 + 1e-9)));
    }),
    { numRuns: 20 },
  );
});

describe("bad input", () => {
  const { X, distance } = sample(12, 1);
  const four: Pair[] = [
    [0, 1],
    [0, 2],
    [1, 2],
  ];
  test.each<[string, () => unknown, RegExp]>([
    [
      "too many clusters",
      () => bregmanKmeans(X, { distance, clusters: 13 }),
      /cannot make 13 clusters of 12/,
    ],
    [
      "more exclusive groups than clusters",
      () => bregmanKmeans(X, { distance, clusters: 2, cannotLink: four, enforce: true }),
      /no 2 clusters can satisfy/,
    ],
    [
      "a chain that contradicts a cannot-link",
      () =>
        bregmanKmeans(X, {
          distance,
          clusters: 2,
          mustLink: four.slice(0, 2),
          cannotLink: [[1, 2]],
          enforce: true,
        }),
      /1 = 0 = 2/,
    ],
    ["other columns", () => bregmanKmeans(fromRows([[1], [2]]), { distance, clusters: 2 }), /3 columns/],
    [
      "restarts with centres",
      () => bregmanKmeans(X, { distance, clusters: 2, restarts: 3, initialCenters: matrix(2, 3) }),
      /every run would be the same/,
    ],
  ])("%s", (_, act, message) => {
    expect(act).toThrow(message);
  });
});

function means(X: Matrix, labels: Int32Array, K: number): Matrix {
  const centers = matrix(K, X.cols);
  const sizes = new Float64Array(K);
  for (const k of labels) sizes[k]++;
  for (let p = 0; p < X.data.length; p++) {
    const k = labels[Math.floor(p / X.cols)];
    centers.data[k * X.cols + (p % X.cols)] += X.data[p] / sizes[k];
  }
  return centers;
}
