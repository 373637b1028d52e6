import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { KindredError } from "../../src/core/messages.ts";
import { answer, duckdb, levelCountsOnEngine, openEngineTable, writeTable } from "../../src/engine/index.ts";
import { oneStatement, statementsOf } from "../../src/engine/engine.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-setup-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("statements of a text", () => {
  const parts = (sql: string): string[] => statementsOf(sql, "duckdb", "the setup");
  test("are divided by semicolons that are not in quotes or comments", () => {
    expect(parts("load a; attach 'x;y' as \"b;c\" ; -- no; more\nset z = $$;$$;;")).toEqual([
      "load a",
      "attach 'x;y' as \"b;c\"",
      "-- no; more\nset z = $$;$$",
    ]);
    expect(parts(" ; -- nothing\n /* ; */ ;")).toEqual([]);
    expect(parts("")).toEqual([]);
    expect(() => parts("attach 'x")).toThrow("the setup has an unclosed quote or comment");
  });
  test("Spark's texts have backslashes", () => {
    expect(statementsOf(String.raw`select 'it\'s; one'; use b`, "spark", "the setup")).toHaveLength(2);
  });
  test("a query may end in a comment, or in a semicolon and a comment", () => {
    expect(oneStatement("select 1 -- one", "duckdb")).toBe("select 1 -- one");
    expect(oneStatement("select 1; -- one", "duckdb")).toBe("select 1");
    expect(oneStatement("select (1) ; /* one */\n;", "duckdb")).toBe("select (1)");
    expect(() => oneStatement("-- nothing", "duckdb")).toThrow("the query is empty");
    expect(() => oneStatement("select 1; select 2", "duckdb")).toThrow("one statement");
    expect(() => oneStatement("select 1) as a, (select 2", "duckdb")).toThrow("one statement");
    expect(() => oneStatement("select (1", "duckdb")).toThrow("an unclosed parenthesis");
  });
});

describe("setup of DuckDB", () => {
  test("attaches another database, which is read and written", async () => {
    const file = join(folder, "shop.duckdb");
    const first = await duckdb({ database: file });
    await first.run("create table sales as select range as id, range % 7 as spend from range(20)");
    await first.close();
    const setup = `attach '${file}' as shop; use shop; create temp view few as from sales where id < 5`;
    const engine = await duckdb({ setup });
    // Every statement has its own connection, and all of them stand in the same place.
    for (const name of ["sales", "shop.sales", "few"]) {
      const table = await openEngineTable(engine, { table: name }, { id: "id" });
      expect(table.features.map((feature) => feature.name)).toEqual(["spend"]);
    }
    await writeTable(engine, "shop.found", "select * from few");
    await engine.close();
    const again = await duckdb({ database: file });
    const { columns } = await answer(again, "select count(*) from found");
    expect(columns[0][0]).toBe(5);
    await again.close();
  });

  test("a comment may stand before a statement, and a temporary table is made once", async () => {
    const file = join(folder, "drawn.duckdb");
    const setup = `attach '${file}' as own; -- here
      /* from now on */ use own; create temp table drawn as select random() as r from range(1000)`;
    const engine = await duckdb({ setup });
    const sum = async (): Promise<unknown> =>
      (await answer(engine, "select sum(r) from drawn")).columns[0][0];
    const first = await sum();
    await engine.run("create table kept as select 1 as x");
    await expect(engine.run("select * from nothing")).rejects.toThrow("nothing does not exist");
    expect(await sum()).toBe(first);
    await engine.close();
    const again = await duckdb({ database: file });
    expect((await answer(again, "select count(*) from kept")).columns[0][0]).toBe(1);
    await again.close();
  });

  test("a database that is opened for reading is read, also by what needs tables of its own, and not changed", async () => {
    const file = join(folder, "read.duckdb");
    const first = await duckdb({ database: file });
    await first.run(
      "create table rows as select range % 7 as a, range % 5 as b, range % 2 as y from range(70)",
    );
    await first.close();
    const engine = await duckdb({ database: file, readOnly: true });
    const table = await openEngineTable(engine, { table: "rows" }, { label: "y" });
    const { counts } = await levelCountsOnEngine(table, { discretize: "given", route: "push-down" });
    expect(counts.rows).toBe(70);
    await expect(engine.run("create table more as select 1")).rejects.toThrow("read-only mode");
    await engine.close();
  });

  test("its errors are one line with their cause, and without passwords", async () => {
    const failing = async (setup: string): Promise<KindredError> => {
      try {
        await (await duckdb({ setup })).close();
      } catch (error) {
        return error as KindredError;
      }
      throw new Error("nothing went wrong");
    };
    const missing = await failing("create table tables(a int); select * from tabels");
    expect(missing).toBeInstanceOf(KindredError);
    // The advice stands on the second line of DuckDB's words.
    expect(missing.message).toMatch(/^DuckDB: .*tabels does not exist! Did you mean "tables"\?$/);
    expect(missing.message).not.toMatch(/\n|LINE 1/);
    expect((missing.cause as Error).message).toContain("LINE 1");
    const told = await failing("attach 'password=geheim user=x' as pg (type nosuchdatabase)");
    expect(told.message).not.toContain("geheim");
    expect((await failing("attach 'x")).message).toBe("the setup has an unclosed quote or comment");
  });
});
