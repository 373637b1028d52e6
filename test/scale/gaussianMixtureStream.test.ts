import * as fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type CovarianceKind, gaussianMixture } from "../../src/cluster/index.ts";
import { gaussianEm } from "../../src/cluster/mixture/gaussianEm.ts";
import { mixtureModel } from "../../src/cluster/mixture/gaussianMixtureModel.ts";
import { blobs } from "../../src/data/index.ts";
import { matrix } from "../../src/matrix/index.ts";
import { gaussianMixtureStream } from "../../src/scale/index.ts";
import { rowsToDraw } from "../../src/scale/passes/gaussianMixtureStream.ts";
import { batches } from "./batches.ts";
import { mapped } from "../../src/matrix/matrix.ts";
import { mixtureSumsAccumulator } from "../../src/scale/passes/mixtureSums.ts";

const KINDS: readonly CovarianceKind[] = ["full", "tied", "diagonal", "spherical"];
const { X } = blobs({ rows: 900, features: 3, clusters: 4, deviation: 1.2, seed: 7 });

describe("from the same mixture the steps are those in memory", () => {
  test.each(KINDS)("%s", async (kind) => {
    const start = gaussianMixture(X, {
      clusters: 4,
      covariance: kind,
      restarts: 1,
      maxIterations: 2,
      seed: 3,
    });
    const tolerance = 1e-9;
    const streamed = await gaussianMixtureStream(batches(X, 137), { start, tolerance, maxIterations: 500 });
    // In memory: the same units, and responsibilities of the start.
    const center = [0, 1, 2].map((f) => X.data.reduce((s, v, p) => s + (p % 3 === f ? v : 0), 0) / X.rows);
    const unit = Math.sqrt(X.data.reduce((s, v, p) => s + (v - center[p % 3]) ** 2, 0) / X.data.length);
    const Z = matrix(
      X.rows,
      3,
      X.data.map((v, p) => (v - center[p % 3]) / unit),
    );
    const direct = gaussianEm(Z, kind, start.responsibilities(X).data.slice(), {
      ridge: 1e-6,
      strength: X.rows / 4,
      maxIterations: 500,
      tolerance,
      report: () => true,
    });
    // The first step of the stream is the mixture it was given.
    expect(streamed.converged).toBe(true);
    expect(streamed.iterations).toBe(direct.history.length + 1);
    const model = mixtureModel({
      covariance: kind,
      clusters: 4,
      weights: direct.mixture.weights,
      centers: matrix(
        4,
        3,
        direct.mixture.means.map((v, p) => v * unit + center[p % 3]),
      ),
      covariances: direct.mixture.covariances.map((S) => mapped(S, (v) => v * unit * unit)),
    });
    const near = (a: Float64Array, b: Float64Array): void =>
      a.forEach((value, p) =>
        expect(Math.abs(value - b[p])).toBeLessThan(1e-8 * Math.max(1, Math.abs(b[p]))),
      );
    near(streamed.weights, model.weights);
    near(streamed.centers.data, model.centers.data);
    streamed.covariances.forEach((S, m) => near(S.data, model.covariances[m].data));
    streamed.history
      .slice(1)
      .forEach((value, t) => expect(value).toBeGreaterThanOrEqual(streamed.history[t]));
    const labels: number[] = [];
    for await (const part of streamed.labels()) labels.push(...part.labels);
    expect(labels).toEqual(Array.from(streamed.predict(X)));
    const sizes = new Float64Array(4);
    for (const label of labels) sizes[label]++;
    expect(streamed.sizes).toEqual(sizes);
  });
});

describe("from a sample", () => {
  test("finds the mixture of all rows", async () => {
    const direct = gaussianMixture(X, { clusters: 4, seed: 1 });
    const streamed = await gaussianMixtureStream(batches(X, 200), {
      clusters: 4,
      sample: 300,
      seed: 1,
      tolerance: 1e-8,
    });
    expect(streamed.logLikelihood / direct.logLikelihood).toBeCloseTo(1, 5);
    expect(streamed.bic / direct.bic).toBeCloseTo(1, 5);
    expect(streamed.parameters).toBe(direct.parameters);
    expect(streamed.rows).toBe(900);
    expect(streamed.passes).toBe(streamed.iterations + 1);
  });

  test("far from the origin no digits are lost", async () => {
    const far = matrix(
      X.rows,
      3,
      X.data.map((value) => value + 1e6),
    );
    const near = await gaussianMixtureStream(batches(X, 200), { clusters: 4, seed: 2 });
    const there = await gaussianMixtureStream(batches(far, 200), { clusters: 4, seed: 2 });
    expect(there.logLikelihood / near.logLikelihood).toBeCloseTo(1, 7);
  });

  test("a component that loses its rows is taken out", async () => {
    const start = gaussianMixture(X, { clusters: 2, covariance: "spherical", seed: 1 });
    const lost = mixtureModel({
      covariance: "spherical",
      clusters: 3,
      weights: Float64Array.of(0.5, 0.4, 0.1),
      centers: matrix(3, 3, Float64Array.of(...start.centers.data, 1e5, 1e5, 1e5)),
      covariances: [matrix(3, 1, Float64Array.of(...start.covariances[0].data, 1))],
    });
    const streamed = await gaussianMixtureStream(batches(X, 200), { start: lost });
    expect(streamed.clusters).toBe(2);
    expect(streamed.warnings[0]).toMatch(/1 component lost all its rows.*2 of 3/);
  });

  test("the limit of steps is told, and wrong options", async () => {
    const short = await gaussianMixtureStream(batches(X, 200), { clusters: 6, sample: 50, maxIterations: 1 });
    expect(short.converged).toBe(false);
    expect(short.warnings).toContain("EM had not converged after 1 iterations");
    const rejected = async (options: object, message: string): Promise<void> => {
      await expect(gaussianMixtureStream(batches(X, 200), options)).rejects.toThrow(message);
    };
    await rejected({}, '"clusters" is required');
    await rejected({ clusters: 30, sample: 20 }, '"sample" (20) must be at least');
    await rejected({ clusters: 901 }, "cannot make 901 clusters of 900 rows");
    const start = gaussianMixture(X, { clusters: 2 });
    await rejected({ start, clusters: 3 }, '"start" has 2 components');
    await rejected({ start, covariance: "tied" }, 'that of option "start" is "full"');
    await rejected({ clusters: 2, weights: [] }, 'no option "weights"');
    await expect(gaussianMixtureStream("-", { clusters: 2 })).rejects.toThrow(
      "reads its source several times",
    );
    const narrow = matrix(9, 1, Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9));
    await expect(gaussianMixtureStream(batches(narrow, 9), { start })).rejects.toThrow(
      '"start" has 3 columns, but the data has 1',
    );
  });
});

test("sums of batches in any order are those of the whole", () => {
  const mixtures = KINDS.map((kind) => {
    const { covariance, weights, centers, covariances } = gaussianMixture(X, {
      clusters: 3,
      covariance: kind,
    });
    return { kind: covariance, weights, means: centers.data, covariances };
  });
  fc.assert(
    fc.property(fc.constantFrom(...mixtures), fc.integer({ min: 1, max: 899 }), (mixture, cut) => {
      const sums = (...parts: readonly (readonly [number, number])[]) => {
        const accumulator = mixtureSumsAccumulator(mixture);
        for (const [from, to] of parts) accumulator.add(matrix(to - from, 3, X.data.slice(3 * from, 3 * to)));
        return accumulator.result();
      };
      const whole = sums([0, 900]);
      const merged = sums([cut, 900], [0, cut]);
      expect(merged.rows).toBe(900);
      expect(merged.sizes).toEqual(whole.sizes);
      expect(merged.logLikelihood / whole.logLikelihood).toBeCloseTo(1, 11);
      merged.counts.forEach((count, k) => expect(count).toBeCloseTo(whole.counts[k], 9));
      merged.sums.data.forEach((sum, p) => expect(sum).toBeCloseTo(whole.sums.data[p], 8));
      merged.scatter.forEach((S, m) =>
        S.data.forEach((sum, p) => expect(sum).toBeCloseTo(whole.scatter[m].data[p], 7)),
      );
    }),
    { numRuns: 40 },
  );
});

describe("where components overlap, some passes do the work of many steps of EM", () => {
  const { X: near } = blobs({ rows: 4000, features: 2, clusters: 4, deviation: 2.5, seed: 5 });
  const source = batches(near, 1000);
  test.each(KINDS)("%s", async (covariance) => {
    const asked = { clusters: 4, covariance, sample: 400, restarts: 2, seed: 1 };
    const found = await gaussianMixtureStream(source, asked);
    expect(found.converged).toBe(true);
    found.history.slice(1).forEach((value, i) => expect(value).toBeGreaterThanOrEqual(found.history[i]));
    // EM itself from there adds no more than the tolerance, and from the first mixture it needs more steps to get less.
    const onwards = await gaussianMixtureStream(source, { start: found, maxIterations: 2 });
    expect(onwards.history[1] - onwards.history[0]).toBeLessThanOrEqual(1e-6 * near.rows);
    const first = await gaussianMixtureStream(source, { ...asked, maxIterations: 1 });
    const plain = await gaussianMixtureStream(source, { start: first, maxIterations: 1000 });
    expect(found.iterations).toBeLessThan(plain.iterations);
    expect(found.logLikelihood).toBeGreaterThan(plain.logLikelihood - 1e-6 * near.rows);
  });
});

test("the sample's steps are told as well, the fraction never falls, and they can be stopped", async () => {
  let time = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (time += 300));
  onTestFinished(() => clock.mockRestore());
  const labels: string[] = [];
  const fractions: number[] = [];
  await gaussianMixtureStream(batches(X, 137), {
    clusters: 4,
    restarts: 2,
    onProgress: ({ label, fraction }) => {
      labels.push(label);
      fractions.push(fraction);
    },
  });
  expect(labels.some((label) => label.startsWith("the sample: "))).toBe(true);
  expect(labels).toContain("EM on the sample, step 1");
  expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
});

test("stopped at the sample, the mixture is the best of the sample, and labels every row", async () => {
  let time = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (time += 300));
  onTestFinished(() => clock.mockRestore());
  const until = (last: string) => {
    let on = true;
    return ({ label }: { label: string }): boolean => (on &&= !label.startsWith(last));
  };
  const asked = { clusters: 4, restarts: 2, seed: 1 };
  const whole = await gaussianMixtureStream(batches(X, 137), asked);
  for (const at of [
    "the sample: restart 1",
    "EM on the sample, step 1",
    "EM on the sample, step 2",
    "pass 2",
  ]) {
    const found = await gaussianMixtureStream(batches(X, 137), { ...asked, onProgress: until(at) });
    expect(found.converged).toBe(false);
    expect(found.warnings).toContain(
      `stopped by onProgress before the first step over all ${X.rows} rows: the mixture is that of a sample of ${X.rows} rows, ` +
        `and likelihood and sizes are estimated from it`,
    );
    // Here the sample is all rows, so what is told of it holds for them.
    const labels = found.predict(X);
    expect(Array.from(found.sizes)).toEqual(
      Array.from({ length: 4 }, (_, k) => labels.filter((label) => label === k).length),
    );
    const same = await gaussianMixtureStream(batches(X, 137), { start: found, maxIterations: 1 });
    expect(found.logLikelihood).toBeCloseTo(same.logLikelihood, 6);
    expect(found.objective).toBeCloseTo(same.objective, 6);
    expect(found.objective).toBeLessThanOrEqual(whole.objective + 1e-6 * X.rows);
    let rows = 0;
    for await (const batch of found.labels()) rows += batch.labels.length;
    expect(rows).toBe(X.rows);
  }
  const small = { ...asked, sample: 40, onProgress: until("EM on the sample, step 2") };
  const estimated = await gaussianMixtureStream(batches(X, 137), small);
  expect(estimated.sizes.reduce((sum, size) => sum + size, 0)).toBe(X.rows);
  const given = { start: whole, onProgress: until("pass 2") };
  const kept = await gaussianMixtureStream(batches(X, 137), given);
  expect(kept.centers.data).toEqual(whole.centers.data);
  expect(kept.warnings[0]).toMatch(/before the first step over all \d+ rows: the mixture is the given one/);
  const early = gaussianMixtureStream(batches(X, 137), { ...asked, onProgress: until("pass 1") });
  await expect(early).rejects.toThrow("stopped by onProgress before the first pass was over");
});

test("a small sample for the start leaves many rows for the steps between the passes", () => {
  expect(rowsToDraw({ sample: 20_000 }, 4)).toBe(200_000);
  expect(rowsToDraw({ sample: 50 }, 4)).toBe(200_000);
  expect(rowsToDraw({ sample: 50_000 }, 4)).toBe(500_000);
  expect(rowsToDraw({ sample: 50 }, 100)).toBe(40_000);
  expect(rowsToDraw({ sample: 50_000 }, 100)).toBe(50_000);
});
