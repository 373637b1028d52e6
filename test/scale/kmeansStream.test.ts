import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { kmeans } from "../../src/cluster/index.ts";
import { random } from "../../src/core/random.ts";
import { blobs, writeCsv } from "../../src/data/index.ts";
import { matrix, type Matrix } from "../../src/matrix/index.ts";
import { adjustedRand } from "../../src/score/index.ts";
import { kmeansStream, type KmeansStream, type RowBatch } from "../../src/scale/index.ts";
import { batches } from "./batches.ts";
import { groupedSumsAccumulator, type GroupedSums } from "../../src/scale/passes/groupedSums.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-stream-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rowsOf = (X: Matrix, rows: readonly number[]): Matrix =>
  matrix(
    rows.length,
    X.cols,
    Float64Array.from(rows.flatMap((i) => Array.from(X.data.subarray(i * X.cols, (i + 1) * X.cols)))),
  );

async function labelsOf(result: KmeansStream): Promise<number[]> {
  const labels: number[] = [];
  for await (const batch of result.labels()) {
    expect(batch.first).toBe(labels.length);
    labels.push(...batch.labels);
  }
  return labels;
}

describe("from the same centres the steps are those of kmeans", () => {
  test.each([
    ["compact blobs", 5, 1],
    ["one cloud", 8, 2],
    ["far from the origin", 6, 3],
  ])("%s", async (name, K, seed) => {
    const data = blobs({ rows: 2000, features: 3, clusters: 4, deviation: 4, seed });
    const shift = name === "far from the origin" ? 1e5 : 0;
    const X = matrix(
      2000,
      3,
      data.X.data.map((value) => value + shift),
    );
    const initialCenters = rowsOf(
      X,
      Array.from({ length: K }, (_, k) => 97 * k),
    );
    const direct = kmeans(X, { initialCenters });
    const streamed = await kmeansStream(batches(X, 333), {
      initialCenters,
      tolerance: 0,
      maxIterations: 300,
    });
    expect(streamed.converged).toBe(true);
    expect(streamed.iterations).toBe(direct.iterations);
    expect(streamed.passes).toBe(streamed.iterations);
    expect(streamed.rows).toBe(2000);
    expect(await labelsOf(streamed)).toEqual(Array.from(direct.labels));
    expect(Array.from(streamed.sizes)).toEqual(Array.from(direct.sizes));
    expect(streamed.objective / direct.objective).toBeCloseTo(1, 9);
    streamed.history.forEach((value, t) => expect(value / direct.history[t]).toBeCloseTo(1, 8));
    expect(Array.from(streamed.predict(X))).toEqual(Array.from(direct.predict(X)));
  });

  test("a cluster that ends up empty takes the row that costs most", async () => {
    const { X } = blobs({ rows: 400, features: 2, clusters: 3, seed: 5 });
    const initialCenters = matrix(5, 2, Float64Array.of(0, 0, 1, 1, 900, 900, 950, 950, -800, 0));
    const direct = kmeans(X, { initialCenters });
    const streamed = await kmeansStream(batches(X, 64), { initialCenters, tolerance: 0, maxIterations: 300 });
    expect(await labelsOf(streamed)).toEqual(Array.from(direct.labels));
    expect(streamed.objective / direct.objective).toBeCloseTo(1, 9);
    expect(streamed.sizes.every((size) => size > 0)).toBe(true);
  });
});

describe("from a sample", () => {
  const { X } = blobs({ rows: 5000, features: 4, clusters: 6, deviation: 0.5, seed: 8 });
  const path = join(folder, "rows.csv");
  writeFileSync(path, [...writeCsv({ X })].join(""));

  test("finds what kmeans finds, and the seed decides", async () => {
    const direct = kmeans(X, { clusters: 6 });
    const streamed = await kmeansStream(path, { clusters: 6, sample: 1000, seed: 3, tolerance: 0 });
    expect(streamed.objective / direct.objective).toBeCloseTo(1, 6);
    const again = await kmeansStream(path, { clusters: 6, sample: 1000, seed: 3, tolerance: 0 });
    expect(again.centers).toEqual(streamed.centers);
  });

  test("a sample that holds all rows starts at the optimum of kmeans", async () => {
    const direct = kmeans(X, { clusters: 6, seed: 2 });
    const streamed = await kmeansStream(path, { clusters: 6, seed: 2, tolerance: 0 });
    expect(adjustedRand(await labelsOf(streamed), direct.labels)).toBe(1);
    expect(streamed.iterations).toBeLessThanOrEqual(2);
  });

  test("finds small clusters that the sample has missed", async () => {
    // 20 clusters, of which 4 have 12 rows each among 24000: a sample of 500 sees one row of all four.
    const { normal, integer } = random(11);
    const centers = Array.from({ length: 20 }, (_, k) => [
      (k < 16 ? 10 : 40) * (k % 4),
      10 * Math.floor(k / 4),
    ]);
    const rows = Array.from({ length: 24000 }, (_, i) => (i % 500 === 7 ? 16 + (i % 4) : integer(16)));
    const Y = matrix(
      rows.length,
      2,
      Float64Array.from(rows.flatMap((k) => centers[k].map((value) => value + normal()))),
    );
    const streamed = await kmeansStream(batches(Y, 1000), { clusters: 20, sample: 500, seed: 4 });
    // Every row at its own centre costs about 2.
    expect(streamed.objective / Y.rows).toBeLessThan(2.1);
    expect(streamed.passes).toBeLessThan(10);
  });

  test("fewer distinct rows than clusters", async () => {
    const few = matrix(
      30,
      1,
      Float64Array.from({ length: 30 }, (_, i) => i % 3),
    );
    const streamed = await kmeansStream(batches(few, 7), { clusters: 5, sample: 6 });
    expect(streamed.clusters).toBe(3);
    expect(streamed.objective).toBe(0);
    expect(streamed.warnings).toEqual([
      "on the sample: the data has only 3 distinct rows of positive weight, so 3 clusters were made instead of 5",
    ]);
    await expect(
      kmeansStream(batches(few, 7), { initialCenters: matrix(5, 1, Float64Array.of(0, 1, 2, 3, 4)) }),
    ).rejects.toThrow('"initialCenters" has 5 rows, but the data has only 3 distinct rows');
  });

  test("the step limit is told", async () => {
    const streamed = await kmeansStream(path, { clusters: 9, sample: 9, tolerance: 0, maxIterations: 1 });
    expect(streamed.converged).toBe(false);
    expect(streamed.warnings).toEqual(["had not converged after 1 steps"]);
  });

  test("onProgress stops it, with what there is", async () => {
    let calls = 0;
    const slow = async function* (): AsyncGenerator<RowBatch> {
      for await (const batch of batches(X, 2500)()) {
        await new Promise((resolve) => setTimeout(resolve, 210));
        yield batch;
      }
    };
    const streamed = await kmeansStream(slow, {
      initialCenters: rowsOf(X, [0, 1, 2, 3, 4, 5, 6, 7, 8]),
      tolerance: 0,
      onProgress: () => ++calls < 4,
    });
    expect(streamed.converged).toBe(false);
    expect(streamed.warnings).toEqual(["stopped by onProgress after 1 steps"]);
    await expect(kmeansStream(slow, { clusters: 2, onProgress: () => false })).rejects.toThrow(
      "before the first pass",
    );
  });

  test("bad input", async () => {
    await expect(kmeansStream("-", { clusters: 2 })).rejects.toThrow("reads its source several times");
    await expect(kmeansStream(path, {})).rejects.toThrow('"clusters" is required');
    await expect(kmeansStream(path, { clusters: 30, sample: 20 })).rejects.toThrow(
      '"sample" (20) must be at least',
    );
    await expect(kmeansStream(path, { clusters: 5001 })).rejects.toThrow(
      "cannot make 5001 clusters of 5000 rows",
    );
    await expect(kmeansStream(path, { initialCenters: matrix(2, 3) })).rejects.toThrow(
      '"initialCenters" has 3 columns, but the data has 4',
    );
    await expect(kmeansStream(path, { clusters: 2, speed: 9 } as never)).rejects.toThrow('no option "speed"');
    const holes = async function* (): AsyncGenerator<RowBatch> {
      yield { names: ["x"], X: matrix(2, 1, Float64Array.of(1, NaN)), source: "there", first: 0 };
    };
    await expect(kmeansStream(holes, { initialCenters: matrix(1, 1) })).rejects.toThrow(/there.*NaN/);
  });
});

describe("grouped sums", () => {
  test("the order of batches and their number do not matter", () => {
    const cell = fc.double({ min: -9, max: 9, noNaN: true });
    const split = fc.integer({ min: 0, max: 2 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell, split), { minLength: 3, maxLength: 60 }),
        fc.integer({ min: 1, max: 4 }),
        (rows, K) => {
          const X = matrix(rows.length, 2, Float64Array.from(rows.flatMap(([x, y]) => [x, y])));
          const centers = matrix(
            K,
            2,
            Float64Array.from({ length: 2 * K }, (_, p) => 3 * p - 4),
          );
          const sums = (batches: readonly (readonly number[])[]): GroupedSums => {
            const accumulator = groupedSumsAccumulator(centers, Float64Array.of(1, -1));
            for (const kept of batches) if (kept.length > 0) accumulator.add(rowsOf(X, kept));
            return accumulator.result();
          };
          const whole = sums([[...rows.keys()]]);
          const [a, b, c] = [0, 1, 2].map((k) => [...rows.keys()].filter((i) => rows[i][2] === k));
          for (const merged of [sums([a, b, c]), sums([c, b, a]), sums([[...b, ...a], c])]) {
            expect(merged.counts).toEqual(whole.counts);
            whole.sums.data.forEach((value, p) => expect(merged.sums.data[p]).toBeCloseTo(value, 10));
            whole.squares.forEach((value, k) => expect(merged.squares[k]).toBeCloseTo(value, 9));
            expect(merged.farthest.map(({ square }) => square)).toEqual(
              whole.farthest.map(({ square }) => square),
            );
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
