import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { duckdb } from "../../src/engine/duckdb.ts";
import { sparkDialect } from "../../src/engine/dialect.ts";
import { answer, type Engine, type EngineBatch } from "../../src/engine/engine.ts";
import { writeParquet, writeTable, type WriteTableOptions } from "../../src/engine/writeTable.ts";
import { inputError } from "../../src/core/messages.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-write-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("on DuckDB", () => {
  let engine: Engine;
  beforeEach(async () => {
    engine = await duckdb();
  });
  afterEach(() => engine.close());

  it("writes a table, once", async () => {
    await writeTable(engine, "main.squares", "select range * range as s from range(5)");
    expect((await answer(engine, "select sum(s) from squares")).columns[0][0]).toBe(30);
    await expect(writeTable(engine, "squares", "select 1 as s")).rejects.toThrow(
      "there is a table squares already: choose another name, or replace it",
    );
    await writeTable(engine, "squares", "select 7 as s", { replace: true });
    expect((await answer(engine, "select sum(s) from squares")).columns[0][0]).toBe(7);
    await expect(writeTable(engine, "squares", "select nope", { replace: true })).rejects.toThrow(
      /^DuckDB: /,
    );
    expect((await answer(engine, "select sum(s) from squares")).columns[0][0]).toBe(7);
    await expect(writeTable(engine, "a..b", "select 1")).rejects.toThrow('"a..b" is not the name of a table');
    await expect(writeTable(engine, "t", "select 1", { again: 1 } as WriteTableOptions)).rejects.toThrow(
      'there is no option "again"',
    );
  });

  it("writes Parquet, a file or divided by columns", async () => {
    const rows = "select range as i, range % 2 as half from range(10)";
    const file = join(folder, "it's.parquet");
    await writeParquet(engine, file, rows);
    await writeParquet(engine, file, `${rows} where range > 4`);
    const path = file.replaceAll("'", "''");
    expect((await answer(engine, `select sum(i) from '${path}'`)).columns[0][0]).toBe(35);
    const parts = join(folder, "parts");
    await writeParquet(engine, parts, rows, { partition: ["half"] });
    expect(readdirSync(parts).toSorted()).toEqual(["half=0", "half=1"]);
    await expect(writeParquet(engine, parts, rows, { partition: ["half"] })).rejects.toThrow(
      `the folder ${parts} is not empty: choose another`,
    );
    await expect(writeParquet(engine, join(folder, "x"), rows, { partition: ["nope"] })).rejects.toThrow(
      /nope/,
    );
    expect(existsSync(join(folder, "x"))).toBe(false);
  });
});

/** Spark's catalog as far as names go; statements that `fails` picks are errors. */
function catalog(
  tables: string[],
  fails: (sql: string) => boolean = () => false,
): Engine & { log: string[] } {
  const log: string[] = [];
  const names = new Set(tables);
  return {
    name: "Spark",
    dialect: sparkDialect,
    log,
    async *query(): AsyncGenerator<EngineBatch, void, undefined> {
      const found = [...names].filter((name) => name.includes("__kindred_"));
      if (found.length === 0) return;
      yield {
        names: ["namespace", "tableName"],
        rows: found.length,
        columns: [found.map(() => "default"), found],
      };
    },
    run(sql) {
      log.push(sql);
      const [first, second] = Array.from(sql.matchAll(/`([^`]*)`/g), ([, name]) => name);
      if (fails(sql)) return Promise.reject(inputError("Spark: it failed"));
      if (sql.startsWith("describe") && !names.has(first)) {
        return Promise.reject(inputError("Spark: [TABLE_OR_VIEW_NOT_FOUND] it cannot be found"));
      }
      if (sql.startsWith("create")) names.add(first);
      if (sql.startsWith("drop") || sql.startsWith("alter")) names.delete(first);
      if (sql.startsWith("alter")) names.add(second);
      tables.splice(0, Infinity, ...names);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}

describe("on Spark", () => {
  it("writes beside the table and renames", async () => {
    const tables: string[] = [];
    const engine = catalog(tables);
    await writeTable(engine, "labels", "select 1");
    expect(tables).toEqual(["labels"]);
    expect(engine.log[1]).toMatch(/^create table `labels__kindred_\w+` as select 1$/);
    expect(engine.log[2]).toMatch(/^alter table `labels__kindred_\w+` rename to `labels`$/);
  });

  it("keeps what there was until the new one is whole", async () => {
    const tables = ["labels"];
    await expect(writeTable(catalog(tables), "labels", "select 1")).rejects.toThrow(
      "there is a table labels already",
    );
    await writeTable(catalog(tables), "labels", "select 1", { replace: true });
    expect(tables).toEqual(["labels"]);
    const refused = catalog(tables, (sql) => /^alter table `labels__kindred_(?!old)/.test(sql));
    await expect(writeTable(refused, "labels", "select 1", { replace: true })).rejects.toThrow("it failed");
    expect(tables).toEqual(["labels"]);
  });

  it.each(["create", "alter"])("leaves nothing behind when %s fails", async (verb) => {
    const tables: string[] = [];
    const engine = catalog(tables, (sql) => sql.startsWith(verb));
    await expect(writeTable(engine, "labels", "select 1")).rejects.toThrow("it failed");
    expect(tables).toEqual([]);
    expect(engine.log.at(-1)).toMatch(/^drop table if exists `labels__kindred_/);
  });

  it("sweeps away what writers of the same table left more than a day ago", async () => {
    const left = (name: string, hours: number): string =>
      `${name}__kindred_${(Date.now() - hours * 3_600_000).toString(36)}_x`;
    const tables = [left("labels", 25), left("labels", 1), left("other", 25)];
    const [, young, other] = tables;
    await writeTable(catalog(tables), "labels", "select 1");
    expect(tables).toEqual([young, other, "labels"]);
  });

  it("does not name the catalog twice", async () => {
    const engine = catalog([]);
    await writeTable(engine, "cat.db.t", "select 1");
    expect(engine.log.at(-1)).toMatch(/^alter table `cat`.`db`.`t__kindred_\w+` rename to `db`.`t`$/);
  });

  it("Parquet is a table elsewhere, which is then forgotten", async () => {
    const tables: string[] = [];
    const engine = catalog(tables);
    await writeParquet(engine, "s3://a/it's", "select 1 as a", { partition: ["a", "b"] });
    expect(engine.log[0]).toMatch(
      /^create table `parquet__kindred_\w+` using parquet partitioned by \(`a`, `b`\) location 's3:\/\/a\/it\\'s' as/,
    );
    expect(tables).toEqual([]);
  });
});
