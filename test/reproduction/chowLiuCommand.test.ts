import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listing, scratch } from "../cli/command.ts";
import { oneLine, reproduce } from "./reproduce.ts";
import { shared } from "../../bench/shared.mjs";

const folder = shared("datasets");

test("help is about this reproduction only", async () => {
  const { code, stdout } = await reproduce(["chow-liu", "--help"]);
  expect(code).toBe(0);
  for (const option of ["--sets", "--quick", "--repetitions", "--train", "--out"])
    expect(stdout).toContain(option);
  expect(stdout).not.toContain("--table");
});

test.each([
  [["chow-liu", "--sets", "wine"], /there is no "wine" in the tables; they have arrhythmia, mfeat, coil20/],
  [["chow-liu", "--train", "1"], /between 0 and 1/],
])("%j is not understood", async (args, message) => {
  expect(await reproduce(args)).toEqual(oneLine(2, message));
});

test("without data sets says so and ends", async () => {
  const { code, stdout, stderr } = await reproduce(["chow-liu", "--quick"]);
  expect(code).toBe(0);
  expect(stderr).toMatch(/coil20 is skipped: there is no data set "coil20"; --data or KINDRED_DATA names/);
  expect(stdout).toMatch(/^mfeat: skipped/m);
});

test.skipIf(!existsSync(`${folder}/arrhythmia-420.csv`))(
  "writes text, JSON and pictures (needs KINDRED_DATA)",
  async () => {
    const out = join(scratch(), "made", "here");
    const line = `chow-liu --quick --repetitions 1 --sets arrhythmia --data ${folder} --out ${out}`;
    const { code, stdout, stderr } = await reproduce(line.split(" "));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/Figure 6\.3: arrhythmia, random forest/);
    expect(listing(out)).toEqual([
      "chow-liu.json",
      "chow-liu.txt",
      "figure-6.1.svg",
      "figure-6.2.svg",
      "figure-6.3.svg",
    ]);
    expect(readFileSync(join(out, "chow-liu.txt"), "utf8")).toBe(stdout);
  },
);
