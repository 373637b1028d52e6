import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { hdbscan, loadHdbscan, type HdbscanOptions } from "../../src/cluster/index.ts";
import { random } from "../../src/core/random.ts";
import { matrix, row, takeRows, type Matrix } from "../../src/matrix/matrix.ts";
import { adjustedRand } from "../../src/score/index.ts";
import { clouds } from "./clouds.ts";

/** What the Python package hdbscan 0.8 gives (algorithm "generic") on sets where ties do not decide. */
const cases = JSON.parse(
  readFileSync(new URL("./hdbscanPackage.json", import.meta.url), "utf8"),
) as readonly Case[];

interface Case {
  readonly name: string;
  readonly options: HdbscanOptions;
  readonly columns: number;
  readonly data: readonly number[];
  readonly labels: readonly number[];
  readonly strengths: readonly number[];
  readonly stabilities: readonly number[];
}

const rowsOf = ({ data, columns }: Case): Matrix =>
  matrix(data.length / columns, columns, Float64Array.from(data));

/** Labels numbered by first appearance, noise as it is. */
function renumbered(labels: ArrayLike<number>): number[] {
  const names = new Map<number, number>([[-1, -1]]);
  return Array.from(labels, (label) => {
    if (!names.has(label)) names.set(label, names.size - 1);
    return names.get(label)!;
  });
}

describe.each(cases)("$name", (one) => {
  const fit = hdbscan(rowsOf(one), one.options);

  test("has the labels, strengths and stabilities of the package", () => {
    expect(renumbered(fit.labels)).toEqual(renumbered(one.labels));
    one.strengths.forEach((strength, i) => expect(fit.strengths[i]).toBeCloseTo(strength, 8));
    const stabilities = Array.from(fit.condensed.stabilities).sort((a, b) => a - b);
    expect(stabilities.length).toBe(one.stabilities.length);
    one.stabilities.forEach((value, c) => expect(stabilities[c] / value).toBeCloseTo(1, 8));
  });

  test("does not depend on the order of the rows, on their place or on their unit", () => {
    const X = rowsOf(one);
    const order = random(4).shuffle(Int32Array.from({ length: X.rows }, (_, i) => i));
    const moved = takeRows(X, order);
    // Powers of two are exact, so that ties stay ties.
    for (let p = 0; p < moved.data.length; p++) moved.data[p] *= 8;
    const epsilon = (one.options.selectionEpsilon ?? 0) * 8;
    const other = hdbscan(moved, { ...one.options, selectionEpsilon: epsilon });
    const back = new Int32Array(X.rows);
    order.forEach((i, at) => (back[i] = other.labels[at]));
    expect(renumbered(back)).toEqual(renumbered(fit.labels));
    expect(Array.from(other.sizes)).toEqual(Array.from(fit.sizes));
  });

  test("places its own rows where they are, also after a file", () => {
    const X = rowsOf(one);
    const { labels, strengths } = fit.place(X);
    expect(labels).toEqual(fit.labels);
    strengths.forEach((strength, i) => expect(strength).toBeCloseTo(fit.strengths[i], 12));
    const read = loadHdbscan(JSON.parse(JSON.stringify(fit.model())));
    expect(read.predict(X)).toEqual(fit.labels);
  });
});

/** The definition, level by level: components of the graph of pairs whose mutual reachability is at most e. */
function componentsAt(X: Matrix, cores: Float64Array, e: number): number[] {
  const n = X.rows;
  const labels = Array.from({ length: n }, (_, i) => i);
  const find = (i: number): number => (labels[i] === i ? i : find(labels[i]));
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const reach = Math.max(cores[i], cores[j], Math.hypot(...row(X, i).map((x, f) => x - row(X, j)[f])));
      if (reach <= e * (1 + 1e-12)) labels[find(i)] = find(j);
    }
  }
  return labels.map((_, i) => find(i));
}

test.each([2, 5, 22])("cuts of the tree are the components of the definition, %i columns", (d) => {
  const { X } = clouds(70, d, 3, 1.5, 9);
  const { tree, coreDistances } = hdbscan(X, { minSamples: 4 });
  const all = Array.from({ length: X.rows }, (_, i) =>
    Array.from({ length: X.rows }, (_, j) => Math.hypot(...row(X, i).map((x, f) => x - row(X, j)[f]))).sort(
      (a, b) => a - b,
    ),
  );
  all.forEach((sorted, i) => expect(coreDistances[i]).toBeCloseTo(sorted[4], 10));
  for (const m of [5, 20, 40, 60, 66]) {
    const e = tree.heights[m];
    const expected = componentsAt(X, coreDistances, e);
    const sets = Array.from({ length: 2 * X.rows - 1 }, (_, i) => i);
    const find = (i: number): number => (sets[i] === i ? i : find(sets[i]));
    for (let at = 0; at < tree.heights.length && tree.heights[at] <= e; at++) {
      sets[find(tree.merges[2 * at])] = X.rows + at;
      sets[find(tree.merges[2 * at + 1])] = X.rows + at;
    }
    const found = Array.from({ length: X.rows }, (_, i) => find(i));
    expect(renumbered(found)).toEqual(renumbered(expected));
  }
});

test("a number of clusters gives those of the largest total stability", () => {
  const { X } = clouds(120, 2, 4, 1.2, 3);
  const free = hdbscan(X, { minClusterSize: 4 });
  const { parents, stabilities } = free.condensed;
  const inside = (a: number, b: number): boolean => a === b || (a > 0 && inside(parents[a], b));
  for (const K of [2, 3, 4]) {
    const fit = hdbscan(X, { minClusterSize: 4, clusters: K });
    expect(fit.clusters).toBe(K);
    let best = 0;
    const search = (from: number, chosen: readonly number[], sum: number): void => {
      if (chosen.length === K) best = Math.max(best, sum);
      else {
        for (let c = from; c < parents.length; c++) {
          if (chosen.some((other) => inside(c, other) || inside(other, c))) continue;
          search(c + 1, [...chosen, c], sum + stabilities[c]);
        }
      }
    };
    search(1, [], 0);
    expect(fit.objective).toBeCloseTo(best, 8);
  }
  const many = hdbscan(X, { minClusterSize: 4, clusters: 60 });
  expect(many.clusters).toBeLessThan(60);
  expect(many.warnings[0]).toContain("the tree has only");
});

test("duplicates are one place: nothing is infinite", () => {
  const { X } = clouds(60, 3, 2, 1, 5);
  const twice = takeRows(
    X,
    Array.from({ length: 600 }, (_, i) => i % 60),
  );
  const fit = hdbscan(twice, { minClusterSize: 30, minSamples: 5 });
  for (const values of [fit.strengths, fit.stabilities, fit.condensed.deaths]) {
    expect(Array.from(values).every(Number.isFinite)).toBe(true);
  }
  for (let i = 60; i < 600; i++) expect(fit.labels[i]).toBe(fit.labels[i - 60]);
  const same = hdbscan(matrix(20, 2), { minClusterSize: 3 });
  expect(same.labels.every((label) => label === same.labels[0])).toBe(true);
});

test("clouds apart are found, new rows near them are placed, far ones are noise", () => {
  const { X, truth } = clouds(3000, 4, 5, 12, 4);
  const fit = hdbscan(X);
  expect(adjustedRand(fit.labels, truth)).toBeGreaterThan(0.99);
  const far = matrix(1, 4, Float64Array.of(1e3, 1e3, 1e3, 1e3));
  expect(Array.from(fit.predict(far))).toEqual([-1]);
  const middle = takeRows(X, [7]);
  middle.data[0] += 1e-3;
  expect(fit.predict(middle)[0]).toBe(fit.labels[7]);
});

test("refuses what it cannot use, and can be stopped", () => {
  const { X } = clouds(300, 2, 3, 1, 1);
  expect(() => hdbscan(matrix(1, 2))).toThrow("one row has no neighbours");
  expect(() => hdbscan(X, { clusters: 1 })).toThrow('"clusters" must be');
  expect(() => hdbscan(X, { clusters: 3, selection: "leaf" })).toThrow("leaves no choice to selection");
  expect(() => hdbscan(X, { minSamples: 0 })).toThrow('"minSamples" must be');
  expect(() => hdbscan(matrix(3, 1, Float64Array.of(1, Number.NaN, 2)))).toThrow("row 1");
  expect(() => loadHdbscan({ ...hdbscan(X).model(), parents: [3] })).toThrow("damaged");
  let time = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (time += 1000));
  const stopped = hdbscan(X, { onProgress: ({ label }) => label === "neighbours" });
  clock.mockRestore();
  expect(stopped.converged).toBe(false);
  expect(stopped.warnings.join()).toContain("stopped by onProgress");
  expect(stopped.labels.length).toBe(300);
  const all = hdbscan(X, { minClusterSize: 400 });
  expect([all.clusters, all.noise]).toEqual([0, 300]);
  expect(all.warnings[0]).toContain("all are noise");
});
