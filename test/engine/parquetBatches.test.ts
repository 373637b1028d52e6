import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { duckdb, parquetBatches, type Engine } from "../../src/engine/index.ts";
import { rowBatches, type BatchOptions, type RowBatch } from "../../src/scale/index.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-parquet-"));
const at = (name: string): string => join(folder, name);
let engine: Engine;
const write = (name: string, sql: string): Promise<void> =>
  engine.run(`copy (${sql}) to '${at(name)}' (format parquet, row_group_size 2048)`);

const COLUMNS =
  "sin(i) as a, cast(cos(i) as float) as b, i as big, i % 2 = 0 as truth, cast(i % 100 as tinyint) as small";

beforeAll(async () => {
  engine = await duckdb({ threads: 2 });
  for (const part of ["many", "types", "lacks", "extra"]) mkdirSync(at(part));
  const rows = "from range(5000) r(i)";
  await write("many/1.parquet", `select ${COLUMNS}, 'k' || i % 3 as y, i as id ${rows}`);
  // Another order of the columns, null labels.
  await write(
    "many/2.parquet",
    `select i as id, case when i % 7 = 0 then null else 'a label longer than twelve bytes ' || i % 3 end as y, ${COLUMNS} ${rows}`,
  );
  await write("numbers.parquet", `select ${COLUMNS}, cast(i % 3 as double) / 2 as y ${rows}`);
  await write("decimal.parquet", `select i / 3.0::decimal(9, 3) as a, cast(i as decimal(9, 2)) as c ${rows}`);
  await write("dates.parquet", `select i as a, date '2020-01-01' + cast(i % 3 as integer) as y ${rows}`);
  await write(
    "holes.parquet",
    `select case when i in (3, 4000) then null else i end as a, i % 2 as y ${rows}`,
  );
  await write("nan.parquet", `select case when i = 3 then 'nan'::double else i end as a, i % 2 as y ${rows}`);
  await write(
    "inf.parquet",
    `select case when i = 4500 then 'inf'::double else i end as a, i % 2 as y ${rows}`,
  );
  await write("digits.parquet", `select cast(i as varchar) as a, 'k' as y ${rows}`);
  await write("types/1.parquet", "select 1 as a, 'k' as y");
  await write("types/2.parquet", "select 'one' as a, 'k' as y");
  await write("lacks/1.parquet", "select 1 as a, 2 as b");
  await write("lacks/2.parquet", "select 1 as a");
  await write("extra/1.parquet", "select 1 as a");
  await write("extra/2.parquet", "select 1 as a, 2 as b");
  await write("none.parquet", "select 1 as a where false");
  writeFileSync(at("rows.csv"), "a,y\n1,k\n2,l\n");
  writeFileSync(at("broken.parquet"), "PAR1 and then nothing");
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Rows as plain data, however they were cut into batches. */
async function gathered(batches: AsyncIterable<RowBatch>): Promise<object> {
  const values: number[] = [];
  const labels: string[] = [];
  const ids: string[] = [];
  const sources = new Set<string>();
  let names: readonly string[] = [];
  let rows = 0;
  for await (const batch of batches) {
    expect(batch.first).toBe(rows);
    names = batch.names;
    rows += batch.X.rows;
    values.push(...batch.X.data);
    labels.push(...(batch.label?.values ?? []));
    ids.push(...(batch.ids?.values ?? []));
    sources.add(batch.source);
  }
  return { names, rows, values, labels, ids, sources: [...sources] };
}

const both = (source: string | string[], options: BatchOptions = {}) => [
  () => gathered(parquetBatches(engine, source, options)),
  () => gathered(rowBatches(source, options)),
];

describe("Parquet by DuckDB is read as this library reads it", () => {
  test.each<[string, string | string[], BatchOptions]>([
    ["several files, columns in another order", "many/*.parquet", { label: "y", id: "id" }],
    ["ignored columns", "many/*.parquet", { ignore: ["y", "id", "b"] }],
    ["labels that are numbers", "numbers.parquet", { label: "y" }],
    ["labels that are single floats", "numbers.parquet", { label: "b", ignore: ["y"] }],
    ["labels that are true or false", "numbers.parquet", { label: "truth" }],
    ["decimals", "decimal.parquet", {}],
    ["labels that are dates", "dates.parquet", { label: "y" }],
    ["rows left out", "holes.parquet", { label: "y", missing: "drop" }],
    ["rows with NaN left out", "nan.parquet", { label: "y", missing: "drop" }],
    ["numbers as text", "digits.parquet", { label: "y" }],
    ["CSV", "rows.csv", { label: "y" }],
    ["a list of files", ["many/2.parquet", "many/1.parquet"], { label: "y", id: "id" }],
  ])("%s", async (_, source, options) => {
    const [own, theirs] = both(typeof source === "string" ? at(source) : source.map(at), options);
    expect(await own()).toEqual(await theirs());
  });

  test.each<[string, string, BatchOptions, RegExp]>([
    ["missing values", "holes.parquet", { label: "y" }, /holes\.parquet: .*missing value.*row 4, column "a"/],
    ["NaN", "nan.parquet", { label: "y" }, /1 missing value: row 4, column "a"/],
    ["infinite values", "inf.parquet", { label: "y" }, /row 4501, column "a": .*not a finite number/],
    ["infinite values", "inf.parquet", { label: "y", missing: "drop" }, /row 4501, column "a"/],
    ["another type in one file", "types/*.parquet", { label: "y" }, /types\/2\.parquet row 1, column "a"/],
    ["a column that one lacks", "lacks/*.parquet", {}, /lacks\/2\.parquet has no column "b"/],
    ["a column that one has more", "extra/*.parquet", {}, /extra\/2\.parquet has the column "b"/],
    ["an unknown label", "many/*.parquet", { label: "z" }, /option "label" names the column "z"/],
    ["no rows", "none.parquet", {}, /none\.parquet has no rows/],
    ["a broken file", "broken.parquet", {}, /broken\.parquet cannot be read as Parquet/],
    ["no file", "nosuch.parquet", {}, /nosuch\.parquet/],
    ["no match", "nosuch*.parquet", {}, /no file matches/],
    ["a wrong option", "many/*.parquet", { delimiter: ";" }, /"delimiter" does not apply/],
  ])("the same error for %s", async (_, source, options, message) => {
    const [own, theirs] = both(at(source), options).map((read) =>
      read().then(
        () => "no error",
        (error: Error) => error.message,
      ),
    );
    expect(await own).toMatch(message);
    expect(await own).toBe(await theirs);
  });

  test("progress goes from 0 to 1 over all files, and may stop", async () => {
    const seen: number[] = [];
    const onProgress = ({ fraction }: { fraction: number }) => void seen.push(fraction);
    await gathered(parquetBatches(engine, at("many/*.parquet"), { label: "y", onProgress }));
    expect(seen.at(-1)).toBe(1);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    await expect(
      gathered(parquetBatches(engine, at("many/*.parquet"), { label: "y", onProgress: () => false })),
    ).rejects.toThrow(/reading .*1\.parquet was stopped/);
  });
});
