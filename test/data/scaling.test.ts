import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyScaling, namedData, scale, type Scaling } from "../../src/data/index.ts";
import {
  fromRows,
  matrix,
  takeColumns,
  toDense,
  toRows,
  toSparse,
  type Matrix,
} from "../../src/matrix/index.ts";

const column = (X: Matrix, j: number): number[] =>
  Array.from({ length: X.rows }, (_, i) => X.data[i * X.cols + j]);
const mean = (values: number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;
const deviation = (values: number[]): number => Math.sqrt(mean(values.map((x) => (x - mean(values)) ** 2)));

describe("dense", () => {
  test("z-score: mean 0, standard deviation 1 with divisor n", async () => {
    const { X, names } = await namedData("wine");
    const scaled = scale(X as Matrix, "zscore", { names });
    expect(scaled.names).toEqual(names);
    expect(scaled.dropped).toEqual([]);
    for (let j = 0; j < 13; j++) {
      expect(Math.abs(mean(column(scaled.X, j)))).toBeLessThan(1e-13);
      expect(deviation(column(scaled.X, j))).toBeCloseTo(1, 13);
    }
  });

  test("min-max: from 0 to 1", async () => {
    const { X } = await namedData("iris");
    const scaled = scale(X as Matrix, "minmax").X;
    for (let j = 0; j < 4; j++) {
      expect(Math.min(...column(scaled, j))).toBe(0);
      expect(Math.max(...column(scaled, j))).toBe(1);
    }
  });

  test("none leaves the values alone but drops constants", () => {
    const X = fromRows([
      [1, 5, 3],
      [2, 5, 4],
    ]);
    const scaled = scale(X, "none", { names: ["a", "b", "c"] });
    expect(toRows(scaled.X)).toEqual([
      [1, 3],
      [2, 4],
    ]);
    expect(scaled.names).toEqual(["a", "c"]);
    expect(scaled.kept).toEqual([0, 2]);
    expect(scaled.dropped).toEqual(["b"]);
    expect(scaled.notes).toEqual(["constant columns left out: b"]);
  });

  test("a constant is judged against its magnitude", () => {
    const rounding = Array.from({ length: 50 }, (_, i) => 0.1 + (i % 3) * 2 ** -56);
    const small = Array.from({ length: 50 }, (_, i) => 1e9 + (i % 3) * 1e-5);
    const tiny = Array.from({ length: 50 }, (_, i) => (i % 3) * 1e-300);
    const X = fromRows(rounding.map((x, i) => [x, small[i], tiny[i]]));
    const scaled = scale(X, "zscore");
    expect(scaled.dropped).toEqual(["c0"]);
    expect(scaled.X.data.every(Number.isFinite)).toBe(true);
    for (const j of [0, 1]) expect(deviation(column(scaled.X, j))).toBeCloseTo(1, 10);
  });

  test.each(["zscore", "minmax"] as const)("%s is finite and right at extreme magnitudes", (kind) => {
    const pattern = [1, 2, 4, 7, -3];
    const reference = scale(matrix(5, 1, Float64Array.from(pattern)), kind).X.data;
    for (const factor of [1e-320, 1e-300, 1e300, 1.5e307]) {
      const scaled = scale(
        matrix(
          5,
          1,
          Float64Array.from(pattern, (x) => x * factor),
        ),
        kind,
      ).X.data;
      const digits = factor < 1e-310 ? 2 : 12;
      for (let i = 0; i < 5; i++) expect(scaled[i]).toBeCloseTo(reference[i], digits);
    }
  });

  test("columns that reach from one end of the numbers to the other", () => {
    const X = matrix(3, 1, Float64Array.of(-1.7e308, 1.7e308, 0));
    const scaled = scale(X, "zscore").X.data;
    expect(scaled[0]).toBeCloseTo(-Math.sqrt(1.5), 12);
    expect(scaled[1]).toBeCloseTo(Math.sqrt(1.5), 12);
    expect(() => scale(X, "minmax")).toThrow('the range of column "c0" is beyond the largest number');
  });

  test("invariant under a change of units, permutation of rows, and of columns", () => {
    const cell = fc.double({ min: -1e3, max: 1e3, noNaN: true }).map((x) => Math.round(x * 64) / 64);
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 2, maxLength: 12 }),
        fc.constantFrom("zscore", "minmax"),
        fc.integer({ min: -8, max: 8 }),
        (rows, kind, power) => {
          const X = fromRows(rows);
          if (![0, 1, 2].some((j) => new Set(column(X, j)).size > 1)) return;
          const scaled = scale(X, kind as "zscore");
          const units = fromRows(rows.map((row) => row.map((x) => x * 2 ** power)));
          expect(scale(units, kind as "zscore").X).toEqual(scaled.X);
          const turned = scale(takeColumns(X, [2, 0, 1]), kind as "zscore");
          const order = [2, 0, 1].filter((j) => scaled.kept.includes(j)).map((j) => scaled.kept.indexOf(j));
          expect(turned.X).toEqual(takeColumns(scaled.X, order));
        },
      ),
      { numRuns: 200 },
    );
  });

  test("applied to new rows, through JSON", async () => {
    const { X } = await namedData("iris");
    const scaled = scale(X as Matrix, "zscore");
    const again = JSON.parse(JSON.stringify(scaled.scaling)) as Scaling;
    expect(applyScaling(again, X as Matrix)).toEqual(scaled.X);
    expect(scaled.apply(X as Matrix)).toEqual(scaled.X);
    expect(() => applyScaling(again, matrix(1, 3))).toThrow("made for 4 columns, the rows have 3");
  });

  test("bad input", () => {
    expect(() => scale(fromRows([[1], [Number.NaN]]), "zscore")).toThrow('row 1, column "c0" is NaN');
    expect(() => scale(fromRows([[1], [1]]), "zscore")).toThrow("every column is constant");
    expect(() => scale(fromRows([[1, 2]]), "zscore")).toThrow("every column is constant");
    expect(() => scale(matrix(0, 2), "zscore")).toThrow("there are no rows");
    expect(() => scale(matrix(2, 2), "z" as "zscore")).toThrow('the kind must be "zscore"');
    expect(() => scale(matrix(2, 2), "zscore", { names: ["a"] })).toThrow("1 names for 2 columns");
  });
});

describe("batches", () => {
  const X = fromRows([
    [1, 10, 5],
    [3, 10, 6],
    [100, 20, 7],
    [300, 40, 7],
  ]);
  const batch = ["a", "a", "b", "b"];

  test("each group of rows is scaled by itself", () => {
    const scaled = scale(X, "zscore", { batch, names: ["x", "y", "z"] });
    expect(toRows(scaled.X)).toEqual([
      [-1, 0, -1],
      [1, 0, 1],
      [-1, -1, 0],
      [1, 1, 0],
    ]);
    expect(scaled.notes).toEqual([
      'constant within batch "a", set to 0 there: y',
      'constant within batch "b", set to 0 there: z',
    ]);
  });

  test("new rows need a batch that was seen, and keep to it", () => {
    const { scaling } = scale(X, "minmax", { batch });
    const again = JSON.parse(JSON.stringify(scaling)) as Scaling;
    expect(toRows(applyScaling(again, fromRows([[2, 99, 5.5]]), ["a"]))).toEqual([[0.5, 0, 0.5]]);
    expect(() => applyScaling(again, fromRows([[2, 99, 5.5]]))).toThrow("the rows need their batch labels");
    expect(() => applyScaling(again, fromRows([[2, 99, 5.5]]), ["c"])).toThrow(
      'row 0: batch "c" was not seen',
    );
    expect(() => scale(X, "zscore", { batch: ["a"] })).toThrow("1 batch labels for 4 rows");
  });

  test("one batch is the same as none", () => {
    const one = scale(X, "zscore", { batch: Int32Array.of(0, 0, 0, 0) });
    expect(one.X).toEqual(scale(X, "zscore").X);
  });
});

describe("sparse", () => {
  const X = fromRows([
    [0, 2, 0, 0],
    [3, 0, 0, 1],
    [0, -4, 0, 1],
    [5, 0, 0, 1],
  ]);

  test("is divided but not centred, and stays sparse", () => {
    const scaled = scale(toSparse(X), "zscore");
    expect(scaled.dropped).toEqual(["c2"]);
    expect(scaled.notes).toContain(
      "sparse data: each column was divided by its standard deviation, not centred",
    );
    const dense = toDense(scaled.X);
    for (const [j, source] of [0, 1, 3].entries()) {
      expect(deviation(column(dense, j))).toBeCloseTo(1, 12);
      const ratio = deviation(column(X, source));
      column(dense, j).forEach((x, i) => expect(x * ratio).toBeCloseTo(column(X, source)[i], 12));
    }
    expect(toDense(scale(toSparse(X), "minmax").X).data).toEqual(
      Float64Array.of(0, 0.5, 0, 0.6, 0, 1, 0, -1, 1, 1, 0, 1),
    );
  });

  test("a scaling with centres cannot be applied to it", () => {
    const { scaling } = scale(X, "zscore");
    expect(() => applyScaling(scaling, toSparse(X))).toThrow("make it dense first");
    expect(toDense(scale(toSparse(X), "none").X)).toEqual(takeColumns(X, [0, 1, 3]));
  });
});
