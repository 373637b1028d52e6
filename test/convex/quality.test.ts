import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { cc, ccml, ccscml, rcc, scc, type ConvexOptions } from "../../src/recipes/index.ts";
import { gaussianMixtureOutliers, namedData, scale } from "../../src/data/index.ts";
import { isSparse, type Matrix, toDense } from "../../src/matrix/index.ts";
import { rand } from "../../src/score/index.ts";
import { shared } from "../../bench/shared.mjs";

/*
 * Published data, K given, no label looked at. Targets are those of Sui et al. 2018, Table 1, and Sui 2018, Table 4.2
 * (best 80.5, 72.9 and 86.0 % on seeds, wine and image), and of our own reproduction. seeds and segment are read from
 * the data folder: KINDRED_DATA, by default ../shared/datasets.
 */
const folder = shared("datasets");
const there = existsSync(`${folder}/index.json`);

async function load(name: string): Promise<{ X: Matrix; classes: readonly string[] }> {
  const { X, label } = await namedData(name, { folder });
  return { X: scale(isSparse(X) ? toDense(X) : X, "zscore").X, classes: label!.values };
}

const methods = { cc, rcc, scc, ccml, ccscml };
type Name = keyof typeof methods;

async function unsupervised(set: string, name: Name, options: ConvexOptions): Promise<number> {
  const { X, classes } = await load(set);
  const { norm: _norm, solver: _solver, ...common } = options;
  const found = methods[name](X, common);
  for (const step of found.path.steps) expect(step.certificate.relativeGap).toBeLessThanOrEqual(1e-6);
  return rand(found.labels, classes);
}

describe("wine", () => {
  test.each<[Name, number]>([
    ["cc", 0.954],
    ["rcc", 0.954],
    ["scc", 0.954],
    ["ccml", 0.954],
    ["ccscml", 0.954],
  ])("%s reaches Rand %d", async (name, target) => {
    expect(await unsupervised("wine", name, { clusters: 3 })).toBeGreaterThanOrEqual(target);
  });

  test("some setting has 0.98", async () => {
    const { X, classes } = await load("wine");
    const found = ccscml(X, { clusters: 3, neighbors: 20 });
    const offered = found.rounds.flatMap(({ fit }) => fit.candidates);
    expect(Math.max(...offered.map(({ labels }) => rand(labels, classes)))).toBeGreaterThanOrEqual(0.98);
  });
});

// Visible in the report when the folder is absent; the other tests of this file do not need it.
describe.runIf(there)("seeds and image segmentation", () => {
  test.each<[Name, number]>([
    ["cc", 0.88],
    ["rcc", 0.88],
    ["scc", 0.88],
    ["ccml", 0.805],
    ["ccscml", 0.9],
  ])("seeds: %s reaches Rand %d", async (name, target) => {
    expect(await unsupervised("seeds", name, { clusters: 3 })).toBeGreaterThanOrEqual(target);
  });

  test("seeds: some setting of ccscml has 0.94", async () => {
    const { X, classes } = await load("seeds");
    const found = ccscml(X, { clusters: 3, merge: "both", neighbors: 20 });
    const offered = found.rounds.flatMap(({ fit }) => fit.candidates);
    expect(Math.max(...offered.map(({ labels }) => rand(labels, classes)))).toBeGreaterThanOrEqual(0.94);
  });

  test.each<[Name, number]>([
    ["cc", 0.9],
    ["scc", 0.9],
    ["ccscml", 0.9],
  ])("image, min-max: %s reaches Rand %d", async (name, target) => {
    const options = { clusters: 7, scale: "minmax" } as const;
    expect(await unsupervised("segment", name, options)).toBeGreaterThanOrEqual(target);
  });
});

describe("ccml", () => {
  test("no half step raises the objective on wine, iris, seeds (if there) and the mixture with outlier features", async () => {
    const mixture = gaussianMixtureOutliers({ outliers: 4, perClass: 40, seed: 3 }).X;
    const sets = await Promise.all(["wine", "iris", ...(there ? ["seeds"] : [])].map(load));
    for (const X of [...sets.map((set) => set.X), mixture]) {
      const { gamma } = cc(X, { clusters: 3 });
      for (const factor of [1, 0.2]) {
        const { history } = ccml(X, { gamma: gamma * factor, iterations: 5, tolerance: 1e-9 });
        for (let h = 1; h < history.length; h++) {
          expect(history[h].objective).toBeLessThanOrEqual(history[h - 1].objective * (1 + 1e-10));
        }
      }
    }
  });

  test("raw mixture with outlier features: with the rebuilt graph it beats cc, rcc and scc", () => {
    for (const outliers of [2, 7]) {
      const { X, labels } = gaussianMixtureOutliers({ outliers, seed: 1 });
      const options = { clusters: 3, scale: "none" } as const;
      const learned = rand(ccml(X, { ...options, rebuildGraph: true, iterations: 10 }).labels, labels);
      for (const other of [cc, rcc, scc])
        expect(learned).toBeGreaterThan(rand(other(X, options).labels, labels));
    }
  });
});
