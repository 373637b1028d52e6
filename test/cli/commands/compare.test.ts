import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Comparison, ComparedPartition, Use } from "../../../src/run/compare/comparison.ts";
import { adjustedRand, namedData } from "../../all.ts";
import { random } from "../../../src/core/random.ts";
import { command, kindred, listing, oneLine, scratch } from "../command.ts";

const quick = ["--methods", "kmeans,cc,ward", "--resamples", "2"];

type Told = Omit<Comparison, "partitions"> & {
  readonly partitions: readonly (Omit<ComparedPartition, "use"> & {
    readonly use: Use & { readonly command: string };
  })[];
};

/** The labels that a line of `kindred cluster` gives. */
async function labelsBy(line: string, cwd?: string): Promise<number[]> {
  const [program, ...args] = Array.from(line.matchAll(/'([^']*)'|(\S+)/g), ([, a, b]) => a ?? b);
  expect(program).toBe("kindred");
  return (JSON.parse((await kindred([...args, "--json"], { cwd })).stdout) as { labels: number[] }).labels;
}

test("compares on the default's choice, scores classes that nobody saw, and says what to use", async () => {
  const cwd = scratch();
  const args = ["compare", "iris", "-k", "3", "-l", "class", ...quick, "--json"];
  const { code, stdout, stderr } = await kindred([...args, "--out", "l.csv", "--report", "r.html"], { cwd });
  expect(code).toBe(0);
  const result = JSON.parse(stdout) as Told;
  expect(result).toMatchObject({
    source: "iris",
    rows: 150,
    features: 4,
    clusters: 3,
    found: false,
    label: "class",
    failed: [],
    stopped: false,
  });
  const [best, ...others] = result.partitions;
  expect(best.methods[0].name).toBe("auto");
  expect(best.use.command).toBe("kindred cluster iris --clusters 3 --label class");
  for (const { use, labels, stability, scores } of result.partitions) {
    expect(await labelsBy(use.command)).toEqual(labels);
    for (const score of [stability, scores!.adjustedRand]) {
      expect(score).toBeGreaterThan(0.3);
      expect(score).toBeLessThanOrEqual(1);
    }
  }
  expect(others.length).toBeGreaterThan(0);
  // The labels that are written are those of the recommended partition.
  const labels = readFileSync(join(cwd, "l.csv"), "utf8").trim().split("\n").slice(1);
  expect(labels).toEqual(best.labels.map(String));
  const { label } = await namedData("iris");
  expect(adjustedRand(labels, label!.values)).toBeCloseTo(best.scores!.adjustedRand, 12);
  expect(stderr).toMatch(/^4 methods on 150 rows x 4, \d+ at a time, in at most 60 s \(--budget\)/m);
  expect(stderr).toMatch(/kmeans +\d/);
  expect(stderr).toMatch(/2 resamples of each of \d partitions, for their stability/);
  const page = readFileSync(join(cwd, "r.html"), "utf8");
  expect(page).toContain(best.use.command);
  expect(page.match(/<svg[^>]*aria-label="The rows in the plane/g)).toHaveLength(result.partitions.length);
  expect(page).not.toMatch(/NaN|Infinity|undefined/);
});

test("any table: names to be quoted, levels, gaps; every command gives its partition", async () => {
  const cwd = scratch();
  const source = random(4);
  const lines = Array.from({ length: 90 }, (_, i) => {
    const size = (5 * (i % 3) + source.normal()).toFixed(3);
    return `${i},${i === 4 ? "" : size},${["red", "green", "blue"][i % 3]},${source.normal().toFixed(3)}`;
  });
  writeFileSync(join(cwd, "my table.csv"), `key,the size,colour,noise\n${lines.join("\n")}\n`);
  const args = ["compare", "my table.csv", "--id", "key", "--use", "the size,colour", "--seed", "3"];
  const { stdout } = await kindred([...args, "--methods", "kmeans,ward", "--resamples", "0", "--json"], {
    cwd,
  });
  const { partitions, found } = JSON.parse(stdout) as Told;
  expect(found).toBe(true);
  expect(partitions[0].use.command).toBe(
    "kindred cluster 'my table.csv' --seed 3 --id key --use 'the size,colour'",
  );
  for (const { use, labels } of partitions) expect(await labelsBy(use.command, cwd)).toEqual(labels);
});

test("for people: distinct partitions first, then where they differ, then what to use", async () => {
  const { stdout } = await kindred([
    "compare",
    "iris",
    "-k",
    "3",
    "--methods",
    "kmeans,single",
    "--resamples",
    "0",
    "--verbose",
  ]);
  const at = [
    /^\d answers from 3 methods for iris \(150 rows x 4 features\)$/m,
    /^1 +3 .* auto/m,
    /^The clusters of 1 \(3 clusters asked for\)$/m,
    /^Where the others differ from 1$/m,
    /^2  in \d+ of 150 rows: /m,
    /^Agreement of the partitions/m,
    /^Use 1: kindred cluster iris --clusters 3$/m,
  ].map((part) => stdout.search(part));
  expect(at).not.toContain(-1);
  expect(at).toEqual(at.toSorted((a, b) => a - b));
});

test("the time holds, and what it does not suffice for is named", async () => {
  const cwd = scratch();
  const source = random(1);
  const rows = Array.from({ length: 3000 }, (_, i) =>
    Array.from({ length: 8 }, () => ((i % 3) * 2 + source.normal()).toFixed(3)).join(","),
  );
  writeFileSync(join(cwd, "t.csv"), `a,b,c,d,e,f,g,h\n${rows.join("\n")}\n`);
  const args = ["compare", "t.csv", "-k", "3", "--methods", "kmeans,ccml,naml", "--budget", "10", "--json"];
  const { code, stdout } = await kindred(args, { cwd });
  expect(code).toBe(0);
  const { failed, partitions } = JSON.parse(stdout) as Told;
  expect(partitions.flatMap(({ methods }) => methods.map(({ name }) => name))).toContain("kmeans");
  expect(failed.map(({ name, why }) => [name, why])).toContainEqual(["naml", "time"]);
  // Its threads are ended at the time; a fifth is for what comes after.
});

test("Ctrl-C compares what is done", async () => {
  const cwd = scratch();
  const args = ["compare", "blobs", "-k", "4", "--methods", "kmeans,naml,ccml", "--json", "--threads", "1"];
  const child = spawn(command[0], [...command.slice(1), ...args], { cwd });
  let stdout = "";
  child.stdout.on("data", (text) => (stdout += text));
  await new Promise<void>((resolve) => {
    child.stderr.on("data", (text: Buffer) => text.toString().includes("auto ") && resolve());
  });
  child.kill("SIGINT");
  const code = await new Promise((resolve) => child.on("close", resolve));
  const { partitions, failed, stopped, recommendation } = JSON.parse(stdout) as Told;
  expect({ code, stopped, complete: recommendation.complete }).toEqual({
    code: 130,
    stopped: true,
    complete: true,
  });
  expect(partitions[0].methods[0].name).toBe("auto");
  expect(failed.map(({ name, why }) => [name, why])).toContainEqual(["ccml", "stopped"]);
});

test.each([
  [
    ["compare", "iris", "--methods", "kmean"],
    2,
    /there is no method "kmean"; did you mean "kmeans"\? The methods are "auto"/,
  ],
  [["compare", "iris", "--methods", "cop-kmeans"], 2, /--methods: cop-kmeans needs pairs/],
  [["compare", "iris", "-k", "151"], 2, /--clusters is 151, but iris has only 150 rows/],
  [["compare", "iris", "--budget", "0"], 2, /--budget must be/],
  [["compare", "iris", "--report", "no/r.html"], 1, /the folder \S*no does not exist/],
])("refuses %j", async (args, code, message) => {
  const cwd = scratch();
  expect(await kindred(args, { cwd })).toMatchObject(oneLine(code, message));
  expect(listing(cwd)).toEqual([]);
});

test("rows whose squares leave the number range have no neighbours", async () => {
  const cwd = scratch();
  writeFileSync(join(cwd, "huge.csv"), "a,b\n1e200,1\n2e200,1\n3e200,2\n4e200,2\n");
  expect(await kindred(["compare", "huge.csv", "-k", "2", "--scale", "none", "--strict"], { cwd })).toEqual(
    oneLine(1, /the largest value is 4\.0e\+200, whose square leaves the number range/),
  );
});
