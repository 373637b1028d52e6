import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { random } from "kindred";
import { checkConstraints, samplePairs } from "kindred/data";
import { matrix } from "kindred/matrix";
import { pairScores } from "kindred/score";
import { findingsText } from "../../reproduction/page.ts";
import {
  type BregmanDone,
  planBregman,
  publishedReports,
  reportBregman,
} from "../../reproduction/bregman/bregman.ts";
import { bregmanRun, judged } from "../../reproduction/bregman/bregmanRun.ts";
import {
  bregmanSparseFindings,
  planBregmanSparse,
  reportBregmanSparse,
  type SparseDone,
} from "../../reproduction/bregman/bregmanSparse.ts";
import { openF1 } from "../../reproduction/bregman/bregmanSparseCell.ts";
import { distanceToPossible, METHODS, pairsOf } from "../../reproduction/bregman/bregmanTables.ts";
import { runSparseTask } from "../../reproduction/bregman/bregmanTask.ts";
import { bregmanFindings } from "../../reproduction/bregman/bregmanText.ts";

test("a printed cell is possible exactly if some partition has it", () => {
  // 3 + 2 rows: the classes themselves, and everything in one cluster (4 of 10 pairs are right).
  expect(distanceToPossible(100, 100, 3, 2)).toBe(0);
  expect(distanceToPossible(40, 100, 3, 2)).toBe(0);
  expect(distanceToPossible(100, 50, 300, 200)).toBeGreaterThan(20);
});

test("the cells of Bk-means on diabetes, ionosphere and sonar are impossible, that on breast is not", () => {
  const cell = (set: "breast" | "diabetes" | "ionosphere" | "sonar", sizes: [number, number]): boolean =>
    publishedReports(set, sizes).find(({ method }) => method === "bkmeans")!.impossible;
  expect(cell("breast", [444, 239])).toBe(false);
  expect(cell("diabetes", [500, 268])).toBe(true);
  expect(cell("ionosphere", [225, 126])).toBe(true);
  expect(cell("sonar", [111, 97])).toBe(true);
});

test("figures over all pairs are those of pairScores, over open pairs those without what is implied", () => {
  const stream = random(2);
  const draw = (): Int32Array => Int32Array.from({ length: 40 }, () => stream.integer(2));
  const labels = draw();
  const truth = draw();
  const component = Int32Array.from({ length: 40 }, (_, i) => (i < 10 ? 0 : i));
  const exclude: [number, number][] = [];
  for (let i = 0; i < 10; i++) for (let j = 0; j < i; j++) exclude.push([i, j]);
  const { all, open } = judged(labels, truth, component);
  expect(all.f1).toBeCloseTo(100 * pairScores(labels, truth).f1, 10);
  expect(open!.f1).toBeCloseTo(100 * pairScores(labels, truth, { exclude }).f1, 10);
  expect(judged(labels, truth, new Int32Array(40)).open).toBeUndefined();
});

test("a run has every method, and enforced pairs cannot hurt what they settle", () => {
  const stream = random(7);
  const truth = Int32Array.from({ length: 60 }, (_, i) => i % 2);
  const X = matrix(60, 3);
  for (let p = 0; p < X.data.length; p++) {
    X.data[p] = stream.normal() + (p % 3 === 0 ? 1.5 * truth[Math.floor(p / 3)] : 0);
  }
  const { alone, enforced, implied } = bregmanRun(X, truth, 2, "0.3 n", 1);
  expect(Object.keys(alone)).toEqual(METHODS.filter((method) => method !== "ckmeans"));
  expect(Object.keys(enforced)).toEqual(METHODS.filter((method) => method !== "kmeans"));
  expect(implied).toBeGreaterThan(0);
  expect(pairsOf("0.3 n", 60)).toBe(9);
  // All labels are settled by so many pairs.
  const sure = bregmanRun(X, truth, 2, "1000", 1, []);
  expect(sure.implied).toBe(1);
});

test("means are over what is done, and a stopped report says so", () => {
  const task = { kind: "bregman", set: "sonar", budget: "1000" } as const;
  const tasks = [0, 1, 2].map((run) => ({ ...task, run }));
  const oneCluster = { precision: 50, recall: 100, f1: 66.7 };
  const sonar = {
    set: "sonar",
    rows: 208,
    features: 60,
    classes: [111, 97],
    oneCluster,
    published: [],
  } as const;
  const plan = { runs: 3, sets: [sonar], skipped: [], tasks };
  const done = tasks.slice(0, 2).map((one): BregmanDone => {
    const all = { precision: 50, recall: 50, f1: 50 + 10 * one.run };
    const alone = { kmeans: { all, open: undefined } };
    return { task: one, result: { implied: 1, alone, enforced: {}, seconds: { kmeans: 1 } } };
  });
  const report = reportBregman(plan, done);
  expect(report).toMatchObject({ done: 2, planned: tasks.length });
  expect(report.sets[0].budgets[0].cells[0].alone!.f1.mean).toBe(55);
  expect(findingsText(bregmanFindings(report)).join("\n")).toMatch(/stopped: 2 of \d+ parts were done/);
});

test.each([2, 3])("the open pairs of Table 3 are those outside the closure, %i clusters", (clusters) => {
  const stream = random(7);
  const n = 30;
  const truth = Int32Array.from({ length: n }, (_, i) => i % clusters);
  const labels = truth.map((code) => (stream.uniform() < 0.3 ? stream.integer(clusters) : code));
  const checked = checkConstraints(n, samplePairs(truth, { mustLink: 12, cannotLink: 9, seed: 5 }));
  // 1: together, -1: apart, 0: not settled; with two clusters the relation is closed by Warshall's algorithm.
  const same = Array.from({ length: n }, (_, i) =>
    checked.group.map((g) => (g === checked.group[i] ? 1 : 0)),
  );
  for (const [i, j] of checked.cannotLink) {
    for (let a = 0; a < n; a++)
      for (let b = 0; b < n; b++)
        if (checked.group[a] === checked.group[i] && checked.group[b] === checked.group[j])
          same[a][b] = same[b][a] = -1;
  }
  for (let k = 0; k < (clusters === 2 ? n : 0); k++) {
    for (let a = 0; a < n; a++) for (let b = 0; b < n; b++) same[a][b] ||= same[a][k] * same[k][b];
  }
  const exclude: [number, number][] = [];
  for (let a = 0; a < n; a++) for (let b = 0; b < a; b++) if (same[a][b] !== 0) exclude.push([b, a]);
  expect(exclude.length).toBeGreaterThan(21);
  expect(openF1(labels, truth, checked, clusters)).toBeCloseTo(
    100 * pairScores(labels, truth, { exclude }).f1,
    10,
  );
});

test("Table 3 on a small sparse set: every column, seconds and memory; sets that are not there are named", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kindred-sparse-"));
  try {
    const stream = random(3);
    const lines = Array.from({ length: 120 }, (_, i) => {
      const own = 1 + 10 * (i % 2);
      return `${i % 2 === 0 ? 1 : 2} ${own + stream.integer(5)}:1 ${own + 5 + stream.integer(5)}:2`;
    });
    writeFileSync(join(folder, "w1a.libsvm"), `${lines.join("\n")}\n`);
    const entry = {
      name: "w1a",
      file: "w1a.libsvm",
      format: "libsvm",
      rows: 120,
      features: 20,
      n_classes: 2,
    };
    writeFileSync(join(folder, "index.json"), JSON.stringify({ datasets: [entry] }));
    const plan = await planBregmanSparse({ sets: ["w1a", "webkb4"], runs: 1, folder });
    const done: SparseDone[] = [];
    for (const task of plan.tasks)
      done.push({ task, result: { ...(await runSparseTask(task)), megabytes: 1 } });
    const report = reportBregmanSparse(plan, done);
    expect(report.done).toBe(report.planned);
    const { cells } = report.sets[0];
    expect(cells).toHaveLength(13);
    expect(cells.at(-1)!.f1.mean).toBeGreaterThan(90);
    // 1000 pairs settle all 120 rows; one cluster is no better than chance.
    expect(cells[0]).toMatchObject({
      column: "one cluster",
      adjustedRand: { mean: 0 },
      largest: { mean: 100 },
    });
    expect(cells.some(({ openF1, untouchedF1 }) => openF1 !== undefined || untouchedF1 !== undefined)).toBe(
      false,
    );
    expect(report.skipped[0].set).toBe("webkb4");
    const { skipped, tasks } = await planBregman({ sets: ["sonar"], folder });
    expect(skipped[0].why).toMatch(/there is no data set "sonar"/);
    expect(tasks).toEqual([]);
    expect(findingsText(bregmanSparseFindings(report)).join("\n")).toMatch(
      /w1a: 120 rows, 20 features, 2 classes/,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
