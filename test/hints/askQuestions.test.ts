import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import type { Hints } from "../../src/data/index.ts";
import {
  askQuestions,
  learnFromHints,
  type AskedPair,
  type AskQuestionsOptions,
} from "../../src/hints/index.ts";
import { matrix } from "../../src/matrix/index.ts";
import { adjustedRand } from "../../src/score/index.ts";

const stream = random(8);
const n = 90;
const truth = Array.from({ length: n }, () => stream.integer(3));
const X = matrix(n, 4);
for (let i = 0; i < n; i++) {
  const nuisance = stream.integer(2) * 6;
  for (let f = 0; f < 4; f++)
    X.data[i * 4 + f] = stream.normal() + (f < 2 ? 5 * Number(truth[i] === f) : nuisance);
}

/** Answers as the truth says; returns the questions and the hints. */
function interview(options: AskQuestionsOptions): { asked: AskedPair[]; hints: Hints } {
  const round = askQuestions(X, options);
  const asked: AskedPair[] = [];
  let step = round.next();
  while (step.done !== true) {
    asked.push(step.value);
    step = round.next(truth[step.value.a] === truth[step.value.b] ? "same" : "different");
  }
  return { asked, hints: step.value };
}

describe("askQuestions", () => {
  const first = interview({ clusters: 3, budget: 20 });

  test("asks about pairs that do not follow from the answers, and teaches by them", () => {
    expect(first.asked).toHaveLength(20);
    const group = Array.from({ length: n }, (_, i) => i);
    const excluded: [number, number][] = [];
    for (const { a, b } of first.asked) {
      expect(group[a]).not.toBe(group[b]);
      for (const [i, j] of excluded) {
        expect([group[i], group[j]].sort()).not.toEqual([group[a], group[b]].sort());
      }
      if (truth[a] === truth[b]) {
        const old = group[b];
        for (let i = 0; i < n; i++) if (group[i] === old) group[i] = group[a];
      } else excluded.push([a, b]);
    }
    const found = learnFromHints(X, first.hints, { clusters: 3 });
    expect(adjustedRand(found.labels, truth)).toBeGreaterThan(0.9);
    expect(first.asked[10].trust?.answers).toBe(10);
  });

  test("the same answers lead to the same questions", () => {
    expect(interview({ clusters: 3, budget: 8 }).asked).toEqual(first.asked.slice(0, 8));
  });

  test("undo takes an answer back and asks again; skip is not asked again", () => {
    const round = askQuestions(X, { clusters: 3, budget: 6 });
    const one = round.next().value as AskedPair;
    round.next(truth[one.a] === truth[one.b] ? "same" : "different");
    const again = round.next("undo").value as AskedPair;
    expect(again).toEqual(one);
    expect(round.next("undo").value).toEqual(one);
    const other = round.next("skip").value as AskedPair;
    expect([other.a, other.b]).not.toEqual([one.a, one.b]);
    let step = round.next("same");
    while (step.done !== true) step = round.next("skip");
    expect(step.value.pairs).toEqual([{ a: other.a, b: other.b, same: true }]);
    // A skip costs no answer, but as many as the budget end the round.
    expect(step.value.skipped).toHaveLength(6);
  });

  test("a round can be taken up again, and K need not be known", () => {
    const half = interview({ budget: 6 });
    const rest = interview({ budget: 9, hints: half.hints });
    expect(rest.hints.pairs.slice(0, 6)).toEqual(half.hints.pairs);
    expect(new Set(rest.hints.pairs.map(({ a, b }) => [Math.min(a, b), Math.max(a, b)].join())).size).toBe(
      15,
    );
    expect(rest.asked.every(({ clusters }) => clusters >= 2)).toBe(true);
  });

  test("two rows", () => {
    const pair = askQuestions(matrix(2, 1, Float64Array.of(0, 1)), {});
    const step = pair.next();
    expect(step.done).toBe(false);
    expect(pair.next("different")).toEqual({
      done: true,
      value: {
        pairs: [{ a: expect.any(Number), b: expect.any(Number), same: false }],
        groups: [],
        labels: [],
        not: [],
      },
    });
    expect(() => askQuestions(matrix(1, 1), {}).next()).toThrow(/two rows/);
  });
});
