import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kindred, oneLine } from "../command.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-engine-select-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  writeFileSync(at("wine.csv"), (await kindred(["data", "wine"])).stdout);
});

const query = (sql = "select * from WINE"): string[] => [
  "--engine",
  "duckdb",
  "--query",
  sql.replace("WINE", `'${at("wine.csv")}'`),
];
const label = ["--label", "class"];

interface Told {
  readonly data: object;
  readonly seconds: number;
  readonly engine?: string;
}

describe("kindred select --engine duckdb", () => {
  test.each(["chow-liu", "mrmr", "cfs", "max-relevance"])("%s is that of the file", async (method) => {
    const args = [...label, "--method", method, "--features", "6", "--json"];
    const whole = await kindred(["select", at("wine.csv"), ...args]);
    const own = await kindred(["select", ...query(), ...args]);
    expect((JSON.parse(own.stdout) as Told).engine).toMatch(/^DuckDB v[\d.]+, levels counted there$/);
    const [a, b] = [whole, own].map(({ stdout }) => {
      const { data: _, seconds: __, engine: ___, ...told } = JSON.parse(stdout) as Told;
      return { ...told, discretization: undefined };
    });
    expect(b).toEqual(a);
  });

  test("the report, and the reduced table", async () => {
    const args = [...label, "--features", "3", "--discretize", "width", "--bins", "4"];
    const whole = await kindred(["select", at("wine.csv"), ...args, "--out", "-"]);
    const own = await kindred(["select", ...query(), ...args, "--out", at("reduced.csv")]);
    expect({ code: own.code, stderr: own.stderr }).toEqual({
      code: 0,
      stderr: `wrote ${at("reduced.csv")}\n`,
    });
    expect(readFileSync(at("reduced.csv"), "utf8")).toBe(whole.stdout);
    expect(own.stdout).toMatch(/^data +the query, 178 rows x 13 columns, 3 classes of "class"$/m);
    expect(own.stdout).toMatch(/^engine +DuckDB v[\d.]+, levels counted there$/m);
  });

  test("rows without a number or a class are left out, and the report says so", async () => {
    const sql =
      "select * replace (case when ash > 3 then null else ash end as ash, " +
      "case when alcohol > 14 then null else class end as class) from WINE";
    const { code, stdout } = await kindred(["select", ...query(sql), ...label, "--missing", "drop"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^note +\d rows with missing values were left out$/m);
    expect(stdout).toMatch(/^warning +\d+ of 17\d rows have no class and were left out$/m);
  });

  test.each([
    ["triples", ["--method", "jmi"], /jmi needs all rows at once; engines support chow-liu/, 2],
    ["no classes", ["--method", "ccscml"], /ccscml needs all rows at once; engines support chow-liu/, 2],
    [
      "quantiles",
      ["--discretize", "frequency"],
      /--discretize frequency needs all rows at once; engines support sigma/,
      2,
    ],
    ["measurements", ["--discretize", "given"], /column "alcohol" has 126 different values/, 1],
    ["too many", ["--features", "14"], /--features 14: the query has only 13 features/, 1],
    ["bins", ["--bins", "4"], /--bins is for "width"/, 2],
    ["a stream", ["--stream"], /--stream: not for tables of the engine duckdb/, 2],
    ["a remote", ["--remote", "sc://x"], /--remote is not for the engine duckdb/, 2],
  ])("%s", async (_, args, message, code) => {
    expect(await kindred(["select", ...query(), ...label, ...args])).toEqual(oneLine(code, message));
  });

  test("no label, no data", async () => {
    expect(await kindred(["select", ...query()])).toEqual(oneLine(2, /chow-liu needs --label/));
    expect(await kindred(["select", ...label])).toEqual(oneLine(1, /standard input is empty/));
  });
});
