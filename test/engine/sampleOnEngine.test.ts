import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { duckdb, openEngineCells, sampleOnEngine, type Engine } from "../../src/engine/index.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await duckdb({ threads: 2 });
  await engine.run(
    "create table many as select i, sin(i) as x, case when i % 3 = 0 then 'a' else 'b' end as word from range(20000) t(i)",
  );
});
afterAll(() => engine.close());

async function drawn(query: string, rows: number, seed = 0) {
  const { table } = await openEngineCells(engine, { query });
  return sampleOnEngine(table, { rows, seed });
}

describe("sampleOnEngine", () => {
  test("draws the same rows in any order of the table, and others by another seed", async () => {
    const one = await drawn("select * from many", 1000);
    const turned = await drawn("select * from many order by i desc -- a remark", 1000);
    const other = await drawn("select * from many", 1000, 1);
    expect(one.rows).toBe(20000);
    expect(one.drawn.names).toEqual(["i", "x", "word"]);
    expect(Math.abs(one.drawn.rows - 1000)).toBeLessThan(200);
    expect(turned.drawn.columns).toEqual(one.drawn.columns);
    expect(other.drawn.columns).not.toEqual(one.drawn.columns);
  });

  test("is uniform: means are those of the table, within five standard errors", async () => {
    const { drawn: sample } = await drawn("select * from many", 4000);
    const numbers = sample.columns[0] as Float64Array;
    const mean = numbers.reduce((sum, value) => sum + value, 0) / sample.rows;
    const error = 20000 / Math.sqrt(12 * sample.rows);
    expect(Math.abs(mean - 9999.5)).toBeLessThan(5 * error);
    const share =
      (sample.columns[2] as readonly string[]).filter((word) => word === "a").length / sample.rows;
    expect(Math.abs(share - 1 / 3)).toBeLessThan(5 * Math.sqrt(2 / 9 / sample.rows));
  });

  test("equal rows are drawn one by one, not all together", async () => {
    const { drawn: sample } = await drawn("select i % 4 as g from range(20000) t(i)", 1000);
    expect(Math.abs(sample.rows - 1000)).toBeLessThan(200);
    for (const group of [0, 1, 2, 3]) {
      const count = (sample.columns[0] as Float64Array).filter((value) => value === group).length;
      expect(Math.abs(count - 250)).toBeLessThan(100);
    }
  });

  test("a small table is taken whole; an empty one and an unknown id are refused", async () => {
    expect((await drawn("select * from many limit 50", 100)).drawn.rows).toBe(50);
    await expect(drawn("select * from many where false", 100)).rejects.toThrow(/the query has no rows/);
    await expect(openEngineCells(engine, { table: "many" }, "nope")).rejects.toThrow(
      /names the column "nope", which many does not have/,
    );
  });
});
