import { expect, test } from "vitest";
import { asTable } from "../../src/data/columns/asTable.ts";
import { disagreement, matching } from "../../src/run/compare/disagreement.ts";
import { random } from "../../src/core/random.ts";

const rows = Array.from({ length: 12 }, (_, i) => ({
  age: [20, 21, 22, 60, 61, 62, 40, 41, 42, 43, 44, 45][i],
  plan: i === 3 || i === 4 || i === 5 ? "paid" : "free",
}));
const table = asTable(rows);
const recommended = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1];

test("rows that move are named by their clusters, and told apart in the columns of the table", () => {
  const {
    rows: count,
    changes,
    words,
  } = disagreement(table, recommended, [7, 7, 7, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
  expect(count).toBe(3);
  expect(changes).toMatchObject([{ kind: "moves", from: 0, to: 1, rows: 3, of: 6, examples: [3, 4, 5] }]);
  expect(words).toContain("3 rows of cluster 0 are in cluster 1: ");
  expect(words).toContain("age 61 rather than 21");
  expect(words).toContain("plan: 100 % paid rather than 0 %");
});

test("clusters that part, join, leave and enter", () => {
  const kind = (a: number[], b: number[]): unknown[] =>
    disagreement(table, a, b).changes.map((change) => [change.kind, change.from, change.to, change.rows]);
  const three = [0, 0, 0, 2, 2, 2, 1, 1, 1, 1, 1, 1];
  expect(kind(recommended, three)).toEqual([["parts", 0, null, 3]]);
  expect(kind(three, recommended)).toEqual([["joins", 2, 0, 3]]);
  expect(kind(recommended, [-1, ...recommended.slice(1)])).toEqual([["leaves", 0, null, 1]]);
  expect(kind([-1, ...recommended.slice(1)], recommended)).toEqual([["enters", null, 0, 1]]);
  expect(
    kind(
      recommended,
      recommended.map((label) => 1 - label),
    ),
  ).toEqual([]);
});

test("the rows that differ are as few as the best matching of two partitions into few clusters allows", () => {
  const source = random(3);
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  for (let trial = 0; trial < 20; trial++) {
    const a = Array.from({ length: 12 }, (_, i) => i % 3);
    const b = a.map((label) => (source.uniform() < 0.25 ? Math.floor(3 * source.uniform()) : label));
    const least = Math.min(...orders.map((order) => b.filter((label, i) => order[label] !== a[i]).length));
    expect(disagreement(table, a, b).rows).toBe(least);
    expect(new Set(matching(a, b).values()).size).toBe(new Set(b).size);
  }
});
