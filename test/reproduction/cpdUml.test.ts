import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { random } from "kindred";
import { kmeans } from "kindred/cluster";
import { namedData } from "kindred/data";
import { takeRows, toRows } from "kindred/matrix";
import { accuracy } from "kindred/score";
import { findingsText } from "../../reproduction/page.ts";
import { type CpdUmlDone, planCpdUml, reportCpdUml } from "../../reproduction/cpd-uml/cpdUml.ts";
import { runMoonsTask } from "../../reproduction/cpd-uml/cpdUmlMoons.ts";
import { PUBLISHED } from "../../reproduction/cpd-uml/cpdUmlPublished.ts";
import { METHODS, SETS } from "../../reproduction/cpd-uml/cpdUmlTables.ts";
import { type CpdUmlTask, loadCpdSet, runCpdUmlTask } from "../../reproduction/cpd-uml/cpdUmlTask.ts";
import { cpdUmlFindings } from "../../reproduction/cpd-uml/cpdUmlText.ts";
import { clouds } from "../cluster/clouds.ts";

/** A folder that has, under the names of the text's sets, clouds and two halves of two moons. */
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kindred-cpd-"));
  const datasets = [];
  for (const [name, n, d, K] of [
    ["cars", 60, 4, 3],
    ["two-moons", 40, 2, 2],
    ["two-moons-test", 40, 2, 2],
  ] as const) {
    const { X, truth } = clouds(n, d, K, 4, 3);
    const header = [...Array.from({ length: d }, (_, f) => `x${f}`), "class"].join();
    const lines = toRows(X).map((row, i) => [...row, truth[i] + 1].join());
    writeFileSync(join(folder, `${name}.csv`), [header, ...lines, ""].join("\n"));
    datasets.push({ name, file: `${name}.csv`, rows: n, features: d, n_classes: K });
  }
  writeFileSync(join(folder, "index.json"), JSON.stringify({ datasets }));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("the numbers of the text", () => {
  test("are copied so that the scores of each column add up to those of ten methods", () => {
    for (const rows of Object.values(PUBLISHED)) {
      SETS.forEach((_, column) => {
        const cells = METHODS.map((method) => rows[method][column]);
        const sum = cells.reduce((total, cell) => total + (cell?.[2] ?? 0), 0);
        const blanks = cells.filter((cell) => cell === null).length;
        expect(blanks === 0 ? sum : 45).toBe(45);
        expect(sum).toBeGreaterThanOrEqual(45 - 9 * blanks);
      });
    }
  });

  test("have three purities of cars below the share of the largest class", () => {
    const below = METHODS.filter(
      (method) => PUBLISHED.purity[method][SETS.indexOf("cars")]![0] < (100 * 245) / 392,
    );
    expect(below).toEqual(["kernelKmeans", "naml", "rRpcaOm"]);
  });

  test("never have an accuracy above the purity", () => {
    for (const method of METHODS) {
      SETS.forEach((_, column) => {
        const accuracy = PUBLISHED.accuracy[method][column]?.[0] ?? 0;
        expect(accuracy).toBeLessThanOrEqual(PUBLISHED.purity[method][column]![0]);
      });
    }
  });
});

describe("the reproduction", () => {
  test("plans run by run, says what is missing, and reports what was done", async () => {
    const plan = await planCpdUml({ folder, runs: 2, grid: "few", sets: ["cars", "ecoli"] });
    expect(plan.skipped).toMatchObject([{ set: "ecoli" }]);
    expect(plan.sets).toMatchObject([{ set: "cars", rows: 60, features: 4, clusters: 3 }]);
    expect(plan.sets[0].majority).toBeCloseTo(100 / 3, 10);
    expect(
      plan.tasks.map((task) => (task.kind === "cpd-uml" ? `${task.part} ${task.run}` : "moons")),
    ).toEqual(["moons", "linear 0", "kernel 0", "stability 0", "linear 1", "kernel 1", "stability 1"]);
    const done: CpdUmlDone[] = [];
    for (const task of plan.tasks) {
      if (task.kind === "cpd-uml") done.push({ task, result: await runCpdUmlTask(task) });
    }
    const report = reportCpdUml(plan, done);
    expect(report).toMatchObject({ done: 6, planned: 7 });
    for (const rows of Object.values(report.sets[0].measures)) {
      expect(rows.slice(0, 10).reduce((sum, { points }) => sum + points!.best, 0)).toBe(45);
      expect(rows.slice(0, 10).reduce((sum, { points }) => sum + points!.labelFree, 0)).toBe(45);
      for (const { best, median, labelFree, settings } of rows) {
        expect(settings).toBeGreaterThan(0);
        expect(best!.count).toBe(2);
        expect(best!.mean).toBeGreaterThanOrEqual(median! - 1e-12);
        expect(best!.mean).toBeGreaterThanOrEqual(labelFree!.mean - 1e-12);
        expect(labelFree!.count).toBe(2);
      }
    }
    // Clouds far apart: the baseline finds them, and with them each method that does not fold them together.
    const [kmeans, , , , drift] = report.sets[0].measures.accuracy;
    expect(kmeans.labelFree!.mean).toBeGreaterThan(95);
    expect(drift.labelFree!.mean).toBeGreaterThan(95);
    expect(report.totals.accuracy).toHaveLength(10);
    const text = findingsText(cpdUmlFindings(report)).join("\n");
    expect(text).toMatch(/K-means +\d+\.\d ± \d+\.\d \(42\.67, \+\d+\.\d !\)/);
    expect(text).toMatch(/r-CPD-UML/);
    expect(text).toMatch(/ecoli: skipped/);
    expect(text).toMatch(/stopped: 6 of 7 parts were done/);
    expect(text).not.toMatch(/NaN|undefined/);
  });

  test("gives the same numbers for the same task", async () => {
    const task = { kind: "cpd-uml", set: "cars", part: "linear", run: 1, grid: "few", folder } as const;
    const [a, b] = [await runCpdUmlTask(task), await runCpdUmlTask(task)];
    expect(a.scores).toEqual(b.scores);
  });

  test("takes another scaling and another number of starts, and says so", async () => {
    const plan = await planCpdUml({
      folder,
      runs: 1,
      grid: "few",
      sets: ["cars"],
      scale: "none",
      starts: 1,
      moons: false,
    });
    expect(plan.tasks[0]).toMatchObject({ scale: "none", starts: 1 });
    const task = { ...plan.tasks[0], part: "linear" } as CpdUmlTask;
    const { X, truth } = await loadCpdSet("cars", folder, "none");
    expect(X).toEqual((await namedData("cars", { folder })).X);
    // One start of k-means on the rows as they are, fold by fold.
    const order = random(0).sample(60, 60);
    let sum = 0;
    for (let f = 0; f < 3; f++) {
      const unseen = order.slice(20 * f, 20 * f + 20);
      const seen = order.filter((_, p) => p < 20 * f || p >= 20 * f + 20);
      const fit = kmeans(takeRows(X, seen), { clusters: 3, restarts: 1, seed: 0 });
      sum += accuracy(
        fit.predict(takeRows(X, unseen)),
        Array.from(unseen, (i) => truth[i]),
      );
    }
    const result = await runCpdUmlTask(task);
    const row = result.scores.find(({ row: of }) => of === "kmeans")!;
    expect(row.values[0]).toBeCloseTo((100 * sum) / 3, 10);
    const text = findingsText(cpdUmlFindings(reportCpdUml(plan, [{ task, result }]))).join("\n");
    expect(text).toContain("columns: as they are; k-means with one start\n");
    const rows = await runCpdUmlTask({ ...task, starts: "random" });
    expect(rows.scores.map(({ row: of }) => of)).toEqual(result.scores.map(({ row: of }) => of));
    const drawn = findingsText(
      cpdUmlFindings(reportCpdUml({ ...plan, starts: "random" }, [{ task, result: rows }])),
    );
    expect(drawn.join("\n")).toContain("k-means with one start from random rows");
  });

  test("counts the cells of the two moons", async () => {
    const result = await runMoonsTask({ kind: "cpd-uml moons", folder });
    expect(result.variants).toHaveLength(4);
    for (const { cells, good, excellent, best } of result.variants) {
      expect(cells).toBe(121);
      expect(good).toBeGreaterThanOrEqual(excellent);
      expect(best).toBeGreaterThan(60);
    }
    expect(result.widths.map(({ width }) => width)).toEqual([4, 8, 16, 32]);
  });
});
