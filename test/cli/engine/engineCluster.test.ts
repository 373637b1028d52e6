import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answer, duckdb } from "../../../src/engine/index.ts";
import { adjustedRand } from "../../../src/score/index.ts";
import { command, kindred, listing, oneLine, scratch } from "../command.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-engine-cluster-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  writeFileSync(at("wine.csv"), (await kindred(["data", "wine"])).stdout);
  const engine = await duckdb({ database: at("wine.duckdb") });
  await engine.run(
    `create table wine as select row_number() over () as nr, * from read_csv('${at("wine.csv")}')`,
  );
  await engine.close();
});

const wine = ["--engine", "duckdb", "--query", `select * from '${at("wine.csv")}'`];
const kmeans = ["--method", "kmeans", "--clusters", "3", "--ignore", "class", "--tolerance", "0"];

async function rowsOf(sql: string): Promise<(number | string | null)[][]> {
  const engine = await duckdb();
  const { rows, columns } = await answer(engine, sql);
  await engine.close();
  return Array.from({ length: rows }, (_, i) => columns.map((column) => column[i]));
}

describe("kindred cluster --engine duckdb", () => {
  test("finds what it finds in memory, and writes it beside the columns", async () => {
    const whole = await kindred([
      "cluster",
      at("wine.csv"),
      ...kmeans,
      "--verbose",
      "--out",
      at("whole.csv"),
    ]);
    const there = await kindred(["cluster", ...wine, ...kmeans, "--verbose", "--out", at("labels.parquet")]);
    expect({ code: there.code, stderr: there.stderr }).toEqual({
      code: 0,
      stderr: `wrote ${at("labels.parquet")}\n`,
    });
    expect(there.stdout).toMatch(/^data +the query, 178 rows x 13 features$/m);
    expect(there.stdout).toMatch(/^engine +DuckDB v\S+, sums pushed down, \d+ threads?$/m);
    expect(there.stdout).toMatch(/^note +\d passes over the table$/m);
    const objective = (text: string): string => /objective (\S+)/.exec(text)![1];
    expect(objective(there.stdout)).toBe(objective(whole.stdout));
    const written = await rowsOf(`select class, cluster, alcohol from '${at("labels.parquet")}'`);
    const labels = readFileSync(at("whole.csv"), "utf8").trimEnd().split("\n").slice(1);
    expect(written.length).toBe(178);
    expect(
      adjustedRand(
        written.map(([, label]) => String(label)),
        labels,
      ),
    ).toBe(1);
  });

  test("under a metric, with ids, a model that places new rows, and JSON", async () => {
    await kindred(["metric", at("wine.csv"), "--label", "class", "--model", at("mlca.json")]);
    const args = ["--method", "kmeans", "--clusters", "3", "--label", "class", "--metric", at("mlca.json")];
    const table = ["--engine", "duckdb", "--database", at("wine.duckdb"), "--table", "wine", "--id", "nr"];
    const out = ["--out", at("ids.csv"), "--model", at("model.json"), "--json", "--seed", "2"];
    const there = await kindred(["cluster", ...table, ...args, ...out]);
    expect({ code: there.code, stderr: there.stderr }).toEqual({ code: 0, stderr: "" });
    const told = JSON.parse(there.stdout) as Record<string, unknown>;
    expect(told).toMatchObject({ method: "kmeans", clusters: 3, converged: true, seed: 2 });
    expect(told).not.toHaveProperty("labels");
    const [header, ...lines] = readFileSync(at("ids.csv"), "utf8").trimEnd().split("\n");
    expect(header).toBe("nr,cluster");
    const labels = new Map(lines.map((line) => line.split(",") as [string, string]));
    const placed = await kindred(["apply", at("model.json"), at("wine.csv"), "--ignore", "class"]);
    const again = placed.stdout.trimEnd().split("\n").slice(1);
    expect(again.map((line) => line.split(",").at(-3))).toEqual(
      Array.from({ length: 178 }, (_, i) => labels.get(String(i + 1))),
    );
  });

  test("to a table of the database, which is replaced only if asked; to folders; mixtures", async () => {
    const args = [...kmeans, "--engine", "duckdb", "--database", at("wine.duckdb"), "--table", "wine"];
    const first = await kindred(["cluster", ...args, "--id", "nr", "--write-table", "labelled"]);
    expect(first).toMatchObject({ code: 0, stderr: "wrote the table labelled\n" });
    expect(await kindred(["cluster", ...args, "--id", "nr", "--write-table", "labelled"])).toEqual(
      oneLine(1, /there is a table labelled already/),
    );
    const more = ["--id", "nr", "--write-table", "labelled", "--replace"];
    expect((await kindred(["cluster", ...args, ...more])).code).toBe(0);
    const mixture = ["--method", "gmm", "--clusters", "3", "--covariance", "diagonal", "--label", "class"];
    const parts = await kindred(["cluster", ...wine, ...mixture, "--verbose", "--out", `${at("parts")}/`]);
    expect({ code: parts.code, stderr: parts.stderr }).toEqual({
      code: 0,
      stderr: `wrote ${at("parts")}/\n`,
    });
    expect(parts.stdout).toMatch(/^likelihood +log /m);
    expect(parts.stdout).toMatch(/^engine +DuckDB v\S+, rows streamed/m);
    expect(listing(at("parts"))).toEqual(["cluster=0", "cluster=1", "cluster=2"]);
  });

  test.each([
    [
      "method",
      ["--method", "cop-kmeans", "--clusters", "3"],
      /cop-kmeans needs pairs: --must-link, --cannot-link or both/,
      2,
    ],
    [
      "report",
      [...kmeans, "--report", "page.html"],
      /--report: it shows the rows, which are not all in memory/,
      2,
    ],
    ["standard output", [...kmeans, "--out", "-"], /--out -: the engine writes the labels/, 2],
    ["file", [...kmeans, "--out", "labels.txt"], /\.parquet or \.csv, which labels\.txt/, 2],
    ["folder", [...kmeans, "--out", "/nowhere/labels.parquet"], /\/nowhere does not exist/, 1],
    ["both", [...kmeans, "--out", "a.csv", "--write-table", "t"], /give only one of them/, 2],
    ["table", [...kmeans, "--write-table", "t"], /--write-table needs --database/, 2],
    ["replace", [...kmeans, "--replace"], /--replace is for --write-table/, 2],
    [
      "clusters",
      [...kmeans.slice(4), "--method", "kmeans", "--clusters", "179"],
      /179 clusters of 178 rows/,
      2,
    ],
    ["batch", [...kmeans, "--batch", "ash"], /--batch: not for tables/, 2],
    ["class", ["--method", "kmeans", "--clusters", "3", "--label", "nope"], /nope/, 2],
  ])("refuses a wrong %s", async (_, args, message, code) => {
    expect(await kindred(["cluster", ...wine, ...args])).toEqual(oneLine(code, message));
  });

  test("options of engines are for engines", async () => {
    expect(await kindred(["cluster", at("wine.csv"), ...kmeans, "--write-table", "t"])).toEqual(
      oneLine(2, /--write-table is for --engine duckdb or spark/),
    );
    expect(await kindred(["cluster", ...kmeans])).toEqual(oneLine(1, /standard input is empty/));
  });

  test("a full disk leaves nothing", async () => {
    const own = scratch();
    const query = "select range as i, sin(range) as s from range(200000)";
    const args = ["cluster", "--engine", "duckdb", "--query", query, "--method", "kmeans", "--clusters", "2"];
    // A limit of the size of files fails as a full disk does, in the middle of writing.
    const run = spawnSync(
      "bash",
      [
        "-c",
        'ulimit -f 200; trap "" XFSZ; exec "$@"',
        "-",
        ...command,
        ...args,
        "--out",
        join(own, "labels.csv"),
      ],
      { encoding: "utf8", env: { ...process.env, NODE_OPTIONS: "" } },
    );
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(/^kindred: DuckDB: [^\n]*\n$/);
    expect(listing(own)).toEqual([]);
  });

  test("a signal while labels are written removes the part that was written", async () => {
    const own = scratch();
    const query = "select range as i, sin(range) as s, hash(range)::varchar as t from range(6000000)";
    const args = ["--method", "kmeans", "--clusters", "2", "--max-iterations", "1", "--ignore", "t"];
    const child = spawn(command[0], [
      ...command.slice(1),
      "cluster",
      "--engine",
      "duckdb",
      "--query",
      query,
      ...args,
      "--out",
      join(own, "labels.csv"),
    ]);
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    const partial = (): boolean => listing(own).some((name) => name.endsWith(".tmp"));
    while (!partial() && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(partial()).toBe(true);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(listing(own)).toEqual([]);
  });
});

test("kindred cluster --stream: mixtures", async () => {
  const mixture = ["--method", "gmm", "--clusters", "3", "--ignore", "class", "--tolerance", "1e-8"];
  const whole = await kindred(["cluster", at("wine.csv"), ...mixture, "--out", at("a.csv"), "--json"]);
  const streamed = await kindred([
    "cluster",
    at("wine.csv"),
    "--stream",
    ...mixture,
    "--out",
    at("b.csv"),
    "--model",
    at("mixture.json"),
  ]);
  expect({ code: streamed.code, stderr: streamed.stderr }).toEqual({
    code: 0,
    stderr: `wrote ${at("b.csv")}\nwrote ${at("mixture.json")}\n`,
  });
  const { details } = JSON.parse(whole.stdout) as { details: { bic: number } };
  expect(Number(/BIC (\S+)/.exec(streamed.stdout)![1])).toBeCloseTo(details.bic, 1);
  // The same clusters; a stream meets the rows in another order, so their numbers may differ.
  const labels = (file: string): string[] => readFileSync(at(file), "utf8").trim().split("\n").slice(1);
  expect(adjustedRand(labels("b.csv"), labels("a.csv"))).toBe(1);
  const placed = await kindred(["apply", at("mixture.json"), at("wine.csv"), "--ignore", "class"]);
  expect(placed.code).toBe(0);
});
