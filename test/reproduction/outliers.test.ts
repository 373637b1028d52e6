import { describe, expect, test } from "vitest";
import { figureSvg } from "../../reproduction/convex/figureSvg.ts";
import { outlierFigure, repetitionTasks, sweepTasks } from "../../reproduction/convex/outlierFigure.ts";
import {
  FIGURE_METHODS,
  type Repetition,
  type RepetitionTask,
  runRepetition,
} from "../../reproduction/convex/outlierRepetition.ts";

const task = (outliers: number, seed: number, scale: "none" | "zscore" = "none"): RepetitionTask => ({
  kind: "repetition",
  scale,
  outliers,
  deviation: 5,
  seed,
});

describe("outlier features", () => {
  test("raw data: CCML with the rebuilt graph is far ahead of CC, RCC and SCC", () => {
    for (const outliers of [3, 7]) {
      const { scores, gap, solves } = runRepetition(task(outliers, 4));
      const { cc, rcc, scc, ccmlRebuilt } = scores;
      expect(ccmlRebuilt.chosen).toBeGreaterThan(Math.max(cc.chosen, rcc.chosen, scc.chosen) + 0.2);
      expect(gap).toBeLessThanOrEqual(1e-6);
      expect(solves).toBeGreaterThan(100);
    }
  });

  test("scaled data: nothing is left to rescue", () => {
    const { scores } = runRepetition(task(3, 1, "zscore"));
    for (const method of FIGURE_METHODS) {
      expect(scores[method].chosen).toBeGreaterThan(0.95);
      expect(scores[method].best).toBeGreaterThanOrEqual(scores[method].chosen);
    }
  });

  test("convergence at 7 outlier features: at a held gamma no objective rises", () => {
    const { convergence } = runRepetition(task(7, 1));
    for (const method of ["rcc", "ccml"] as const) {
      const { objective, rand } = convergence![method];
      expect(rand.length).toBe(objective.length);
      for (let i = 1; i < objective.length; i++) {
        expect(objective[i]).toBeLessThanOrEqual(objective[i - 1] * (1 + 1e-10));
      }
    }
  });
});

describe("the figure", () => {
  const repetition = (values: number): Repetition => ({
    scores: Object.fromEntries(
      FIGURE_METHODS.map((method) => [method, { chosen: values, best: values }]),
    ) as Repetition["scores"],
    gap: 1e-8,
    solves: 10,
  });
  const done = [0.8, 0.9, 1].map((value, r) => ({ task: task(2, r + 1), result: repetition(value) }));

  test("means and standard errors", () => {
    const { points, solves } = outlierFigure(done);
    expect(points).toHaveLength(1);
    expect(points[0].chosen.cc.mean).toBeCloseTo(0.9, 12);
    expect(points[0].chosen.cc.deviation).toBeCloseTo(0.1, 12);
    expect(solves).toBe(30);
  });

  test("seeds are the same at every point", () => {
    const tasks = repetitionTasks(2);
    expect(tasks).toHaveLength(32);
    expect(new Set(tasks.map(({ seed }) => seed))).toEqual(new Set([1, 2]));
    const sweep = sweepTasks(2);
    expect(sweep).toHaveLength(48);
    expect(new Set(sweep.map(({ deviation }) => deviation)).size).toBe(6);
    expect(new Set(sweep.map(({ seed }) => seed))).toEqual(new Set([101, 102]));
  });

  test("is a picture of finite numbers, or absent", () => {
    const svg = figureSvg(outlierFigure(done), "none")!;
    expect(svg).toMatch(/^<svg [^>]*>[\s\S]*<\/svg>\n$/);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    expect(figureSvg(outlierFigure(done), "zscore")).toBeUndefined();
  });
});
