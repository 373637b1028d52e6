import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { discreteNaiveBayes, gaussianNaiveBayes } from "../../src/classify/index.ts";
import { fromRows, matrix, row, type Matrix } from "../../src/matrix/matrix.ts";
import "../seed.ts";
import { clouds, permuted, tables } from "./samples.ts";

/** Largest difference of two tables of probabilities. */
function apart(A: Matrix, B: Matrix): number {
  return A.data.reduce((worst, value, p) => Math.max(worst, Math.abs(value - B.data[p])), 0);
}

describe("discreteNaiveBayes", () => {
  test("is the formula, counted the slow way", () => {
    fc.assert(
      fc.property(tables, fc.constantFrom(0.5, 1, 2), ({ X, y }, smoothing) => {
        const model = discreteNaiveBayes(X, y, { smoothing });
        const P = model.probabilities(X);
        for (let i = 0; i < X.rows; i++) {
          const joint = model.classes.map((c) => {
            const members = [...y.keys()].filter((j) => y[j] === c);
            let p = members.length / y.length;
            for (let f = 0; f < X.cols; f++) {
              const value = row(X, i)[f];
              const levels = new Set(y.map((_, j) => row(X, j)[f])).size;
              const same = members.filter((j) => row(X, j)[f] === value).length;
              p *= (same + smoothing) / (members.length + smoothing * levels);
            }
            return p;
          });
          const total = joint.reduce((sum, p) => sum + p, 0);
          joint.forEach((p, c) => expect(row(P, i)[c]).toBeCloseTo(p / total, 10));
        }
      }),
    );
  });

  test("leaves a value out that training did not show", () => {
    const model = discreteNaiveBayes(
      fromRows([
        [0, 0],
        [1, 0],
        [1, 1],
        [1, 1],
      ]),
      ["a", "a", "b", "b"],
    );
    const known = discreteNaiveBayes(fromRows([[0], [0], [1], [1]]), ["a", "a", "b", "b"]);
    expect(apart(model.probabilities(fromRows([[7, 1]])), known.probabilities(fromRows([[1]])))).toBeLessThan(
      1e-12,
    );
  });

  test("counts a given level that training lacks", () => {
    const X = fromRows([[0], [0], [1], [1]]);
    const model = discreteNaiveBayes(X, ["a", "a", "b", "b"], { levels: [0, 1, 2] });
    expect(Array.from(model.probabilities(fromRows([[0]])).data)).toEqual([
      expect.closeTo(0.75, 12),
      expect.closeTo(0.25, 12),
    ]);
    expect(() => discreteNaiveBayes(X, ["a", "a", "b", "b"], { levels: [1, 2] })).toThrow(
      "0 in row 0, column 0 (counted from 0) is not one of the given levels",
    );
  });

  test("refuses measurements, with a hint", () => {
    const { X, y } = clouds(60, 2, 2);
    expect(() => discreteNaiveBayes(X, y)).toThrow(
      /column 0 .* takes 60 values in 60 rows, so that it looks continuous; discretise it/,
    );
  });
});

describe("gaussianNaiveBayes", () => {
  test("is the formula, computed the slow way", () => {
    const { X, y } = clouds(50, 3, 3);
    const model = gaussianNaiveBayes(X, y, { smoothing: 0 });
    const P = model.probabilities(X);
    for (let i = 0; i < X.rows; i++) {
      const joint = model.classes.map((c) => {
        const members = [...y.keys()].filter((j) => y[j] === c);
        let p = members.length / y.length;
        for (let f = 0; f < 3; f++) {
          const values = members.map((j) => row(X, j)[f]);
          const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
          const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
          p *= Math.exp(-((row(X, i)[f] - mean) ** 2) / (2 * variance)) / Math.sqrt(2 * Math.PI * variance);
        }
        return p;
      });
      const total = joint.reduce((sum, p) => sum + p, 0);
      joint.forEach((p, c) => expect(row(P, i)[c]).toBeCloseTo(p / total, 10));
    }
  });

  test("does not depend on the order of rows, nor on shifts and scales of features", () => {
    const { X, y } = clouds(60, 3, 3, { apart: 1 });
    const P = gaussianNaiveBayes(X, y, { smoothing: 0 }).probabilities(X);
    const other = permuted(X, y, 3);
    expect(apart(gaussianNaiveBayes(other.X, other.y, { smoothing: 0 }).probabilities(X), P)).toBeLessThan(
      1e-12,
    );
    const moved = matrix(
      60,
      3,
      X.data.map((value, p) => value * 10 ** (p % 3) - 5 * (p % 3)),
    );
    expect(apart(gaussianNaiveBayes(moved, y, { smoothing: 0 }).probabilities(moved), P)).toBeLessThan(1e-9);
  });

  test("a doubled table gives the same model", () => {
    const { X, y } = clouds(40, 2, 2);
    const twice = matrix(80, 2, Float64Array.of(...X.data, ...X.data));
    const P = gaussianNaiveBayes(X, y).probabilities(X);
    expect(apart(gaussianNaiveBayes(twice, [...y, ...y]).probabilities(X), P)).toBeLessThan(1e-12);
  });

  test("constant columns, single rows and rows far away never give NaN", () => {
    const X = fromRows([
      [1, 5],
      [2, 5],
      [9, 5],
    ]);
    for (const smoothing of [0, 1e-9]) {
      const model = gaussianNaiveBayes(X, ["a", "a", "b"], { smoothing });
      const P = model.probabilities(
        fromRows([
          [1, 7],
          [9, -1e300],
          [1e200, 0],
          [-1e308, 0],
        ]),
      );
      for (let i = 0; i < 4; i++) expect(row(P, i)[0] + row(P, i)[1]).toBeCloseTo(1, 12);
      expect(
        model.predict(
          fromRows([
            [1.4, 1e9],
            [9, 0],
          ]),
        ),
      ).toEqual(["a", "b"]);
      expect(model.warnings.join("\n")).toMatch(/one row only: "b"[^]*1 of 2 columns are constant/);
    }
    const still = gaussianNaiveBayes(fromRows([[1], [1], [1]]), [0, 1, 1]);
    expect(still.predict(fromRows([[1], [3]]))).toEqual([1, 1]);
    expect(still.warnings.at(-1)).toMatch("every column is constant");
  });
});
