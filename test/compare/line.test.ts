import { expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { choosePartition } from "../../src/compare/choosePartition.ts";
import { lineEvidence } from "../../src/compare/evidence/line.ts";
import { matrix } from "../../src/matrix/matrix.ts";
import { adjustedRand } from "../../src/score/rand.ts";

const numbers = (n: number, seed: number, center: (i: number) => number): Float64Array => {
  const { normal } = random(seed);
  return Float64Array.from({ length: n }, (_, i) => center(i) + normal());
};
const column = (values: Float64Array) => matrix(values.length, 1, values);
const rows = (from: number, to: number) => Int32Array.from({ length: to - from }, (_, i) => from + i);

test.each([300, 1500])("one normal column of %d rows is one cluster", (n) => {
  for (const seed of [21, 22, 23]) {
    const { clusters, trust } = choosePartition(column(numbers(n, seed, () => 0)));
    expect(clusters).toBe(1);
    expect(trust.word).toBe("none");
  }
});

test.each([
  ["as they are", (value: number) => value],
  ["rounded, so that many are equal", (value: number) => Math.round(4 * value)],
  ["rounded to five", (value: number) => 5 * Math.round(2 * value)],
])("two normals in one column, %s, are two clusters", (_, as) => {
  const values = numbers(1500, 5, (i) => 5 * (i % 2)).map(as);
  const { labels, clusters, trust } = choosePartition(column(values));
  expect(clusters).toBe(2);
  expect(
    adjustedRand(
      labels,
      values.map((_, i) => i % 2),
    ),
  ).toBeGreaterThan(0.95);
  expect(trust.word).toBe("clear");
});

test("a tenth of the rows, six deviations away, is a cluster", () => {
  for (const seed of [31, 32, 33]) {
    const values = numbers(300, seed, (i) => (i % 10 === 0 ? 6 : 0));
    const { labels, clusters } = choosePartition(column(values));
    expect(clusters).toBe(2);
    const truth = values.map((_, i) => (i % 10 === 0 ? 1 : 0));
    expect(adjustedRand(labels, truth)).toBeGreaterThan(0.95);
  }
});

test("the evidence is that of the distance to one mode: by all modes and all convex minorants", () => {
  const values = numbers(60, 3, (i) => 8 * (i % 2)).sort();
  const [a, b] = [rows(0, 30), rows(30, 60)];
  const taken = values.slice(15, 46);
  const n = taken.length;
  // Slow: the minorant at x_i is the least over chords that span it.
  const missed = (x: Float64Array): number => {
    let most = 1;
    for (let i = 0; i < x.length; i++) {
      let low = i;
      for (let p = 0; p <= i; p++)
        for (let q = i + 1; q < x.length; q++)
          low = Math.min(low, p + ((q - p) * (x[i] - x[p])) / (x[q] - x[p]));
      most = Math.max(most, i + 1 - low);
    }
    return most;
  };
  let least = Infinity;
  for (let m = 0; m < n; m++) {
    const right = taken.slice(m).map((_, i, all) => -all[all.length - 1 - i]);
    least = Math.min(least, Math.max(missed(taken.slice(0, m + 1)), missed(right)));
  }
  const odds = Math.max(0, (6.7 * least ** 2) / n - 2.25) - 4 - 2 * Math.log(60 / n);
  expect(odds).toBeGreaterThan(-4);
  expect(lineEvidence(values, a, b)).toBeCloseTo(odds, 10);
});

test("it does not change with shift, scale, direction or the order of the rows", () => {
  const values = numbers(400, 4, (i) => (i < 200 ? 0 : 4));
  const [a, b] = [rows(0, 200), rows(200, 400)];
  const known = lineEvidence(values, a, b);
  expect(known).toBeGreaterThan(1);
  expect(lineEvidence(values, b, a)).toBe(known);
  expect(lineEvidence(values, a.toReversed(), b)).toBe(known);
  expect(
    lineEvidence(
      values.map((value) => 8 * value),
      a,
      b,
    ),
  ).toBe(known);
  expect(
    lineEvidence(
      values.map((value) => value + 100),
      a,
      b,
    ),
  ).toBeCloseTo(known, 8);
  // The median of an even number is the upper one, so a mirrored column has other medians.
  expect(
    lineEvidence(
      values.map((value) => -value),
      a,
      b,
    ),
  ).toBeCloseTo(known, 0);
});

test("clusters within each other, and halves of one cluster, are no evidence", () => {
  const values = numbers(400, 4, () => 0).sort();
  const [even, odd] = [0, 1].map((part) => rows(0, 400).filter((i) => i % 2 === part));
  expect(lineEvidence(values, even, odd)).toBe(-4);
  expect(lineEvidence(values, rows(0, 200), rows(200, 400))).toBeLessThan(0);
});
