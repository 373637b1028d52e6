import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { law } from "kindred/data";
import { matrix } from "kindred/matrix";
import { mlca } from "kindred/metric";
import { findingsText } from "../../reproduction/page.ts";
import { runAnyTask } from "../../reproduction/anyTask.ts";
import { imageCut } from "../../reproduction/mlca/imageCut.ts";
import { type MlcaDone, planMlca, reportMlca } from "../../reproduction/mlca/mlca.ts";
import {
  drawSets,
  mixture,
  runSyntheticTask,
  type SyntheticCell,
  syntheticCells,
  type SyntheticOptions,
  syntheticTasks,
} from "../../reproduction/mlca/mlcaSynthetic.ts";
import {
  type Column,
  GEOMETRIES,
  type Geometry,
  LABEL_NOISE,
  type MlcaTable,
  PUBLISHED,
  TABLES,
} from "../../reproduction/mlca/mlcaTables.ts";
import { mlcaFindings } from "../../reproduction/mlca/mlcaText.ts";
import { halves, planTwoClass, runTwoClassTask } from "../../reproduction/mlca/mlcaTwoClass.ts";
import { collage, FEATURES, foregroundImage, TEXTURES } from "../../reproduction/mlca/segmentation.ts";
import { runSegmentationTask, segmentationTasks, stack } from "../../reproduction/mlca/segmentationRun.ts";

const FAST = ["mlca", "euclidean", "xing", "lajugie", "kissme", "pcca", "xqda", "lda"] as const;
const [LAW, OVERLAP, , LINE] = GEOMETRIES;

function runSynthetic(table: MlcaTable, { name }: Geometry, options: SyntheticOptions): SyntheticCell[] {
  const tasks = syntheticTasks(table, name, options);
  return syntheticCells(tasks.map((task) => ({ task, result: runSyntheticTask(task) })));
}

function deltas(cells: readonly SyntheticCell[]): Record<Column, number> {
  return Object.fromEntries(cells.map(({ column, delta }) => [column, delta.mean])) as Record<Column, number>;
}

describe("Tables 1 to 3", () => {
  const found = {} as Record<MlcaTable, Record<Column, number>>;
  beforeAll(() => {
    for (const table of TABLES) {
      found[table] = deltas(runSynthetic(table, LAW, { seeds: 1, quick: true, columns: FAST }));
    }
  });

  test("MLCA, Lajugie and PCCA find the categories, the Euclidean distance does not", () => {
    for (const column of ["mlca", "lajugie", "pcca"] as const) {
      // Table 1 is calibrated: Delta is about 12 times the share of wrong labels.
      expect(found["1"][column]).toBeCloseTo(12 * LABEL_NOISE, 2);
      expect(found["2"][column]).toBeCloseTo(12 * LABEL_NOISE, 2);
      expect(found["3"][column]).toBe(0);
    }
    for (const table of TABLES) {
      expect(found[table].euclidean).toBeCloseTo(PUBLISHED[table].euclidean!.delta, 1);
    }
  });

  test("KISSME fails with categories of unequal size only, and XQDA is the same", () => {
    expect(found["1"].kissme).toBeLessThan(0.1);
    expect(found["2"].kissme).toBeGreaterThan(1);
    expect(found["3"].kissme).toBeGreaterThan(1);
    for (const table of TABLES) expect(found[table].xqda).toBeCloseTo(found[table].kissme, 1);
  });

  test("the maximiser of Xing's objective is the worse the more unequal the categories", () => {
    expect(found["1"].xing).toBeGreaterThan(0.3);
    expect(found["2"].xing).toBeGreaterThan(found["1"].xing);
    expect(found["3"].xing).toBeGreaterThan(found["1"].xing);
  });

  test("Gaussians that overlap are an error without any wrong label", () => {
    const { mlca: loss } = deltas(runSynthetic("3", OVERLAP, { seeds: 1, quick: true, columns: ["mlca"] }));
    expect(loss).toBeGreaterThan(0.1);
    expect(loss).toBeLessThan(0.6);
  });

  test("KISSME's 2.0 of Table 2 appears where the smallest category is stretched its own way", () => {
    const cells = runSynthetic("2", LINE, { seeds: 1, quick: true, columns: ["mlca", "kissme"] });
    expect(deltas(cells).kissme).toBeGreaterThan(1.5);
    expect(deltas(cells).mlca).toBeLessThan(0.2);
  });

  test("columns have what was done of them, LMNN the first seed only", () => {
    const [task] = syntheticTasks("3", LAW.name, { seeds: 3, quick: true, columns: FAST });
    const cells = syntheticCells([{ task, result: runSyntheticTask(task) }]);
    expect(cells.map(({ column }) => column)).toEqual(["mlca"]);
    expect(cells[0].delta.count).toBe(1);
    const seeds = syntheticTasks("1", LAW.name, { seeds: 3, quick: false, columns: ["mlca", "lmnn"] });
    expect(seeds.map(({ column, seed }) => `${column} ${seed}`)).toEqual([
      "mlca 1",
      "lmnn 1",
      "mlca 2",
      "mlca 3",
    ]);
  });

  test("the mixture has the sizes, centres and wrong labels it is asked for", () => {
    const sizes = [1000, 2000, 4000];
    const clean = mixture(LAW, sizes, 0, 4);
    const noisy = mixture(LAW, sizes, 0.01, 4);
    expect(noisy.X).toEqual(clean.X);
    expect(sizes.map((_, c) => clean.labels.filter((label) => label === c).length)).toEqual(sizes);
    expect(clean.labels.filter((label, i) => label !== noisy.labels[i])).toHaveLength(70);
    const mean = [0, 1, 2].map((f) => {
      let sum = 0;
      for (let i = 0; i < 500; i++) sum += clean.X.data[3 * i + f] / 500;
      return sum;
    });
    LAW.centers[0].forEach((value, f) => expect(mean[f]).toBeCloseTo(value, 1));
    expect(drawSets("1", LAW, 2).train.X.data).not.toEqual(drawSets("1", LAW, 2).test.X.data);
  });

  test("deviation 1 is the data set law, up to the draws", () => {
    const a = mlca(law({ seed: 1 }).X, law({ seed: 1 }).labels).matrix;
    const { X, labels } = mixture(OVERLAP, [1000, 1000, 1000], 0, 1);
    mlca(X, labels).matrix.data.forEach((value, p) =>
      expect(Math.abs(value - a.data[p])).toBeLessThan(0.1 * Math.max(...a.data)),
    );
  });
});

describe("two classes", () => {
  test("halves are stratified, disjoint and whole", () => {
    const codes = Int32Array.from({ length: 31 }, (_, i) => (i % 3 === 0 ? 1 : 0));
    const { train, test: rest } = halves(codes, 3);
    expect([...train, ...rest].toSorted((a, b) => a - b)).toEqual(Array.from(codes.keys()));
    expect(train.filter((i) => codes[i] === 1)).toHaveLength(5);
    expect(halves(codes, 4).train).not.toEqual(train);
  });

  test("sets that are not there are named", async () => {
    const empty = mkdtempSync(join(tmpdir(), "kindred-"));
    writeFileSync(join(empty, "index.json"), '{ "datasets": [] }');
    const { tasks, skipped } = await planTwoClass(1, empty);
    rmSync(empty, { recursive: true });
    expect(tasks).toEqual([]);
    expect(skipped.map(({ set }) => set)).toEqual(["breast", "pima", "ionosphere", "sonar"]);
    expect(skipped[1].why).toContain('"diabetes"');
  });

  const folder = process.env.KINDRED_DATA;
  test.skipIf(folder === undefined || folder === "")(
    "KINDRED_DATA: a learned metric is better than none on each set (3 splits)",
    async () => {
      const { tasks, skipped } = await planTwoClass(3, folder);
      expect(skipped).toEqual([]);
      for (const task of tasks) {
        const { losses } = await runTwoClassTask(task);
        const { univariate, mlca: multivariate, uncentred, euclidean } = losses;
        expect(multivariate.delta.mean).toBeLessThan(euclidean.delta.mean + 0.05);
        expect(univariate.accuracy.mean).toBeGreaterThan(euclidean.accuracy.mean - 0.01);
        expect(multivariate.delta.mean).toBeLessThan(uncentred.delta.mean + 0.05);
      }
    },
  );
});

describe("segmentation", () => {
  test("images: every pixel a row, blobs in two textures, collages in three of six", () => {
    const blob = foregroundImage(3);
    expect(blob.X.rows).toBe(blob.width * blob.height);
    expect(blob.X.cols).toBe(FEATURES.length);
    expect(blob.X.data.every(Number.isFinite)).toBe(true);
    const seen = new Set<number>();
    for (let seed = 0; seed < 12; seed++) {
      const foreground = foregroundImage(seed).labels.filter((label) => label === 0).length;
      expect(foreground / blob.X.rows).toBeGreaterThan(0.08);
      expect(foreground / blob.X.rows).toBeLessThan(0.6);
      const textures = new Set(collage(seed).labels);
      expect(textures.size).toBe(3);
      for (const texture of textures) seen.add(texture);
    }
    expect(seen.size).toBe(TEXTURES.length);
    expect(foregroundImage(3)).toEqual(blob);
  });

  test("stacked images share their classes", () => {
    const images = [collage(1), collage(2)];
    const { X, labels } = stack(images);
    expect(X.rows).toBe(2 * images[0].X.rows);
    expect(labels.subarray(images[0].X.rows)).toEqual(images[1].labels);
    expect(X.data.subarray(images[0].X.data.length)).toEqual(images[1].X.data);
  });

  test("normalised cuts find the border of two flat colours, and stop at the light of other images", () => {
    const [width, height] = [12, 9];
    const X = matrix(width * height, FEATURES.length);
    const left = Int32Array.from({ length: X.rows }, (_, p) => (p % width < 5 ? 0 : 1));
    left.forEach((side, p) => X.data.fill(0.3 + 0.4 * side, p * X.cols + 4, p * X.cols + 7));
    expect(imageCut({ width, height, X }, 2)).toEqual(left);
    const [cell] = segmentationTasks("foreground", { quick: true, seed: 7, methods: ["ncuts"] }).map(
      runSegmentationTask,
    );
    expect(cell.failure).toBeUndefined();
    expect(cell.delta!.mean).toBeGreaterThan(0.5);
    expect(cell.delta!.mean).toBeLessThan(2);
  });

  test("a metric from stacked images segments new ones, which the Euclidean distance does not", () => {
    for (const scene of ["foreground", "collage"] as const) {
      const methods = ["univariate", "mlca", "euclidean", "kissme"] as const;
      const cells = segmentationTasks(scene, { quick: true, seed: 7, methods }).map(runSegmentationTask);
      expect(cells.filter(({ failure }) => failure !== undefined)).toEqual([]);
      const loss = Object.fromEntries(cells.map(({ method, delta }) => [method, delta!.mean]));
      const rand = Object.fromEntries(cells.map(({ method, randLoss }) => [method, randLoss!.mean]));
      expect(loss.mlca).toBeLessThan(0.6 * loss.euclidean);
      expect(rand.mlca).toBeLessThan(0.6 * rand.euclidean);
      expect("univariate" in loss).toBe(scene === "foreground");
    }
  });
});

describe("report", () => {
  test("an interrupted one says so, and still has the text's numbers", async () => {
    const plan = await planMlca({ quick: true, seeds: 1 });
    const first = plan.tasks[0];
    const last = plan.tasks.at(-1)!;
    const done: MlcaDone[] = [];
    for (const task of [first, last]) done.push({ task, result: await runAnyTask(task) } as MlcaDone);
    const failed = [{ task: plan.tasks[1], cell: "Table 1, law, seed 1, xing", why: "no such luck" }];
    const report = reportMlca(plan, done, failed);
    expect(report).toMatchObject({ done: 2, planned: plan.tasks.length, failed: [{ why: "no such luck" }] });
    expect(report.tables).toMatchObject([{ geometry: "law", table: "1", cells: [{ column: "mlca" }] }]);
    expect(report.segmentation).toMatchObject([
      { task: "collage", rows: 6 * 36 * 28, cells: [{ method: "rca" }] },
    ]);
    const text = findingsText(mlcaFindings(report)).join("\n");
    expect(text).toContain("calibration, not evidence");
    expect(text).toContain("Table 1, law, seed 1, xing: failed, no such luck");
    expect(text).toContain(`stopped: 2 of ${plan.tasks.length} parts were done`);
    expect(report.published["2"].kissme?.delta).toBe(2.02);
  });
});
