import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verbs } from "../../src/cli/verbs.ts";
import { kindred, scratch } from "./command.ts";

test("bash completes commands, options and the names of methods", async () => {
  const { code, stdout } = await kindred(["completion", "bash"]);
  expect(code).toBe(0);
  const completed = (words: readonly string[]): string[] => {
    const script = `${stdout}\nCOMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")}); COMP_CWORD=${words.length - 1}; _kindred; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", script], { encoding: "utf8" }).stdout.trim().split("\n");
  };
  expect(completed(["kindred", ""])).toEqual(verbs.map(({ name }) => name));
  expect(completed(["kindred", "cl"])).toEqual(["cluster", "classify"]);
  expect(completed(["kindred", "cluster", "--hin"])).toEqual(["--hints"]);
  expect(completed(["kindred", "cluster", "--method", "spec"])).toEqual(["spectral"]);
});

test("zsh and fish have their own", async () => {
  expect((await kindred(["completion", "zsh"])).stdout).toMatch(/^autoload -U \+X bashcompinit/);
  const { stdout } = await kindred(["completion", "fish"]);
  expect(stdout).toContain("complete -c kindred -n __fish_use_subcommand -a cluster");
  expect(stdout).toContain("-l hints");
});

test("--quiet writes files without a word", async () => {
  const out = join(scratch(), "labels.csv");
  const { code, stderr } = await kindred(["cluster", "iris", "-m", "kmeans", "-k", "3", "--out", out, "-q"]);
  expect({ code, stderr, written: existsSync(out) }).toEqual({ code: 0, stderr: "", written: true });
  const failed = await kindred(["cluster", "iris", "-m", "kmeans", "-k", "999", "--quiet"]);
  expect(failed.code).not.toBe(0);
  expect(failed.stderr).toMatch(/^kindred: /);
});
