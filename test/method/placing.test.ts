import { expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { matrix, squaredDistances, takeRows } from "../../src/matrix/index.ts";
import { clusterMeans, placingOf, placingRule } from "../../src/method/placing.ts";

const stream = random(4);
const n = 60;
const labels = Int32Array.from({ length: n }, (_, i) => i % 3);
const X = matrix(n, 2);
for (let i = 0; i < n; i++)
  for (let f = 0; f < 2; f++) X.data[2 * i + f] = stream.normal() + (labels[i] === f ? 6 : 0);

test("centres with exceptions give every row back, and place others by the nearest centre", () => {
  const odd = labels.slice();
  odd[0] = 2;
  odd[1] = 0;
  const centers = clusterMeans(X, odd, 3);
  const rule = placingRule(X, odd, 3, { kind: "centers", centers, exceptions: true });
  expect(rule).toMatchObject({
    kind: "centers",
    agreement: 1,
    exceptions: { rows: { rows: 2 }, labels: [2, 0] },
  });
  const place = placingOf(JSON.parse(JSON.stringify(rule)) as typeof rule);
  const placed = place(X);
  expect(Array.from(placed.labels)).toEqual(Array.from(odd));
  expect(placed.distances[0]).toBe(0);
  expect(placed.next[0]).toBe(0);
  const moved = takeRows(X, [0, 1]);
  for (let p = 0; p < 4; p++) moved.data[p] += 1e-6;
  expect(Array.from(place(moved).labels)).toEqual([0, 1]);
  // Without exceptions all rows are kept.
  expect(placingRule(X, odd, 3, { kind: "centers", centers })).toMatchObject({ kind: "rows", agreement: 1 });
});

test("the nearest rows vote by 1 / distance", () => {
  const rule = placingRule(X, labels, 3, { kind: "rows", neighbors: 5 });
  expect(rule).toMatchObject({ kind: "rows", neighbors: 5, agreement: 1 });
  const Y = matrix(40, 2);
  for (let p = 0; p < Y.data.length; p++) Y.data[p] = 3 * stream.normal() + 2;
  const placed = placingOf(rule)(Y);
  const D = squaredDistances(Y, X);
  for (let i = 0; i < Y.rows; i++) {
    const distance = (j: number): number => Math.sqrt(D.data[i * n + j]);
    const near = Array.from(labels.keys())
      .sort((a, b) => distance(a) - distance(b))
      .slice(0, 5);
    const votes = [0, 1, 2].map((k) =>
      near.filter((j) => labels[j] === k).reduce((sum, j) => sum + 1 / distance(j), 0),
    );
    expect(placed.labels[i]).toBe(votes.indexOf(Math.max(...votes)));
    expect(placed.distances[i]).toBeCloseTo(1 / Math.max(...votes), 9);
    expect(placed.nextDistances[i]).toBeGreaterThanOrEqual(placed.distances[i]);
  }
});
