import { describe, expect, test } from "vitest";
import { random, type Random } from "../../src/core/random.ts";
import { learnFromHints } from "../../src/hints/index.ts";
import { matrix, type Matrix } from "../../src/matrix/index.ts";
import { adjustedRand } from "../../src/score/index.ts";

interface Answer {
  readonly a: number;
  readonly b: number;
  readonly same: boolean;
}

/** Three groups, far apart. */
function groups(n: number, stream: Random): { X: Matrix; kinds: number[] } {
  const X = matrix(n, 3);
  const kinds = Array.from({ length: n }, (_, i) => i % 3);
  for (let p = 0; p < X.data.length; p++)
    X.data[p] = stream.normal() + (kinds[Math.floor(p / 3)] === p % 3 ? 7 : 0);
  return { X, kinds };
}

function answersOf(kinds: readonly number[], count: number, stream: Random): Answer[] {
  const found = new Map<string, Answer>();
  while (found.size < count) {
    const a = stream.integer(kinds.length - 1);
    const b = a + 1 + stream.integer(kinds.length - a - 1);
    found.set(`${a} ${b}`, { a, b, same: kinds[a] === kinds[b] });
  }
  return [...found.values()];
}

/** The first `count` answers are wrong. */
function withWrong(answers: readonly Answer[], count: number): Answer[] {
  return answers.map((one, p) => (p < count ? { ...one, same: !one.same } : one));
}

const rowsOf = (answers: readonly Answer[]): string[] => answers.map(({ a, b }) => `${a} ${b}`).sort();

describe("suspicious hints", () => {
  const { X, kinds } = groups(120, random(5));
  const answers = answersOf(kinds, 40, random(6));

  test("answers that are all right are not suspicious", () => {
    const found = learnFromHints(X, { pairs: answers }, { clusters: 3 });
    expect(found.suspicious).toEqual([]);
    expect(found.notes.filter(({ code }) => code === "suspicious")).toEqual([]);
  });

  test("wrong answers are kept on request", () => {
    const pairs = withWrong(answers, 2);
    const found = learnFromHints(X, { pairs }, { clusters: 3, certain: true });
    expect(found.suspicious).toEqual([]);
    const set = new Set(
      found.contradictions.flatMap(({ setAside }) => setAside.map(({ a, b }) => `${a} ${b}`)),
    );
    const used = pairs.filter(({ a, b }) => !set.has(`${a} ${b}`));
    expect(used.filter(({ a, b, same }) => (found.labels[a] === found.labels[b]) !== same)).toEqual([]);
    expect(() => learnFromHints(X, { pairs }, { certain: "yes" as unknown as boolean })).toThrow(
      /option "certain"/,
    );
  });

  test.each([1, 2, 4])("%i wrong answers of 40 are found, and teach nothing", (count) => {
    const pairs = withWrong(answers, count);
    const found = learnFromHints(X, { pairs }, { clusters: 3 });
    expect(found.suspicious.map(({ rows }) => rows.join(" ")).sort()).toEqual(rowsOf(pairs.slice(0, count)));
    for (const { rows, same, kept, likely, message } of found.suspicious) {
      expect(likely).toBeLessThan(0.1);
      expect(found.labels[rows[0]] === found.labels[rows[1]]).toBe(same === kept);
      expect(message.includes("it is not used")).toBe(!kept);
    }
    expect(found.notes.filter(({ code }) => code === "suspicious")).toHaveLength(count);
    const named = new Set(pairs.slice(0, count).flatMap(({ a, b }) => [a, b]));
    const rest = kinds.map((_, i) => i).filter((i) => !named.has(i));
    const agreement = adjustedRand(
      rest.map((i) => found.labels[i]),
      rest.map((i) => kinds[i]),
    );
    expect(agreement).toBe(1);
    expect(found.explained.answers).toBe(40);
    expect(found.explained.share).toBeLessThan(1);
  });

  test("the order of the answers does not matter", () => {
    const pairs = withWrong(answers, 3);
    const found = learnFromHints(X, { pairs }, { clusters: 3 });
    const turned = pairs.map(({ a, b, same }) => ({ a: b, b: a, same })).reverse();
    const again = learnFromHints(X, { pairs: turned }, { clusters: 3 });
    expect(again.suspicious.map(({ rows, same, kept }) => ({ rows, same, kept }))).toEqual(
      found.suspicious.map(({ rows, same, kept }) => ({ rows, same, kept })),
    );
    expect(again.labels).toEqual(found.labels);
  });

  test("a wrong answer about a row in no other hint moves no row, also not this one", () => {
    const right = answersOf(kinds.slice(0, 110), 30, random(8));
    const wrong = { a: right.find(({ a }) => kinds[a] !== kinds[119])!.a, b: 119, same: true };
    const found = learnFromHints(X, { pairs: [...right, wrong] }, { clusters: 3 });
    expect(found.suspicious).toMatchObject([{ rows: [wrong.a, 119], same: true, kept: false }]);
    expect(adjustedRand(found.labels, kinds)).toBe(1);
  });

  test("many answers, of which a few join whole groups, do not spoil the clusters", () => {
    const pairs = withWrong(answersOf(kinds, 200, random(9)), 12);
    for (const clusters of [3, undefined]) {
      const found = learnFromHints(X, { pairs }, { clusters });
      expect(found.clusters).toBe(3);
      expect(adjustedRand(found.labels, kinds)).toBeGreaterThan(0.95);
      // Every answer that does not hold is named.
      const named = new Set([
        ...found.suspicious.map(({ rows, same }) => `${rows.join(" ")} ${same}`),
        ...found.contradictions.flatMap(({ setAside }) =>
          setAside.map(({ a, b, same }) => `${a} ${b} ${same}`),
        ),
      ]);
      const broken = pairs.filter(({ a, b, same }) => (found.labels[a] === found.labels[b]) !== same);
      expect(broken.filter(({ a, b, same }) => !named.has(`${a} ${b} ${same}`))).toEqual([]);
    }
  });

  test("a wrong label is named with its row; so is a row that is in the wrong group, or wrongly denied", () => {
    const label = (row: number): { row: number; label: string } => ({ row, label: "pqr"[kinds[row]] });
    const labels = Array.from({ length: 24 }, (_, row) => label(3 * row + (row % 3)));
    const wrong = { row: 0, label: "q" };
    const byLabel = learnFromHints(X, { labels: [wrong, ...labels.slice(1)] });
    expect(byLabel.suspicious).toMatchObject([{ rows: [0], same: true }]);
    expect(byLabel.suspicious[0].message).toContain('row 0 is said to be "q"');
    expect(byLabel.names).toHaveLength(3);
    const ofKind = (k: number, count: number): number[] =>
      kinds
        .map((_, i) => i)
        .filter((i) => kinds[i] === k)
        .slice(5, 5 + count);
    const groups = [[...ofKind(0, 8), 1], ofKind(1, 8), ofKind(2, 8)];
    // Groups alone do not say that they differ.
    const differ = [0, 1, 2].map((k) => ({ a: groups[k][0], b: groups[(k + 1) % 3][0], same: false }));
    const byGroup = learnFromHints(X, { groups, pairs: differ });
    expect(byGroup.suspicious).toMatchObject([{ rows: [1], same: true }]);
    const denied = learnFromHints(X, { labels, not: [{ row: 117, label: "p" }] });
    expect(denied.suspicious).toMatchObject([{ rows: [117], same: false, kept: false }]);
  });

  test("hints that nothing predicts accuse none of them", () => {
    const stream = random(11);
    const cloud = matrix(100, 3);
    for (let p = 0; p < cloud.data.length; p++) cloud.data[p] = stream.normal();
    const noise = Array.from({ length: 100 }, () => stream.integer(2));
    const found = learnFromHints(cloud, { pairs: answersOf(noise, 40, stream) }, { clusters: 2 });
    expect(found.suspicious).toEqual([]);
  });
});
