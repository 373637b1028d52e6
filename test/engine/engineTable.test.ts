import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as engines from "../../src/engine/index.ts";
import { columnScaling, columnStatistics, scaledBatches } from "../../src/scale/index.ts";

let engine: engines.Engine;
beforeAll(async () => {
  engine = await engines.duckdb({ threads: 2 });
  await engine.run(
    "create table t as select i % 7 as a, cast(i * i as double) / 3 + 1e6 as \"b c\", 'k' || (i % 3) as y, i as id " +
      "from range(20000) r(i)",
  );
});
afterAll(() => engine.close());

describe("a table on DuckDB", () => {
  it("has the column statistics of its rows", async () => {
    const { table, statistics } = await engines.engineTable(engine, { table: "t" }, { label: "y", id: "id" });
    const rows = await columnStatistics(() => engines.engineBatches(table));
    expect(statistics.rows).toBe(20000);
    expect(statistics.names).toEqual(["a", "b c"]);
    expect(statistics.min).toEqual(rows.min);
    expect(statistics.max).toEqual(rows.max);
    statistics.mean.forEach((mean, f) => expect(mean / rows.mean[f]).toBeCloseTo(1, 12));
    statistics.squares.forEach((sum, f) => expect(sum / rows.squares[f]).toBeCloseTo(1, 10));
  });

  it("gives its rows in batches, with labels and ids", async () => {
    const { table } = await engines.engineTable(
      engine,
      { query: "select * from t where id < 10000;" },
      { label: "y", id: "id" },
    );
    let first = 0;
    for await (const batch of engines.engineBatches(table)) {
      expect(batch.first).toBe(first);
      for (const i of [0, batch.X.rows - 1]) {
        const id = Number(batch.ids!.values[i]);
        expect(batch.X.data[2 * i]).toBe(id % 7);
        expect(batch.X.data[2 * i + 1]).toBe((id * id) / 3 + 1e6);
        expect(batch.label!.values[i]).toBe(`k${id % 3}`);
      }
      first += batch.X.rows;
    }
    expect(first).toBe(10000);
  });

  it("scales as rows are scaled", async () => {
    const { table, statistics } = await engines.engineTable(engine, { table: "t" }, { ignore: ["y", "id"] });
    const { scaling } = columnScaling(statistics);
    const own = engines.engineBatches(engines.scaledTable(table, scaling));
    for await (const { X } of scaledBatches(() => engines.engineBatches(table), scaling)) {
      const { value } = await own.next();
      expect(value!.X.data).toEqual(X.data);
    }
  });

  it("refuses cells without a number, or leaves their rows out", async () => {
    const query =
      "select case when id % 10 = 0 then null when id % 10 = 1 then 'nan'::double else a end as a, id from t";
    await expect(engines.engineTable(engine, { query })).rejects.toThrow(
      'the query: column "a" has 4000 cells without a finite number; leave such rows out',
    );
    const { table, statistics } = await engines.engineTable(engine, { query }, { missing: "drop" });
    expect(statistics.rows).toBe(16000);
    expect(table.notes).toEqual(["4000 rows with missing values were left out"]);
    const { columns } = await engines.answer(
      engine,
      `select count(*), sum(${table.features[0].sql}) from ${table.from}`,
    );
    expect(columns[0][0]).toBe(16000);
    expect(columns[1][0]).toBeCloseTo(statistics.mean[0] * 16000, 6);
  });

  it("takes one statement, which cannot get out of its place", async () => {
    const wrong = [
      "select 1 as x; drop table t",
      "select 1 as x) as a; drop table t; select * from (select 2 as x",
      "select '\\\\') as a; drop table t; select ('x' as x",
      "select (1 as x",
      "select 'x",
      "/* select 1",
      ";",
    ];
    for (const query of wrong) {
      await expect(engines.engineTable(engine, { query })).rejects.toThrow(
        /^the query (?:must be one|has a|is empty)/,
      );
    }
    const right = [
      "select 1.5 as x;",
      "select 1.5 as x -- ; (",
      "select /* ; ) */ 1.5 as x, ';)' as y, 2 as \"a;b\", $$;)$$ as z",
    ];
    for (const query of right) {
      const ignore = query.includes(" y") ? ["y", "z"] : [];
      const { table } = await engines.engineTable(engine, { query }, { ignore });
      expect(table.features.map(({ name }) => name)).toContain("x");
    }
  });

  it("a column of vectors is as many features as they have numbers", async () => {
    for (const type of ["float[]", "float[3]", "double[]", "integer[]"]) {
      const query = `select id, [a, id % 11, 3]::${type} as v, a from t`;
      const { table, statistics } = await engines.engineTable(engine, { query }, { id: "id" });
      expect(statistics.names).toEqual(["v 1", "v 2", "v 3", "a"]);
      const plain = await engines.engineTable(
        engine,
        { query: "select a, id % 11 as b, 3 as c, a as e from t" },
        { ignore: [] },
      );
      expect(statistics.mean).toEqual(plain.statistics.mean);
      expect(statistics.max).toEqual(plain.statistics.max);
      expect(table.features).toHaveLength(4);
    }
    const uneven =
      "select case when id = 7 then [1.0, 2.0]::float[] else [1.0, 2.0, id]::float[] end as v from t";
    await expect(engines.engineTable(engine, { query: uneven })).rejects.toThrow(
      'column "v" has lists of 2 to 3 numbers; a vector has as many in every row',
    );
    const gap = "select case when id <> 7 then [1.0, a, id]::float[] end as v from t";
    await expect(engines.engineTable(engine, { query: gap })).rejects.toThrow(
      'column "v 1" has 1 cell without a finite number',
    );
    const { statistics } = await engines.engineTable(engine, { query: gap }, { missing: "drop" });
    expect(statistics.rows).toBe(19999);
    // Of a column that is left out, nothing is asked.
    const { table } = await engines.engineTable(
      engine,
      { query: uneven.replace(" as v", " as v, a") },
      { ignore: ["v"] },
    );
    expect(table.features.map(({ name }) => name)).toEqual(["a"]);
  });

  it("tells what is wrong in one line", async () => {
    await expect(engines.engineTable(engine, { table: "nosuch" })).rejects.toThrow(
      /^DuckDB: .*nosuch.*exist/,
    );
    await expect(engines.engineTable(engine, { table: "t" })).rejects.toThrow(
      'column "y" is of type VARCHAR, not a number',
    );
    await expect(engines.engineTable(engine, { table: "t" }, { label: "z" })).rejects.toThrow(
      'option "label" names the column "z"',
    );
    await expect(
      engines.engineTable(engine, { query: "select * from t where false" }, { ignore: ["y"] }),
    ).rejects.toThrow("the query has no rows");
  });
});
