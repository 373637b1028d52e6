import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kindred, oneLine, scratch } from "../command.ts";

describe("kindred embed", () => {
  test("writes coordinates as CSV to standard output, and talks on standard error", async () => {
    const { code, stdout, stderr } = await kindred(["embed", "iris", "--dims", "2"]);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toBe("pca1,pca2,class");
    expect(lines).toHaveLength(151);
    expect(stderr).toMatch(/^variance +73\.0 %, 22\.9 %$/m);
  });

  test("writes a file and a model that hold numbers only", async () => {
    const folder = scratch();
    const { code, stdout } = await kindred(
      ["embed", "wine", "--method", "kernel-pca", "--dims", "3", "--out", "e.csv", "--model", "m.json"],
      { cwd: folder },
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^kernel +gaussian, sigma \d/m);
    const lines = readFileSync(join(folder, "e.csv"), "utf8").trimEnd().split("\n");
    expect(lines[0]).toBe("kernel-pca1,kernel-pca2,kernel-pca3,class");
    expect(lines).toHaveLength(179);
    const { model } = JSON.parse(readFileSync(join(folder, "m.json"), "utf8")) as {
      model: { method: string; coefficients: { rows: number; cols: number } };
    };
    expect(model.method).toBe("kernel-pca");
    expect([model.coefficients.rows, model.coefficients.cols]).toEqual([178, 3]);
  });

  test("prints one object with --json", async () => {
    const { stdout } = await kindred(["embed", "iris", "--json", "--method=pca", "--whiten"]);
    const { method, dims, embedding, converged } = JSON.parse(stdout) as {
      method: string;
      dims: number;
      embedding: number[][];
      converged: boolean;
    };
    expect({ method, dims, converged, rows: embedding.length }).toEqual({
      method: "pca",
      dims: 2,
      converged: true,
      rows: 150,
    });
  });

  test("refuses what a method does not take", async () => {
    expect(await kindred(["embed", "iris", "--clusters", "3"])).toEqual(
      oneLine(2, /--clusters is not for pca, which looks for no clusters/),
    );
    expect(await kindred(["embed", "iris", "--dims", "9"])).toEqual(oneLine(2, /--dims is 9/));
    expect(await kindred(["embed", "iris", "--method", "kernel-pca", "--sigma", "0"])).toEqual(
      oneLine(2, /'--sigma <x>' argument '0' is invalid. It must be a number, above 0/),
    );
  });
});
