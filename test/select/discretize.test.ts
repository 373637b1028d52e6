import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromRows, matrix } from "../../src/matrix/matrix.ts";
import { applyDiscretization, discretize, type DiscretizationKind } from "../../src/select/index.ts";

const levelsOf = (kind: DiscretizationKind, values: number[], bins?: number): number[] => {
  const X = matrix(values.length, 1, Float64Array.from(values));
  return Array.from(applyDiscretization(discretize(X, { kind, bins }), X).codes);
};

describe("discretize", () => {
  test("sigma: strictly below mean - sd, strictly above mean + sd", () => {
    expect(levelsOf("sigma", [0, 0, 0, 0, 10, -10])).toEqual([1, 1, 1, 1, 2, 0]);
    // Mean 1/2, sd 1/2: both values lie on the cuts, which belong to the middle.
    expect(levelsOf("sigma", [0, 1, 0, 1])).toEqual([1, 1, 1, 1]);
    expect(levelsOf("sigma", [0.1, 0.1, 0.1])).toEqual([1, 1, 1]);
  });

  test("width: the largest value is in the last interval", () => {
    expect(levelsOf("width", [0, 1.9, 2, 5, 9.9, 10], 5)).toEqual([0, 0, 1, 2, 4, 4]);
    expect(levelsOf("width", [7, 7], 5)).toEqual([0, 0]);
  });

  test("frequency: equal values stay together", () => {
    expect(levelsOf("frequency", [6, 5, 4, 3, 2, 1], 3)).toEqual([2, 2, 1, 1, 0, 0]);
    expect(levelsOf("frequency", [0, 0, 0, 0, 0, 1], 3)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(levelsOf("frequency", [0, 0, 0, 0, 1, 1], 3)).toEqual([0, 0, 0, 0, 1, 1]);
  });

  test("given: levels in the order of their values; new values get the nearest and are counted", () => {
    const fitted = discretize(
      fromRows([
        [-1, 5],
        [0, 5],
        [1, 7],
      ]),
      { kind: "given" },
    );
    expect(fitted.cuts).toEqual([
      [-1, 0, 1],
      [5, 7],
    ]);
    const { codes, unseen, levels } = applyDiscretization(
      fitted,
      fromRows([
        [0.4, 7],
        [9, 5],
      ]),
    );
    expect([Array.from(codes), unseen, Array.from(levels)]).toEqual([[1, 2, 1, 0], 2, [3, 2]]);
  });

  test("cuts come from the fitted rows, and survive JSON", () => {
    const fitted = discretize(fromRows([[0], [10]]), { kind: "width", bins: 2, names: ["size"] });
    const revived = JSON.parse(JSON.stringify(fitted)) as typeof fitted;
    expect(revived).toEqual(fitted);
    expect(Array.from(applyDiscretization(revived, fromRows([[-100], [4], [5], [100]])).codes)).toEqual([
      0, 0, 1, 1,
    ]);
  });

  test("levels follow the order of the values, whatever the numbers", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 30 }),
        fc.constantFrom("sigma", "width", "frequency"),
        (values, kind) => {
          const codes = levelsOf(kind, values);
          const order = values.map((_, i) => i).toSorted((a, b) => values[a] - values[b]);
          for (let r = 1; r < order.length; r++) {
            expect(codes[order[r]]).toBeGreaterThanOrEqual(codes[order[r - 1]]);
          }
        },
      ),
    );
  });

  test("refuses continuous columns as given, with a hint", () => {
    const X = matrix(
      40,
      1,
      Float64Array.from({ length: 40 }, (_, i) => i / 7),
    );
    expect(() => discretize(X, { kind: "given", names: ["height"] })).toThrow(
      'column "height" has 40 different values in 40 rows: it looks continuous, not discrete; discretize it',
    );
    const counts = matrix(
      40,
      1,
      Float64Array.from({ length: 40 }, (_, i) => i % 10),
    );
    expect(discretize(counts, { kind: "given" }).cuts[0]).toHaveLength(10);
  });

  test("refuses cells that are not numbers, bins without use and rows of another width", () => {
    expect(() => discretize(fromRows([[1, Number.NaN]]), { names: ["a", "b"] })).toThrow(
      'row 0 (counted from 0), column "b" is NaN',
    );
    expect(() => discretize(fromRows([[1]]), { kind: "sigma", bins: 4 })).toThrow('"bins" is for the kinds');
    expect(() => discretize(matrix(0, 2))).toThrow("there are no rows");
    expect(() => applyDiscretization(discretize(fromRows([[1]])), fromRows([[1, 2]]))).toThrow(
      "made for 1 columns, the rows have 2",
    );
  });
});
