import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { duckdb } from "../../../src/engine/index.ts";
import { bareInstallation, command, kindred, listing, oneLine, scratch } from "../command.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-engines-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  writeFileSync(at("wine.csv"), (await kindred(["data", "wine"])).stdout);
  const engine = await duckdb({ database: at("wine.duckdb") });
  await engine.run(`create table wine as select * from '${at("wine.csv")}'`);
  await engine.run(
    "create table holes as select * replace (case when alcohol < 12 then null else alcohol end as alcohol) from wine",
  );
  await engine.run("create table texts as select *, 'x' as remark from wine");
  mkdirSync(at("parts"));
  await engine.run(`copy (select * from wine limit 100) to '${at("parts/1.parquet")}'`);
  await engine.run(`copy (select * from wine offset 100) to '${at("parts/2.parquet")}'`);
  mkdirSync(at("mixed"));
  await engine.run(`copy (select * from wine limit 100) to '${at("mixed/1.parquet")}'`);
  await engine.run(
    `copy (select * replace ('much' as alcohol) from wine offset 100) to '${at("mixed/2.parquet")}'`,
  );
  await engine.close();
});

interface Model {
  readonly metric: { readonly factor: { rows: number; cols: number; data: number[] } };
}

/** L'L, which does not depend on the signs of directions. */
function metricOf(path: string): number[] {
  const { rows, cols, data } = (JSON.parse(readFileSync(path, "utf8")) as Model).metric.factor;
  return Array.from({ length: cols * cols }, (_, p) => {
    let sum = 0;
    for (let r = 0; r < rows; r++) sum += data[r * cols + Math.floor(p / cols)] * data[r * cols + (p % cols)];
    return sum;
  });
}

const table = (name: string): string[] => [
  "--engine",
  "duckdb",
  "--database",
  at("wine.duckdb"),
  "--table",
  name,
  "--label",
  "class",
];
const query = (sql: string): string[] => ["--engine", "duckdb", "--query", sql, "--label", "class"];

describe("kindred metric --engine duckdb", () => {
  test.each(["mlca", "lda", "rca", "kissme"])("%s is that of the file", async (method) => {
    const files = ["--stream", "--label", "class", "--model", at("file.json")];
    await kindred(["metric", at("wine.csv"), "--method", method, ...files]);
    const own = await kindred(["metric", ...table("wine"), "--method", method, "--model", at("table.json")]);
    expect({ code: own.code, stderr: own.stderr }).toEqual({
      code: 0,
      stderr: `wrote ${at("table.json")}\n`,
    });
    expect(own.stdout).toMatch(/^data +wine, 178 rows x 13 features, scaling z-score$/m);
    expect(own.stdout).toMatch(/^engine +DuckDB v[\d.]+, (sums pushed down|rows streamed)$/m);
    const [a, b] = [at("file.json"), at("table.json")].map(metricOf);
    const size = Math.max(...a.map(Math.abs));
    expect(Math.max(...a.map((value, p) => Math.abs(value - b[p]))) / size).toBeLessThan(1e-8);
  });

  test("a query over files, few columns: sums are pushed down; --json says so", async () => {
    const sql = `select alcohol, ash, class from '${at("parts/*.parquet")}'`;
    const { code, stdout } = await kindred(["metric", ...query(sql), "--memory", "200MB", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      method: "mlca",
      engine: expect.stringMatching(/^DuckDB v.*, sums pushed down$/),
    });
  });

  test("a nullable column is refused, or its rows left out", async () => {
    const refused = await kindred(["metric", ...table("holes")]);
    expect(refused).toEqual(oneLine(1, /holes: .*column "alcohol" has .*finite number; leave such rows out/));
    const { code, stdout } = await kindred(["metric", ...table("holes"), "--missing", "drop"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^note +\d+ rows with missing values were left out$/m);
  });

  test.each([
    ["no data at all", ["--label", "class"], /standard input is empty/, 1],
    ["no query", ["--engine", "duckdb", "--label", "class"], /--engine duckdb needs --query or --table/, 2],
    ["an empty query", query(" ;"), /the query is empty/, 2],
    [
      "an answer without rows",
      query(`select * from '${"CSV"}' where alcohol > 99`),
      /the query has no rows/,
      1,
    ],
    ["wrong SQL", query("selec 1"), /DuckDB: .*syntax error at or near/, 1],
    ["a wrong file", query("select * from 'nosuch.parquet'"), /DuckDB: .*nosuch\.parquet/, 1],
    ["both", [...table("wine"), "--query", "select 1"], /--query and --table: give one of them/, 2],
    ["a file as well", ["wine.csv", ...table("wine")], /not from "wine.csv"; of a file: --query "select/, 2],
    ["a wrong table", table("nosuch"), /DuckDB: .*nosuch.*does not exist/, 1],
    ["no database", ["--engine", "duckdb", "--table", "t", "--label", "y"], /--table needs --database/, 2],
    ["a column of text", table("texts"), /texts: column "remark" is of type VARCHAR, not a number/, 1],
    [
      "an unknown label",
      [...table("wine").slice(0, -1), "kind"],
      /--label names the column "kind", which wine does not have/,
      2,
    ],
    ["--query without --engine", ["--query", "select 1"], /--query is for --engine duckdb or spark/, 2],
    ["--remote", [...table("wine"), "--remote", "sc://x"], /--remote is not for the engine duckdb/, 2],
    ["--batch", [...table("wine"), "--batch", "ash"], /--batch: not for tables of the engine duckdb/, 2],
    [
      "--missing mean",
      [...table("wine"), "--missing", "mean"],
      /--missing.*Allowed choices are fill, drop, refuse/,
      2,
    ],
    ["--stream", [...table("wine"), "--stream"], /--stream: not for tables/, 2],
    ["lmnn", [...table("wine"), "--method", "lmnn"], /lmnn needs all rows at once; engines support mlca/, 2],
    ["no remote", ["--engine", "spark", "--table", "t", "--label", "y"], /--engine spark needs --remote/, 2],
    [
      "no server",
      ["--engine", "spark", "--remote", "sc://localhost:1", "--table", "t", "--label", "y"],
      /localhost:1/,
      1,
    ],
  ])("one line for %s", async (_, args, message, code) => {
    const own = args.map((arg) => arg.replace("'CSV'", `'${at("wine.csv")}'`));
    const outcome = await kindred(["metric", ...own]);
    expect({ ...outcome, code: outcome.code === 2 ? 2 : 1 }).toEqual(oneLine(code, message));
  });

  test("a database that is not there is not made", async () => {
    const outcome = await kindred(["metric", ...table("wine").map((arg) => arg.replace("wine.d", "new.d"))]);
    expect(outcome.stderr).toMatch(/^kindred: there is no database .*new\.duckdb\n$/);
    expect(listing(folder)).not.toContain("new.duckdb");
  });

  test("a column of another type in one of several files: the file is named", async () => {
    const engine = await kindred(["metric", ...query(`select * from '${at("mixed/*.parquet")}'`)]);
    expect(engine.code).not.toBe(0);
    expect(engine.stderr).toMatch(/^kindred: DuckDB: [^\n]*mixed\/2\.parquet[^\n]*\n$/);
    const streamed = await kindred(["metric", at("mixed/*.parquet"), "--label", "class"]);
    expect(streamed.code).not.toBe(0);
    expect(streamed.stderr).toMatch(/^kindred: [^\n]*mixed\/2\.parquet[^\n]*alcohol[^\n]*\n$/);
  });

  test("a full disk: one line, and nothing half-written", async () => {
    const outcome = await kindred(["metric", ...table("wine"), "--model", "/dev/full"]);
    expect(outcome).toEqual(oneLine(1, /--model \/dev\/full: cannot be written \(the disk is full\)/));
    // A limit of the size of files fails as a full disk does, in the middle of writing.
    mkdirSync(at("full"));
    const { status, stdout, stderr } = spawnSync(
      "sh",
      [
        "-c",
        `trap '' XFSZ; ulimit -f 1; exec "$@"`,
        "sh",
        ...command,
        "metric",
        ...table("wine"),
        "--model",
        at("full/m.json"),
      ],
      { encoding: "utf8" },
    );
    expect({ code: status, stdout, stderr }).toEqual(
      oneLine(
        1,
        /--model .*m\.json: cannot be written \(the file would exceed the size limit of this system\)/,
      ),
    );
    expect(listing(at("full"))).toEqual([]);
  });

  test("Parquet files are streamed, and the report says how often they were read", async () => {
    const files = at("parts/*.parquet");
    const { code, stdout } = await kindred([
      "metric",
      files,
      "--label",
      "class",
      "--model",
      at("parts.json"),
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^note +streamed in \d+ batch(?:es)?; the time includes reading$/m);
    await kindred(["metric", ...table("wine"), "--model", at("table.json")]);
    const [a, b] = [at("parts.json"), at("table.json")].map(metricOf);
    const size = Math.max(...a.map(Math.abs));
    expect(Math.max(...a.map((value, p) => Math.abs(value - b[p]))) / size).toBeLessThan(1e-8);
    const wrong = await kindred(["metric", files, "--label", "kind"]);
    expect(wrong).toEqual(
      oneLine(2, /--label names the column "kind", which \S*parts\/1\.parquet does not have/),
    );
  });
});

test("without the package of DuckDB: what to install", async () => {
  const main = bareInstallation(at("bare"));
  expect(await kindred(["metric", ...table("wine")], { main })).toEqual(
    oneLine(2, /the engine duckdb needs a package that is not installed: npm install @duckdb\/node-api/),
  );
});

test("a file that a query reads is no output", async () => {
  const cwd = scratch();
  const rows = "x,y\n0,0\n0,1\n1,0\n9,9\n9,8\n8,9\n";
  writeFileSync(join(cwd, "data.csv"), rows);
  for (const query of [
    "select * from 'data.csv'",
    'select * from "./data.csv"',
    "select * from data.csv",
    "select * from read_csv('d*.csv')",
    "select * from read_csv(['data.csv'])",
  ]) {
    for (const option of ["--out", "--model"]) {
      const args = ["cluster", "--engine", "duckdb", "--query", query, "-m", "kmeans", "-k", "2"];
      const outcome = await kindred([...args, option, "data.csv"], { cwd });
      expect(outcome).toEqual(oneLine(2, /data\.csv is the file of --query/));
    }
  }
  expect(readFileSync(join(cwd, "data.csv"), "utf8")).toBe(rows);
});
