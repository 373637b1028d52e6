import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { typeTable } from "../../src/data/columns/typeTable.ts";
import {
  answer,
  engineCells,
  gaussianMixtureOnEngine,
  kmeansOnEngine,
  openEngineCells,
  openEngineTable,
  sampleOnEngine,
  type Engine,
  type EngineTable,
} from "../../src/engine/index.ts";
import { gaussianMixtureStream } from "../../src/scale/index.ts";
import { engineBatches } from "../../src/engine/engineBatches.ts";
import type { MethodName } from "../../src/run/callOptions.ts";
import { cluster } from "../../src/run/cluster.ts";
import { placeOnEngine } from "../../src/rows/placeOnEngine.ts";
import { kmeans } from "../../src/cluster/index.ts";
import { matrix } from "../../src/matrix/index.ts";
import { connect, remote } from "./spark/cluster.ts";

const ROWS = 3000;
/** Three groups, a category, gaps, and an id. */
const query =
  `select id, case when id % 50 <> 0 then 20e0 * (id % 3) + sin(id * 1.7e0) end as spend, ` +
  `8e0 * (id % 3) + 2e0 * cos(id * 2.3e0) as visits, element_at(array('free', 'pro', 'te am'), cast(1 + id % 3 as int)) as plan ` +
  `from range(0, ${ROWS}, 1, 3) -- the rows`;

describe.skipIf(remote === undefined)("a sample of a Spark table (npm run test:spark)", () => {
  let engine: Engine;
  let table: EngineTable;
  beforeAll(async () => {
    engine = await connect();
    ({ table } = await openEngineCells(engine, { query }, "id"));
  });
  afterAll(() => engine.close());

  it.each(["auto", "kmeans", "gmm", "ward", "spectral", "hdbscan"])(
    "%s is fitted on it, and Spark labels every row",
    async (method) => {
      const { from, drawn, rows } = await sampleOnEngine(table, { rows: 600, seed: 1 });
      expect(rows).toBe(ROWS);
      expect(drawn.rows).toBeGreaterThan(450);
      expect(drawn.rows).toBeLessThan(750);
      const sample = typeTable(engineCells(drawn, "the sample"), { vector: "none" });
      const numbered = method !== "auto" && method !== "hdbscan";
      const model = await cluster(sample, {
        method: method as MethodName,
        id: "id",
        ...(numbered && { clusters: 3, ignore: ["plan"] }),
        ...(method === "hdbscan" && { ignore: ["plan"] }),
      });
      const name = `sample_${method}`;
      const { sizes, way } = await placeOnEngine(table, model, {
        to: { table: name },
        replace: true,
        sample: from,
      });
      expect(way).toBe("sql");
      expect(Array.from(sizes!).toSorted()).toEqual([1000, 1000, 1000]);
      const { columns } = await answer(
        engine,
        `select count(distinct id % 3), count(*) from ${name} group by cluster order by cluster`,
      );
      expect(Array.from(columns[0] as Float64Array)).toEqual([1, 1, 1]);
      await engine.run(`drop table ${name}`);
    },
  );

  it("all rows are checked there: cells and levels that the sample did not have are counted", async () => {
    const odd =
      `select id, case when id >= 2400 and id % 100 = 0 then 'n/k' else cast(20e0 * (id % 3) + sin(id * 1.7e0) as string) end as spend, ` +
      `case when id >= 2700 and id % 3 = 1 then 'new' else element_at(array('free', 'pro', 'te am'), cast(1 + id % 3 as int)) end as plan ` +
      `from range(0, ${ROWS}, 1, 3)`;
    const { table: rows } = await openEngineCells(engine, { query: odd }, "id");
    const early = await answer(engine, `select * from (${odd}) where id < 600`);
    const sample = typeTable(engineCells(early, "the sample"), { vector: "none" });
    const model = await cluster(sample, { method: "kmeans", clusters: 3, id: "id" });
    const { notes } = await placeOnEngine(rows, model, {
      check: true,
      sample: `(select * from (${odd}) where id < 600) as kindred_early`,
    });
    const told = notes.map(({ message }) => message).join("\n");
    expect(told).toMatch(/column "spend": 6 of 3000 cells are not read as number/);
    expect(told).toMatch(/new/);
    expect(told).toContain("all 3000 rows were checked");
  });

  it("vectors are features: k-means of array<float> is that of the columns", async () => {
    const x = (f: number): string => `cast(6e0 * (id % 3) + ${f} + sin(id * ${f + 1}.7e0) as float)`;
    const xs = [0, 1, 2].map(x);
    const vectors = await openEngineTable(engine, {
      query: `select array(${xs.join(", ")}) as v from range(0, 900, 1, 3)`,
    });
    expect(vectors.features.map(({ name }) => name)).toEqual(["v 1", "v 2", "v 3"]);
    const plain = await openEngineTable(engine, {
      query: `select ${xs.map((sql, f) => `${sql} as x${f}`).join(", ")} from range(0, 900, 1, 3)`,
    });
    const [a, b] = [
      await kmeansOnEngine(vectors, { clusters: 3 }),
      await kmeansOnEngine(plain, { clusters: 3 }),
    ];
    expect(Array.from(a.sizes)).toEqual([300, 300, 300]);
    expect(Math.abs(a.objective / b.objective - 1)).toBeLessThan(1e-10);
    await expect(
      openEngineTable(engine, {
        query: "select array_repeat(1.5f, cast(1 + id % 2 as int)) as v from range(9)",
      }),
    ).rejects.toThrow("lists of 1 to 2 numbers");
  });

  it("EM by its sums takes the steps of EM by its rows", async () => {
    const rows = await openEngineTable(
      engine,
      { query: query.replace("case when id % 50 <> 0 then", "(").replace("end as spend", ") as spend") },
      { id: "id", ignore: ["plan"] },
    );
    for (const covariance of ["full", "tied", "diagonal", "spherical"] as const) {
      const options = { clusters: 3, covariance, sample: 500, maxIterations: 5 };
      const start = await gaussianMixtureOnEngine(rows, { ...options, route: "stream" });
      const there = await gaussianMixtureOnEngine(rows, { covariance, start, maxIterations: 4 });
      const here = await gaussianMixtureStream(() => engineBatches(rows), {
        covariance,
        start,
        maxIterations: 4,
      });
      expect(there.route).toBe("push-down");
      expect(there.iterations).toBe(here.iterations);
      expect(Math.abs(there.logLikelihood / here.logLikelihood - 1)).toBeLessThan(1e-10);
      expect(Array.from(there.sizes)).toEqual(Array.from(here.sizes));
    }
  });

  it("a wide table is compared by inner products, with the steps in memory", async () => {
    const [n, d] = [400, 40];
    const cells = Array.from(
      { length: d },
      (_, f) => `1e4 + 5e0 * (id % 4) * ${f % 3} + sin(id * ${f + 1}.3e0) as x${f}`,
    );
    const wide = await openEngineTable(engine, {
      query: `select ${cells.join(", ")} from range(0, ${n}, 1, 2)`,
    });
    const X = matrix(n, d);
    let at = 0;
    for await (const batch of engineBatches(wide)) {
      X.data.set(batch.X.data, at * d);
      at += batch.X.rows;
    }
    const initialCenters = matrix(4, d, X.data.slice(0, 4 * d));
    const direct = kmeans(X, { initialCenters });
    const there = await kmeansOnEngine(wide, { initialCenters, tolerance: 0 });
    expect(there.iterations).toBe(direct.iterations);
    expect(Array.from(there.sizes)).toEqual(Array.from(direct.sizes));
    expect(Math.abs(there.objective / direct.objective - 1)).toBeLessThan(1e-10);
  });
});
