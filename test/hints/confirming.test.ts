import { expect, test } from "vitest";
import { random, type Random } from "../../src/core/random.ts";
import { learnFromHints, type HintedClustering } from "../../src/hints/index.ts";
import { unhintedLibrary } from "../../src/run/fit/unhintedLibrary.ts";
import { matrix, type Matrix } from "../../src/matrix/index.ts";
import { adjustedRand } from "../../src/score/index.ts";

const ROWS = 120;

/** Rows about a centre of each group, by what is added to it. */
function rowsOf(groups: number, columns: number, at: (kind: number, f: number, stream: Random) => number) {
  const stream = random(11);
  const X = matrix(ROWS, columns);
  const kinds = Array.from({ length: ROWS }, (_, i) => i % groups);
  for (let p = 0; p < X.data.length; p++) X.data[p] = at(kinds[Math.floor(p / columns)], p % columns, stream);
  return { X, kinds };
}

const TABLES: Record<string, { X: Matrix; kinds: number[] }> = {
  apart: rowsOf(3, 3, (kind, f, stream) => stream.normal() + (kind === f ? 8 : 0)),
  overlapping: rowsOf(3, 3, (kind, f, stream) => stream.normal() + (kind === f ? 3 : 0)),
  "beside columns of noise": rowsOf(4, 7, (kind, f, stream) => stream.normal() + (kind === f ? 6 : 0)),
  "of unequal spread": rowsOf(2, 2, (kind, _, stream) => (1 + 3 * kind) * stream.normal() + 9 * kind),
  "of levels": rowsOf(3, 9, (kind, f, stream) => Number(stream.uniform() < (f % 3 === kind ? 0.9 : 0.1))),
};

test.each(Object.keys(TABLES))(
  "answers that agree with the result move no row and lower no trust: rows %s",
  { timeout: 60_000 },
  (name) => {
    const { X, kinds } = TABLES[name];
    const stream = random(5);
    const pairs = (labels: ArrayLike<number>, count: number) =>
      Array.from({ length: count }, () => {
        const a = stream.integer(ROWS);
        const b = (a + 1 + stream.integer(ROWS - 1)) % ROWS;
        return { a, b, same: labels[a] === labels[b] };
      });
    const { library, clusters: without } = unhintedLibrary(X, { seed: 0 }, {});
    const learn = (answers: ReturnType<typeof pairs>): HintedClustering =>
      learnFromHints(X, { pairs: answers }, { library, without });

    let before = learn([]);
    const agreeing = pairs(before.labels, 40);
    for (const count of [10, 20, 40]) {
      const after = learn(agreeing.slice(0, count));
      expect(after.labels).toEqual(before.labels);
      expect(after.trust.expected).toBeGreaterThanOrEqual(before.trust.expected);
      expect(after.suspicious).toEqual([]);
      before = after;
    }

    const told = pairs(kinds, 25);
    const first = learn(told);
    const confirmed = learn([...told, ...pairs(first.labels, 25)]);
    expect(adjustedRand(confirmed.labels, first.labels)).toBeGreaterThan(0.97);
    expect(confirmed.trust.expected).toBeGreaterThanOrEqual(first.trust.expected);
  },
);
