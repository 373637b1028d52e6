import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gaussianMixture, type CovarianceKind } from "../../src/cluster/index.ts";
import { answer, duckdb, engineTable, type Engine, type EngineTable } from "../../src/engine/index.ts";
import { mostProbable } from "../../src/engine/cluster/mostProbable.ts";
import { writeLabels } from "../../src/engine/cluster/writeLabels.ts";
import { matrix, type Matrix } from "../../src/matrix/index.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-labels-"));
let engine: Engine;
let table: EngineTable;
let named: EngineTable;
beforeAll(async () => {
  engine = await duckdb({ threads: 2 });
  await engine.run(
    "create table t as select i as id, 'r' || i as name, cast(i % 100 as double) as a, sin(i) as b from range(5000) r(i)",
  );
  const query = { query: "select * from t" };
  ({ table } = await engineTable(engine, query, { ignore: ["id", "name"] }));
  ({ table: named } = await engineTable(engine, query, { id: "name", ignore: ["id"] }));
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const centers = matrix(3, 2, Float64Array.of(10, 0, 50, 0, 90, 0));
const cluster = (i: number): number => (i % 100 <= 30 ? 0 : i % 100 <= 70 ? 1 : 2);
const sizes = Float64Array.of(31 * 50, 40 * 50, 29 * 50);

async function read(from: string): Promise<{ names: readonly string[]; rows: number; wrong: number }> {
  const { names, rows, columns } = await answer(engine, `select * from ${from} order by id`);
  const at = names.indexOf("cluster");
  const wrong = Array.from({ length: rows }, (_, i) => Number(columns[at][i]) !== cluster(i)).filter(Boolean);
  return { names, rows, wrong: wrong.length };
}

describe("labels written by DuckDB", () => {
  it("to Parquet, with all columns; an older file is replaced", async () => {
    const file = join(folder, "it's.parquet");
    writeFileSync(file, "old");
    expect(await writeLabels(table, { centers }, { file })).toEqual(sizes);
    const found = await read(`'${file.replaceAll("'", "''")}'`);
    expect(found).toEqual({ names: ["id", "name", "a", "b", "cluster"], rows: 5000, wrong: 0 });
    expect(readdirSync(folder)).toEqual(["it's.parquet"]);
  });

  it("to CSV, with the id alone where there is one", async () => {
    const file = join(folder, "labels.csv");
    expect(await writeLabels(named, { centers }, { file })).toEqual(sizes);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(lines[0]).toBe("name,cluster");
    expect(lines.length).toBe(5001);
    expect(lines).toContain("r35,1");
    await writeLabels(named, { centers }, { file }, { columns: "all", name: "group" });
    expect(readFileSync(file, "utf8").split("\n")[0]).toBe("id,name,a,b,group");
  });

  it("to a folder for each cluster, and to a table", async () => {
    const place = join(folder, "parts");
    expect(await writeLabels(table, { centers }, { folder: `${place}/` })).toEqual(sizes);
    expect(readdirSync(place).toSorted()).toEqual(["cluster=0", "cluster=1", "cluster=2"]);
    expect((await read(`read_parquet('${place}/*/*.parquet')`)).wrong).toBe(0);
    await expect(writeLabels(table, { centers }, { folder: place })).rejects.toThrow("is not empty");
    expect(await writeLabels(table, { centers }, { table: "labelled" })).toEqual(sizes);
    expect((await read("labelled")).wrong).toBe(0);
    await expect(writeLabels(table, { centers }, { table: "labelled" })).rejects.toThrow("labelled already");
    await writeLabels(table, { centers }, { table: "labelled" }, { replace: true });
  });

  it("nothing half-written stays when it fails", async () => {
    const broken = { ...table, features: [{ name: "a", sql: "cast(name as double)" }, table.features[1]] };
    const file = join(folder, "none.parquet");
    await expect(writeLabels(broken, { centers }, { file })).rejects.toThrow("DuckDB: Conversion Error");
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.includes("none"))).toEqual([]);
    const half = { ...table, from: "(select *, 1 / (id - 4990) from t where sqrt(4995 - id) >= 0) as u" };
    await expect(writeLabels(half, { centers }, { folder: join(folder, "none") })).rejects.toThrow(
      "DuckDB: ",
    );
    expect(readdirSync(folder).filter((name) => name.includes("none"))).toEqual([]);
    await expect(
      writeLabels(table, { centers }, { file: join(folder, "nowhere", "x.parquet") }),
    ).rejects.toThrow(/nowhere does not exist/);
  });

  it("says what is wrong", async () => {
    const file = join(folder, "x.parquet");
    await expect(writeLabels(table, { centers }, { file }, { name: "NAME" })).rejects.toThrow(
      'has a column "name" already',
    );
    await expect(writeLabels(table, { centers }, { file: "labels.txt" })).rejects.toThrow(".parquet or .csv");
    await expect(writeLabels(table, { centers }, { file }, { columns: "id" })).rejects.toThrow("without one");
  });
});

describe("the most probable component", () => {
  const KINDS: readonly CovarianceKind[] = ["full", "tied", "diagonal", "spherical"];
  it.each(KINDS)("%s", async (covariance) => {
    const { columns } = await answer(engine, "select a + 1e5 as a, b from t order by id");
    const X: Matrix = matrix(
      5000,
      2,
      Float64Array.from({ length: 10000 }, (_, p) => Number(columns[p % 2][p >> 1])),
    );
    const mixture = gaussianMixture(X, { clusters: 3, covariance, restarts: 2, maxIterations: 30 });
    const shifted = { ...table, features: [{ name: "a", sql: "(a + 1e5)" }, table.features[1]] };
    const found = await answer(
      engine,
      `select kindred_cluster from ${mostProbable(shifted, mixture, ["id"])} order by id`,
    );
    const labels = Array.from(mixture.predict(X));
    expect(Array.from(found.columns[0] as Float64Array)).toEqual(labels);
    const counts = await writeLabels(shifted, mixture, { file: join(folder, `${covariance}.parquet`) });
    expect(Array.from(counts)).toEqual([0, 1, 2].map((k) => labels.filter((label) => label === k).length));
  });
});
