import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { failureOf } from "../../src/cli/failure.ts";
import { inputError, option } from "../../src/core/messages.ts";
import { command, kindred, listing, scratch } from "./command.ts";

test("help and version go to standard output", async () => {
  for (const args of [[], ["--help"], ["help"]]) {
    const { code, stdout, stderr } = await kindred(args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const verb of ["cluster", "score", "data", "doctor"])
      expect(stdout).toMatch(new RegExp(`^  ${verb} `, "m"));
  }
  const help = await kindred(["help", "score"]);
  expect(help.stdout).toBe((await kindred(["score", "--help"])).stdout);
  expect(help.stdout).toContain("--unknown <how>");
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  expect((await kindred(["--version"])).stdout).toBe(`${version}\n`);
});

test("help says what each command does with the classes", async () => {
  const uses = { select: "the target", cluster: "used only for the scores", embed: "set aside" };
  for (const [verb, use] of Object.entries(uses)) {
    const { stdout } = await kindred([verb, "--help"]);
    expect(stdout.replace(/\s+/g, " ")).toContain(`column of known classes: ${use}, never a feature`);
  }
});

describe("failures", () => {
  test("a fault of the program is one line too, and says how to see more", () => {
    expect(failureOf(new TypeError("x is\nundefined"))).toEqual({
      code: 4,
      line: "kindred: unexpected TypeError: x is undefined (a fault in kindred; KINDRED_DEBUG=1 prints the stack)",
    });
    expect(failureOf("thrown text").line).toContain("unexpected thrown text");
  });

  test("KINDRED_DEBUG=1 adds the stack", async () => {
    const { code, stderr } = await kindred(["cluster", "no.csv", "-k", "2"], { env: { KINDRED_DEBUG: "1" } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^kindred: there is no file no\.csv/);
    expect(stderr).toMatch(/\n {4}at /);
    expect(failureOf(inputError("no")).line).toBe("kindred: no");
  });

  test.each([
    [
      `kmeans: ${option("maxIterations")} must be 1`,
      "kmeans: --max-iterations must be 1",
      'kmeans: option "maxIterations" must be 1',
    ],
    [
      `${option("restarts")} must be 1 with ${option("initialCenters")}: so`,
      '--restarts must be 1 with option "initialCenters": so',
      'option "restarts" must be 1 with option "initialCenters": so',
    ],
    [
      `column "label": "x" is no number; give the column to ${option("label")} if so`,
      'column "label": "x" is no number; give the column to --label if so',
      'column "label": "x" is no number; give the column to option "label" if so',
    ],
    [
      `a.csv: ${option("label")} names the column "restarts"; the columns are "a", "label"`,
      'a.csv: --label names the column "restarts"; the columns are "a", "label"',
      'a.csv: option "label" names the column "restarts"; the columns are "a", "label"',
    ],
  ])("speaks of the options of the command, and of no other: %s", (message, told, plain) => {
    const flags = ["--max-iterations", "--restarts", "--sigma", "--missing", "--label"];
    expect(failureOf(inputError(message), flags).line).toBe(`kindred: ${told}`);
    expect(failureOf(inputError(message)).line).toBe(`kindred: ${plain}`);
    expect(inputError(message).message).toBe(plain);
  });
});

test("a reader that stops early ends the command in silence", () => {
  const [node, main] = command;
  const pipe = `"${node}" "${main}" data law --per-cluster 30000 | head -n 1`;
  const { stdout, stderr } = spawnSync("sh", ["-c", pipe], { encoding: "utf8" });
  expect(stdout).toBe("x1,x2,x3,class\n");
  expect(stderr).toBe("");
});

test("Ctrl-C ends a long run at once and leaves the files alone", async () => {
  const folder = scratch();
  writeFileSync(join(folder, "labels.csv"), "an older result");
  const [node, main] = command;
  const long = [
    "cluster",
    "blobs",
    "-k",
    "20",
    "--method",
    "kmeans",
    "--restarts",
    "10000",
    "--out",
    "labels.csv",
    "--model",
    "m.json",
  ];
  const child = spawn(node, [main, ...long], { cwd: folder, stdio: "ignore" });
  const ended = new Promise<NodeJS.Signals | null>((resolve) => {
    child.on("exit", (_, signal) => resolve(signal));
  });
  await setTimeout(1500);
  child.kill("SIGINT");
  expect(await ended).toBe("SIGINT");
  expect(listing(folder)).toEqual(["labels.csv"]);
  expect(readFileSync(join(folder, "labels.csv"), "utf8")).toBe("an older result");
});
