import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { failureJson, failureOf } from "../../src/cli/failure.ts";
import { errorForm, reportForm, reportForms } from "../../src/cli/output/reportForms.ts";
import { verbs } from "../../src/cli/verbs.ts";
import { load } from "../../src/core/codec.ts";
import { inputError } from "../../src/core/internal.ts";
import { kindred } from "./command.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-reports-"));
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  writeFileSync(at("wine.csv"), (await kindred(["data", "wine"])).stdout);
  writeFileSync(at("hints.csv"), "a,b,hint\n60,70,same\n61,68,same\n5,65,different\n70,140,different\n");
  writeFileSync(at("labels.csv"), "label\na\na\nb\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Requests that print as many fields as possible. */
const REQUESTS: readonly (readonly string[])[] = [
  ["cluster", "wine", "--label", "class"],
  ["cluster", "wine.csv", "--ignore", "class", "--hints", "hints.csv"],
  ["cluster", "wine", "--method", "kmeans", "-k", "3"],
  ["cluster", "wine.csv", "--ignore", "class", "--method", "kmeans", "-k", "3", "--stream"],
  ["columns", "wine.csv"],
  ["embed", "wine"],
  ["compare", "iris", "-k", "3", "--label", "class", "--methods", "kmeans,single", "--resamples", "1"],
  ["path", "iris", "--label", "class", "--centers", "--gammas", "0,1,20"],
  ["metric", "wine", "--label", "class"],
  ["metric", "wine", "--label", "class", "--method", "dist-boost", "--pairs", "50"],
  ["methods"],
  ["metrics"],
  ["select", "wine", "--label", "class"],
  ["classify", "wine", "--label", "class", "--folds", "3"],
  ["classify", "wine.csv", "--label", "class", "--test", "wine.csv"],
  ["segment", "wine.csv", "--label", "class", "-k", "3"],
  ["segment", "wine.csv", "--series", "class", "-k", "2"],
  ["score", "labels.csv", "labels.csv"],
  ["data"],
  ["doctor"],
];

describe("--json", () => {
  test.each(REQUESTS.map((words) => [words.join(" "), words] as const))("kindred %s", async (_, words) => {
    const { code, stdout } = await kindred([...words, "--json"], { cwd: folder });
    expect(code).toBe(0);
    load(reportForm(words[0]), JSON.parse(stdout), "the report");
  });

  test("every command that prints it has a form", async () => {
    const printing: string[] = [];
    for (const { name } of verbs) {
      if ((await kindred([name, "--help"])).stdout.includes("  --json ")) printing.push(name);
    }
    expect(printing.toSorted()).toEqual(Object.keys(reportForms).toSorted());
    expect(new Set(REQUESTS.map(([name]) => name))).toEqual(new Set(printing));
  });
});

describe("a failure", () => {
  test.each([
    ["usage", 2, "option", ["cluster", "wine", "--method", "nothing"]],
    ["an option that contradicts another", 2, "option", ["cluster", "wine", "--append"]],
    ["a file", 1, "file", ["cluster", "nothing.csv"]],
    ["the data", 1, "input", ["score", "labels.csv", "wine.csv"]],
  ] as const)("%s: exit code %i, and JSON of the kind %s", async (_, expected, kind, words) => {
    const { code, stdout } = await kindred([...words, "--json"], { cwd: folder });
    expect(code).toBe(expected);
    expect(load(errorForm, JSON.parse(stdout), "the error").error.kind).toBe(kind);
  });

  test.each([
    ["memory", 3, "limit", new RangeError("Array buffer allocation failed")],
    ["a table that is too large", 3, "input", inputError("too large", { code: "memory" })],
    ["a fault of the program", 4, "fault", new TypeError("x is undefined")],
  ] as const)("%s: exit code %i, and JSON of the kind %s", (_, expected, kind, error) => {
    const failure = failureOf(error);
    expect(failure.code).toBe(expected);
    expect(load(errorForm, JSON.parse(failureJson(error, failure)), "the error").error.kind).toBe(kind);
  });
});
