import { describe, expect, test } from "vitest";
import { kmeans, lcvqe, mpckMeans, pckMeans } from "../../../src/cluster/index.ts";
import { random } from "../../../src/core/index.ts";
import { samplePairs, type Pair } from "../../../src/data/index.ts";
import { fromRows, matrix, type Matrix } from "../../../src/matrix/index.ts";
import { adjustedRand } from "../../../src/score/index.ts";
import { clouds } from "../clouds.ts";
import { plantedPairs, splitPairs, splitsMissing } from "./pairData.ts";

function falls(history: readonly number[]): boolean {
  return history.every((value, t) => t === 0 || value <= history[t - 1] + 1e-12 * Math.abs(value));
}

describe("pckMeans", () => {
  test("without pairs it is k-means", () => {
    const { X } = clouds(200, 3, 3, 4, 1);
    const result = pckMeans(X, { clusters: 3 });
    const plain = kmeans(X, { clusters: 3 });
    expect(2 * result.objective).toBeCloseTo(plain.objective, 6);
    expect(adjustedRand(result.labels, plain.labels)).toBe(1);
  });

  test("the objective is what it says, falls, and is a local optimum", () => {
    for (let seed = 0; seed < 10; seed++) {
      const { X } = clouds(60, 2, 3, 1.5, seed);
      const { mustLink, cannotLink } = plantedPairs(60, 3, 20, 30, random(seed));
      const penalty = 0.5 + seed / 5;
      const result = pckMeans(X, { clusters: 3, mustLink, cannotLink, penalty, closure: false, restarts: 3 });
      const given = { mustLink: distinct(mustLink), cannotLink: distinct(cannotLink) };
      const J = (labels: Int32Array): number => pckObjective(X, result.centers, labels, given, penalty);
      expect(result.objective).toBeCloseTo(J(result.labels), 8);
      expect(falls(result.history)).toBe(true);
      expect(result.certificate.kind).toBe("local optimum");
      for (let i = 0; i < 60; i++) {
        for (let k = 0; k < 3; k++) {
          const moved = result.labels.slice();
          moved[i] = k;
          expect(J(moved)).toBeGreaterThan(result.objective - 1e-9);
        }
      }
    }
  });

  test("a large penalty keeps all pairs that can be kept, no penalty none", () => {
    const { X, truth } = clouds(90, 3, 3, 1, 2);
    const pairs = samplePairs(truth, { mustLink: 30, cannotLink: 30, seed: 1 });
    const strict = pckMeans(X, { clusters: 3, ...pairs, penalty: 1e4 });
    expect(strict.certificate).toMatchObject({ violatedMustLinks: 0, violatedCannotLinks: 0 });
    const loose = pckMeans(X, { clusters: 3, ...pairs, penalty: 0 });
    expect(2 * loose.objective).toBeLessThanOrEqual(kmeans(X, { clusters: 3 }).objective * (1 + 1e-6));
  });

  test("contradictions cost, they do not fail", () => {
    const X = fromRows([[0], [0.1], [5], [5.1]]);
    const mustLink: Pair[] = [
      [0, 1],
      [1, 2],
    ];
    const result = pckMeans(X, { clusters: 2, mustLink, cannotLink: [[0, 2]] });
    expect(Array.from(result.sizes)).toEqual([2, 2]);
    expect(result.certificate).toMatchObject({ violatedMustLinks: 1, violatedCannotLinks: 0 });
    expect(result.warnings).toEqual([expect.stringMatching(/contradict/)]);
    expect(() => pckMeans(X, { clusters: 2, mustLink: [[1, 1]] })).toThrow(/itself/);
    expect(() => pckMeans(X, { clusters: 2, cannotLink: [[1, 9]] })).toThrow(/no row 9/);
    expect(() => pckMeans(X, { clusters: 5 })).toThrow(/cannot make 5 clusters/);
  });
});

describe("mpckMeans", () => {
  test.each([
    ["shared", "diagonal"],
    ["shared", "full"],
    ["per-cluster", "diagonal"],
    ["per-cluster", "full"],
  ] as const)("%s %s: the objective falls, metrics are positive definite, predict agrees", (metric, form) => {
    const { X, truth } = clouds(80, 4, 3, 1.2, 3);
    const pairs = samplePairs(truth, { mustLink: 25, cannotLink: 25, seed: 2 });
    const result = mpckMeans(X, {
      clusters: 3,
      ...pairs,
      perCluster: metric !== "shared",
      diagonal: form === "diagonal",
      restarts: 3,
    });
    expect(falls(result.history)).toBe(true);
    expect(result.converged).toBe(true);
    for (const A of result.metrics) {
      for (let j = 0; j < 4; j++) expect(A.data[5 * j]).toBeGreaterThan(0);
      expect(A.data.every(Number.isFinite)).toBe(true);
    }
    expect(new Set(result.metrics).size).toBe(metric === "shared" ? 1 : 3);
    const free = mpckMeans(X, {
      clusters: 3,
      perCluster: metric !== "shared",
      diagonal: form === "diagonal",
      restarts: 3,
    });
    expect(free.predict(X)).toEqual(free.labels);
  });

  test("columns in other units give the same clusters", () => {
    const { X, truth } = clouds(90, 3, 3, 2, 4);
    const pairs = samplePairs(truth, { mustLink: 20, cannotLink: 20, seed: 2 });
    const units = [1e-3, 1, 1e4];
    const other = { ...X, data: X.data.map((x, p) => x * units[p % 3]) };
    const a = mpckMeans(X, { clusters: 3, ...pairs, diagonal: true });
    const b = mpckMeans(other, { clusters: 3, ...pairs, diagonal: true });
    expect(adjustedRand(a.labels, b.labels)).toBe(1);
  });

  test("a noise column loses its weight", () => {
    const { normal } = random(5);
    const truth = Int32Array.from({ length: 100 }, (_, i) => i % 2);
    const X = fromRows(Array.from(truth, (k) => [6 * k + normal(), 6 * normal()]));
    const pairs = samplePairs(truth, { mustLink: 20, cannotLink: 20, seed: 1 });
    const { metrics, labels } = mpckMeans(X, { clusters: 2, ...pairs, diagonal: true });
    expect(metrics[0].data[0]).toBeGreaterThan(5 * metrics[0].data[3]);
    expect(adjustedRand(labels, truth)).toBeGreaterThan(0.9);
  });

  test("clusters of fewer rows than columns, constant columns and equal rows stay finite", () => {
    const X = matrix(6, 8);
    for (let i = 0; i < 6; i++)
      for (let j = 0; j < 7; j++) X.data[8 * i + j] = (i < 3 ? 0 : 5) + ((i * j) % 3);
    const thin = mpckMeans(X, {
      clusters: 2,
      perCluster: true,
      mustLink: [[0, 1]],
      cannotLink: [[0, 5]],
    });
    expect(Number.isFinite(thin.objective)).toBe(true);
    expect(thin.metrics.every((A) => A.data.every(Number.isFinite))).toBe(true);
    const equal = mpckMeans(matrix(4, 2), { clusters: 2, cannotLink: [[0, 1]] });
    expect(Number.isFinite(equal.objective)).toBe(true);
  });
});

describe("lcvqe", () => {
  test("without pairs it is k-means, with half its objective", () => {
    const { X } = clouds(200, 3, 3, 4, 1);
    const result = lcvqe(X, { clusters: 3 });
    expect(2 * result.objective).toBeCloseTo(kmeans(X, { clusters: 3 }).objective, 6);
    expect(result.certificate.kind).toBe("fixed point");
  });

  test("pairs pull, and one cluster is possible", () => {
    const X = fromRows([[0], [1], [2], [9], [10], [11]]);
    const result = lcvqe(X, { clusters: 2, cannotLink: [[0, 1]], mustLink: [[3, 4]] });
    expect(result.labels[0]).not.toBe(result.labels[1]);
    const single = lcvqe(X, { clusters: 1, cannotLink: [[0, 1]] });
    expect(single.certificate.violatedCannotLinks).toBe(1);
  });
});

describe.skipIf(splitsMissing)("the peers' splits of 50 + 50 pairs (KINDRED_PEERS)", () => {
  // The best adjusted Rand index of a peer: PCK .753 / .942, LCVQE .667 / .948, MPCK .957 / .938.
  test.each([
    ["pck", "iris", 0.753],
    ["pck", "wine", 0.942],
    ["lcvqe", "iris", 0.667],
    ["lcvqe", "wine", 0.948],
    ["mpck", "iris", 0.94],
    ["mpck", "wine", 0.938],
  ] as const)("%s on %s reaches %d", (method, name, least) => {
    const { X, classes, splits } = splitPairs(name);
    const run = { pck: pckMeans, lcvqe, mpck: mpckMeans }[method];
    const scores = splits.map((pairs) => adjustedRand(run(X, { clusters: 3, ...pairs }).labels, classes));
    expect(scores.reduce((sum, score) => sum + score) / scores.length).toBeGreaterThanOrEqual(least);
  });
});

function distinct(pairs: readonly Pair[]): Pair[] {
  const seen = new Map(pairs.map(([i, j]) => [`${Math.min(i, j)} ${Math.max(i, j)}`, [i, j] as Pair]));
  return [...seen.values()];
}

function pckObjective(
  X: Matrix,
  centers: Matrix,
  labels: Int32Array,
  { mustLink, cannotLink }: { mustLink: Pair[]; cannotLink: Pair[] },
  penalty: number,
): number {
  const d = X.cols;
  let sum = 0;
  labels.forEach((k, i) => {
    for (let j = 0; j < d; j++) sum += 0.5 * (X.data[i * d + j] - centers.data[k * d + j]) ** 2;
  });
  sum += penalty * mustLink.filter(([i, j]) => labels[i] !== labels[j]).length;
  return sum + penalty * cannotLink.filter(([i, j]) => labels[i] === labels[j]).length;
}
