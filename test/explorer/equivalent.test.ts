import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GAMMA, type SolveQuestion, type TableData } from "../../explorer/protocol.ts";
import { fusionPath } from "../../explorer/worker/fusionPath.ts";
import { openTable } from "../../explorer/worker/openTable.ts";
import { solve } from "../../explorer/worker/solve.ts";
import { readColumns, namedData, writeCsv, type Pair } from "../../src/data/index.ts";
import type { MethodName } from "../../src/run/callOptions.ts";
import { cluster, methods } from "../../src/run/index.ts";
import { loadModel, textsOf } from "../../src/model/index.ts";
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
  const lines = [
    ...SAME.map(([a, b]) => `${a},${b},same`),
    ...DIFFERENT.map(([a, b]) => `${a},${b},different`),
  ];
  writeFileSync(join(folder, "hints.csv"), `a,b,hint\n${lines.join("\n")}\n`);
  iris = await openTable(
    {
      key: 1,
      source: { kind: "file", name: "iris.csv", file: new Blob([csv]) },
      reading: { as: {}, label: "class" },
    },
    () => {},
  );
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Other than the defaults, so that options are written and read, too; those of the page are numbers and words. */
const OWN: Readonly<Record<string, SolveQuestion["own"]>> = {
  kmeans: { restarts: 3 },
  "k-medoids": { restarts: 2 },
  ccml: { norm: "2", iterations: 2 },
  spectral: { neighbors: 8 },
  gmm: { covariance: "tied" },
  "pck-means": { penalty: 2 },
};
/** Commands and programs are slow to start: these stand for all, which the library is asked about. */
const RUN: ReadonlySet<string> = new Set(["kmeans", "ccml", "gmm", "pck-means", "hints", "seeded-kmeans"]);

function questionOf(name: string): SolveQuestion {
  const { needs } = methods.find((method) => method.name === name)!;
  return {
    table: iris,
    off: ["sepal_width"],
    scale: "minmax",
    weights: "auto",
    missing: "fill",
    edits: [],
    statements: [],
    method: name,
    clusters: 3,
    seed: 5,
    own: OWN[name] ?? {},
    same: needs.pairs === undefined ? [] : SAME,
    different: needs.pairs === undefined ? [] : DIFFERENT,
  };
}

/** Iris has no levels. */
const OF_LEVELS: ReadonlySet<string> = new Set(["latent-classes"]);

test.each(methods.map(({ name }) => name).filter((name) => !OF_LEVELS.has(name)))(
  "%s: the page, the library and the model file give the same labels",
  async (name) => {
    const question = questionOf(name);
    const found = await solve(question, () => {});
    const table = await readColumns(join(folder, "iris.csv"));
    const { norm, ...own } = question.own;
    const { needs } = methods.find((method) => method.name === name)!;
    const hints = {
      pairs: [
        ...question.same.map(([a, b]) => ({ a, b, same: true })),
        ...question.different.map(([a, b]) => ({ a, b, same: false })),
      ],
    };
    const { labels } = await cluster(table, {
      label: "class",
      ignore: ["sepal_width"],
      scale: "minmax",
      method: name as MethodName,
      clusters: 3,
      seed: 5,
      ...own,
      ...(norm !== undefined && { norm: Number(norm) }),
      ...(hints.pairs.length > 0 && { hints }),
      ...(needs.labels === "required" && { labels: textsOf(table.columns.at(-1)!) }),
    });
    expect(Array.from(found.labels)).toEqual(Array.from(labels));
    const model = loadModel(JSON.parse(await found.model.text()));
    expect(Array.from(model.labels)).toEqual(Array.from(labels));
    if (!RUN.has(name)) return;

    const [program, ...args] = found.command.split(" ");
    expect(program).toBe("kindred");
    const said = execFileSync(process.execPath, [main, ...args, "--json"], { cwd: folder, encoding: "utf8" });
    expect((JSON.parse(said) as { labels: number[] }).labels).toEqual(Array.from(found.labels));

    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, `${found.code}\nconsole.log(JSON.stringify(Array.from(labels)));\n`);
    const { stdout, stderr } = spawnSync(process.execPath, [file], { cwd: folder, encoding: "utf8" });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(Array.from(found.labels));
  },
);

test("kindred apply takes the model that the page saves", async () => {
  const { model, labels } = await solve({ ...questionOf("kmeans"), scale: "auto", own: {} }, () => {});
  writeFileSync(join(folder, "model.json"), await model.text());
  const said = execFileSync(process.execPath, [main, "apply", "model.json", "iris.csv"], {
    cwd: folder,
    encoding: "utf8",
  });
  const [header, ...lines] = said.trim().split("\n");
  const at = header.split(",").indexOf("cluster");
  expect(lines.map((line) => Number(line.split(",")[at]))).toEqual(Array.from(labels));
});

test("a step of the clusterpath is convex clustering at its gamma", async () => {
  const rows = { table: iris, off: [], scale: "auto", weights: "auto", missing: "fill", seed: 0 } as const;
  const path = fusionPath(rows, () => {});
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
    { key: 2, source: { kind: "named", name: "blobs", options }, reading: { as: {} } },
    () => {},
  );
  const question = { ...questionOf("kmeans"), own: {}, off: ["x2"], scale: "auto", seed: 0 } as const;
  const { labels, command, code } = await solve({ ...question, table: blobs }, () => {});
  const script = command.replaceAll("kindred ", `'${process.execPath}' '${main}' `);
  const said = execFileSync("sh", ["-ec", `${script} --json`], { cwd: folder, encoding: "utf8" });
  expect((JSON.parse(said) as { labels: number[] }).labels).toEqual(Array.from(labels));
  writeFileSync(join(folder, "blobs.mjs"), `${code}\nconsole.log(JSON.stringify(Array.from(labels)));\n`);
  const printed = execFileSync(process.execPath, ["blobs.mjs"], { cwd: folder, encoding: "utf8" });
  expect(JSON.parse(printed)).toEqual(Array.from(labels));
});

test("a LIBSVM file: command and program give the labels of the page", async () => {
  const lines = Array.from({ length: 40 }, (_, i) => `${i % 2} 1:${(i % 2) * 5 + i / 50} 3:${1 + (i % 3)}`);
  writeFileSync(join(folder, "rows.libsvm"), `${lines.join("\n")}\n`);
  const file = new Blob([`${lines.join("\n")}\n`]);
  const table = await openTable(
    { key: 3, source: { kind: "file", name: "rows.libsvm", file }, reading: { as: {} } },
    () => {},
  );
  const question = { ...questionOf("kmeans"), table, off: [], scale: "auto", clusters: 2, own: {} } as const;
  const { labels, command, code } = await solve(question, () => {});
  const [, ...args] = command.split(" ");
  const said = execFileSync(process.execPath, [main, ...args, "--json"], { cwd: folder, encoding: "utf8" });
  expect((JSON.parse(said) as { labels: number[] }).labels).toEqual(Array.from(labels));
  writeFileSync(join(folder, "sparse.mjs"), `${code}\nconsole.log(JSON.stringify(Array.from(labels)));\n`);
  const printed = execFileSync(process.execPath, ["sparse.mjs"], { cwd: folder, encoding: "utf8" });
  expect(JSON.parse(printed)).toEqual(Array.from(labels));
});
