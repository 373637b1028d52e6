import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kindred, oneLine } from "../command.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-classify-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const train = at("train.csv");
const fresh = at("fresh.csv");

beforeAll(async () => {
  const [header, ...rows] = (await kindred(["data", "wine"])).stdout.trimEnd().split("\n");
  const half = (rest: number): string => [header, ...rows.filter((_, i) => i % 2 === rest)].join("\n");
  writeFileSync(train, half(0));
  writeFileSync(fresh, half(1));
  const bare = half(1)
    .split("\n")
    .map((line) => line.split(",").slice(0, -1).toReversed().join(","));
  writeFileSync(at("bare.csv"), bare.join("\n")); // no classes, columns in another order
});

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await kindred(["classify", ...args, "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe("kindred classify", () => {
  test.each(["forest", "svm", "linear-svm", "naive-bayes", "knn"])("%s: cross-validates", async (method) => {
    const result = await json("wine", "--method", method, "--folds", "5");
    expect(result.accuracy).toBeGreaterThan(0.94);
    expect(result.accuracies).toHaveLength(5);
    expect(result.predictions).toHaveLength(178);
    expect(result.warnings).toEqual([]);
  });

  test.each(["", "-1"])("rows whose class is %j are counted, and no class of their own", async (unknown) => {
    const lines = readFileSync(train, "utf8").split("\n");
    const few = lines.map((line, i) => (i > 0 && i % 5 === 0 ? line.replace(/[^,]*$/, unknown) : line));
    writeFileSync(at("few.csv"), few.join("\n"));
    const result = await json(at("few.csv"), "-l", "class", "-m", "knn", "--model", at("few.json"));
    expect(result.warnings).toEqual(["17 of 89 rows have no class and were left out"]);
    expect(result.classes).toEqual(["1", "2", "3"]);
    const { rows, labels } = result.filled as { rows: number[]; labels: string[] };
    expect(rows).toHaveLength(17);
    expect(labels.every((label) => ["1", "2", "3"].includes(label))).toBe(true);
    const out = await kindred(["classify", at("few.csv"), "-l", "class", "-m", "knn", "--out", "-"]);
    const written = out.stdout.trim().split("\n").slice(1);
    expect(written).toHaveLength(89);
    expect(written.every((line) => /^-?1?,?.*\b[123]\b/.test(line))).toBe(true);
    expect(rows.map((i) => written[i].split(",")[1])).toEqual(labels);
  });

  test("a warning that all fits have is said once", async () => {
    const result = await json(train, "-l", "alcohol", "-m", "knn", "--folds", "5");
    expect((result.warnings as string[]).filter((text) => /one row only/.test(text))).toEqual([
      expect.stringMatching(/ \(in 5 of 5 fits\)$/),
    ]);
  });

  test("tells accuracy, what to beat and which classes are confused", async () => {
    const { code, stdout, stderr } = await kindred([
      "classify",
      train,
      "-l",
      "class",
      "-m",
      "knn",
      "-k",
      "3",
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^accuracy +9\d\.\d % \+- \d\.\d % \(mean and standard error of 10 folds\)$/m);
    expect(stdout).toMatch(/^to beat +39\.3 %, by always naming the largest class$/m);
    expect(stdout).toMatch(/^known \\ predicted +1 +2 +3 +found$/m);
  });

  test("the seed decides", async () => {
    const [first, again, other] = await Promise.all(
      ["1", "1", "2"].map((seed) => json("wine", "--trees", "5", "--folds", "3", "--seed", seed)),
    );
    expect({ ...again, seconds: 0 }).toEqual({ ...first, seconds: 0 });
    expect(other.predictions).not.toEqual(first.predictions);
  });

  test("repeated hold-out with strata", async () => {
    const result = await json("wine", "--method", "svm", "--train", "0.1", "--repeats", "6", "--seed", "2");
    expect(result.accuracies).toHaveLength(6);
    expect(result.accuracy).toBeGreaterThan(0.9);
    expect(result).not.toHaveProperty("predictions");
  });

  test("predicts new rows, and a model on file predicts the same", async () => {
    const out = ["--out", at("predictions.csv"), "--model", at("model.json")];
    const learned = await kindred(["classify", train, "--label", "class", "--test", fresh, ...out]);
    expect(learned.code).toBe(0);
    expect(learned.stderr).toBe(`wrote ${at("predictions.csv")}\nwrote ${at("model.json")}\n`);
    expect(learned.stdout).toMatch(/^accuracy +9\d\.\d %; 40\.4 % by always naming/m);
    expect(learned.stdout).toMatch(/^flavanoids +\d\d\.\d %$/m);
    const lines = readFileSync(at("predictions.csv"), "utf8").trimEnd().split("\n");
    expect(lines[0]).toBe("class,predicted,probability");
    expect(lines).toHaveLength(90);

    const reused = await kindred(["classify", at("bare.csv"), "--use", at("model.json"), "--out", "-"]);
    expect(reused.code).toBe(0);
    const predicted = reused.stdout.trimEnd().split("\n");
    expect(predicted[0]).toBe("predicted,probability");
    expect(predicted.slice(1)).toEqual(lines.slice(1).map((line) => line.split(",").slice(1).join(",")));
    expect(reused.stderr).not.toMatch("accuracy");
  });

  test("predictions of the folds can be written", async () => {
    const out = at("folds.csv");
    await kindred(["classify", train, "--label", "class", "--method", "naive-bayes", "--out", out]);
    const lines = readFileSync(out, "utf8").trimEnd().split("\n");
    expect(lines[0]).toBe("class,predicted");
    expect(lines).toHaveLength(90);
  });

  test("warnings of the fits that are tested are told", async () => {
    const rows = Array.from({ length: 40 }, (_, i) => `${i + 0.5},${i < 20 ? "a" : "b"}`);
    writeFileSync(at("rare.csv"), ["x,class", ...rows, "50.5,c", "60.5,c"].join("\n"));
    const result = await json(at("rare.csv"), "-l", "class", "-m", "knn", "--folds", "2");
    expect(result.warnings).toEqual(['class with one row only: "c" (in 2 of 2 fits)']);
  });

  test("what cannot be done is one line", async () => {
    const run = async (...args: string[]): Promise<object> => kindred(["classify", ...args]);
    expect(await run(train, "--ignore", "class")).toEqual(oneLine(2, /classify needs --label/));
    expect(await run(train, "-l", "class", "--folds", "2", "--train", "0.1")).toEqual(
      oneLine(2, /--folds and --train: give one of them/),
    );
    expect(await run(train, "-l", "class", "--test", fresh, "--folds", "2")).toEqual(
      oneLine(2, /--test learns from all rows/),
    );
    expect(await run(train, "-l", "class", "--train", "1.5")).toEqual(
      oneLine(2, /a number, above 0, below 1/),
    );
    expect(await run(train, "-l", "class", "--test", "iris")).toEqual(
      oneLine(1, /iris lacks the columns "alcohol", .* which the model needs/),
    );
    writeFileSync(at("one.csv"), "x,class\n1.5,a\n2.5,a\n2.2,a\n1.7,a\n");
    expect(await run(at("one.csv"), "-l", "class")).toEqual(oneLine(1, /at least two classes, got only "a"/));
    expect(await run(fresh, "--use", train)).toEqual(oneLine(1, /is not valid JSON/));
    expect(await run(fresh, "--use", at("model.json"), "--trees", "3")).toEqual(
      oneLine(2, /--use classifies without learning; it cannot be combined with --trees/),
    );
    expect(await run(train, "-l", "class", "-m", "naive-bayes", "--discrete")).toEqual(
      oneLine(1, /looks continuous; discretise it first/),
    );
  });
});
