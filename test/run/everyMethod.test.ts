import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { namedData } from "../../src/data/index.ts";
import { asTable } from "../../src/data/columns/asTable.ts";
import type { CallOptions, MethodName } from "../../src/run/callOptions.ts";
import { cluster } from "../../src/run/cluster.ts";
import { methods as all } from "../../src/run/methods.ts";
import { loadModel } from "../../src/model/index.ts";
import type { Matrix } from "../../src/matrix/matrix.ts";

/** Iris has no levels, of which latent classes are made. */
const methods = all.filter(({ name }) => name !== "latent-classes");
const iris = await namedData("iris");
const table = asTable(iris);
const classes = iris.label!.values;
const mustLink = [
  [0, 1],
  [50, 51],
  [100, 101],
] as const;
const cannotLink = [
  [0, 50],
  [50, 100],
  [0, 100],
] as const;

/** What each method needs to run on iris. */
function optionsFor({ name, needs }: (typeof methods)[number]): CallOptions<MethodName> {
  return {
    method: name as MethodName,
    label: "class",
    clusters: 3,
    ...((needs.pairs === "required" || name === "hints") && { mustLink, cannotLink }),
    ...(needs.labels === "required" && { labels: classes.map((one, i) => (i % 10 === 0 ? one : "")) }),
  };
}

const rows = Array.from({ length: 150 }, (_, i) => (iris.X as Matrix).data.subarray(4 * i, 4 * i + 4).join());
const hasEqual = (i: number): boolean => rows.some((row, j) => j !== i && row === rows[i]);

const shifted = asTable({
  ...iris,
  X: { ...(iris.X as Matrix), data: (iris.X as Matrix).data.map((value) => value + 0.05) },
});

describe.each(methods.map((method) => [method.name, method] as const))("%s", (_, method) => {
  test("a clustering is its own model file, which places rows where the method put them", async () => {
    const found = await cluster(table, optionsFor(method));
    expect(found.labels).toHaveLength(150);
    expect(found.sizes.reduce((sum, size) => sum + size, 0)).toBe(
      found.labels.filter((label) => label >= 0).length,
    );
    expect(structuredClone(found).labels).toEqual(found.labels);

    const loaded = loadModel(JSON.parse(JSON.stringify(found)));
    expect(loaded.labels).toEqual(found.labels);
    const placed = loaded.assign(table);
    const same = placed.labels.filter((label, i) => label === found.labels[i]).length / 150;
    expect(same).toBeCloseTo(found.placing.agreement, 12);
    // No rule puts equal rows into different clusters; pairs may have done that.
    const missed = Array.from(placed.labels.keys()).filter(
      (i) => placed.labels[i] !== found.labels[i] && !hasEqual(i),
    );
    // CPD-UML and kernel k-means place rows by their own rule, and the model says how often that differs.
    expect(["cpd-uml", "kernel-kmeans"].includes(found.placing.kind) ? [] : missed).toEqual([]);

    const fresh = loaded.assign(shifted);
    for (const value of [...fresh.distances, ...fresh.nextDistances])
      expect(Number.isFinite(value)).toBe(true);
    const least = found.placing.kind === "density" ? -1 : 0;
    for (const label of fresh.labels) expect(label).toBeGreaterThanOrEqual(least);
  });
});

test("models load in another process", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kindred-"));
  const files: Record<string, number[]> = {};
  for (const method of methods) {
    const found = await cluster(table, optionsFor(method));
    const path = join(folder, `${method.name}.json`);
    writeFileSync(path, JSON.stringify(found));
    files[path] = Array.from(loadModel(JSON.parse(JSON.stringify(found))).assign(table).labels);
  }
  const entry = new URL("../../dist/index.js", import.meta.url).href;
  const program = `
    import { readFileSync } from "node:fs";
    import { asTable, loadModel, namedData } from ${JSON.stringify(entry)};
    const table = asTable(await namedData("iris"));
    const files = JSON.parse(readFileSync(${JSON.stringify(join(folder, "files.json"))}, "utf8"));
    const wrong = Object.entries(files).filter(([path, labels]) => {
      const placed = loadModel(JSON.parse(readFileSync(path, "utf8"))).assign(table).labels;
      return labels.some((label, i) => label !== placed[i]);
    });
    console.log(JSON.stringify(wrong.map(([path]) => path)));
  `;
  writeFileSync(join(folder, "files.json"), JSON.stringify(files));
  writeFileSync(join(folder, "program.mjs"), program);
  const wrong = JSON.parse(
    execFileSync(process.execPath, [join(folder, "program.mjs")], { encoding: "utf8" }),
  ) as string[];
  expect(wrong).toEqual([]);
});

test("weights of columns are no option of the method, whatever its own are called", async () => {
  const found = await cluster(table, { method: "kmeans", label: "class", clusters: 3, weights: "equal" });
  expect(found.clusters).toBe(3);
});
