import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kindred, oneLine, scratch } from "../command.ts";

async function wine(folder: string): Promise<string> {
  const file = join(folder, "wine.csv");
  writeFileSync(file, (await kindred(["data", "wine"])).stdout);
  return file;
}

describe("kindred select", () => {
  test("ranks features with score, gain and redundancy, draws the tree, writes the reduced table", async () => {
    const folder = scratch();
    const file = await wine(folder);
    const out = join(folder, "reduced.csv");
    const { code, stdout, stderr } = await kindred([
      "select",
      file,
      "--label",
      "class",
      "--features",
      "3",
      "--out",
      out,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `wrote ${out}\n` });
    expect(stdout).toMatch(/^method +chow-liu, 3 of 13 columns$/m);
    expect(stdout).toMatch(/^rank +column +score +gain +relevance +redundancy$/m);
    expect(stdout).toMatch(/^ +2 +proline +0\.5716 +0\.1680 +0\.3333 +0\.1653$/m);
    expect(stdout).toMatch(/^└─ alcohol {2}0\.2840$/m);
    const lines = readFileSync(out, "utf8").split("\n");
    expect(lines.slice(0, 2)).toEqual(["flavanoids,proline,alcohol,class", "3.06,1065,14.23,1"]);
  });

  test.each(["chow-liu", "mrmr", "cfs", "jmi", "max-relevance"])("--json of %s", async (method) => {
    const { code, stdout } = await kindred([
      "select",
      "wine",
      "--method",
      method,
      "--features",
      "4",
      "--unit",
      "bits",
      "--discretize",
      "frequency",
      "--json",
    ]);
    const result = JSON.parse(stdout) as Record<string, unknown>;
    expect(code).toBe(0);
    expect(result).toMatchObject({ method, unit: "bits", discretization: { kind: "frequency" } });
    expect(result.features).toHaveLength(4);
    expect((result.tree === null) === (method !== "chow-liu")).toBe(true);
  });

  test("without classes: by the metric that convex clustering learns", async () => {
    const { code, stdout } = await kindred([
      "select",
      await wine(scratch()),
      "--ignore",
      "class",
      "--method",
      "ccscml",
      "--clusters",
      "3",
      "--features",
      "2",
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^clusters +3, converged/m);
    expect(stdout).toMatch(/^ +1 +flavanoids/m);
  });

  test("--out - sends the table to standard output and the report to standard error", async () => {
    const { stdout, stderr } = await kindred(["select", "iris", "--features", "1", "--out", "-"]);
    expect(stdout.split("\n")[0]).toMatch(/^petal_?.*,/);
    expect(stderr).toMatch(/^method +chow-liu/m);
  });

  test("refuses what cannot be done in one line", async () => {
    const folder = scratch();
    const file = await wine(folder);
    const one = join(folder, "one.csv");
    writeFileSync(one, "a,b,class\n1,5,x\n2,5,x\n3,5,x\n");
    const fails = async (code: number, args: string[], message: RegExp): Promise<void> => {
      expect(await kindred(["select", ...args])).toEqual(oneLine(code, message));
    };
    await fails(2, [file], /chow-liu needs --label/);
    await fails(1, [file, "--label", "class", "--features", "14"], /has only 13 features/);
    await fails(1, [file, "--label", "class", "--discretize", "given"], /"alcohol".*looks continuous/);
    await fails(2, [file, "--label", "class", "--bins", "4"], /--bins is for the kinds/);
    await fails(1, [file, "--label", "proline"], /labels look continuous/);
    await fails(1, [one, "--label", "class"], /at least two classes, got only "x"/);
  });
});
