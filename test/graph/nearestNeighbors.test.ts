import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { nearestNeighbors } from "../../src/graph/index.ts";
import { fromRows, matrix, type Matrix } from "../../src/matrix/index.ts";
import { bruteForce } from "./bruteForce.ts";

function gaussian(n: number, d: number, seed: number): Matrix {
  const draw = random(seed);
  return matrix(
    n,
    d,
    Float64Array.from({ length: n * d }, () => draw.normal()),
  );
}

describe("nearestNeighbors", () => {
  test.each([
    [300, 1, 5],
    [500, 2, 7],
    [400, 8, 10],
    [200, 13, 10],
    [150, 40, 20],
    [70, 200, 69],
    [3, 2, 2],
    [2, 1, 1],
    // Several blocks of rows: 2, 3 and 6.
    [900, 48, 10],
    [600, 150, 6],
    [900, 200, 6],
  ])("is the brute force answer, bit for bit: n %i, d %i, k %i", (n, d, k) => {
    const X = gaussian(n, d, n + d + k);
    const { indices, distances } = nearestNeighbors(X, k);
    const expected = bruteForce(X, k);
    expect(Array.from(indices)).toEqual(expected.indices);
    expect(Array.from(distances)).toEqual(expected.distances);
  });

  test("ties and duplicate rows, in any dimension, by row number", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 14 }).chain((d) =>
          fc.array(fc.array(fc.integer({ min: 0, max: 2 }), { minLength: d, maxLength: d }), {
            minLength: 20,
            maxLength: 80,
          }),
        ),
        fc.integer({ min: 1, max: 8 }),
        (rows, k) => {
          const X = fromRows(rows);
          const { indices, distances } = nearestNeighbors(X, k);
          const expected = bruteForce(X, k);
          expect(Array.from(indices)).toEqual(expected.indices);
          expect(Array.from(distances)).toEqual(expected.distances);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("all rows equal, and no features at all", () => {
    expect(Array.from(nearestNeighbors(matrix(40, 3), 2).indices.slice(0, 6))).toEqual([1, 2, 0, 2, 0, 1]);
    expect(Array.from(nearestNeighbors(matrix(40, 0), 1).distances)).toEqual(Array(40).fill(0));
  });

  test("refuses k that the rows cannot give, and cells that are not numbers", () => {
    expect(() => nearestNeighbors(matrix(5, 2), 5)).toThrow(/k must be an integer from 1 to 4/);
    expect(() => nearestNeighbors(matrix(5, 2), 0)).toThrow(/got 0/);
    expect(() => nearestNeighbors(fromRows([[1], [Number.NaN], [2]]), 1)).toThrow(/row 1, column 0/);
  });
});
