import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kindred, oneLine, scratch } from "./command.ts";

test.each([
  ["metrics"],
  ["doctor"],
  ["data", "iris"],
  ["score", "labels.csv", "labels.csv"],
  ["metric", "wine", "--label", "class"],
  ["select", "wine"],
  ["classify", "wine", "--method", "naive-bayes", "--folds", "3"],
  ["embed", "iris", "--method", "rpca-om"],
])("%s takes --seed, also where nothing is random", async (...line) => {
  const folder = scratch();
  writeFileSync(join(folder, "labels.csv"), "label\na\nb\na\n");
  const { code, stdout } = await kindred([...line, "--seed", "7"], { cwd: folder });
  expect({ code, answered: stdout !== "" }).toEqual({ code: 0, answered: true });
  expect(await kindred([...line, "--seed", "much"], { cwd: folder })).toEqual(
    oneLine(2, /--seed <n>' argument 'much' is invalid. It must be an integer, at least 0/),
  );
});
