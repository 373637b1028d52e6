import type { ChildProcess } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kindred, listing, oneLine, scratch } from "../command.ts";
import { cellsIn, interrupted } from "../interrupted.ts";

/** Times are those of the run that computed a cell; all else must not depend on it. */
function withoutTimes(json: string): unknown {
  return JSON.parse(json, (key, value: unknown) => (key === "seconds" ? undefined : value));
}

const COMPARE = ["compare", "iris", "-k", "3", "-l", "class", "--methods", "kmeans,ward,gmm"];
const compare = [...COMPARE, "--resamples", "2", "--json"];

/** Cells of a comparison: the default, the methods, and the resamples of each distinct partition. */
function cellsOf(json: string, fits: number, resamples: number): number {
  const { partitions } = JSON.parse(json) as { partitions: unknown[] };
  return fits + resamples * partitions.length;
}

test("compare: killed in the middle and resumed, it gives what an uninterrupted run gives", async () => {
  const cwd = scratch();
  const runs = join(cwd, "runs");
  const resumable = [...compare, "--resume", "runs"];
  const whole = await kindred(compare, { cwd });
  const all = cellsOf(whole.stdout, 4, 2);
  const killed = await interrupted([...resumable, "--threads", "1"], cwd, "SIGKILL", () => cellsIn(runs) > 2);
  expect(killed).toMatchObject({ signal: "SIGKILL", stdout: "" });
  const kept = cellsIn(runs);
  expect(kept).toBeLessThan(all);
  const resumed = await kindred(resumable, { cwd });
  expect(resumed.code).toBe(0);
  expect(resumed.stderr).toContain(`kindred: ${kept} of ${all} cells were taken from runs\n`);
  expect(resumed.stderr).toMatch(/^\w+ +\d+\.\d\d s, from runs$/m);
  expect(withoutTimes(resumed.stdout)).toEqual(withoutTimes(whole.stdout));
  // All are there now; the same again costs nothing and says the same.
  const again = await kindred(resumable, { cwd });
  expect(again.stderr).toContain(`kindred: ${all} of ${all} cells were taken from runs\n`);
  expect(withoutTimes(again.stdout)).toEqual(withoutTimes(resumed.stdout));
  // What depends on another seed, scale, number or data set is computed; the number of resamples is not such a fact.
  const taken = async (...more: string[]): Promise<string | undefined> =>
    /(\d+ of \d+) cells/.exec((await kindred([...resumable, ...more], { cwd })).stderr)?.[1];
  for (const other of [
    ["--seed", "1"],
    ["--scale", "none"],
    ["-k", "2"],
  ]) {
    // Ward's tree has no seed, but its cell is known by it all the same.
    expect(await taken("--resamples", "0", ...other)).toBe("0 of 4");
  }
  expect(await taken("--resamples", "0")).toBe("4 of 4");
  expect(await taken("--resamples", "3")).toBe(`${all} of ${cellsOf(whole.stdout, 4, 3)}`);
}, 120_000);

test("compare: Ctrl-C ends at once, compares what is done and says how to go on", async () => {
  const cwd = scratch();
  const args = ["compare", "blobs", "-k", "4", "--methods", "kmeans,ccml", "--threads", "1"];
  const once = (_: ChildProcess, stderr: string): boolean => /^kmeans /m.test(stderr);
  const { code, stdout, stderr } = await interrupted([...args, "--resume", "runs"], cwd, "SIGINT", once);
  expect({ code, stdout }).toEqual({
    code: 130,
    stdout: expect.stringMatching(/^ccml +unfinished when it was stopped$/m),
  });
  expect(stderr).toMatch(/\nkindred: stopped with \d of 3 cells done; the same command goes on from runs\n$/);
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
    stdout: expect.stringMatching(/^ccml +not done within the time$/m),
  });
  expect(stderr).toContain("kindred: 2 of 3 cells were taken from runs\n");
  expect(stderr).toContain("the time is over with 2 of 3 cells done; the same command goes on\n");
});

test("compare: a grid of settings is one run each, named as on the command line", async () => {
  const cwd = scratch();
  const args = ["compare", "iris", "-k", "3", "--methods", "kmeans,spectral", "--resamples", "0", "--json"];
  const grid = ["--grid", "neighbors=5,20", "--grid", "restarts=1", "--resume", "runs"];
  interface Row {
    readonly name: string;
    readonly labels: number[];
  }
  const runs = (json: string): Row[] =>
    (JSON.parse(json) as { partitions: { methods: Row[] }[] }).partitions.flatMap(({ methods }) => methods);
  expect(
    runs((await kindred([...args, ...grid], { cwd })).stdout)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([
    "auto",
    "kmeans --restarts 1",
    "spectral --neighbors 20 --restarts 1",
    "spectral --neighbors 5 --restarts 1",
  ]);
  const wider = ["--grid", "neighbors=5,20,30", "--grid", "restarts=1", "--resume", "runs"];
  const { stderr, stdout } = await kindred([...args, ...wider], { cwd });
  expect(stderr).toContain("kindred: 4 of 5 cells were taken from runs\n");
  // Each is what `kindred cluster` gives for that setting.
  const row = runs(stdout).find(({ name }) => name.includes(" 30 "))!;
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
