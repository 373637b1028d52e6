import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gaussianMixture, loadGaussianMixture } from "../../src/cluster/index.ts";
import { covariancesFrom, precisions } from "../../src/cluster/mixture/gaussianCovariance.ts";
import { gaussianEm } from "../../src/cluster/mixture/gaussianEm.ts";
import { withKernelRows } from "../../src/cluster/mixture/kernelMixtureRows.ts";
import { densityOf, type MixtureRows } from "../../src/cluster/mixture/mixtureRows.ts";
import { random } from "../../src/core/random.ts";
import { namedData, scale } from "../../src/data/index.ts";
import {
  engine,
  fromRows,
  matrix,
  setThreads,
  threads,
  useEngine,
  type Matrix,
} from "../../src/matrix/index.ts";
import { adjustedRand } from "../../src/score/index.ts";
import { blobs, farthest, peers } from "../classicalFixture.ts";
import { wideMixtureRows } from "../../src/cluster/mixture/wideMixtureRows.ts";
import { plainMixtureRows } from "./plainMixtureRows.ts";
import { normal } from "../matrix/samples.ts";

const KINDS = ["full", "tied", "diagonal", "spherical"] as const;

async function dataOf(name: "blobs" | "iris" | "wine"): Promise<Matrix> {
  if (name === "blobs") return blobs;
  const { X } = await namedData(name);
  return (name === "wine" ? scale(X, "zscore").X : X) as Matrix;
}

describe("gaussianMixture", () => {
  it.each(["blobs", "iris", "wine"] as const)(
    "has a likelihood not below scikit-learn's on %s",
    async (name) => {
      const X = await dataOf(name);
      for (const covariance of KINDS) {
        const theirs = peers.mixture[name][covariance];
        // Their ridge is 1e-6 in the units of the data; ours is relative to the mean variance.
        const ours = gaussianMixture(X, { clusters: 3, covariance, ridge: 1e-7 });
        expect(ours.converged).toBe(true);
        expect(ours.logLikelihood).toBeGreaterThan(theirs.logLikelihood - 1e-4);
        expect(ours.bic).toBeLessThan(theirs.bic + 2e-4);
      }
    },
  );

  it("never lowers its objective", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 40 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(),
        fc.constantFrom(...KINDS),
        (n, d, K, seed, kind) => {
          const X = normal(n, d, seed);
          const { uniform } = random(seed + 1);
          const R = Float64Array.from({ length: n * K }, uniform);
          for (let i = 0; i < n; i++) {
            const row = R.subarray(i * K, (i + 1) * K);
            const sum = row.reduce((a, b) => a + b, 0);
            row.forEach((value, k) => (row[k] = value / sum));
          }
          const objectives: number[] = [];
          gaussianEm(X, kind, R, {
            ridge: 1e-3,
            strength: n / K,
            maxIterations: 60,
            tolerance: 1e-12,
            report: (_, objective) => {
              objectives.push(objective);
              return true;
            },
          });
          objectives.slice(1).forEach((value, t) => {
            expect(value).toBeGreaterThan(objectives[t] - 1e-9 * (1 + Math.abs(value)));
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  it("has the density of its formula, responsibilities that add to 1, and a log-likelihood of both", () => {
    for (const covariance of KINDS) {
      const result = gaussianMixture(blobs, { clusters: 2, covariance });
      const logs = result.logDensities(blobs);
      expect(logs.reduce((sum, value) => sum + value, 0)).toBeCloseTo(result.logLikelihood, 6);
      const R = result.responsibilities(blobs);
      for (let i = 0; i < 90; i++) expect(R.data[2 * i] + R.data[2 * i + 1]).toBeCloseTo(1, 12);
      expect(result.predict(blobs)).toEqual(result.labels);
    }
    const one = gaussianMixture(fromRows([[0], [2]]), { clusters: 1, ridge: 1e-12 });
    expect(one.centers.data[0]).toBe(1);
    expect(one.covariances[0].data[0]).toBeCloseTo(1, 10);
    expect(one.logDensities(fromRows([[1]]))[0]).toBeCloseTo(-Math.log(2 * Math.PI) / 2, 10);
  });

  it("moves with the data and its unit", () => {
    const a = gaussianMixture(blobs, { clusters: 3 });
    const moved = matrix(
      90,
      3,
      blobs.data.map((value) => 1000 * value - 7),
    );
    const b = gaussianMixture(moved, { clusters: 3 });
    expect(adjustedRand(a.labels, b.labels)).toBe(1);
    expect(b.logLikelihood).toBeCloseTo(a.logLikelihood - 90 * 3 * Math.log(1000), 4);
  });

  it("chooses the number of components by BIC", () => {
    const X = normal(300, 2, 8);
    for (let i = 0; i < 300; i++) X.data[2 * i] += 6 * (i % 3);
    const bics = [1, 2, 3, 4, 5].map(
      (clusters) => gaussianMixture(X, { clusters, covariance: "spherical", restarts: 3 }).bic,
    );
    expect(bics.indexOf(Math.min(...bics))).toBe(2);
  });

  it("takes out a component that dies, and says so", () => {
    // A component that starts with next to no share of any row.
    const X = normal(50, 2, 3);
    const R = Float64Array.from({ length: 100 }, (_, p) => (p % 2 === 0 ? 1 - 1e-9 : 1e-9));
    const { died, mixture } = gaussianEm(X, "full", R, {
      ridge: 1e-6,
      strength: 25,
      maxIterations: 100,
      tolerance: 1e-8,
      report: () => true,
    });
    expect(died).toBe(1);
    expect(mixture.weights).toEqual(Float64Array.of(1));
  });

  it("handles equal rows, flat directions and one row", () => {
    const twins = fromRows([
      [1, 1],
      [1, 1],
      [5, 5],
      [5, 5],
    ]);
    for (const covariance of KINDS) {
      const two = gaussianMixture(twins, { clusters: 2, covariance });
      expect(adjustedRand(two.labels, [0, 0, 1, 1])).toBe(1);
      expect(two.warnings.join()).toMatch(/flat in some direction/);
      const three = gaussianMixture(twins, { clusters: 3, covariance });
      expect(three.clusters).toBe(2);
      expect(three.warnings.join()).toMatch(/only 2 distinct rows/);
      expect(gaussianMixture(fromRows([[4, 4]]), { clusters: 1, covariance }).labels).toEqual(
        new Int32Array(1),
      );
    }
    const line = fromRows(Array.from({ length: 20 }, (_, i) => [i, 2 * i, 3]));
    const flat = gaussianMixture(line, { clusters: 2 });
    expect(flat.converged).toBe(true);
    expect(Number.isFinite(flat.logLikelihood)).toBe(true);
    expect(flat.warnings.join()).toMatch(/flat in some direction/);
  });

  it("refuses bad input by name", () => {
    const X = fromRows([[1], [2]]);
    expect(() => gaussianMixture(X, { clusters: 3 })).toThrow(/cannot make 3 clusters of 2 rows/);
    expect(() => gaussianMixture(X, { clusters: 1, ridge: 0 })).toThrow(/"ridge" must be .* above 0/);
    expect(() => gaussianMixture(fromRows([[1], [Infinity]]), { clusters: 1 })).toThrow(/row 1, column 0/);
    expect(() => gaussianMixture(X, { clusters: 1 }).predict(blobs)).toThrow(
      /1 columns, but these rows have 3/,
    );
  });

  it("stops when asked to, and marks it", () => {
    const X = normal(3000, 6, 1);
    const result = gaussianMixture(X, { clusters: 12, restarts: 50, onProgress: () => false });
    expect(result.warnings.join()).toMatch(/stopped by onProgress/);
    expect(result.converged).toBe(false);
    expect(result.labels).toHaveLength(3000);
  });

  it("survives JSON", () => {
    for (const covariance of KINDS) {
      const model = gaussianMixture(blobs, { clusters: 3, covariance });
      const back = loadGaussianMixture(JSON.parse(JSON.stringify(model.model())));
      expect(farthest(back.responsibilities(blobs).data, model.responsibilities(blobs).data)).toBe(0);
      expect(() => loadGaussianMixture({ ...model.model(), weights: [1] })).toThrow(/damaged/);
    }
  });

  it("sums over rows in the kernel as in TypeScript, and the same on any number of threads", () => {
    const before = engine().name;
    const count = threads();
    const K = 3;
    try {
      for (const [n, d] of [
        [1, 1],
        [7, 3],
        [9, 4],
        [700, 5],
        [5000, 10],
        [300, 64],
        [300, 65],
      ]) {
        const X = normal(n, d, 7);
        const means = normal(K, d, 8).data;
        const R = normal(n, K, 9).data.map((value) => (value < -1 ? 0 : value * value));
        for (const kind of KINDS) {
          const step = (rows: MixtureRows): Float64Array[] => everySum(rows, kind, means, R, n);
          const plain = step(plainMixtureRows(X, kind, R.slice()));
          setThreads(1);
          const alone = inKernel(X, kind, R, step, 1e9);
          alone.forEach((values, p) => {
            const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
            expect(farthest(plain[p], values)).toBeLessThan(1e-11 * largest);
          });
          for (const more of [2, 3]) {
            setThreads(more);
            expect(inKernel(X, kind, R, step, 1e9)).toEqual(alone);
          }
          // Data that do not fit pass through the kernel in blocks, with other segments and thus other roundings.
          const passed = inKernel(X, kind, R, step, 20_000);
          alone.forEach((values, p) => {
            const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
            expect(farthest(passed[p], values)).toBeLessThan(1e-11 * largest);
          });
        }
      }
    } finally {
      useEngine(before);
      setThreads(count);
    }
  });

  it("sums wide rows by products as they are written, over a block and more", () => {
    for (const [n, d] of [
      [40, 65],
      [1100, 70],
    ]) {
      const X = normal(n, d, 7);
      const means = normal(3, d, 8).data;
      const R = normal(n, 3, 9).data.map((value) => (value < -1 ? 0 : value * value));
      for (const kind of ["full", "tied"] as const) {
        const plain = everySum(plainMixtureRows(X, kind, R.slice()), kind, means, R, n);
        everySum(wideMixtureRows(X, kind, R.slice()), kind, means, R, n).forEach((values, p) => {
          const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
          expect(farthest(plain[p], values)).toBeLessThan(1e-11 * largest);
        });
      }
    }
  });

  it("has the same bits on one, two and three threads", () => {
    const before = threads();
    const X = normal(6000, 7, 11);
    for (let i = 0; i < 6000; i++) X.data[7 * i + (i % 3)] += 3;
    try {
      for (const covariance of KINDS) {
        const results = [1, 2, 3].map((count) => {
          setThreads(count);
          const options = { clusters: 5, covariance, restarts: 2, maxIterations: 40 };
          const result = gaussianMixture(X, options);
          return { ...result.model(), labels: result.labels, logLikelihood: result.logLikelihood };
        });
        expect(results[1]).toEqual(results[0]);
        expect(results[2]).toEqual(results[0]);
      }
    } finally {
      setThreads(before);
    }
  });
});

/** What all steps of EM give, with some components left out in the end. */
function everySum(
  rows: MixtureRows,
  kind: (typeof KINDS)[number],
  means: Float64Array,
  R: Float64Array,
  n: number,
): Float64Array[] {
  const K = R.length / n;
  const d = means.length / K;
  const counts = Float64Array.from({ length: K }, (_, k) =>
    R.reduce((s, r, p) => s + (p % K === k ? r : 0), 1),
  );
  const weighed = rows.weigh();
  const S = rows.scatter(means);
  const C = covariancesFrom(kind, S, counts, d, { rows: n, ridge: 1, strength: n });
  const mixture = { weights: Float64Array.of(0.2, 0.5, 0.3), means };
  const logs = new Float64Array(n);
  const found = rows.expect(densityOf(mixture, precisions(kind, C, K, d)), logs);
  expect(found.logLikelihood).toBeCloseTo(
    logs.reduce((sum, log) => sum + log, 0),
    7,
  );
  rows.keep([2, 0]);
  const left = rows.weigh();
  return [
    ...S.map(({ data }) => data),
    ...[weighed, found, left].flatMap((own) => [own.counts, own.sums]),
    logs,
    rows.responsibilities(),
  ];
}

function inKernel<T>(
  X: Matrix,
  kind: (typeof KINDS)[number],
  R: Float64Array,
  work: (rows: MixtureRows) => T,
  residentBytes: number,
): T {
  return withKernelRows(X, kind, R.slice(), work, { parallel: 0, residentBytes });
}
