import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { random } from "../../src/index.ts";
import { command, kindred, listing, oneLine, scratch } from "./command.ts";

/** Starts the command, and sends it `signal` as soon as `ready`; returns its exit code and what it said. */
async function interrupted(
  args: readonly string[],
  cwd: string,
  signal: NodeJS.Signals,
  ready: (child: ChildProcess, stderr: string) => boolean,
): Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }> {
  const child = spawn(command[0], [...command.slice(1), ...args], {
    cwd,
    env: { ...process.env, KINDRED_DATA: "" },
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const timer = setInterval(() => {
    if (!ready(child, stderr)) return;
    clearInterval(timer);
    child.kill(signal);
  }, 5);
  const [code, by] = await new Promise<[number | null, string | null]>((resolve) => {
    child.on("close", (...ending) => resolve(ending));
  });
  clearInterval(timer);
  return { code, signal: by, stdout, stderr };
}

/** Cells that are whole on disk. */
function cellsIn(folder: string): number {
  if (!existsSync(folder)) return 0;
  return listing(folder).reduce(
    (sum, name) => sum + readFileSync(join(folder, name), "utf8").split("\n").length - 1,
    0,
  );
}

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

/** A data folder with the sets of `reproduce chow-liu`, small; the rows of arrhythmia are of one class only. */
function dataFolder(seed: number): string {
  const folder = join(scratch(), "data");
  mkdirSync(folder);
  const sets = [
    { name: "mfeat", classes: 2 },
    { name: "arrhythmia-420", classes: 1 },
  ];
  const source = random(seed);
  const columns = Array.from({ length: 55 }, (_, f) => f);
  for (const { name, classes } of sets) {
    const rows = Array.from({ length: 80 }, (_, i) => {
      const cells = columns.map((f) => (source.normal() + (f % 5 === 0 ? 2 * (i % classes) : 0)).toFixed(3));
      return [...cells, `c${i % classes}`].join(",");
    });
    const head = [...columns.map((f) => `f${f}`), "class"].join(",");
    writeFileSync(join(folder, `${name}.csv`), `${head}\n${rows.join("\n")}\n`);
  }
  const datasets = sets.map(({ name, classes }) => ({
    name,
    file: `${name}.csv`,
    format: "csv",
    rows: 80,
    features: 55,
    n_classes: classes,
  }));
  writeFileSync(join(folder, "index.json"), JSON.stringify({ datasets }));
  return folder;
}

test("reproduce: killed, torn, changed and failing cells", async () => {
  const cwd = scratch();
  const runs = join(cwd, "runs");
  const data = dataFolder(1);
  const line = ["reproduce", "chow-liu", "--quick", "--train", "0.5", "--repetitions", "4", "--json"];
  const args = (folder: string, sets = "mfeat"): string[] => [...line, "--sets", sets, "--data", folder];
  const whole = await kindred(args(data), { cwd });
  expect(whole).toMatchObject({ code: 0, stderr: "" });

  const resumable = [...args(data), "--resume", "runs"];
  await interrupted([...resumable, "--threads", "1"], cwd, "SIGKILL", () => cellsIn(runs) > 1);
  const kept = cellsIn(runs);
  expect(kept).toBeLessThan(4);
  // As if it had been killed while it wrote the last of them.
  const journal = join(runs, listing(runs)[0]);
  truncateSync(journal, readFileSync(journal, "utf8").trimEnd().length - 10);
  const resumed = await kindred(resumable, { cwd });
  expect(resumed.stderr).toBe(`kindred: ${kept - 1} of 4 cells are taken from runs\n`);
  expect(resumed.stdout).toBe(whole.stdout);

  // The same data elsewhere are the same; other data of the same name are not.
  const moved = await kindred([...args(dataFolder(1)), "--resume", "runs"], { cwd });
  expect(moved.stderr).toBe("kindred: 4 of 4 cells are taken from runs\n");
  const changed = await kindred([...args(dataFolder(2)), "--resume", "runs"], { cwd });
  expect(changed.stderr).toBe("kindred: 0 of 4 cells are taken from runs\n");
  expect(changed.stdout).not.toBe(whole.stdout);

  // Cells that throw leave the others, are named, and are tried again.
  for (const taken of [4, 4]) {
    const failing = await kindred([...args(data, "arrhythmia,mfeat"), "--resume", "runs"], { cwd });
    expect(failing.code).toBe(1);
    expect(failing.stderr).toBe(
      `kindred: ${taken} of 8 cells are taken from runs\nkindred: 4 of 8 cells failed, see the report\n`,
    );
    const report = JSON.parse(failing.stdout);
    expect(report).toMatchObject({ done: 4, planned: 8 });
    expect(report.sets).toEqual(JSON.parse(whole.stdout).sets);
    expect(report.failed).toHaveLength(4);
    expect(report.failed[0]).toEqual({
      cell: expect.stringMatching(/^arrhythmia, split \d$/),
      why: expect.stringMatching(/at least two classes/),
    });
  }
}, 120_000);

test("reproduce: Ctrl-C ends at once and says how to go on", async () => {
  const cwd = scratch();
  const args = ["reproduce", "convex", "--figures", "--repetitions", "2", "--resume", "runs"];
  const begun = (_: ChildProcess, stderr: string): boolean => stderr !== "";
  const { code, stdout, stderr } = await interrupted(args, cwd, "SIGINT", begun);
  expect(code).toBe(130);
  expect(stdout).toMatch(/stopped: \d+ of 32 parts were done\n$/);
  expect(stderr).toBe(
    "kindred: 0 of 32 cells are taken from runs\n" +
      `kindred: stopped with ${/(\d+) of 32 parts/.exec(stdout)![1]} of 32 cells done; the same command goes on from runs\n`,
  );
}, 60_000);

test.each(["convex", "mlca", "bregman", "cpd-uml", "chow-liu"])(
  "%s can be resumed, and says so",
  async (what) => {
    const { stdout } = await kindred(["reproduce", what, "--help"]);
    for (const option of ["--resume <folder>", "--threads <n>", "--data <folder>", "--json"]) {
      expect(stdout).toContain(option);
    }
    expect(stdout).toContain("with --resume FOLDER the same command goes on from there");
    const cwd = scratch();
    writeFileSync(join(cwd, "file"), "");
    expect(await kindred(["reproduce", what, "--resume", "file"], { cwd })).toEqual(
      oneLine(1, /--resume file: this is a file, not a folder/),
    );
  },
);
