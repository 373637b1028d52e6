import { describe, expect, it } from "vitest";
import { choosePartition } from "../../src/judge/index.ts";
import { random } from "../../src/core/random.ts";
import { fromRows, matrix, takeRows, toRows, type Matrix, mapped } from "../../src/matrix/matrix.ts";
import { nearestRows } from "../../src/matrix/nearest.ts";
import { labelRows } from "../../src/method/placing.ts";
import { adjustedRand } from "../../src/score/rand.ts";
import { blobs, cloud, rings } from "./sets.ts";

const corners = [
  [0, 0, 0],
  [6, 0, 0],
  [0, 6, 0],
  [0, 0, 6],
];
const four = blobs(corners, [60, 50, 40, 50], 1);

/** The rows whose two nearest corners are equally far, but for the least differences. */
function nearBorders(X: Matrix, count: number): number[] {
  const gaps = toRows(X).map((row) => {
    const [first, second] = corners
      .map((corner) => Math.hypot(...corner.map((value, f) => row[f] - value)))
      .sort((a, b) => a - b);
    return second - first;
  });
  return [...gaps.keys()].sort((a, b) => gaps[a] - gaps[b]).slice(0, count);
}

describe("choosePartition", () => {
  it("finds clusters and their number", () => {
    const choice = choosePartition(four.X);
    expect(choice.clusters).toBe(4);
    expect(adjustedRand(choice.labels, four.y)).toBeGreaterThan(0.95);
    expect(choice.trust.word).toBe("clear");
    expect(Array.from(choice.sizes)).toEqual(Array.from(choice.sizes).sort((a, b) => b - a));
    expect(choice.sizes.reduce((sum, size) => sum + size, 0)).toBe(four.X.rows);
    expect(choice.perCluster).toHaveLength(4);
    expect(choice.margins).toHaveLength(four.X.rows);
    const entry = choice.path.find(({ clusters }) => clusters === 4);
    const others = choice.path.filter(({ clusters }) => clusters !== 4);
    expect(entry?.support).toBeGreaterThan(Math.max(...others.map(({ support }) => support)));
    expect(Math.min(...choice.perCluster.map(({ expected }) => expected))).toBeGreaterThan(0.5);
    // The least sure row is one near a border; it alone may be torn between two clusters.
    const [least, next] = Array.from(choice.margins.keys()).sort(
      (a, b) => choice.margins[a] - choice.margins[b],
    );
    expect(nearBorders(four.X, 20)).toContain(least);
    expect(choice.margins[next]).toBeGreaterThan(0.4);
  });

  it.each([0, 2, 6, 7, 9, 10, 12, 13])("takes no steps of rounded numbers for borders (%i)", (seed) => {
    const source = random(100 + seed);
    const centers = Array.from({ length: 3 }, () => Array.from({ length: 4 }, () => 40 * source.uniform()));
    const { X, y } = blobs(centers, [170, 160, 170], seed);
    const rounded = mapped(X, (value) => Math.round(value));
    const choice = choosePartition(rounded);
    expect(choice.clusters).toBe(3);
    expect(adjustedRand(choice.labels, y)).toBeGreaterThan(0.95);
  });

  it("gives the same clusters for the number that it chose", () => {
    const open = choosePartition(four.X);
    const given = choosePartition(four.X, { clusters: open.clusters });
    expect(Array.from(given.labels)).toEqual(Array.from(open.labels));
  });

  it.each([200, 3700])("gives a table of %i rows that is written twice the same clusters", (rows) => {
    const once =
      rows === 200
        ? four
        : blobs(
            [
              [0, 0],
              [6, 0],
              [0, 6],
            ],
            [1500, 1200, 1000],
            4,
          );
    const single = choosePartition(once.X);
    const double = choosePartition(fromRows(toRows(once.X).flatMap((one) => [one, one])));
    expect(double.labels).toHaveLength(2 * once.X.rows);
    expect(Array.from(double.labels).filter((_, i) => i % 2 === 0)).toEqual(Array.from(single.labels));
    expect(Array.from(double.labels).filter((_, i) => i % 2 === 1)).toEqual(Array.from(single.labels));
    expect(Array.from(double.sizes)).toEqual(Array.from(single.sizes, (size) => 2 * size));
  });

  it("finds a small cluster beside a large one, and nested rings", () => {
    const unequal = blobs(
      [
        [0, 0],
        [6, 0],
        [0, 6],
      ],
      [260, 20, 20],
      2,
    );
    expect(adjustedRand(choosePartition(unequal.X, { clusters: 3 }).labels, unequal.y)).toBeGreaterThan(0.9);
    const { X, y } = rings(300, 3);
    expect(adjustedRand(choosePartition(X, { clusters: 2 }).labels, y)).toBe(1);
  });

  it("says that there are no clusters", () => {
    for (const kind of ["gaussian", "uniform"] as const) {
      for (const d of [2, 10]) {
        const choice = choosePartition(cloud(250, d, 7 * d, kind));
        expect(choice.trust.word).toBe("none");
        expect(choice.trust.why).toMatch(/this is the most plausible grouping/);
        expect(new Set(choice.labels).size).toBe(choice.clusters);
      }
    }
  });

  it("does not depend on the order of the rows, on shifts and on units", () => {
    const before = choosePartition(four.X, { clusters: 3 });
    const order = random(5).shuffle(Int32Array.from({ length: four.X.rows }, (_, i) => i));
    const rows = toRows(four.X);
    const moved = choosePartition(fromRows(Array.from(order, (i) => rows[i])), { clusters: 3 });
    expect(Array.from(moved.labels)).toEqual(Array.from(order, (i) => before.labels[i]));
    const scaled = matrix(
      four.X.rows,
      3,
      four.X.data.map((value, p) => value * [2, 0.25, 1024][p % 3] + [8, -4, 0][p % 3]),
    );
    expect(adjustedRand(choosePartition(scaled, { clusters: 3 }).labels, before.labels)).toBe(1);
  });

  it("is the same with another seed: only permutations of the columns are drawn", () => {
    const overlapping = blobs(
      [
        [0, 0],
        [2, 0],
        [0, 2],
      ],
      [60, 60, 60],
      8,
    );
    const [a, b] = [0, 7].map((seed) => choosePartition(overlapping.X, { seed }));
    expect({ ...a, seconds: 0 }).toEqual({ ...b, seconds: 0 });
  });

  it("repeats itself, and passes through structuredClone and JSON", () => {
    const [a, b] = [choosePartition(four.X, { seed: 4 }), choosePartition(four.X, { seed: 4 })];
    expect({ ...a, seconds: 0 }).toEqual({ ...b, seconds: 0 });
    expect(structuredClone(a)).toEqual(a);
    expect(JSON.parse(JSON.stringify(a)).clusters).toBe(4);
  });

  it("counts equal partitions once and names the methods that made them", () => {
    const { candidates } = choosePartition(four.X, { clusters: 4 });
    const keys = candidates.map(({ labels }) => Array.from(labels).join(""));
    expect(new Set(keys).size).toBe(keys.length);
    expect(candidates.flatMap(({ methods }) => methods).length).toBeGreaterThan(candidates.length);
    expect(candidates[0].agreement).toBe(1);
  });

  it("marks rows far from everything, and keeps them out of the centres", () => {
    const rows = toRows(four.X);
    const far = fromRows([...rows, [40, 40, 40], [-40, 30, 0]]);
    const kept = choosePartition(far, { clusters: 4 });
    const marked = choosePartition(far, { clusters: 4, outliers: "mark" });
    expect(kept.outliers).toBeGreaterThanOrEqual(2);
    expect(Array.from(kept.outlierRows)).toEqual(expect.arrayContaining([200, 201]));
    expect([marked.labels[200], marked.labels[201]]).toEqual([-1, -1]);
    expect(kept.labels.every((label) => label >= 0)).toBe(true);
    expect(Math.max(...marked.centers.data)).toBeLessThan(10);
  });

  it("stops when asked to, and has an answer", () => {
    const choice = choosePartition(four.X, { clusters: 4, budget: 1e-9 });
    expect(choice.converged).toBe(false);
    expect(choice.clusters).toBe(4);
    expect(choice.notes.map(({ code }) => code)).toContain("budget");
    let calls = 0;
    const large = blobs(
      [
        [0, 0, 0, 0],
        [7, 7, 7, 7],
      ],
      [700, 700],
      8,
    );
    const stopped = choosePartition(large.X, { onProgress: () => ++calls < 1 });
    expect(stopped.labels).toHaveLength(1400);
    expect(stopped.converged).toBe(calls === 0);
  });

  it("places the rows beyond the sample by the shape of the clusters where that is better than by their neighbours", () => {
    const source = random(8);
    const centers = Array.from({ length: 5 }, () => Array.from({ length: 12 }, () => 3.5 * source.uniform()));
    const { X, y } = blobs(centers, [4000, 3000, 2000, 2000, 1000], 4);
    const choice = choosePartition(X, { scale: "none", clusters: 5 });
    expect(choice.notes.map(({ message }) => message).join()).toMatch(/placed by the (likeliest|nearest) of/);
    // As well as by the true centres; the votes of the nearest rows lose .02.
    const nearest = nearestRows(fromRows(centers), 1, { queries: X }).indices;
    expect(adjustedRand(choice.labels, y)).toBeGreaterThan(adjustedRand(nearest, y) - 0.005);
    expect(labelRows(choice.rule!, X)).toEqual(choice.labels);
    expect(choice.sizes.reduce((sum, size) => sum + size)).toBe(X.rows);
    const order = random(9).sample(X.rows, X.rows);
    const turned = choosePartition(takeRows(X, order), { scale: "none", clusters: 5 });
    expect(Array.from(turned.labels)).toEqual(Array.from(order, (i) => choice.labels[i]));
  });

  it("clusters a sample of many rows, and all rows follow", () => {
    const large = blobs(
      [
        [0, 0],
        [8, 0],
        [0, 8],
      ],
      [1400, 1300, 800],
      9,
    );
    const choice = choosePartition(large.X, { clusters: 3, budget: 1e-9 });
    expect(choice.form).toEqual({ kind: "sample", rows: 3000 });
    expect(choice.clusters).toBe(3);
    expect(adjustedRand(choice.labels, large.y)).toBeGreaterThan(0.98);
  });
});

describe("small and odd data", () => {
  const labelsOf = (X: Matrix, clusters?: number): number[] =>
    Array.from(choosePartition(X, clusters === undefined ? {} : { clusters }).labels);

  it("one, two and three rows", () => {
    expect(labelsOf(fromRows([[1, 2]]))).toEqual([0]);
    expect(labelsOf(fromRows([[1], [2]]))).toEqual([0, 0]);
    expect(new Set(labelsOf(fromRows([[1], [2]]), 2)).size).toBe(2);
    expect(new Set(labelsOf(fromRows([[1], [2], [9]]), 2)).size).toBe(2);
    expect(new Set(labelsOf(fromRows([[1], [2], [9]]), 3)).size).toBe(3);
    for (let n = 4; n < 14; n++) {
      const choice = choosePartition(cloud(n, 2, n, "gaussian"), { clusters: 2 });
      expect(choice.clusters).toBe(2);
    }
  });

  it("duplicates, constant columns, more clusters than distinct rows", () => {
    const twice = fromRows([...toRows(four.X), ...toRows(four.X)]);
    expect(choosePartition(twice, { clusters: 4 }).clusters).toBe(4);
    const constant = fromRows(toRows(four.X).map((row) => [...row, 5]));
    expect(adjustedRand(labelsOf(constant, 4), labelsOf(four.X, 4))).toBe(1);
    const same = fromRows(Array.from({ length: 12 }, () => [1, 2]));
    expect(choosePartition(same).clusters).toBe(1);
    const few = fromRows(Array.from({ length: 12 }, (_, i) => [i % 2, 0]));
    const choice = choosePartition(few, { clusters: 3 });
    expect(choice.clusters).toBe(2);
    expect(choice.notes.find(({ code }) => code === "clusters")?.message).toMatch(
      /3 clusters were asked for/,
    );
  });

  it("refuses what it cannot do, in words", () => {
    expect(() => choosePartition(four.X, { clusters: 1000 })).toThrow(
      /1000 clusters cannot be made of 200 rows/,
    );
    expect(() => choosePartition(fromRows([[1], [Number.NaN]]))).toThrow(/row 1/);
    expect(() => choosePartition(four.X, { outliers: "drop" as "keep" })).toThrow(/outliers/);
  });
});
