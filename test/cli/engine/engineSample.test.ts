import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answer, duckdb } from "../../../src/engine/index.ts";
import { adjustedRand } from "../../../src/score/index.ts";
import { kindred, listing, oneLine } from "../command.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-engine-sample-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  for (const name of ["wine", "customers"]) {
    writeFileSync(at(`${name}.csv`), (await kindred(["data", name])).stdout);
    const engine = await duckdb({ database: at(`${name}.duckdb`) });
    await engine.run(
      `create table ${name} as select row_number() over () as nr, * from read_csv('${at(`${name}.csv`)}')`,
    );
    await engine.run(`copy ${name} to '${at(`${name}-numbered.csv`)}' (format csv, header true)`);
    await engine.close();
  }
});

const tableOf = (name: string): string[] => [
  "--engine",
  "duckdb",
  "--database",
  at(`${name}.duckdb`),
  "--table",
  name,
  "--id",
  "nr",
];

/** The last columns of a CSV by the first one, the id. */
function byId(text: string, column: string): Map<string, string> {
  const [header, ...lines] = text.trimEnd().split("\n");
  const names = header.split(",");
  const place = names.lastIndexOf(column) - names.length;
  return new Map(
    lines.map((line) => {
      const cells = line.split(",");
      return [cells[0], cells.at(place)!] as const;
    }),
  );
}

const sorted = (labels: Map<string, string>): string[] =>
  Array.from({ length: labels.size }, (_, i) => labels.get(String(i + 1))!);

describe("a method that needs all rows at once", () => {
  test.each(["ward", "spectral", "k-medoids"])(
    "%s of a small table finds what it finds in memory",
    async (method) => {
      const args = ["--method", method, "--clusters", "3", "--ignore", "class"];
      const whole = await kindred([
        "cluster",
        at("wine-numbered.csv"),
        "--id",
        "nr",
        ...args,
        "--out",
        at("a.csv"),
      ]);
      const there = await kindred(["cluster", ...tableOf("wine"), ...args, "--out", at("b.csv")]);
      expect({ whole: whole.code, there: there.code, stderr: there.stderr }).toEqual({
        whole: 0,
        there: 0,
        stderr: `wrote ${at("b.csv")}\n`,
      });
      expect(there.stdout).not.toMatch(/is fitted on/);
      const [a, b] = ["a.csv", "b.csv"].map((name) =>
        sorted(byId(readFileSync(at(name), "utf8"), "cluster")),
      );
      expect(b.length).toBe(178);
      // Rows that are nearer to another centre than their own go to it on the engine.
      const moved = Number(/(\d+) of the fitted rows are nearer/.exec(there.stdout)?.[1] ?? 0);
      expect(adjustedRand(a, b)).toBeGreaterThanOrEqual(moved === 0 ? 1 : 0.8);
    },
  );

  test.each([
    ["ward", "wine", "batches"],
    ["k-medoids", "wine", "sql"],
    ["auto", "customers", "batches"],
  ])(
    "%s of %s: the model of a sample places every row as it does in memory (%s)",
    async (method, name, way) => {
      const args = ["--method", method, "--clusters", "3", ...(name === "wine" ? ["--label", "class"] : [])];
      const more = ["--sample", "100", "--out", at("s.csv"), "--model", at("s.json"), "--json"];
      const there = await kindred(["cluster", ...tableOf(name), ...args, ...more]);
      expect({ code: there.code, stderr: there.stderr }).toEqual({ code: 0, stderr: "" });
      const told = JSON.parse(there.stdout) as {
        sizes: number[];
        notes: { code: string; message: string }[];
        data: { rows: number };
      };
      const codes = told.notes.map(({ code }) => code);
      expect(codes).toContain("sample");
      expect(codes.includes("placed-there")).toBe(way === "sql");
      const labels = byId(readFileSync(at("s.csv"), "utf8"), "cluster");
      expect(labels.size).toBe(told.data.rows);
      expect(told.sizes).toEqual(
        [0, 1, 2].map((k) => sorted(labels).filter((label) => Number(label) === k).length),
      );
      const placed = await kindred(["apply", at("s.json"), at(`${name}-numbered.csv`)]);
      expect(sorted(byId(placed.stdout, "cluster"))).toEqual(sorted(labels));
    },
  );

  test("to a table of the database, with all columns where there is no id", async () => {
    const [, , , , ...table] = tableOf("customers");
    const args = ["--engine", "duckdb", "--database", at("customers.duckdb"), ...table.slice(0, 2)];
    const there = await kindred(["cluster", ...args, "--sample", "200", "--write-table", "found"]);
    expect({ code: there.code, stderr: there.stderr }).toEqual({
      code: 0,
      stderr: "wrote the table found\n",
    });
    const engine = await duckdb({ database: at("customers.duckdb") });
    const { columns } = await answer(
      engine,
      "select count(*), count(distinct nr), (select count(*) from (describe found)) from found where cluster >= 0",
    );
    await engine.close();
    expect(columns.map((column) => Number(column[0]))).toEqual([400, 400, 11]);
    expect(listing(folder).filter((name) => name.startsWith(".kindred"))).toEqual([]);
  });

  test("of a stream: rows are drawn in one pass and labelled in another", async () => {
    const args = ["--method", "ward", "--clusters", "3", "--ignore", "class"];
    await kindred(["cluster", at("wine.csv"), ...args, "--strict", "--out", at("w.csv")]);
    const all = await kindred(["cluster", at("wine.csv"), "--stream", ...args, "--out", at("v.csv")]);
    expect(all.code).toBe(0);
    const read = (name: string): string[] => readFileSync(at(name), "utf8").trimEnd().split("\n").slice(1);
    expect(adjustedRand(read("v.csv"), read("w.csv"))).toBeGreaterThan(0.8);
    const few = ["--stream", ...args, "--sample", "90", "--out", at("u.csv"), "--model", at("u.json")];
    const some = await kindred(["cluster", at("wine.csv"), ...few]);
    expect(some.stdout).toMatch(/ward is fitted on a random sample of 90 of 178/);
    const placed = await kindred(["apply", at("u.json"), at("wine.csv")]);
    const again = placed.stdout.trimEnd().split("\n").slice(1);
    expect(again.map((line) => line.split(",").at(-3))).toEqual(read("u.csv"));
  });

  test.each([
    ["kmeans", "wine", "sql"],
    ["spectral", "wine", "batches"],
  ])("kindred apply --engine: a model of %s places the rows of a table (%s)", async (method, name, way) => {
    const fit = ["--method", method, "--clusters", "3", "--ignore", "nr,class", "--model", at("m.json")];
    expect((await kindred(["cluster", at("wine-numbered.csv"), ...fit])).code).toBe(0);
    const out = ["--out", at("p.parquet")];
    const there = await kindred(["apply", at("m.json"), ...tableOf(name), ...out]);
    expect({ code: there.code, wrote: there.stderr.includes(`wrote ${at("p.parquet")}`) }).toEqual({
      code: 0,
      wrote: true,
    });
    expect(there.stdout).toMatch(way === "sql" ? /^labelled by DuckDB/ : /^labelled here, written by DuckDB/);
    const engine = await duckdb();
    const { columns } = await answer(engine, `select cluster from '${at("p.parquet")}' order by nr`);
    await engine.close();
    const placed = await kindred(["apply", at("m.json"), at("wine-numbered.csv")]);
    expect(Array.from(columns[0], String)).toEqual(sorted(byId(placed.stdout, "cluster")));
  });

  test.each([
    ["no target", [], /--engine: give --out or --write-table/],
    ["a file", ["--out", "a.csv", "more.csv"], /not from "more.csv"/],
    ["options of columns", ["--out", "a.csv", "--use", "ash"], /--use: not for a table of an engine/],
  ])("kindred apply --engine refuses %s", async (_, args, message) => {
    await kindred(["cluster", at("wine.csv"), "--method", "kmeans", "-k", "3", "--model", at("r.json")]);
    expect(await kindred(["apply", at("r.json"), ...args, ...tableOf("wine")])).toEqual(oneLine(2, message));
  });

  test.each([
    ["a page", ["--report", "page.html"], /--report: it shows the rows/],
    ["a column of that name", ["--ignore", "nope"], /nope/],
    ["a file", ["--out", "labels.txt"], /\.parquet or \.csv/],
  ])("refuses %s", async (_, args, message) => {
    expect(await kindred(["cluster", ...tableOf("wine"), ...args])).toEqual(oneLine(2, message));
  });
});

describe("a table of any columns, decided by a sample and checked on all rows", () => {
  beforeAll(async () => {
    const engine = await duckdb({ database: at("visits.duckdb") });
    await engine.run("select setseed(0.25)");
    await engine.run(
      `create table visits as select i as nr, g % 3 as truth,
         case when random() < 0.05 then null else ['surgery', 'heart', 'bones'][(g % 3)::int + 1] end as ward,
         case when random() < 0.05 then null else round(30 + 20 * (g % 3) + 6 * random(), 1) end as age,
         round(exp((g % 3) + 0.5 * random()), 2) as stay,
         case when random() < 0.5 + 0.2 * ((g % 3) - 1) then 'yes' else 'no' end as insured
       from (select i, (hash(i) % 1000)::int as g from range(1, 9001) as r(i))`,
    );
    await engine.run("update visits set ward = 'ward ' || nr where nr in (17, 801, 2222, 4711, 8000)");
    await engine.run("update visits set age = 'NaN'::double where nr = 23");
    await engine.run(`copy visits to '${at("visits.csv")}' (format csv, header true)`);
    await engine.run(`copy visits to '${at("visits.parquet")}' (format parquet, row_group_size 4000)`);
    await engine.close();
  });
  const asked = ["--id", "nr", "--ignore", "truth", "--sample", "1500", "--clusters", "3"];
  const told = /column "ward": [1-5] of 9000 cells have levels that the sample lacks \("ward \d+"/;

  test("on DuckDB by one query, in words", async () => {
    const { stdout } = await kindred(["cluster", ...tableOf("visits").slice(0, 6), ...asked]);
    expect(stdout).toMatch(told);
    expect(stdout).toContain("all 9000 rows were checked");
  });

  test("from a stream of CSV or Parquet with no option for gaps, the same labels", async () => {
    const labels: string[] = [];
    for (const file of ["visits.csv", "visits.parquet"]) {
      const out = at(`${file}.labels.csv`);
      const { stdout } = await kindred(["cluster", at(file), "--stream", ...asked, "--out", out]);
      expect(stdout).toMatch(told);
      expect(stdout).toMatch(/the columns were decided by 1500 of 9000 rows, and checked on all of them/);
      labels.push(readFileSync(out, "utf8"));
    }
    expect(labels[1]).toBe(labels[0]);
    const truth = byId(
      readFileSync(at("visits.csv"), "utf8")
        .replaceAll(/^(\d+,\d),.*$/gm, "$1")
        .replace(/^.*\n/, "nr,truth\n"),
      "truth",
    );
    expect(adjustedRand(sorted(byId(labels[0], "cluster")), sorted(truth))).toBeGreaterThan(0.9);
  });
});

test("a model of sums over vectors places the vectors of a table and of a file", async () => {
  const table = ["--engine", "duckdb", "--database", at("vectors.duckdb"), "--table", "vectors"];
  const engine = await duckdb({ database: at("vectors.duckdb") });
  await engine.run(
    `create table vectors as select range as nr, price, [a, b + c]::float[] as v from
      (select range, hash(range, 0) % 100 as price, 8 * (range % 3) as b, (hash(range, 1) % 100) / 100e0 as a,
      (hash(range, 2) % 100) / 100e0 as c from range(300))`,
  );
  await engine.run(`copy vectors to '${at("vectors.parquet")}'`);
  await engine.close();
  const ask = ["--id", "nr", "--method", "kmeans", "--clusters", "3", "--model", at("vectors.json")];
  await kindred(["cluster", ...table, ...ask, "--out", at("vectors-fit.csv")]);
  const fit = byId(readFileSync(at("vectors-fit.csv"), "utf8"), "cluster");

  await kindred(["apply", at("vectors.json"), ...table, "--out", at("vectors-all.csv")]);
  const placed = readFileSync(at("vectors-all.csv"), "utf8");
  expect(placed.split("\n")[0]).toBe("nr,price,v,cluster");
  expect(byId(placed, "cluster")).toEqual(fit);
  const file = await kindred(["apply", at("vectors.json"), at("vectors.parquet")]);
  expect(byId(file.stdout, "cluster")).toEqual(fit);
  expect(file.stderr).toMatch(/the model does not use the column nr\n/);

  const lacking = [...table.slice(0, -2), "--query", "select nr, price, v[1] as v from vectors"];
  const refused = await kindred(["apply", at("vectors.json"), ...lacking, "--out", at("no.csv")]);
  expect(refused).toEqual(
    oneLine(1, /no column "v 1", which the model needs; the columns are "nr", "price", "v"/),
  );
});
describe("what is known of some rows", () => {
  test(
    "hints about rows that a sample would lack are learned from, on an engine and in a stream",
    { timeout: 120_000 },
    async () => {
      const draw = (n: number): number => ((n * 7919) % 1000) / 1000;
      const rows = Array.from({ length: 3000 }, (_, i) => {
        const [a, b] = [i % 2, (i >> 1) % 2];
        return `r${i},${(3 * a + draw(i)).toFixed(3)},${(9 * b + draw(i + 5)).toFixed(3)}`;
      });
      writeFileSync(at("hinted.csv"), `nr,x,y\n${rows.join("\n")}\n`);
      // Together where a is the same, though b tells more.
      const pairs = Array.from({ length: 30 }, (_, j) => {
        const [p, q] = [97 * j + (j % 2), 97 * j + (j % 2) + 2 + (j % 3)];
        return `r${p},r${q},${p % 2 === q % 2 ? "same" : "different"}`;
      });
      writeFileSync(at("hints.csv"), `${pairs.join("\n")}\n`);
      const args = ["--hints", at("hints.csv"), "--id", "nr", "--clusters", "2", "--sample", "400"];
      const query = `select * from '${at("hinted.csv")}'`;
      for (const from of [
        ["--engine", "duckdb", "--query", query],
        [at("hinted.csv"), "--stream"],
      ]) {
        const out = at("hinted-labels.csv");
        const found = await kindred(["cluster", ...from, ...args, "--out", out]);
        expect(found).toMatchObject({ code: 0 });
        const labels = byId(readFileSync(out, "utf8"), "cluster");
        expect(labels.size).toBe(3000);
        const truth = Array.from({ length: 3000 }, (_, i) => i % 2);
        expect(
          adjustedRand(
            truth.map((_, i) => labels.get(`r${i}`)!),
            truth,
          ),
        ).toBeGreaterThan(0.95);
      }
      expect(await kindred(["cluster", at("hinted.csv"), "--stream", "--hints", at("hints.csv")])).toEqual(
        oneLine(2, /--hints: rows that are not all in memory are called by their ids; give --id/),
      );
    },
  );
});

test.each(["columns", "compare", "embed", "path"])("%s looks at rows of an engine", async (command) => {
  const own = { compare: ["--methods", "kmeans", "--clusters", "3", "--resamples", "0"] }[command] ?? [];
  const { stdout, code } = await kindred([command, ...tableOf("wine"), ...own]);
  expect({ code, stdout: stdout.slice(0, 200) }).toMatchObject({ code: 0 });
  expect(stdout).toMatch(/alcohol|pca|gamma|kmeans/);
  expect(await kindred([command, at("wine.csv"), "--query", "select 1"])).toEqual(
    oneLine(2, /--query is for --engine/),
  );
});

test("a method of passes is fitted on a sample where columns are no plain numbers", async () => {
  const args = ["--method", "kmeans", "--clusters", "3", "--verbose"];
  const { stdout, code } = await kindred(["cluster", ...tableOf("customers"), ...args]);
  expect({ code, stdout }).toMatchObject({ code: 0 });
  expect(stdout).toMatch(
    /^note +(?:every row was labelled by DuckDB|the rows were streamed to be labelled)/m,
  );
  const plain = await kindred(["cluster", ...tableOf("wine"), "--ignore", "class", ...args]);
  expect(plain.stdout).toMatch(/passes over the table/);
});
