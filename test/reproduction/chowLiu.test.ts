import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { random } from "kindred";
import { matrix, type Matrix } from "kindred/matrix";
import { chowLiuSelect } from "kindred/select";
import { findingsText } from "../../reproduction/page.ts";
import { type ChowLiuPlan, planChowLiu, reportChowLiu } from "../../reproduction/chow-liu/chowLiu.ts";
import {
  judgeSplit,
  runSplit,
  type SplitResult,
  type SplitTask,
} from "../../reproduction/chow-liu/chowLiuSplit.ts";
import { CLASSIFIERS, PROTOCOL, SELECTIONS } from "../../reproduction/chow-liu/chowLiuTables.ts";
import { chowLiuFindings, chowLiuSvg } from "../../reproduction/chow-liu/chowLiuText.ts";
import { textChowLiu } from "../../reproduction/chow-liu/textChowLiu.ts";
import { shared } from "../../bench/shared.mjs";

const folder = shared("datasets");

/** Three classes; columns in blocks: informative, noisy copies of those, noise, constant. */
function blocks(rows: number): { X: Matrix; labels: string[] } {
  const stream = random(4);
  const labels = Array.from({ length: rows }, (_, i) => "abc"[i % 3]);
  const X = matrix(rows, 24);
  for (let i = 0; i < rows; i++) {
    const own = Array.from({ length: 6 }, (_, f) => (f % 3 === i % 3 ? 3 : 0) + stream.normal());
    const copies = own.map((value) => value + 0.1 * stream.normal());
    const noise = own.map(() => stream.normal());
    X.data.set([...own, ...copies, ...noise, 1, 1, 1, 1, 1, 1], 24 * i);
  }
  return { X, labels };
}

describe("one split", () => {
  const { X, labels } = blocks(300);
  const result = judgeSplit(X, labels, { seed: 1, train: 0.2, sizes: [3, 6], inside: false });

  test("every selection but random tells the classes apart with six features", () => {
    for (const classifier of CLASSIFIERS) {
      for (const name of ["clt", "mrmr", "cfs"] as const) {
        expect(result.accuracies[name][classifier][1]).toBeGreaterThan(0.8);
      }
      expect(result.all[classifier]).toBeGreaterThan(0.8);
    }
    expect(result.majority).toBeCloseTo(1 / 3, 1);
    expect(result.constant).toBe(6);
  });

  test("the second reading selects on the same rows, and learns inside the others", () => {
    const inside = judgeSplit(X, labels, { seed: 1, train: 0.2, sizes: [3, 6], inside: true });
    expect([inside.byGain, inside.constantSelected]).toEqual([result.byGain, result.constantSelected]);
    for (const classifier of CLASSIFIERS) {
      // More rows to learn from.
      expect(inside.all[classifier]).toBeGreaterThanOrEqual(result.all[classifier] - 0.02);
    }
    expect(inside.accuracies).not.toEqual(result.accuracies);
  });

  test("is the same whenever it is run", () => {
    const again = judgeSplit(X, labels, { seed: 1, train: 0.2, sizes: [3, 6], inside: false });
    expect(again).toEqual(result);
    expect(
      judgeSplit(X, labels, { seed: 2, train: 0.2, sizes: [3], inside: false }).accuracies.random,
    ).not.toEqual(result.accuracies.random);
  });
});

describe("Algorithm 3 of the text, line 11 corrected", () => {
  const { X, labels } = blocks(60);

  test("agrees with ours as long as there are gains, then takes whatever comes first, constants too", () => {
    const repaired = chowLiuSelect(X, labels, { features: 18, fill: "none" });
    const literal = textChowLiu(X, labels, 24);
    const gains = repaired.features.length;
    expect(gains).toBeLessThan(18);
    expect(literal.subarray(0, gains)).toEqual(repaired.features);
    expect(new Set(literal).size).toBe(24);
    expect(literal.some((f) => f >= 18)).toBe(true);
  });
});

/** A plan with results that are made up: CLT above mRMR, level with CFS. */
function madeUp(splits: number): { plan: ChowLiuPlan; done: { task: SplitTask; result: SplitResult }[] } {
  const { sizes } = PROTOCOL;
  const tasks = Array.from({ length: splits }, (_, s): SplitTask => ({
    kind: "split",
    set: "coil20",
    seed: s + 1,
    train: 0.1,
    sizes,
    inside: false,
  }));
  const level = { clt: 0.8, mrmr: 0.7, cfs: 0.8, cltText: 0.8, maxRelevance: 0.5, random: 0.4 };
  const done = tasks.map((task, s) => ({
    task,
    result: {
      accuracies: Object.fromEntries(
        SELECTIONS.map((name) => {
          const wave =
            name === "cfs" ? (s % 2 === 0 ? 0.01 : -0.01) : 0.001 * (s % 3) * (name === "clt" ? 1 : 2);
          const curve = sizes.map((size) => level[name] + wave + size / 800);
          return [name, Object.fromEntries(CLASSIFIERS.map((classifier) => [classifier, curve]))];
        }),
      ),
      all: { naiveBayes: 0.9, svm: 0.9, forest: 0.9 },
      majority: 0.05,
      byGain: 50,
      constant: 0,
      constantSelected: 0,
    } as unknown as SplitResult,
  }));
  const sets = [{ set: "coil20" as const, source: "made up", rows: 1440, features: 1024, classes: 20 }];
  return { plan: { sizes, train: 0.1, repetitions: splits, sets, inside: false, skipped: [], tasks }, done };
}

describe("the report", () => {
  test("has paired differences, verdicts on the claims, a text and pictures", () => {
    const { plan, done } = madeUp(6);
    const report = reportChowLiu(plan, done.toReversed());
    const [figure] = report.sets[0].figures;
    expect(figure.figure).toBe("6.8");
    expect(figure.differences.mrmr.mean).toBeCloseTo(0.099, 6);
    expect(figure.differences.mrmr.wins).toBe(6);
    expect(figure.curves.clt[0].mean).toBeCloseTo(0.80725, 6);
    const verdicts = report.claims.filter((claim) => claim.figure === "6.8").map(({ verdict }) => verdict);
    expect(verdicts).toEqual(["holds", "not decided", "does not hold"]);
    const text = findingsText(chowLiuFindings(report)).join("\n");
    expect(text).toContain("figure 6.10: CLT outperforms mRMR: holds (+9.9 +- ");
    expect(text).toContain(
      "figure 6.8: the accuracy of CLT is stable below 50 features: does not hold (+1.3 points from 40 to 50 features)",
    );
    const svg = chowLiuSvg(report.sets[0], figure, report.sizes);
    expect(svg).toMatch(
      /^<svg [^]*<title>Figure 6\.8: COIL-20, naive Bayes<\/title>[^]*all features[^]*<\/svg>\n$/,
    );
    expect(svg).not.toContain("NaN");
  });

  test("says what is missing after an interrupt, and needs no second split", () => {
    const { plan, done } = madeUp(4);
    const report = reportChowLiu(plan, done.slice(0, 1));
    expect(report.sets[0].figures[0].differences.mrmr).toMatchObject({ p: null, deviation: 0 });
    expect(findingsText(chowLiuFindings(report)).at(-1)).toBe("stopped: 1 of 4 parts were done");
    expect(findingsText(chowLiuFindings(reportChowLiu(plan, [])))).toContain(
      "stopped: 0 of 4 parts were done",
    );
  });

  test("skips sets that are not there", async () => {
    const empty = mkdtempSync(join(tmpdir(), "kindred-chow-liu-"));
    writeFileSync(join(empty, "index.json"), JSON.stringify({ datasets: [] }));
    onTestFinished(() => rmSync(empty, { recursive: true }));
    const { tasks, skipped } = await planChowLiu({ folder: empty });
    expect(tasks).toEqual([]);
    expect(skipped.map(({ set }) => set)).toEqual(["arrhythmia", "mfeat", "coil20"]);
    expect(skipped[1].why).toMatch('there is no data set "mfeat"');
  });
});

test.skipIf(!existsSync(`${folder}/arrhythmia-420.csv`))(
  "arrhythmia: gains end early, and the stop rule beats index order (needs KINDRED_DATA)",
  async () => {
    const { tasks } = await planChowLiu({ folder, sets: ["arrhythmia"], quick: true });
    const results = await Promise.all(tasks.map((task) => runSplit({ ...task, sizes: [50] })));
    const mean = (name: (typeof SELECTIONS)[number]): number =>
      results.reduce((sum, { accuracies }) => sum + accuracies[name].svm[0], 0) / results.length;
    for (const { byGain, constantSelected } of results) {
      expect(byGain).toBeLessThan(20);
      expect(constantSelected).toBeGreaterThan(20);
    }
    expect(mean("clt")).toBeGreaterThan(mean("cltText") + 0.02);
  },
);
