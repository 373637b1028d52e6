import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gaussianMixture, kmeans } from "../../src/cluster/index.ts";
import {
  answer,
  engineBatches,
  engineTable,
  kmeansOnEngine,
  writeLabels,
  type Engine,
  type EngineTable,
} from "../../src/engine/index.ts";
import { enginePasses } from "../../src/engine/cluster/enginePasses.ts";
import { matrix, type Matrix } from "../../src/matrix/index.ts";
import { centerOf, connect, FEATURES, remote, MANY, manyRows } from "./spark/cluster.ts";

describe.skipIf(remote === undefined)("k-means on a Spark cluster (npm run test:spark)", () => {
  let engine: Engine;
  let table: EngineTable;
  let X: Matrix;
  beforeAll(async () => {
    engine = await connect();
    const cells = [0, 1, 2].map(
      (f) => `(xxhash64(xxhash64(id) % 5, ${f}) % 100) / 10e0 + sin(id * ${f + 1}e0) as f${f}`,
    );
    const query = `select id, ${cells.join(", ")} from range(0, 3000, 1, 3)`;
    ({ table } = await engineTable(engine, { query }, { id: "id" }));
    const rows: Float64Array[] = [];
    for await (const batch of engineBatches(table)) {
      batch.ids!.values.forEach((id, i) => (rows[Number(id)] = batch.X.data.slice(3 * i, 3 * i + 3)));
    }
    X = matrix(3000, 3, Float64Array.from(rows.flatMap((row) => Array.from(row))));
  });
  afterAll(() => engine.close());

  it("from the same centres the steps are those in memory", async () => {
    for (const K of [1, 7]) {
      const initialCenters = matrix(K, 3, X.data.slice(0, 3 * K));
      const direct = kmeans(X, { initialCenters });
      const there = await kmeansOnEngine(table, { initialCenters, tolerance: 0, maxIterations: 300 });
      expect(there.route).toBe("push-down");
      expect(there.iterations).toBe(direct.iterations);
      expect(Array.from(there.sizes)).toEqual(Array.from(direct.sizes));
      expect(Math.abs(there.objective / direct.objective - 1)).toBeLessThan(1e-10);
    }
    // Code for whole stages is on again.
    expect((await answer(engine, "set spark.sql.codegen.wholeStage")).columns[1]).toEqual(["true"]);
  });

  it("draws the same rows from any partition, and labels them", async () => {
    const other = { ...table, from: `(select /*+ repartition(5) */ * from ${table.from}) as kindred_other` };
    const [a, b] = await Promise.all(
      [table, other].map((rows) => enginePasses("test", rows, { seed: 4 }).sample(300)),
    );
    expect(b!.X).toEqual(a!.X);
    const run = await kmeansOnEngine(table, { clusters: 5, sample: 500 });
    expect(run.objective / kmeans(X, { clusters: 5 }).objective).toBeLessThan(1.02);
    const sizes = await writeLabels(table, run, { table: "kmeans_labels" }, { replace: true });
    expect(sizes.reduce((sum, size) => sum + size)).toBe(3000);
    const { names, columns } = await answer(engine, "select * from kmeans_labels order by id");
    expect(names).toEqual(["id", "cluster"]);
    expect(Array.from(columns[1] as Float64Array)).toEqual(Array.from(run.predict(X)));
    await engine.run("drop table kmeans_labels");
  });

  it(`${MANY} rows`, { timeout: 900_000 }, async () => {
    const name = await manyRows(engine);
    const { table: large } = await engineTable(engine, { table: name }, { id: "id", label: "class" });
    const run = await kmeansOnEngine(large, { clusters: 5 });
    expect(run.converged).toBe(true);
    expect(run.rows).toBe(MANY);
    // The classes are heaps that do not touch, of as many rows each about their centres.
    expect(Array.from(run.sizes)).toEqual(Array(5).fill(MANY / 5));
    const codes = Array.from(run.centers.data).filter((_, p) => p % FEATURES === 0);
    const expected = Array.from({ length: 5 }, (_, code) => centerOf(code, 0)).toSorted((a, b) => a - b);
    codes.toSorted((a, b) => a - b).forEach((value, k) => expect(value).toBeCloseTo(expected[k], 2));
    const sizes = await writeLabels(large, run, { table: "many_rows_clusters" }, { replace: true });
    expect(Array.from(sizes)).toEqual(Array.from(run.sizes));
    await engine.run("drop table many_rows_clusters");
  });

  it("labels rows by a mixture", async () => {
    const mixture = gaussianMixture(X, { clusters: 4, restarts: 2, maxIterations: 50 });
    await writeLabels(table, mixture, { table: "mixture_labels" }, { replace: true });
    const { columns } = await answer(engine, "select cluster from mixture_labels order by id");
    expect(Array.from(columns[0] as Float64Array)).toEqual(Array.from(mixture.predict(X)));
    await engine.run("drop table mixture_labels");
  });
});
