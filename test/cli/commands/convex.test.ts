import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kindred, oneLine, scratch } from "../command.ts";

interface Found {
  readonly clusters: number;
  readonly scores: { readonly rand: number };
  readonly converged: boolean;
  readonly certificate: { readonly relativeGap: number };
  readonly details: {
    readonly metric: { readonly relevance: Record<string, number> };
    readonly form?: string;
  };
}

test.each([
  [["--method", "cc", "--norm", "2"]],
  [["--method", "carp", "--norm", "2", "--tolerance", "1e-6"]],
  [["--method", "rcc", "--beta", "9"]],
  [["--method", "scc", "--gamma2", "1"]],
  [["--method", "ccml", "--iterations", "1", "--rebuild-graph"]],
  [["--method", "ccscml", "--neighbors", "20", "--join", "--protocol", "practical"]],
  [["--method", "convex", "--representatives", "150"]],
])("cluster %j", async (args) => {
  const run = await kindred(["cluster", "iris", "-k", "3", "--label", "class", "--json", ...args]);
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: "" });
  const found = JSON.parse(run.stdout) as Found;
  expect(found.clusters).toBe(3);
  expect(found.scores.rand).toBeGreaterThan(0.7);
  expect(found.converged).toBe(true);
  expect(found.certificate.relativeGap).toBeLessThanOrEqual(1e-6);
  const shares = Object.entries(found.details.metric.relevance);
  expect(shares.map(([name]) => name)).toContain("petal_width");
  expect(shares.reduce((sum, [, share]) => sum + share, 0)).toBeCloseTo(1, 9);
});

test("the report names gamma, its proof, the coverage and the features", async () => {
  const { stdout } = await kindred(["cluster", "iris", "-k", "3", "--label", "class", "--method", "ccscml"]);
  expect(stdout).toMatch(/^gamma +[\d.e-]+, relative duality gap \d\.\de-\d+$/m);
  expect(stdout).toMatch(/^coverage +[\d.]+ % of the rows, \d+ components$/m);
  expect(stdout).toMatch(/^features +petal_length [\d.]+ %/m);
});

test("path writes gammas, partitions and fusions", async () => {
  const folder = scratch();
  const run = await kindred(["path", "iris", "--label", "class", "--out", "path.json"], { cwd: folder });
  expect(run.code).toBe(0);
  expect(run.stdout).toMatch(/^ +gamma +clusters +largest$/m);
  const path = JSON.parse(readFileSync(join(folder, "path.json"), "utf8")) as {
    gammas: number[];
    clusters: number[];
    partitions: number[][];
    fusions: number[][];
    relativeGaps: number[];
  };
  expect(path.gammas.length).toBe(path.partitions.length);
  expect(path.partitions[0]).toHaveLength(150);
  expect(path.clusters[0]).toBe(1);
  expect(path.fusions).toHaveLength(149);
  expect(Math.max(...path.relativeGaps)).toBeLessThanOrEqual(1e-6);
});

test("a number of clusters at one gamma is no gap", async () => {
  const folder = scratch();
  writeFileSync(join(folder, "two.csv"), "a,b\n0,0\n0.1,0\n9,9\n9,9.2\n");
  const { stdout } = await kindred(["path", "two.csv", "--gammas", "8,2,0.5"], { cwd: folder });
  expect(stdout).toContain("3 gammas");
  for (const [, from, to] of stdout.matchAll(/longest gap.*gamma (\S+) to (\S+)/g)) expect(from).not.toBe(to);
});

test("path --centers writes the centres and duals, --svg the paths of the centres", async () => {
  const folder = scratch();
  const run = await kindred(
    [
      "path",
      "iris",
      "--label",
      "class",
      "--gammas",
      "0.5,2,100000",
      "--join",
      "--centers",
      "--out",
      "p.json",
      "--svg",
      "p.svg",
    ],
    { cwd: folder },
  );
  expect(run.code).toBe(0);
  const path = JSON.parse(readFileSync(join(folder, "p.json"), "utf8")) as {
    edges: number[][];
    columns: string[];
    centers: number[][][];
    duals: number[][][];
  };
  expect(path.columns).toHaveLength(4);
  expect(path.centers.map((U) => U.length)).toEqual([150, 150, 150]);
  expect(path.duals.map((Z) => Z.length)).toEqual(Array(3).fill(path.edges.length));
  // All fused at the mean, which is 0 after scaling.
  expect(Math.max(...path.centers[0].flat().map(Math.abs))).toBeLessThan(1e-9);
  const svg = readFileSync(join(folder, "p.svg"), "utf8");
  expect(svg).toMatch(/^<svg\s+xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  expect(svg).toMatch(/1 centre at the end/);
  // Every row that moves has a trail.
  expect(
    (
      svg
        .match(/<path class="trail"[^>]*>/g)!
        .join("")
        .match(/M/g) ?? []
    ).length,
  ).toBeGreaterThan(140);
  expect(await kindred(["path", "iris", "--centers"])).toEqual(oneLine(2, /--json or --out/));
});

test("the report of cc shows the paths of the centres", async () => {
  const folder = scratch();
  await kindred(["cluster", "iris", "-k", "3", "--label", "class", "--method", "cc", "--report", "r.html"], {
    cwd: folder,
  });
  expect(readFileSync(join(folder, "r.html"), "utf8")).toMatch(/class="trail"/);
});

test("what cannot be is said in one line", async () => {
  expect(await kindred(["cluster", "iris", "--label", "class", "-k", "1", "--method", "ccscml"])).toEqual(
    oneLine(1, /one cluster/),
  );
  expect(await kindred(["cluster", "iris", "-k", "3", "--form", "light"])).toEqual(
    oneLine(2, /unknown option '--form'/),
  );
  expect(await kindred(["path", "iris", "--gammas", "1,x"])).toEqual(oneLine(2, /--gammas.*numbers/));
});
