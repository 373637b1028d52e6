import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { methods } from "../../src/front/methods.ts";
import { GAMMA, type SolveQuestion, type TableData } from "../../explorer/protocol.ts";
import { fusionPath } from "../../explorer/worker/fusionPath.ts";
import { openTable } from "../../explorer/worker/openTable.ts";
import { solve } from "../../explorer/worker/solve.ts";
import { namedData, writeCsv, type Pair } from "../../src/data/index.ts";
import { adjustedRand } from "../../src/score/index.ts";

/*
 * The page shows, for every result, the command and the program that give the same. Both are run here as they are
 * printed, against the built package, and their labels compared with the page's.
 */
const root = fileURLToPath(new URL("../..", import.meta.url));
const main = join(root, "dist", "cli", "main.js");
const SAME: readonly Pair[] = [
  [0, 1],
  [60, 70],
  [110, 120],
];
const DIFFERENT: readonly Pair[] = [
  [0, 62],
  [70, 120],
];
let folder = "";
let iris: TableData;

beforeAll(async () => {
  mkdirSync(join(root, ".cache"), { recursive: true });
  folder = mkdtempSync(join(root, ".cache", "explorer-"));
  const csv = [...writeCsv(await namedData("iris"))].join("");
  writeFileSync(join(folder, "iris.csv"), csv);
  const pairFile = (pairs: readonly Pair[]): string => pairs.map((pair) => `${pair.join(",")}\n`).join("");
  writeFileSync(join(folder, "same.csv"), `row,same as\n${pairFile(SAME)}`);
  writeFileSync(join(folder, "different.csv"), `row,different from\n${pairFile(DIFFERENT)}`);
  iris = await openTable(
    { source: { kind: "file", name: "iris.csv", file: new Blob([csv]) }, reading: { encode: [] } },
    () => {},
  );
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Other than the defaults, so that options are written and read, too. */
const OWN: Readonly<Record<string, SolveQuestion["own"]>> = {
  kmeans: { restarts: 3 },
  ccml: { norm: "2", iterations: 2 },
  spectral: { neighbors: 8 },
  gmm: { covariance: "tied" },
  "pck-means": { penalty: 2 },
};

test.each(methods.map(({ name }) => name))(
  "%s: command and program give the labels of the page",
  async (name) => {
    const entry = methods.find((method) => method.name === name)!;
    const pairs = entry.pairs === "no" ? { same: [], different: [] } : { same: SAME, different: DIFFERENT };
    const question: SolveQuestion = {
      table: iris,
      off: ["sepal_width"],
      scale: "minmax",
      method: name,
      clusters: 3,
      seed: entry.seeded ? 5 : 0,
      own: OWN[name] ?? {},
      ...pairs,
    };
    const { labels, command, code } = await solve(question, () => {});
    const [program, ...args] = command.split(" ");
    expect(program).toBe("kindred");
    const said = execFileSync(process.execPath, [main, ...args, "--json"], { cwd: folder, encoding: "utf8" });
    expect((JSON.parse(said) as { labels: number[] }).labels).toEqual(Array.from(labels));

    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, `${code}\nconsole.log(JSON.stringify(Array.from(labels)));\n`);
    const { stdout, stderr } = spawnSync(process.execPath, [file], { cwd: folder, encoding: "utf8" });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(Array.from(labels));
  },
);

test("a step of the clusterpath is convex clustering at its gamma", async () => {
  const path = fusionPath({ table: iris, off: [], scale: "zscore" }, () => {});
  expect(path.steps[0].clusters).toBe(150);
  expect(path.steps.at(-1)!.clusters).toBe(1);
  const step = path.steps[Math.floor(path.steps.length / 2)];
  const fill = (text: string): string => text.replaceAll(GAMMA, String(step.gamma));
  const [, ...args] = fill(path.equivalent!.command).split(" ");
  const said = execFileSync(process.execPath, [main, ...args, "--json"], { cwd: folder, encoding: "utf8" });
  expect(adjustedRand((JSON.parse(said) as { labels: number[] }).labels, step.labels)).toBe(1);
  const program = `${fill(path.equivalent!.code)}\nconsole.log(JSON.stringify(Array.from(labels)));\n`;
  writeFileSync(join(folder, "step.mjs"), program);
  const printed = execFileSync(process.execPath, ["step.mjs"], { cwd: folder, encoding: "utf8" });
  expect(adjustedRand(JSON.parse(printed) as number[], step.labels)).toBe(1);
});

test("a generated set with options of its own is written to a file first", async () => {
  const options = { rows: 60, features: 3, seed: 2 };
  const blobs = await openTable(
    { source: { kind: "named", name: "blobs", options }, reading: { encode: [] } },
    () => {},
  );
  const question = { off: ["x2"], scale: "zscore", method: "kmeans", clusters: 3, seed: 0, own: {} } as const;
  const { labels, command, code } = await solve(
    { ...question, table: blobs, same: [], different: [] },
    () => {},
  );
  const script = command.replaceAll("kindred ", `'${process.execPath}' '${main}' `);
  const said = execFileSync("sh", ["-ec", `${script} --json`], { cwd: folder, encoding: "utf8" });
  expect((JSON.parse(said) as { labels: number[] }).labels).toEqual(Array.from(labels));
  writeFileSync(join(folder, "blobs.mjs"), `${code}\nconsole.log(JSON.stringify(Array.from(labels)));\n`);
  const printed = execFileSync(process.execPath, ["blobs.mjs"], { cwd: folder, encoding: "utf8" });
  expect(JSON.parse(printed)).toEqual(Array.from(labels));
});
