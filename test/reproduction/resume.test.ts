import type { ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { random } from "kindred";
import { expect, test } from "vitest";
import { listing, scratch } from "../cli/command.ts";
import { cellsIn, interrupted } from "../cli/interrupted.ts";
import { command, oneLine, reproduce } from "./reproduce.ts";

/** A data folder with the sets of chow-liu, small; the rows of arrhythmia are of one class only. */
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

test("killed, torn, changed and failing cells", async () => {
  const cwd = scratch();
  const runs = join(cwd, "runs");
  const data = dataFolder(1);
  const line = ["chow-liu", "--quick", "--train", "0.5", "--repetitions", "4", "--json"];
  const args = (folder: string, sets = "mfeat"): string[] => [...line, "--sets", sets, "--data", folder];
  const whole = await reproduce(args(data), { cwd });
  expect(whole).toMatchObject({ code: 0, stderr: "" });

  const resumable = [...args(data), "--resume", "runs"];
  await interrupted([...resumable, "--threads", "1"], cwd, "SIGKILL", () => cellsIn(runs) > 1, command);
  const kept = cellsIn(runs);
  expect(kept).toBeLessThan(4);
  // As if it had been killed while it wrote the last of them.
  const journal = join(runs, listing(runs)[0]);
  truncateSync(journal, readFileSync(journal, "utf8").trimEnd().length - 10);
  const resumed = await reproduce(resumable, { cwd });
  expect(resumed.stderr).toBe(`reproduce: ${kept - 1} of 4 cells are taken from runs\n`);
  expect(resumed.stdout).toBe(whole.stdout);

  // The same data elsewhere are the same; other data of the same name are not.
  const moved = await reproduce([...args(dataFolder(1)), "--resume", "runs"], { cwd });
  expect(moved.stderr).toBe("reproduce: 4 of 4 cells are taken from runs\n");
  const changed = await reproduce([...args(dataFolder(2)), "--resume", "runs"], { cwd });
  expect(changed.stderr).toBe("reproduce: 0 of 4 cells are taken from runs\n");
  expect(changed.stdout).not.toBe(whole.stdout);

  // Cells that throw leave the others, are named, and are tried again.
  for (const taken of [4, 4]) {
    const failing = await reproduce([...args(data, "arrhythmia,mfeat"), "--resume", "runs"], { cwd });
    expect(failing.code).toBe(1);
    expect(failing.stderr).toBe(
      `reproduce: ${taken} of 8 cells are taken from runs\nreproduce: 4 of 8 cells failed, see the report\n`,
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

test("Ctrl-C ends at once and says how to go on", async () => {
  const cwd = scratch();
  const args = ["convex", "--figures", "--repetitions", "2", "--resume", "runs"];
  const begun = (_: ChildProcess, stderr: string): boolean => stderr !== "";
  const { code, stdout, stderr } = await interrupted(args, cwd, "SIGINT", begun, command);
  expect(code).toBe(130);
  expect(stdout).toMatch(/stopped: \d+ of 32 parts were done\n$/);
  expect(stderr).toBe(
    "reproduce: 0 of 32 cells are taken from runs\n" +
      `reproduce: stopped with ${/(\d+) of 32 parts/.exec(stdout)![1]} of 32 cells done; the same command goes on from runs\n`,
  );
}, 60_000);

test.each(["convex", "mlca", "bregman", "cpd-uml", "chow-liu"])(
  "%s can be resumed, and says so",
  async (what) => {
    const { stdout } = await reproduce([what, "--help"]);
    for (const option of ["--resume <folder>", "--threads <n>", "--data <folder>", "--json"]) {
      expect(stdout).toContain(option);
    }
    expect(stdout).toContain("with --resume FOLDER the same command continues");
    const cwd = scratch();
    writeFileSync(join(cwd, "file"), "");
    expect(await reproduce([what, "--resume", "file"], { cwd })).toEqual(
      oneLine(1, /--resume file: this is a file, not a folder/),
    );
  },
);
