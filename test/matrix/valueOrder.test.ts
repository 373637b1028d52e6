import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { largestSize, matrix, takeRows, type Matrix } from "../../src/matrix/matrix.ts";
import { isReordered, reorderedRows, valueOrder } from "../../src/matrix/valueOrder.ts";
import "../seed.ts";

/** The order by its definition. */
function compared({ rows, cols, data }: Matrix): number[] {
  return Array.from({ length: rows }, (_, i) => i).sort((i, j) => {
    for (let f = 0; f < cols; f++) {
      const difference = data[i * cols + f] - data[j * cols + f];
      if (difference !== 0) return difference < 0 ? -1 : 1;
    }
    return i - j;
  });
}

describe("valueOrder", () => {
  const values: Record<string, (stream: ReturnType<typeof random>) => number> = {
    "numbers of every size": ({ normal, integer }) => normal() * 10 ** (integer(400) - 200),
    "few levels": ({ integer }) => integer(3) - 1,
    "zeros of both signs": ({ integer }) => [0, -0, -1e-310][integer(3)],
    "from end to end": ({ uniform, integer }) => (2 * integer(2) - 1) * uniform() * Number.MAX_VALUE,
    "least numbers": ({ integer }) => (integer(900) - 450) * Number.MIN_VALUE,
    "a far one": ({ uniform, integer }) => (integer(300) === 0 ? 1e9 : uniform()),
    "neighbours of 1": ({ integer }) => 1 + integer(5) * 2 ** -50,
  };
  test.each(Object.entries(values))("is that of comparing all columns: %s", (_, value) => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 250, max: 1500 })),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(),
        (rows, cols, seed) => {
          const stream = random(seed);
          const X = matrix(
            rows,
            cols,
            Float64Array.from({ length: rows * cols }, () => value(stream)),
          );
          expect(Array.from(valueOrder(X))).toEqual(compared(X));
        },
      ),
      { numRuns: 25 },
    );
  });
});

test("rows in another order are made when they are read", () => {
  const X = matrix(3, 2, Float64Array.of(1, 2, 3, 4, 5, 6));
  const order = Int32Array.of(2, 0, 1);
  const Y = reorderedRows(X, order);
  expect(isReordered(Y)).toBe(true);
  expect(isReordered(X)).toBe(false);
  expect(Y.data).toEqual(takeRows(X, order).data);
  expect(Y.data).toBe(Y.data);
});

test("the largest size is NaN where a value is not finite", () => {
  expect(largestSize(new Float64Array(0))).toBe(0);
  expect(largestSize(Float64Array.of(1, -3, 2))).toBe(3);
  expect(largestSize(Float64Array.of(-3, 1))).toBe(3);
  for (const bad of [Number.NaN, Infinity, -Infinity]) {
    for (const place of [0, 1, 2]) {
      const data = Float64Array.of(1, 2, 3);
      data[place] = bad;
      expect(largestSize(data)).toBe(Number.NaN);
    }
  }
});
