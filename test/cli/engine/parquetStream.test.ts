import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readingNotes } from "../../../src/rows/index.ts";
import { duckdb } from "../../../src/engine/index.ts";
import { bareInstallation, kindred, oneLine, type Outcome } from "../command.ts";
import { apart } from "../numbers.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-parquet-stream-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
let bare = "";

/** Three groups of rows by i % 3, of which rows 5 and 4000 of the second file lack a number. */
const ROWS = 5000;
const GROUPED = `i as id, 'k' || i % 3 as y, 9 * cos(i % 3 * 2) + sin(i * 1.7) as a, 9 * sin(i % 3 * 2) + cos(i * 2.3) as b,
  cast(sin(i * 0.9) as float) as c, cast(i // 3 % 4 as integer) as code`;

beforeAll(async () => {
  bare = bareInstallation(at("bare"));
  mkdirSync(at("parts"));
  const engine = await duckdb({ threads: 2 });
  const write = (name: string, sql: string): Promise<void> =>
    engine.run(`copy (${sql}) to '${at(name)}' (format parquet, row_group_size 2048)`);
  await write("parts/1.parquet", `select ${GROUPED} from range(${ROWS}) r(i)`);
  await write(
    "parts/2.parquet",
    `select code, c, case when i in (5, 4000) then null else b end as b, a, y, i + ${ROWS} as id
      from (select *, id as i from (select ${GROUPED} from range(${ROWS}) r(i)))`,
  );
  await engine.close();
});

/** The same command with and without DuckDB, which only the report may tell; `files` are those it writes. */
async function both(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<readonly (Outcome & { readonly written: readonly string[] })[]> {
  const outcomes = await Promise.all(
    [undefined, bare].map(async (main) => {
      const own = (name: string): string => at(`${main === undefined ? "with" : "without"}-${name}`);
      const outputs = Object.entries(files).flatMap(([option, name]) => [option, own(name)]);
      const line = [args[0], at("parts/*.parquet"), ...args.slice(1), ...outputs];
      const outcome = await kindred(line, { main });
      expect(outcome.code).toBe(0);
      return { ...outcome, written: Object.values(files).map((name) => readFileSync(own(name), "utf8")) };
    }),
  );
  const [by, without] = outcomes;
  expect(by.stdout).toMatch(/read by DuckDB v[\d.]+; the time includes reading/);
  expect(without.stdout).toMatch(/streamed in \d+ (pass|batch)(es)?; the time includes reading/);
  return outcomes;
}

const READING = ["--missing", "drop"];

describe("Parquet is streamed by DuckDB, with the result of the own reader", () => {
  test.each([
    ["kmeans", ["--clusters", "3"]],
    ["gmm", ["--clusters", "3", "--covariance", "diagonal"]],
    ["convex", ["--clusters", "3", "--representatives", "60"]],
  ])("cluster --method %s: labels in the order of the rows", async (method, own) => {
    const args = ["cluster", "--method", method, ...own, "--id", "id", "--ignore", "y,code", ...READING];
    const [by, without] = await both(args, { "--out": `${method}.csv`, "--model": `${method}.json` });
    const [labels] = by.written;
    expect(labels).toBe(without.written[0]);
    const lines = labels.trimEnd().split("\n").slice(1);
    const ids = lines.map((line) => Number(line.split(",")[0]));
    const kept = Array.from({ length: 2 * ROWS }, (_, i) => i).filter(
      (i) => i !== ROWS + 5 && i !== ROWS + 4000,
    );
    expect(ids).toEqual(kept);
    // The group of a row is known by its id, so a label that slipped is seen.
    const groups = new Set(lines.map((line, p) => `${(ids[p] % ROWS) % 3} ${line.split(",")[1]}`));
    expect(groups.size).toBe(3);
    expect(apart([by.written[1], without.written[1]])).toBeLessThan(1e-8);
  });

  test("select, and the table it writes", async () => {
    const args = ["select", "--label", "y", "--id", "id", "--features", "2", ...READING];
    const [by, without] = await both(args, { "--out": "selected.csv" });
    expect(by.written).toEqual(without.written);
    expect(by.written[0]).toMatch(/^id,/);
    const ranks = ({ stdout }: Outcome): string => stdout.slice(stdout.indexOf("rank  feature"));
    expect(ranks(by)).toBe(ranks(without));
  });

  test.each([
    ["Gaussian", ["--ignore", "id"]],
    ["discrete", ["--discrete", "--ignore", "id,a,b,c"]],
  ])("classify: %s naive Bayes", async (_, own) => {
    const args = ["classify", "--method", "naive-bayes", "--label", "y", ...own, ...READING];
    const outcomes = await both(args, { "--model": "bayes.json" });
    expect(apart(outcomes.map(({ written }) => written[0]))).toBeLessThan(1e-8);
  });

  test("metric", async () => {
    const args = ["metric", "--label", "y", "--ignore", "id", ...READING];
    const outcomes = await both(args, { "--model": "mlca.json" });
    expect(apart(outcomes.map(({ written }) => written[0]))).toBeLessThan(1e-8);
  });

  test.each([
    ["cluster", ["--method", "kmeans", "--clusters", "3", "--ignore", "y"]],
    ["select", ["--label", "y"]],
    ["classify", ["--label", "y", "--method", "naive-bayes", "--model", at("never.json")]],
    ["metric", ["--label", "y"]],
  ])("%s: the same error for missing values", async (verb, own) => {
    const line = [verb, at("parts/*.parquet"), ...own];
    const [by, without] = await Promise.all([kindred(line), kindred(line, { main: bare })]);
    expect(by).toEqual(oneLine(1, /2\.parquet: .*missing value.*row 6, column "b"/));
    expect(without).toEqual(by);
  });
});

test("without DuckDB nothing is said but of long work", () => {
  expect(readingNotes("2 passes", {})).toEqual(["streamed in 2 passes; the time includes reading"]);
  expect(readingNotes("2 passes", { decoded: 1e8 })).toHaveLength(1);
  expect(readingNotes("2 passes", { decoded: 1e10 })).toEqual([
    "streamed in 2 passes; the time includes reading",
    expect.stringMatching(/npm install @duckdb\/node-api/),
  ]);
});
