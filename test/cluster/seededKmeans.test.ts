import { describe, expect, test } from "vitest";
import { askPairs, constrainedKmeans, kmeans, seededKmeans, type Answer } from "../../src/cluster/index.ts";
import { checkConstraints, type Constraints, type Pair } from "../../src/data/index.ts";
import { fromRows, type Matrix } from "../../src/matrix/index.ts";
import { adjustedRand } from "../../src/score/index.ts";
import { clouds } from "./clouds.ts";

describe("seededKmeans", () => {
  const { X, truth } = clouds(120, 3, 4, 3, 2);
  const few = Array.from(truth, (k, i) => (i < 12 ? `class ${k}` : null));

  test("clusters are numbered by class, and known rows stay", () => {
    const result = seededKmeans(X, { labels: few });
    expect(result.classes).toEqual(["class 0", "class 1", "class 2", "class 3"]);
    for (let i = 0; i < 12; i++) expect(result.labels[i]).toBe(truth[i]);
    expect(result.certificate).toMatchObject({ kind: "local optimum", seedsMoved: 0, violated: 0 });
    expect(adjustedRand(result.labels, truth)).toBeGreaterThan(0.8);
    expect(result.sizes.reduce((sum, size) => sum + size)).toBe(120);
  });

  test("a wrong label stays with fixed seeds and leaves with starting seeds", () => {
    const wrong = [...few];
    wrong[0] = "class 1";
    const fixed = seededKmeans(X, { labels: wrong });
    expect(fixed.labels[0]).toBe(1);
    const free = seededKmeans(X, { labels: wrong, free: true });
    expect(free.labels[0]).toBe(0);
    expect(free.certificate).toEqual({ kind: "local optimum", seedsMoved: 1 });
    expect(free.objective).toBeCloseTo(kmeans(X, { clusters: 4 }).objective, 6);
  });

  test("classes without a label become clusters of their own", () => {
    const two = Array.from(truth, (k, i) => (i < 12 && k < 2 ? k : -1));
    const result = seededKmeans(X, { labels: two, clusters: 4 });
    expect(result.classes).toEqual([0, 1]);
    expect(adjustedRand(result.labels, truth)).toBeGreaterThan(0.8);
  });

  test("bad input is named", () => {
    expect(() => seededKmeans(X, { labels: [1] })).toThrow(/120 rows, but 1 labels/);
    expect(() => seededKmeans(X, { labels: truth.map(() => -1) })).toThrow(/no row has a known label/);
    expect(() => seededKmeans(X, { labels: few, clusters: 3 })).toThrow(/4 classes .*3 clusters/);
    const pairs: Pair[] = [[0, 1]];
    expect(() => seededKmeans(X, { labels: few, mustLink: pairs })).toThrow(/contradict/);
    expect(() => seededKmeans(X, { labels: few, free: true, mustLink: pairs })).toThrow(/free/);
  });
});

describe("askPairs", () => {
  const { X, truth } = clouds(150, 2, 3, 2.5, 7);

  function interview(
    rows: Matrix,
    budget: number,
    strategy: "explore" | "min-max" | "margin",
    answer: (pair: Pair) => Answer,
  ): { pairs: Constraints; asked: number } {
    const questions = askPairs(rows, { clusters: 3, budget, strategy, seed: 1 });
    let asked = 0;
    let step = questions.next();
    while (step.done !== true) {
      asked++;
      expect(step.value.number).toBe(asked);
      step = questions.next(answer(step.value.pair));
    }
    return { pairs: step.value, asked };
  }

  test.each(["explore", "min-max", "margin"] as const)(
    "%s: true answers, within the budget, that help",
    (strategy) => {
      const { pairs, asked } = interview(X, 40, strategy, ([i, j]) => truth[i] === truth[j]);
      expect(asked).toBe(40);
      expect(pairs.mustLink.every(([i, j]) => truth[i] === truth[j])).toBe(true);
      expect(pairs.cannotLink.every(([i, j]) => truth[i] !== truth[j])).toBe(true);
      expect(pairs.mustLink.length + pairs.cannotLink.length).toBe(40);
      const plain = adjustedRand(kmeans(X, { clusters: 3 }).labels, truth);
      const helped = adjustedRand(
        constrainedKmeans(X, { clusters: 3, ...pairs, distances: "plain" }).labels,
        truth,
      );
      expect(helped).toBeGreaterThanOrEqual(plain);
    },
  );

  test.each(["explore", "min-max", "margin"] as const)(
    "%s: earlier answers are not asked again, nor what follows from them",
    (strategy) => {
      let known: { mustLink: Pair[]; cannotLink: Pair[] } = { mustLink: [], cannotLink: [] };
      for (let round = 0; round < 4; round++) {
        const { group, groups, cannotLink } = checkConstraints(150, known);
        const apart = new Set(cannotLink.map(([i, j]) => pairKey(group[i], group[j], groups)));
        const questions = askPairs(X, { clusters: 3, budget: 10, strategy, seed: round, ...known });
        let step = questions.next();
        while (step.done !== true) {
          const [i, j] = step.value.pair;
          expect(group[i]).not.toBe(group[j]);
          expect(apart.has(pairKey(group[i], group[j], groups))).toBe(false);
          // The clusters of the first round are known: nothing is left to explore.
          expect(round === 0 || step.value.phase === "consolidate").toBe(true);
          step = questions.next(truth[i] === truth[j]);
        }
        known = {
          mustLink: [...known.mustLink, ...step.value.mustLink],
          cannotLink: [...known.cannotLink, ...step.value.cannotLink],
        };
      }
      expect(known.mustLink.length + known.cannotLink.length).toBe(40);
      const wrong = { mustLink: [[0, 1]] as Pair[], cannotLink: [[1, 0]] as Pair[] };
      expect(() => askPairs(X, { clusters: 3, budget: 5, ...wrong }).next()).toThrow(/contradict/);
    },
  );

  test("not knowing is an answer, and the rows run out", () => {
    const { pairs, asked } = interview(X, 30, "min-max", () => null);
    expect(asked).toBe(30);
    expect(pairs).toEqual({ mustLink: [], cannotLink: [] });
    const small = fromRows([[0], [1], [5], [9]]);
    const { asked: few } = interview(small, 100, "explore", ([i, j]) => Math.abs(i - j) < 2);
    expect(few).toBeLessThan(10);
    expect(() => askPairs(small, { clusters: 9, budget: 3 }).next()).toThrow(/9 clusters of 4 rows/);
  });
});

function pairKey(g: number, h: number, groups: number): number {
  return Math.min(g, h) * groups + Math.max(g, h);
}
