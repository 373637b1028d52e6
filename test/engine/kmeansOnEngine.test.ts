import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { kmeans } from "../../src/cluster/index.ts";
import { random } from "../../src/core/random.ts";
import { blobs } from "../../src/data/index.ts";
import { answer, duckdb, engineTable, type Engine, type EngineTable } from "../../src/engine/index.ts";
import { groupedSumsOnEngine } from "../../src/engine/cluster/groupedSumsOnEngine.ts";
import { enginePasses } from "../../src/engine/cluster/enginePasses.ts";
import { kmeansOnEngine } from "../../src/engine/cluster/kmeansOnEngine.ts";
import { nearestCenter, CLUSTER } from "../../src/engine/cluster/nearestCenter.ts";
import { matrix, type Matrix } from "../../src/matrix/index.ts";
import { kmeansStream } from "../../src/scale/index.ts";
import { groupedSumsAccumulator } from "../../src/scale/passes/groupedSums.ts";

let engine: Engine;
beforeAll(async () => (engine = await duckdb({ threads: 2 })));
afterAll(() => engine.close());

let made = 0;
/** X on the engine, with the number of each row. */
async function tableOf(X: Matrix, order = "i"): Promise<EngineTable> {
  const name = `t${made++}`;
  const columns = Array.from({ length: X.cols }, (_, f) => `c${f}`);
  await engine.run(`create table ${name} (i integer, ${columns.map((c) => `${c} double`).join(", ")})`);
  for (let first = 0; first < X.rows; first += 1000) {
    const rows = Array.from({ length: Math.min(1000, X.rows - first) }, (_, r) => {
      const i = first + r;
      return `(${[i, ...X.data.subarray(i * X.cols, (i + 1) * X.cols)].join(", ")})`;
    });
    await engine.run(`insert into ${name} values ${rows.join(", ")}`);
  }
  const { table } = await engineTable(
    engine,
    { query: `select * from ${name} order by ${order}` },
    { ignore: ["i"] },
  );
  return table;
}

async function labelsOf(table: EngineTable, centers: Matrix): Promise<number[]> {
  const { columns } = await answer(
    engine,
    `select ${CLUSTER} from ${nearestCenter(table, centers, ["i"])} order by i`,
  );
  return Array.from(columns[0] as Float64Array);
}

const rowsOf = (X: Matrix, rows: readonly number[]): Matrix =>
  matrix(
    rows.length,
    X.cols,
    Float64Array.from(rows.flatMap((i) => Array.from(X.data.subarray(i * X.cols, (i + 1) * X.cols)))),
  );

describe("from the same centres the steps are those of kmeans", () => {
  it.each([
    ["compact blobs", 5, 0],
    ["one cluster", 1, 0],
    ["many", 30, 0],
    ["far from the origin", 6, 1e5],
  ])("%s", async (_, K, shift) => {
    const data = blobs({ rows: 3000, features: 3, clusters: 4, deviation: 4, seed: K });
    const X = matrix(
      3000,
      3,
      data.X.data.map((value) => value + shift),
    );
    const initialCenters = rowsOf(
      X,
      Array.from({ length: K }, (_, k) => 97 * k),
    );
    const direct = kmeans(X, { initialCenters });
    const table = await tableOf(X);
    for (const route of ["push-down", "stream"] as const) {
      const there = await kmeansOnEngine(table, { initialCenters, tolerance: 0, maxIterations: 300, route });
      expect(there.route).toBe(route);
      expect(there.converged).toBe(true);
      expect(there.iterations).toBe(direct.iterations);
      expect(there.passes).toBe(there.iterations);
      expect(there.rows).toBe(3000);
      expect(Array.from(there.sizes)).toEqual(Array.from(direct.sizes));
      expect(Math.abs(there.objective / direct.objective - 1)).toBeLessThan(1e-10);
      expect(await labelsOf(table, there.centers)).toEqual(Array.from(direct.labels));
      expect(Array.from(there.predict(X))).toEqual(Array.from(direct.labels));
    }
  });

  it("a cluster that ends up empty takes the row that costs most", async () => {
    const { X } = blobs({ rows: 400, features: 2, clusters: 3, seed: 5 });
    const initialCenters = matrix(5, 2, Float64Array.of(0, 0, 1, 1, 900, 900, 950, 950, -800, 0));
    const direct = kmeans(X, { initialCenters });
    const table = await tableOf(X);
    const there = await kmeansOnEngine(table, { initialCenters, tolerance: 0, route: "push-down" });
    expect(await labelsOf(table, there.centers)).toEqual(Array.from(direct.labels));
    expect(there.iterations).toBe(direct.iterations);
    expect(there.sizes.every((size) => size > 0)).toBe(true);
  });

  it("the sums are those of the rows, whatever their order, for any rows and centres", async () => {
    const cell = fc.integer({ min: -3, max: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell), { minLength: 3, maxLength: 40 }),
        fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }),
        async (rows, centers) => {
          const X = matrix(rows.length, 2, Float64Array.from(rows.flat()));
          const C = matrix(centers.length, 2, Float64Array.from(centers.flat()));
          const shift = Float64Array.of(0.5, -1);
          const accumulator = groupedSumsAccumulator(C, shift);
          accumulator.add(X);
          const here = accumulator.result();
          // Ties go to the first centre there too; sums of small integers are exact.
          const there = await groupedSumsOnEngine(await tableOf(X, "hash(i)"), C, shift);
          expect(there.counts).toEqual(here.counts);
          expect(there.sums.data).toEqual(here.sums.data);
          there.squares.forEach((square, k) => expect(square).toBeCloseTo(here.squares[k], 9));
          // They are asked for only where they are needed.
          const far = there.counts.includes(0) ? here.farthest : [];
          expect(there.farthest.map(({ square }) => Math.round(square))).toEqual(
            far.map(({ square }) => Math.round(square)),
          );
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("the start", () => {
  const normals = random(3).normal;
  const X = matrix(
    6000,
    2,
    Float64Array.from(
      { length: 12000 },
      (_, p) => 8 * ((p >> 1) % 6) * (p % 2 === 0 ? 1 : (p >> 1) % 5) + normals(),
    ),
  );

  it("depends on the rows and the seed, not on their order or the threads", async () => {
    const table = await tableOf(X);
    const other = await tableOf(X, "hash(i + 5)");
    const options = { clusters: 8, sample: 500, maxIterations: 1, seed: 3 };
    const first = await kmeansOnEngine(table, options);
    const second = await kmeansOnEngine(other, { ...options, route: "stream" });
    second.centers.data.forEach((value, p) => expect(value).toBeCloseTo(first.centers.data[p], 9));
    const third = await kmeansOnEngine(table, { ...options, seed: 4 });
    expect(third.centers.data).not.toEqual(first.centers.data);
  });

  it("is as good as that of a stream", async () => {
    const table = await tableOf(X);
    const best = kmeans(X, { clusters: 30 });
    const there = await kmeansOnEngine(table, { clusters: 30, sample: 500 });
    expect(there.objective / best.objective).toBeLessThan(1.05);
    expect(there.converged).toBe(true);
  });

  it("draws equal rows apart where another column tells them apart, else with their counts", async () => {
    // Nine in ten rows are 0.
    const many = matrix(
      5000,
      1,
      Float64Array.from({ length: 5000 }, (_, i) => (i % 10 === 0 ? 1 + i / 1000 : 0)),
    );
    const table = await tableOf(many);
    const drawn = await enginePasses("test", table, { seed: 1 }).sample(1000);
    expect(drawn!.share).toBe(0.2);
    const zeros = Array.from(drawn!.X.data).filter((value) => value === 0).length;
    expect(zeros / drawn!.X.rows).toBeGreaterThan(0.85);
    expect(zeros / drawn!.X.rows).toBeLessThan(0.95);
    // Without one there are 501 values, and all are drawn.
    const { table: bare } = await engineTable(engine, { query: `select c0 from ${table.from}` });
    const all = await enginePasses("test", bare, { seed: 1 }).sample(1000);
    expect([all!.share, all!.X.rows]).toEqual([1, 501]);
    expect(all!.counts!.reduce((sum, count) => sum + count, 0)).toBe(5000);
    const there = await kmeansOnEngine(bare, { clusters: 2, sample: 1000, tolerance: 0 });
    const here = kmeans(many, { clusters: 2 });
    expect(there.objective / here.objective).toBeCloseTo(1, 9);
  });

  it("draws rows as often as their distance asks, no more than the limit", async () => {
    const table = await tableOf(X);
    const centers = matrix(1, 2);
    const drawing = enginePasses("test", table, { seed: 2 });
    const squares = Array.from({ length: 6000 }, (_, i) => X.data[2 * i] ** 2 + X.data[2 * i + 1] ** 2);
    const expected = (threshold: number): number =>
      squares.reduce((sum, square) => sum + Math.min(1, square * threshold), 0);
    const threshold = 300 / squares.reduce((sum, square) => sum + square, 0);
    const drawn = await drawing.draw(centers, threshold, 5000, 1);
    expect(Math.abs(drawn!.X.rows - expected(threshold))).toBeLessThan(5 * Math.sqrt(300));
    const limited = await drawing.draw(centers, threshold, 100, 1);
    expect(limited!.X.rows).toBe(100);
    expect(Math.abs(expected(limited!.threshold) - 100)).toBeLessThan(50);
    expect(limited!.X.data).toEqual(drawn!.X.data.subarray(0, 200));
  });

  it("fewer distinct rows than clusters", async () => {
    const few = matrix(
      40,
      1,
      Float64Array.from({ length: 40 }, (_, i) => i % 3),
    );
    const table = await tableOf(few);
    const there = await kmeansOnEngine(table, { clusters: 5 });
    expect(there.clusters).toBe(3);
    expect(there.objective).toBe(0);
    expect(there.warnings[0]).toMatch(/only 3 distinct rows.*instead of 5/);
    const centers = matrix(5, 1, Float64Array.of(0, 1, 2, 3, 4));
    await expect(kmeansOnEngine(table, { initialCenters: centers, route: "push-down" })).rejects.toThrow(
      '"initialCenters" has 5 rows, but the data has only 3 distinct rows',
    );
    await expect(kmeansOnEngine(table, { clusters: 41 })).rejects.toThrow(
      "cannot make 41 clusters of 40 rows",
    );
  });

  it("agrees with kmeansStream over its rows", async () => {
    const table = await tableOf(X);
    const { engineBatches } = await import("../../src/engine/index.ts");
    const initialCenters = rowsOf(X, [1, 1000, 2500, 4000]);
    const there = await kmeansOnEngine(table, { initialCenters });
    const here = await kmeansStream(() => engineBatches(table), { initialCenters });
    expect(there.iterations).toBe(here.iterations);
    here.history.forEach((value, t) => expect(Math.abs(there.history[t] / value - 1)).toBeLessThan(1e-10));
  });

  it("can be stopped, and says what is wrong", async () => {
    const table = await tableOf(X);
    // Progress is told by the clock.
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    let calls = 0;
    const stopped = await kmeansOnEngine(table, {
      initialCenters: rowsOf(X, [1, 2, 3]),
      tolerance: 0,
      onProgress: () => ++calls < 3,
    });
    expect(stopped.warnings).toEqual([expect.stringMatching(/^stopped by onProgress after \d steps$/)]);
    await expect(kmeansOnEngine(table, { clusters: 3, onProgress: () => false })).rejects.toThrow(
      "before the first pass",
    );
    clock.mockRestore();
    await expect(kmeansOnEngine(table, {})).rejects.toThrow('kmeansOnEngine: option "clusters" is required');
    await expect(kmeansOnEngine(table, { initialCenters: matrix(2, 3) })).rejects.toThrow(
      '"initialCenters" has 3 columns, but the data has 2',
    );
    await expect(kmeansOnEngine(table, { clusters: 30, sample: 20 })).rejects.toThrow('"sample" (20)');
    const huge = { ...table, features: [{ name: "a", sql: "1e200 * i" }] };
    const centers = matrix(2, 1, Float64Array.of(0, 1));
    await expect(kmeansOnEngine(huge, { initialCenters: centers, route: "push-down" })).rejects.toThrow(
      "exceeds the number range",
    );
  });
});
