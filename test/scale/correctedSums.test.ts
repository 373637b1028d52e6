import { describe, expect, test } from "vitest";
import { gaussianMixture, type CovarianceKind } from "../../src/cluster/index.ts";
import type { Mixture } from "../../src/cluster/mixture/gaussianEm.ts";
import { blobs } from "../../src/data/index.ts";
import { matrix, takeRows, type Matrix } from "../../src/matrix/index.ts";
import { correctedSums, sampleSums } from "../../src/scale/passes/correctedSums.ts";
import { emByPasses } from "../../src/scale/passes/emByPasses.ts";
import type { MixtureSums } from "../../src/scale/passes/mixtureSums.ts";

const d = 3;
const K = 4;
const { X } = blobs({ rows: 3000, features: d, clusters: K, deviation: 2, seed: 7 });
const sample = takeRows(
  X,
  Int32Array.from({ length: 600 }, (_, i) => 5 * i),
);
const factor = X.rows / sample.rows;
const settings = { ridge: 1e-9, strength: X.rows / K, maxIterations: 500, tolerance: 1e-9 };

function mixtureOf(rows: Matrix, kind: CovarianceKind, maxIterations: number): Mixture {
  const found = gaussianMixture(rows, { clusters: K, covariance: kind, maxIterations, restarts: 1, seed: 2 });
  return { kind, weights: found.weights, means: found.centers.data, covariances: found.covariances };
}

/** Sums of r, r x and r x x' (of the squares alone, or of their sum) about the origin. */
function raw({ mixture: { kind, means }, counts, sums, scatter }: MixtureSums): number[] {
  const first = Array.from(sums.data, (sum, p) => sum + counts[Math.floor(p / d)] * means[p]);
  const second = scatter.map(({ data }) => Array.from(data));
  counts.forEach((count, k) => {
    const s = sums.data.subarray(k * d, (k + 1) * d);
    const mu = means.subarray(k * d, (k + 1) * d);
    for (let a = 0; a < d; a++) {
      for (let b = 0; b < d; b++) {
        const added = mu[a] * s[b] + s[a] * mu[b] + count * mu[a] * mu[b];
        if (kind === "full" || kind === "tied") second[kind === "full" ? k : 0][a * d + b] += added;
        else if (a === b) second[0][kind === "diagonal" ? k * d + a : k] += added;
      }
    }
  });
  return [...counts, ...first, ...second.flat()];
}

describe.each(["full", "tied", "diagonal", "spherical"] as const)("corrected sums: %s", (kind) => {
  const p0 = mixtureOf(sample, kind, 200);
  const other = mixtureOf(X, kind, 2);
  const all = sampleSums(X, p0);
  const corrected = correctedSums(all, sample);

  test("at the mixture itself they are those of all rows", () => {
    const found = corrected(p0)!;
    expect(found.rows).toBe(X.rows);
    raw(found).forEach((value, p) => expect(value).toBeCloseTo(raw(all)[p], 6));
  });

  test("elsewhere they differ from those of the sample by the same numbers", () => {
    const found = raw(corrected(other)!);
    const expected = raw(sampleSums(sample, other)).map(
      (value, p) => factor * value + raw(all)[p] - factor * raw(sampleSums(sample, p0))[p],
    );
    found.forEach((value, p) => expect(value).toBeCloseTo(expected[p], 5));
  });

  test("a step by them never lowers their own likelihood, and a mixture of all rows stays where it is", async () => {
    const seen: number[] = [];
    await emByPasses(
      async (mixture) => {
        const found = corrected(mixture);
        if (found !== undefined) seen.push(found.logLikelihood);
        return found;
      },
      p0,
      settings,
    );
    expect(seen.length).toBeGreaterThan(3);
    seen.slice(1).forEach((value, i) => expect(value).toBeGreaterThan(seen[i] - 1e-3));
    const end = (await emByPasses(async (mixture) => sampleSums(X, mixture), p0, settings))!;
    const there = correctedSums(sampleSums(X, end.mixture), sample);
    const again = (await emByPasses(async (mixture) => there(mixture), end.mixture, settings))!;
    again.mixture.means.forEach((value, p) => expect(value).toBeCloseTo(end.mixture.means[p], 2));
  });

  test("mixtures that are none have no sums", () => {
    const spoiled = p0.covariances.map(({ rows, cols, data }) =>
      matrix(
        rows,
        cols,
        data.map((value) => -value),
      ),
    );
    expect(corrected({ ...p0, covariances: spoiled })).toBeUndefined();
  });
});

test.each([
  { of: "where they lead right", deviation: 3, seed: 4 },
  { of: "where the first attempt goes too far", deviation: 2, seed: 3 },
])("between passes they save half of the passes: $of", async ({ deviation, seed }) => {
  const { X: many } = blobs({ rows: 20_000, features: 4, clusters: 5, deviation, seed });
  const drawn = takeRows(
    many,
    Int32Array.from({ length: 5000 }, (_, i) => 4 * i),
  );
  const found = gaussianMixture(drawn, { clusters: 5, restarts: 1, seed: 2 });
  const { weights, centers, covariances } = found;
  const start: Mixture = { kind: "full", weights, means: centers.data, covariances };
  const reached = async (own: Matrix | undefined) => {
    let passes = 0;
    const run = await emByPasses(
      async (mixture) => {
        passes++;
        return sampleSums(many, mixture);
      },
      start,
      { ...settings, tolerance: 1e-6, ...(own && { sample: own }) },
    );
    expect(run!.converged).toBe(true);
    return { passes, logLikelihood: run!.logLikelihood };
  };
  const [without, within] = [await reached(undefined), await reached(drawn)];
  expect(within.passes).toBeLessThan(0.6 * without.passes);
  expect(within.logLikelihood).toBeGreaterThan(without.logLikelihood - 2e-5 * many.rows);
});
