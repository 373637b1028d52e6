import type { ChildProcess } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kindred, listing, oneLine, scratch } from "./command.ts";
import { cellsIn, interrupted } from "./interrupted.ts";

/** Times are those of the run that computed a cell; all else must not depend on it. */
function withoutTimes(json: string): unknown {
  return JSON.parse(json, (key, value: unknown) => (key === "seconds" ? undefined : value));
}

const COMPARE = ["compare", "iris", "-k", "3", "-l", "class", "--methods", "kmeans,ward,gmm,spectral"];
const compare = [...COMPARE, "--resamples", "2", "--json"];

test("compare: killed in the middle and resumed, it gives what an uninterrupted run gives", async () => {
  const cwd = scratch();
  const runs = join(cwd, "runs");
  const resumable = [...compare, "--resume", "runs"];
  const whole = await kindred(compare, { cwd });
  const killed = await interrupted([...resumable, "--threads", "1"], cwd, "SIGKILL", () => cellsIn(runs) > 2);
  expect(killed).toMatchObject({ signal: "SIGKILL", stdout: "" });
  const kept = cellsIn(runs);
  expect(kept).toBeLessThan(12);
  const resumed = await kindred(resumable, { cwd });
  expect(resumed.code).toBe(0);
  expect(resumed.stderr).toContain(`kindred: ${kept} of 12 cells were taken from runs\n`);
  expect(resumed.stderr).toMatch(/^\w+ +\d+\.\d\d s, from runs$/m);
  expect(withoutTimes(resumed.stdout)).toEqual(withoutTimes(whole.stdout));
  // All are there now; the same again costs nothing and says the same, times included.
  const again = await kindred(resumable, { cwd });
  expect(again.stderr).toContain("kindred: 12 of 12 cells were taken from runs\n");
  expect(again.stdout).toBe(resumed.stdout);
  // What depends on another seed, scale, number or data set is computed; the number of resamples is not such a fact.
  const taken = async (...more: string[]): Promise<string | undefined> =>
    /(\d+ of \d+) cells/.exec((await kindred([...resumable, ...more], { cwd })).stderr)?.[1];
  for (const other of [
    ["--seed", "1"],
    ["--scale", "none"],
    ["-k", "2"],
  ]) {
    expect(await taken("--resamples", "0", ...other)).toBe("0 of 4");
  }
  expect(await taken("--resamples", "0")).toBe("4 of 4");
  expect(await taken("--resamples", "3")).toBe("12 of 16");
}, 60_000);

test("compare: Ctrl-C ends at once, compares what is done and says how to go on", async () => {
  const cwd = scratch();
  const args = ["compare", "blobs", "-k", "4", "--methods", "kmeans,ccml,auto", "--threads", "1"];
  const once = (_: ChildProcess, stderr: string): boolean => stderr !== "";
  const { code, stdout, stderr } = await interrupted([...args, "--resume", "runs"], cwd, "SIGINT", once);
  expect({ code, stdout }).toEqual({
    code: 130,
    stdout: expect.stringMatching(/ccml: not done when it was stopped/),
  });
  expect(stderr).toMatch(
    /\nkindred: stopped with \d of 18 cells done; the same command goes on from runs\n$/,
  );
  const without = await interrupted(args, cwd, "SIGINT", once);
  expect(without.code).toBe(130);
  expect(without.stderr).toMatch(/cells done; with --resume FOLDER they would be kept for the next run\n$/);
  // Before anything is done there is nothing to compare.
  const slow = ["compare", "blobs", "-k", "4", "--methods", "ccml", "--resume", "slow"];
  const early = await interrupted(slow, cwd, "SIGINT", () => existsSync(join(cwd, "slow")));
  expect([130, null]).toContain(early.code);
  expect(early.stdout).toBe("");
}, 60_000);

test("compare: what the time did not suffice for is left to the same command again", async () => {
  const cwd = scratch();
  const args = ["compare", "blobs", "-k", "4", "--resamples", "0", "--resume", "runs", "--methods"];
  await kindred([...args, "kmeans"], { cwd });
  const { code, stdout, stderr } = await kindred([...args, "kmeans,ccml", "--budget", "0.001"], { cwd });
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/ccml: not done within the time/),
  });
  expect(stderr).toContain("kindred: 1 of 2 cells were taken from runs\n");
  expect(stderr).toContain("the time is over with 1 of 2 cells done; the same command goes on\n");
});

test("compare: a grid of settings is one row each, named as on the command line", async () => {
  const cwd = scratch();
  const args = ["compare", "iris", "-k", "3", "--methods", "kmeans,spectral", "--resamples", "0", "--json"];
  const grid = ["--grid", "neighbors=5,20", "--grid", "restarts=1", "--resume", "runs"];
  const { methods } = JSON.parse((await kindred([...args, ...grid], { cwd })).stdout);
  expect(methods.map((row: { method: string }) => row.method).toSorted()).toEqual([
    "kmeans --restarts 1",
    "spectral --neighbors 20 --restarts 1",
    "spectral --neighbors 5 --restarts 1",
  ]);
  const wider = ["--grid", "neighbors=5,20,30", "--grid", "restarts=1", "--resume", "runs"];
  const { stderr, stdout } = await kindred([...args, ...wider], { cwd });
  expect(stderr).toContain("kindred: 3 of 4 cells were taken from runs\n");
  // Each is what `kindred cluster` gives for that setting.
  const row = JSON.parse(stdout).methods.find((one: { method: string }) => one.method.includes(" 30 "));
  const line = [
    "cluster",
    "iris",
    "-k",
    "3",
    "-m",
    "spectral",
    "--neighbors",
    "30",
    "--restarts",
    "1",
    "--json",
  ];
  expect(row.labels).toEqual(JSON.parse((await kindred(line)).stdout).labels);
});

test.each([
  [["--grid", "neighbors"], 2, /must be an option and its values: neighbors=10,20/],
  [["--grid", "neighbors=5,"], 2, /must be an option and its values/],
  [["--grid", "neighbors=5,5"], 2, /a value twice/],
  [["--grid", "neighbors=5", "--grid", "neighbors=6"], 2, /neighbors a second time/],
  [["--grid", "neighbors=0"], 2, /--grid neighbors=0: It must be an integer, at least 1/],
  [["--grid", "linkage=ward"], 2, /--grid: none of .*kmeans.* has --linkage with values/],
  [["--grid", "join=true"], 2, /--grid: none of .* has --join with values/],
  [["--resume", "file"], 1, /--resume file: this is a file, not a folder/],
])("compare refuses %j", async (args, code, message) => {
  const cwd = scratch();
  writeFileSync(join(cwd, "file"), "");
  expect(await kindred(["compare", "iris", ...args], { cwd })).toMatchObject(oneLine(code, message));
  expect(listing(cwd)).toEqual(["file"]);
});
