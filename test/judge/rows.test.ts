import { describe, expect, it } from "vitest";
import { random } from "../../src/core/random.ts";
import { outlierRows } from "../../src/judge/outlierRows.ts";
import { spacesOf } from "../../src/judge/spaces.ts";
import { byNearest, bySize, spreadOut } from "../../src/judge/spreadOut.ts";
import { fromRows, matrix, toRows, type Matrix } from "../../src/matrix/index.ts";
import { cloud } from "./sets.ts";

describe("outliers", () => {
  const outliers = (X: Matrix, labels = new Int32Array(X.rows)): number[] =>
    Array.from(outlierRows(spacesOf(X, undefined, 0), labels));

  it("are far from their neighbours and from the centre of their cluster", () => {
    const inside = toRows(cloud(300, 2, 4, "gaussian"));
    expect(outliers(fromRows([...inside, [9, 0], [0, -9], [-7, 8]]))).toEqual([300, 301, 302]);
    // Another cluster with a wide spread: what is far in the first is near in this one.
    const wide = inside.map(([x, y]) => [40 + 10 * x, 10 * y]);
    const both = [...inside, [9, 0], ...wide, [40, 100]];
    const labels = Int32Array.from(both, (_, i) => Number(i > 300));
    expect(outliers(fromRows(both), labels)).toEqual([300, 601]);
  });

  it("are rare in a Gaussian cloud, and absent from a flat one, a ring and a small cluster", () => {
    for (const d of [1, 2, 5]) {
      expect(outliers(cloud(1000, d, 3 + d, "gaussian")).length).toBeLessThanOrEqual(3);
      expect(outliers(cloud(1000, d, 3 + d, "uniform"))).toEqual([]);
    }
    const g = random(2);
    const ring = Array.from({ length: 300 }, () => {
      const angle = 2 * Math.PI * g.uniform();
      return [9 * Math.cos(angle) + 0.2 * g.normal(), 9 * Math.sin(angle) + 0.2 * g.normal()];
    });
    // The middle of a ring is far from every row, but not from the mean.
    expect(outliers(fromRows([...ring, [0, 0]]))).toEqual([]);
    const few = [...toRows(cloud(23, 2, 1, "gaussian")), [30, 30]];
    expect(outliers(fromRows(few))).toEqual([]);
    expect(outliers(fromRows([...few, [0, 0]]))).toEqual([23]);
    expect(outliers(cloud(20, 2, 1, "gaussian"))).toEqual([]);
  });
});

describe("the rows beyond the sample", () => {
  const line = (...values: number[]): Matrix => matrix(values.length, 1, Float64Array.from(values));

  it("have the label of most of the nearest five, among equals that whose last row is nearer", () => {
    const X = line(0, 1, 2, 3, 4, 10, 11, 12);
    const labels = Int32Array.of(0, 1, 1, 0, 0, 2, 2, 2);
    expect(Array.from(byNearest({ X, labels }, line(-1, 1.1, 30)))).toEqual([0, 0, 2]);
    expect(Array.from(byNearest({ X: line(0, 1), labels: Int32Array.of(1, 0) }, line(0.9, 0.1)))).toEqual([
      0, 1,
    ]);
    const ties = { X: line(0, 1, 2, 3), labels: Int32Array.of(0, 1, 1, 0) };
    expect(Array.from(byNearest(ties, line(-1, 4)))).toEqual([1, 1]);
  });

  it("are numbered by size with the others", () => {
    expect(Array.from(bySize(Int32Array.of(0, 1, 1, 2, 2, 3, 3, 3)))).toEqual([3, 1, 1, 2, 2, 0, 0, 0]);
    const X = line(20, 0, 1, 21, 2, 22, 3, 4);
    const order = Int32Array.of(0, 1, 2, 4, 3, 5, 6, 7);
    const { labels, rule } = spreadOut(X, order, Int32Array.of(0, 1, 1, 1), false);
    expect(Array.from(labels)).toEqual([1, 0, 0, 0, 0, 0, 0, 0]);
    expect(rule).toBeUndefined();
    const all = spreadOut(X, order, Int32Array.of(0, 1, 1, 1, 0, 0, 1, 1), false);
    expect(Array.from(all.labels)).toEqual([1, 0, 0, 1, 0, 1, 0, 0]);
    expect(Array.from(spreadOut(X, order, new Int32Array(4), false).labels)).toEqual(Array(8).fill(0));
  });
});
