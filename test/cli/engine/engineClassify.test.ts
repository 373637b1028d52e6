import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kindred, oneLine } from "../command.ts";
import { apart } from "../numbers.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-engine-classify-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  writeFileSync(at("wine.csv"), (await kindred(["data", "wine"])).stdout);
  const rows = Array.from(
    { length: 300 },
    (_, i) => `${i % 3},${(i * i) % 7},4,${["u", "v", ""][(i % 5) % 3]}`,
  );
  writeFileSync(at("codes.csv"), ["a,b,k,class", ...rows].join("\n"));
});

const query = (file: string, select = "*"): string[] => [
  "--engine",
  "duckdb",
  "--query",
  `select ${select} from '${at(file)}'`,
];
const bayes = ["--label", "class", "--method", "naive-bayes"];

describe("kindred classify --engine duckdb", () => {
  test("Gaussian naive Bayes is that of the file", async () => {
    const args = [...bayes, "--test", at("wine.csv"), "--json"];
    const whole = await kindred([
      "classify",
      at("wine.csv"),
      "--strict",
      ...args,
      "--model",
      at("whole.json"),
    ]);
    const own = await kindred(["classify", ...query("wine.csv"), ...args, "--model", at("own.json")]);
    interface Told {
      readonly predictions: string[];
      readonly probabilities: number[];
      readonly engine?: string;
    }
    const [a, b] = [whole, own].map(({ stdout }) => JSON.parse(stdout) as Told);
    expect(b.predictions).toEqual(a.predictions);
    b.probabilities.forEach((p, i) => expect(Math.abs(p - a.probabilities[i])).toBeLessThan(1e-8));
    expect(b.engine).toMatch(/^DuckDB v[\d.]+, sums pushed down$/);
    // The model file is one that --use takes, and has the numbers of the other.
    const used = await kindred(["classify", at("wine.csv"), "--use", at("own.json")]);
    expect(used.stdout).toMatch(/^accuracy +98\.9 %/m);
    expect(apart(["whole.json", "own.json"].map((name) => readFileSync(at(name), "utf8")))).toBeLessThan(
      1e-9,
    );
  });

  test("discrete naive Bayes is the same file", async () => {
    const args = [...bayes, "--discrete", "--test", at("codes.csv"), "--model"];
    await kindred(["classify", at("codes.csv"), "--strict", ...args, at("whole.json")]);
    const own = await kindred(["classify", ...query("codes.csv"), ...args, at("own.json")]);
    expect({ code: own.code, stderr: own.stderr }).toEqual({ code: 0, stderr: `wrote ${at("own.json")}\n` });
    expect(own.stdout).toMatch(/^data +the query, 300 rows x 2 features$/m);
    expect(own.stdout).toMatch(/^engine +DuckDB v[\d.]+, levels counted there$/m);
    expect(own.stdout).toMatch(/^note +constant columns left out: k$/m);
    expect(own.stdout).toMatch(/^warning +\d+ of 300 rows have no class and were left out$/m);
    expect(readFileSync(at("own.json"), "utf8")).toBe(readFileSync(at("whole.json"), "utf8"));
  });

  test("rows without a number are refused, or left out and counted", async () => {
    const holes = query("wine.csv", "* replace (case when ash > 3 then null else ash end as ash)");
    const args = [...bayes, "--model", at("holes.json")];
    expect(await kindred(["classify", ...holes, ...args])).toEqual(
      oneLine(1, /column "ash" has \d cells without a finite number/),
    );
    const { code, stdout } = await kindred(["classify", ...holes, ...args, "--missing", "drop"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^data +the query, 17\d rows x 13 features, 3 classes$/m);
    expect(stdout).toMatch(/^note +\d rows with missing values were left out$/m);
  });

  test.each([
    [
      "another method",
      ["--label", "class", "--method", "svm"],
      /svm needs all rows at once; engines support naive-bayes/,
    ],
    ["folds", [...bayes, "--folds", "5"], /a table of an engine is used as a whole for training/],
    ["nothing to do", bayes, /give --test with rows to classify, or --model/],
    ["no label", ["--method", "naive-bayes", "--model", "m.json"], /classify needs --label/],
    ["a scale", [...bayes, "--model", "m.json", "--scale", "zscore"], /--scale zscore: naive-bayes learns/],
    ["a stream", [...bayes, "--model", "m.json", "--stream"], /--stream: not for tables of the engine/],
    ["a remote", [...bayes, "--model", "m.json", "--remote", "sc://x"], /--remote is not for the engine/],
    ["a file", [...bayes, "--model", "m.json", "wine.csv"], /takes its rows from --query or --table, not/],
  ])("%s is refused", async (_, args, message) => {
    expect(await kindred(["classify", ...query("wine.csv"), ...args])).toEqual(oneLine(2, message));
  });

  test("measurements are not codes", async () => {
    const args = [...bayes, "--discrete", "--model", at("m.json")];
    expect(await kindred(["classify", ...query("wine.csv"), ...args])).toEqual(
      oneLine(1, /column "alcohol" has 126 different values/),
    );
  });

  test("no data; --use takes rows, and no engine", async () => {
    expect(await kindred(["classify", ...bayes])).toEqual(oneLine(1, /standard input is empty/));
    expect(await kindred(["classify", "--use", "m.json"])).toEqual(oneLine(1, /m.json cannot be read/));
    expect(await kindred(["classify", "--use", "m.json", ...query("wine.csv")])).toEqual(
      oneLine(2, /--use classifies without learning; it cannot be combined with --engine/),
    );
  });
});
