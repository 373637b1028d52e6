import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as engines from "../../src/engine/index.ts";
import { classColumnStatistics, type ClassColumnStatistics } from "../../src/scale/index.ts";

let engine: engines.Engine;
beforeAll(async () => {
  engine = await engines.duckdb({ threads: 2 });
  await engine.run(
    `create table t as select
       1e6 + sin(i) as "it's", cast(i % 5 as integer) as "a ""b""", 3.5 as flat, i % 2 = 0 as flag,
       case when i = 7 then null else cos(i) end as hole,
       case when i % 11 = 0 then null when i % 11 = 1 then '' when i % 11 = 2 then '-1' else 'it''s ' || i % 3 end as y,
       cast(i % 4 as double) / 2 as number
     from range(5000) r(i)`,
  );
});
afterAll(() => engine.close());

const open = (
  label?: string,
  { query = "select * exclude (hole) from t", missing }: { query?: string; missing?: "drop" } = {},
): Promise<engines.EngineTable> =>
  engines.openEngineTable(engine, { query }, { label, missing, ignore: label === "y" ? [] : ["y"] });

function expectClose(a: ClassColumnStatistics, b: ClassColumnStatistics): void {
  expect(a.names).toEqual(b.names);
  const flat = ({ groups }: ClassColumnStatistics): unknown[] =>
    groups.map(({ label, rows, min, max }) => ({ label, rows, min, max }));
  expect(flat(a)).toEqual(flat(b));
  a.groups.forEach(({ mean, squares }, g) => {
    mean.forEach((value, f) => {
      expect(value).toBeCloseTo(b.groups[g].mean[f], 8);
      expect(Math.abs(squares[f] - b.groups[g].squares[f])).toBeLessThan(1e-8 * (1 + squares[f]));
    });
  });
}

describe("statistics of the columns of each class on DuckDB are those of the rows", () => {
  it.each([
    ["texts, some unknown", "y", {}],
    ["numbers", "number", {}],
    ["no classes", undefined, {}],
    ["a row left out", "y", { query: "select * from t", missing: "drop" }],
    [
      "more columns than a statement has",
      "y",
      {
        query: `select y, ${Array.from({ length: 320 }, (_, j) => `sin(${j} + "it's") as c${j}`).join(", ")} from t`,
      },
    ],
  ] as const)("%s", async (_, label, options) => {
    const table = await open(label, options);
    const { statistics, notes } = await engines.classColumnsOnEngine(table);
    expectClose(statistics, await classColumnStatistics(() => engines.engineBatches(table)));
    expect(notes).toEqual("missing" in options ? ["1 row with missing values was left out"] : []);
  });

  it("refuses missing numbers, no rows, and a label that has too many values", async () => {
    const lacking = await open("y", { query: "select * from t" });
    await expect(engines.classColumnsOnEngine(lacking)).rejects.toThrow(
      /"hole" has 1 cell without a finite number/,
    );
    const empty = await open("y", { query: "select * exclude (hole) from t where false" });
    await expect(engines.classColumnsOnEngine(empty)).rejects.toThrow(/the query has no rows/);
    const query = "select i, cast(i as varchar) as y from range(70000) r(i)";
    const names = await engines.openEngineTable(engine, { query }, { label: "y" });
    await expect(engines.classColumnsOnEngine(names)).rejects.toThrow(
      /label "y" has more than 65536 different/,
    );
  });
});
