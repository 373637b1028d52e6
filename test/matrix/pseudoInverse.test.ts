import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fromRows, identity, matrix, transpose } from "../../src/matrix/matrix.ts";
import { multiply } from "../../src/matrix/multiply.ts";
import { pseudoInverse } from "../../src/matrix/factor/svd.ts";
import { diagonal, difference, largest, normal, ofRank, scaled } from "./samples.ts";

test("properties: the four Penrose conditions at any shape and rank, and the rank itself", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer(),
      (m, n, r, seed) => {
        const A = ofRank(m, n, Math.min(m, n, r), seed);
        const { inverse: X, rank } = pseudoInverse(A);
        expect(rank).toBe(Math.min(m, n, r));
        // Rounding is magnified by the condition number, once per factor X.
        const slack = 1e-13 * (1 + largest(X) * largest(A)) ** 2 * 400;
        const AX = multiply(A, X);
        const XA = multiply(X, A);
        expect(difference(multiply(AX, A), A)).toBeLessThan(slack * largest(A));
        expect(difference(multiply(XA, X), X)).toBeLessThan(slack * largest(X));
        expect(difference(AX, transpose(AX))).toBeLessThan(slack);
        expect(difference(XA, transpose(XA))).toBeLessThan(slack);
      },
    ),
    { numRuns: 80 },
  );
});

test("the cut decides what counts as zero, and is returned", () => {
  const A = diagonal([1, 1e-4, 1e-9, 0]);
  expect(pseudoInverse(A)).toMatchObject({ rank: 3, cut: 4 * 2 ** -52 });
  const { inverse, rank, cut } = pseudoInverse(A, { cut: 1e-6 });
  expect([rank, cut]).toEqual([2, 1e-6]);
  expect(difference(inverse, diagonal([1, 1e4, 0, 0]))).toBeLessThan(1e-9);
  expect(pseudoInverse(A, { cut: 0 }).rank).toBe(3);
  expect(() => pseudoInverse(A, { cut: 1 })).toThrow('pseudoInverse: option "cut" must be');
});

test("degenerate matrices", () => {
  expect(pseudoInverse(matrix(3, 2))).toMatchObject({ rank: 0, inverse: matrix(2, 3) });
  expect(difference(pseudoInverse(identity(6)).inverse, identity(6))).toBeLessThan(1e-15);
  expect(
    difference(
      pseudoInverse(
        fromRows([
          [1, 1],
          [1, 1],
        ]),
      ).inverse,
      fromRows([
        [0.25, 0.25],
        [0.25, 0.25],
      ]),
    ),
  ).toBeLessThan(1e-15);
  expect(pseudoInverse(matrix(0, 2)).inverse).toEqual(matrix(2, 0));
  for (const factor of [1e300, 1e-300]) {
    const A = normal(6, 4, 2);
    const wide = pseudoInverse(scaled(A, factor)).inverse;
    expect(difference(scaled(wide, factor), pseudoInverse(A).inverse)).toBeLessThan(1e-12);
  }
  expect(() => pseudoInverse(fromRows([[Number.NaN]]))).toThrow("NaN in row 0, column 0");
});
