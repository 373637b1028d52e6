import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kmeans } from "../../src/cluster/index.ts";
import { groupedSumsOnEngine } from "../../src/engine/cluster/groupedSumsOnEngine.ts";
import { enginePasses } from "../../src/engine/cluster/enginePasses.ts";
import {
  answer,
  engineBatches,
  engineTable,
  kmeansOnEngine,
  openEngineTable,
  scaledTable,
  writeLabels,
  type Engine,
  type EngineTable,
} from "../../src/engine/index.ts";
import { columnScaling, type ColumnStatistics } from "../../src/scale/index.ts";
import { matrix, type Matrix } from "../../src/matrix/index.ts";
import { connect, remote } from "./spark/cluster.ts";

const [N, D] = [600, 130];
/** Numbers far from zero; number 7 is constant, and rows 0 to 39 come twice. */
const number = (id: string): string =>
  `case when f = 7 then 5e0 else 1e4 + 5e0 * (${id} % 4) * (f % 3) + sin(${id} * (f + 1.3e0)) end`;
const vectors = (cell = number("id")): string =>
  `select id, transform(sequence(0, ${D - 1}), f -> ${cell}) as v ` +
  `from (select if(row >= ${N - 40}, row - ${N - 40}, row) as id from range(0, ${N}, 1, 3) as r(row))`;

describe.skipIf(remote === undefined)("long vectors on a Spark cluster (npm run test:spark)", () => {
  let engine: Engine;
  let table: EngineTable;
  let statistics: ColumnStatistics;
  let X: Matrix;
  beforeAll(async () => {
    engine = await connect();
    ({ table, statistics } = await engineTable(engine, { query: vectors() }, { ignore: ["id"] }));
    X = await rowsOf(table);
  });
  afterAll(() => engine.close());

  it("the statistics are those of the rows", () => {
    expect(statistics.rows).toBe(N);
    for (const f of [0, 3, 7, D - 1]) {
      const values = Array.from({ length: N }, (_, i) => X.data[i * D + f]);
      const mean = values.reduce((sum, x) => sum + x, 0) / N;
      const squares = values.reduce((sum, x) => sum + (x - mean) ** 2, 0);
      expect(statistics.min[f]).toBe(Math.min(...values));
      expect(statistics.max[f]).toBe(Math.max(...values));
      expect(statistics.mean[f]).toBeCloseTo(mean, 8);
      expect(Math.abs(statistics.squares[f] - squares)).toBeLessThan(1e-9 * squares + 1e-12);
    }
  });

  it("from the same centres the steps are those in memory, for any number of centres", async () => {
    for (const K of [1, 4, 20]) {
      const initialCenters = matrix(K, D, X.data.slice(0, K * D));
      const direct = kmeans(X, { initialCenters });
      const there = await kmeansOnEngine(table, { initialCenters, tolerance: 0 });
      expect(there.iterations).toBe(direct.iterations);
      expect(Array.from(there.sizes)).toEqual(Array.from(direct.sizes));
      expect(Math.abs(there.objective / direct.objective - 1)).toBeLessThan(1e-10);
    }
  });

  it("scaled numbers without the constant one as well, with a start of drawn rows", async () => {
    const scaled = scaledTable(table, columnScaling(statistics).scaling);
    expect(scaled.features.length).toBe(D - 1);
    const Y = await rowsOf(scaled);
    const run = await kmeansOnEngine(scaled, { clusters: 4, sample: 150 });
    const direct = kmeans(Y, { clusters: 4 });
    expect(Math.abs(run.objective / direct.objective - 1)).toBeLessThan(1e-10);
    const sizes = await writeLabels(scaled, run, { table: "vector_labels" }, { replace: true });
    expect(sizes.reduce((sum, size) => sum + size)).toBe(N);
  });

  it("the sums of many rows are those of few, and a cluster without rows takes the farthest", async () => {
    const centers = matrix(3, D, X.data.slice(0, 3 * D));
    centers.data.fill(1.02e4, 2 * D);
    const shift = new Float64Array(D).fill(1e4);
    const few = await groupedSumsOnEngine(table, centers, shift, N);
    const many = await groupedSumsOnEngine(table, centers, shift, 1e9);
    expect(Array.from(few.counts)).toEqual(Array.from(many.counts));
    expect(few.counts[2]).toBe(0);
    for (const k of [0, 1]) {
      expect(Math.abs(few.squares[k] / many.squares[k] - 1)).toBeLessThan(1e-9);
      for (const f of [0, 7, D - 1]) {
        expect(few.sums.data[k * D + f]).toBeCloseTo(many.sums.data[k * D + f], 7);
      }
    }
    expect(few.farthest.map(({ row }) => row)).toEqual(many.farthest.map(({ row }) => row));
    const initialCenters = centers;
    const there = await kmeansOnEngine(table, { initialCenters, tolerance: 0 });
    expect(there.objective).toBeCloseTo(kmeans(X, { initialCenters }).objective, 4);
  });

  it("draws the same rows from any partition", async () => {
    const other = { ...table, from: `(select /*+ repartition(5) */ * from ${table.from}) as kindred_other` };
    const [a, b] = await Promise.all(
      [table, other].map((rows) => enginePasses("test", rows, { seed: 4 }).sample(100)),
    );
    expect(a!.X.rows).toBeGreaterThan(50);
    expect(b!.X).toEqual(a!.X);
  });

  it("a missing number is refused or its row left out", async () => {
    const cell = `case when id = 50 and f = 9 then null when id = 60 and f = 0 then double('NaN') else ${number("id")} end`;
    const source = { query: vectors(cell) };
    await expect(engineTable(engine, source, { ignore: ["id"] })).rejects.toThrow(
      'column "v 1" has 1 cell without a finite number',
    );
    const dropped = await engineTable(engine, source, { ignore: ["id"], missing: "drop" });
    expect(dropped.statistics.rows).toBe(N - 2);
    expect(dropped.table.notes.join()).toContain("2 rows with missing values were left out");
    const { rows, sizes } = await kmeansOnEngine(dropped.table, { clusters: 4 });
    expect(rows).toBe(N - 2);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(N - 2);
  });

  it("a query that returns other rows each time is refused", async () => {
    const query = `select array_repeat(rand(), ${D}) as v from range(100)`;
    const random = await openEngineTable(engine, { query });
    const initialCenters = matrix(2, D, new Float64Array(2 * D).fill(0.7, D));
    await expect(kmeansOnEngine(random, { initialCenters })).rejects.toThrow("other rows each time");
    expect((await answer(engine, "select 1")).rows).toBe(1);
  });
});

async function rowsOf(table: EngineTable): Promise<Matrix> {
  const values: number[] = [];
  for await (const { X } of engineBatches(table)) for (const value of X.data) values.push(value);
  return matrix(values.length / table.features.length, table.features.length, Float64Array.from(values));
}
