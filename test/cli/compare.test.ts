import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { adjustedRand, comparisonGraph, modularity, namedData, scale, type Matrix } from "../all.ts";
import { recommendation } from "../../src/cli/output/compareText.ts";
import type { ComparedMethod } from "../../src/report/index.ts";
import { command, kindred, listing, oneLine, scratch } from "./command.ts";

const quick = ["--methods", "kmeans,cc,ccscml", "--resamples", "2"];

test("a recommendation does not claim a better fit than there is", () => {
  const row = (method: string, clusters: number, modularity: number): ComparedMethod =>
    ({ method, clusters, modularity }) as ComparedMethod;
  expect(recommendation([row("ward", 3, 0.5), row("kmeans", 2, 0.505)], 3)).toBe(
    "Use ward: its 3 clusters fit the neighbourhoods best (modularity 0.500).",
  );
  expect(recommendation([row("ward", 3, 0.5), row("gmm", 3, 0.501), row("kmeans", 2, 0.6)], 3)).toBe(
    "Use ward: its 3 clusters fit the neighbourhoods as well as any (modularity 0.500). kmeans fits them better with 2 " +
      "clusters (modularity 0.600): perhaps 3 is not the number.",
  );
  expect(recommendation([row("kmeans", 2, -0.1)], 3)).toMatch(/best .* No method found exactly 3 clusters/);
});

test("compares, ranks without labels and says which to use", async () => {
  const cwd = scratch();
  const args = ["compare", "iris", "-k", "3", "-l", "class", ...quick, "--json"];
  const { code, stdout, stderr } = await kindred([...args, "--out", "l.csv", "--report", "r.html"], { cwd });
  expect(code).toBe(0);
  const result = JSON.parse(stdout);
  expect(result).toMatchObject({
    source: "iris",
    rows: 150,
    features: 4,
    clusters: 3,
    label: "class",
    failed: [],
  });
  const [best, ...others] = result.methods;
  expect(result.recommendation).toMatch(new RegExp(`^Use ${best.method}: its 3 clusters`));
  const most = Math.max(...result.methods.map((row: { modularity: number }) => row.modularity));
  expect(best.modularity).toBeGreaterThanOrEqual(0.98 * most);
  expect(others).toHaveLength(2);
  for (const row of result.methods) {
    for (const score of [row.stability, row.agreement, row.scores.adjustedRand]) {
      expect(score).toBeGreaterThan(0.3);
      expect(score).toBeLessThanOrEqual(1);
    }
  }
  // The labels that are written are those of the recommended method.
  const labels = readFileSync(join(cwd, "l.csv"), "utf8").trim().split("\n").slice(1);
  const { X, label } = await namedData("iris");
  expect(adjustedRand(labels, label!.values)).toBeCloseTo(best.scores.adjustedRand, 12);
  const graph = comparisonGraph(scale(X, "zscore").X as Matrix);
  expect(modularity(graph, labels)).toBeCloseTo(best.modularity, 12);
  expect(stderr).toMatch(/kmeans +\d/);
  const page = readFileSync(join(cwd, "r.html"), "utf8");
  expect(page).toContain(result.recommendation);
  expect(page).not.toMatch(/NaN|Infinity|undefined/);
});

test("the classes change the scores, never the ranking", async () => {
  const args = ["compare", "iris", "-k", "3", ...quick, "--json"];
  const methods = async (more: string[]): Promise<string[]> =>
    JSON.parse((await kindred([...args, ...more])).stdout).methods.map(
      (row: { method: string }) => row.method,
    );
  expect(await methods(["-l", "class"])).toEqual(await methods([]));
});

test("the end of the time, and a method that fails, leave the others", async () => {
  const cwd = scratch();
  const rows = Array.from({ length: 600 }, (_, i) => `${Math.sin(i)},${Math.cos(3 * i)},${(i * 37) % 11}`);
  writeFileSync(join(cwd, "t.csv"), `a,b,c\n${rows.join("\n")}\n`);
  const args = [
    "compare",
    "t.csv",
    "-k",
    "3",
    "--methods",
    "kmeans,ccml",
    "--budget",
    "1",
    "--resamples",
    "0",
    "--json",
    "--threads",
    "2",
  ];
  const { code, stdout } = await kindred(args, { cwd });
  expect(code).toBe(0);
  const { methods, failed, recommendation } = JSON.parse(stdout);
  expect(methods.map((row: { method: string }) => row.method)).toContain("kmeans");
  expect(recommendation).not.toMatch(/NaN|resamples/);
  expect(methods.length + failed.length).toBe(2);
});

test("Ctrl-C compares what is done", async () => {
  const cwd = scratch();
  const args = ["compare", "blobs", "-k", "4", "--methods", "kmeans,ccml,auto", "--json", "--threads", "1"];
  const child = spawn(command[0], [...command.slice(1), ...args], { cwd });
  let stdout = "";
  child.stdout.on("data", (text) => (stdout += text));
  await new Promise<void>((resolve) => {
    child.stderr.once("data", () => resolve());
  });
  child.kill("SIGINT");
  const code = await new Promise((resolve) => child.on("close", resolve));
  const { methods, failed } = JSON.parse(stdout);
  expect({ code, methods: methods.map((row: { method: string }) => row.method) }).toEqual({
    code: 130,
    methods: ["kmeans"],
  });
  expect(failed).toHaveLength(2);
});

test.each([
  [["compare", "iris", "--methods", "kmean"], 2, /--methods: there is no "kmean"; there are auto, cc/],
  [["compare", "iris", "--methods", "cop-kmeans"], 2, /cop-kmeans needs pairs/],
  [["compare", "iris", "-k", "151"], 1, /--clusters 151: iris has only 150 rows/],
  [["compare", "iris", "--budget", "0"], 2, /--budget must be/],
  [["compare", "iris", "--report", "no/r.html"], 1, /the folder no does not exist/],
])("refuses %j", async (args, code, message) => {
  const cwd = scratch();
  expect(await kindred(args, { cwd })).toMatchObject(oneLine(code, message));
  expect(listing(cwd)).toEqual([]);
});

test("one method has no others to agree with, and rows whose squares leave the number range no neighbours", async () => {
  const one = ["compare", "iris", "--methods", "ward", "--clusters", "3", "--resamples", "0", "--json"];
  expect(JSON.parse((await kindred(one)).stdout).methods[0]).not.toHaveProperty("agreement");
  const cwd = scratch();
  writeFileSync(join(cwd, "huge.csv"), "a,b\n1e200,1\n2e200,1\n3e200,2\n4e200,2\n");
  expect(await kindred(["compare", "huge.csv", "--clusters", "2", "--scale", "none"], { cwd })).toEqual(
    oneLine(1, /compare: the largest value is 4\.0e\+200, whose square leaves the number range/),
  );
});
