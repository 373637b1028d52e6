import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { matrix } from "../../../src/matrix/index.ts";
import { loadEmbedding } from "../../../src/model/index.ts";
import { kindred, oneLine, scratch } from "../command.ts";

describe("kindred cluster --method cpd-uml", () => {
  test("says how the field was chosen, how it ended and what it proves", async () => {
    const { code, stdout, stderr } = await kindred([
      "cluster",
      "wine",
      "-k",
      "3",
      "--method",
      "cpd-uml",
      "--label",
      "class",
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^field +sigma 7\.\d+ \(default\), lambda 792\.1 \(default\)$/m);
    expect(stdout).toMatch(
      /^ended by +(?:the partition repeats itself|a cycle of \d+ partitions); iterate \d+ of \d+ is returned$/m,
    );
    expect(stdout).toMatch(/^proof +(?:fixed point|none), gradient of the field \d\.\de-1\d$/m);
    expect(stdout).toMatch(/^without it +the spectral step alone/m);
  });

  test("writes a model that places new rows", async () => {
    const folder = scratch();
    const { code, stdout } = await kindred(
      ["cluster", "iris", "-k", "3", "-m", "cpd-uml", "--choose", "stability", "--model", "m.json", "--json"],
      { cwd: folder },
    );
    expect(code).toBe(0);
    const { details } = JSON.parse(stdout) as { details: { setting: object; grid: object[] } };
    expect(details.setting).toMatchObject({ sigmaFrom: "stability", lambdaFrom: "stability" });
    expect(details.grid).toHaveLength(12);
    expect(await kindred(["apply", "m.json", "iris"], { cwd: folder })).toMatchObject({ code: 0 });
  });

  test("refuses what cannot be", async () => {
    const line = ["cluster", "iris", "-k", "3", "-m", "cpd-uml"];
    expect(await kindred([...line, "--sigma", "0"])).toEqual(
      oneLine(2, /'--sigma <x>' argument '0' is invalid. It must be a number, above 0/),
    );
    expect(await kindred([...line, "--sigma", "1e12"])).toEqual(
      oneLine(2, /so large that the field shifts all rows/),
    );
    expect(await kindred([...line, "--kernel-sigma", "2"])).toEqual(
      oneLine(2, /--kernel-sigma needs --kernel/),
    );
    expect(await kindred(["cluster", "iris", "-m", "cpd-uml"])).toEqual(oneLine(2, /needs --clusters/));
  });
});

describe("the other unsupervised metrics", () => {
  test.each([
    ["aml", /^projection +2 discriminants explain/m],
    ["naml", /^kernel +.*width.*\n^projection +2 discriminants explain/m],
    ["rpca-om", /^plane +2 directions, sum of distances/m],
    ["fme", /^embedding +2 coordinates, residual/m],
  ])("%s clusters and embeds", async (method, line) => {
    const folder = scratch();
    const found = await kindred(["cluster", "iris", "-k", "3", "-m", method, "--model", "m.json"], {
      cwd: folder,
    });
    expect(found.code).toBe(0);
    expect(found.stdout).toMatch(line);
    expect(await kindred(["apply", "m.json", "iris"], { cwd: folder })).toMatchObject({ code: 0 });
    const clusters = method === "aml" || method === "naml" ? ["-k", "3"] : [];
    const embedded = await kindred(["embed", "iris", "-m", method, ...clusters, "--model", "e.json"], {
      cwd: folder,
    });
    const { model } = await loadEmbedding(JSON.parse(readFileSync(join(folder, "e.json"), "utf8")));
    expect(model.transform(matrix(3, 4)).rows).toBe(3);
    expect(embedded.code).toBe(0);
    expect(embedded.stdout.split("\n")[0]).toBe(`${method}1,${method}2,class`);
    expect(embedded.stdout.trimEnd().split("\n")).toHaveLength(151);
  });

  test("naml keeps a kernel that is given", async () => {
    const line = ["cluster", "iris", "-k", "3", "-m", "naml", "--kernel", "gaussian", "--kernel-sigma", "2"];
    const { code, stdout } = await kindred(line);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/^kernel/m);
    for (const verb of ["cluster", "embed"]) {
      expect(await kindred([verb, ...line.slice(1), "--sigmas", "1,2"])).toEqual(
        oneLine(2, /--sigmas are the widths of a mixture that is learned/),
      );
    }
    expect(await kindred(["embed", "iris", "-k", "4", "-m", "naml"])).toEqual(
      oneLine(2, /3 coordinates for 4 clusters/),
    );
  });

  test("fme takes labels and names their classes", async () => {
    const folder = scratch();
    const labels = Array.from({ length: 150 }, (_, i) =>
      i % 10 === 0 ? ["a", "b", "c"][Math.floor(i / 50)] : "",
    );
    writeFileSync(join(folder, "labels.csv"), `label\n${labels.join("\n")}\n`);
    const { code, stdout } = await kindred(
      ["cluster", "iris", "-m", "fme", "--labels", "labels.csv", "--label", "class"],
      { cwd: folder },
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^labels +0 = a, 1 = b, 2 = c$/m);
    expect(Number(/^accuracy +(\S+)$/m.exec(stdout)![1])).toBeGreaterThan(0.8);
  });
});
