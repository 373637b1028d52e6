import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { symmetricEigen } from "../../src/matrix/factor/eigen.ts";
import { useEngine } from "../../src/matrix/engine.ts";
import { generalizedEigen } from "../../src/matrix/factor/generalizedEigen.ts";
import { fromRows, identity, matrix, type Matrix } from "../../src/matrix/matrix.ts";
import { gram, multiply, multiplyTransposeA } from "../../src/matrix/multiply.ts";
import * as sample from "./samples.ts";

afterEach(() => void useEngine("simd"));

/** X'B X = I and X'A X = diag(values), values descending. */
function expectPairs(A: Matrix, B: Matrix, tolerance: number): Float64Array {
  const { values, vectors: X } = generalizedEigen(A, B);
  const n = A.rows;
  for (let j = 1; j < n; j++) expect(values[j]).toBeLessThanOrEqual(values[j - 1]);
  expect(sample.difference(multiplyTransposeA(X, multiply(B, X)), identity(n))).toBeLessThan(tolerance);
  const size = Math.max(1, Math.abs(values[0]), Math.abs(values[n - 1]));
  expect(sample.difference(multiplyTransposeA(X, multiply(A, X)), sample.diagonal(values))).toBeLessThan(
    tolerance * size,
  );
  return values;
}

const positive = (n: number, seed: number): Matrix => gram(sample.normal(2 * n + 5, n, seed));

describe.each(sample.factorEngines)("generalizedEigen with the %s engine", (name) => {
  test("indefinite, singular and zero A", () => {
    useEngine(name);
    for (const n of [1, 2, 5, 33, 70]) {
      const B = positive(n, n);
      expectPairs(sample.symmetricNormal(n, 2), B, 1e-11);
      expectPairs(gram(sample.ofRank(n, n, Math.ceil(n / 3), 3)), B, 1e-11);
      expect(Array.from(expectPairs(matrix(n, n), B, 1e-11))).toEqual(Array.from({ length: n }, () => 0));
      for (const value of expectPairs(B, B, 1e-11)) expect(value).toBeCloseTo(1, 11);
    }
  });

  test("B = I gives the ordinary eigenvalues", () => {
    useEngine(name);
    const A = sample.symmetricNormal(40, 6);
    const { values } = symmetricEigen(A);
    expectPairs(A, identity(40), 1e-12).forEach((value, j) => expect(value).toBeCloseTo(values[j], 12));
  });
});

test("properties: congruence leaves the values alone, scaling A and B scales them", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer(),
      fc.integer({ min: -140, max: 140 }),
      (n, seed, exponent) => {
        const A = sample.symmetricNormal(n, seed);
        const B = positive(n, seed + 1);
        const { values } = generalizedEigen(A, B);
        const T = sample.byEntry(n, n, (i, j) => (i === j ? 2 : j < i ? Math.sin(i * 5 + j) / n : 0));
        const moved = generalizedEigen(
          even(multiplyTransposeA(T, multiply(A, T))),
          even(multiplyTransposeA(T, multiply(B, T))),
        );
        const wide = generalizedEigen(sample.scaled(A, 10 ** exponent), sample.scaled(B, 10 ** -exponent));
        for (let j = 0; j < n; j++) {
          expect(moved.values[j]).toBeCloseTo(values[j], 9);
          expect(wide.values[j] / 10 ** (2 * exponent)).toBeCloseTo(values[j], 10);
        }
      },
    ),
    { numRuns: 40 },
  );
});

const even = (A: Matrix): Matrix =>
  sample.byEntry(A.rows, A.cols, (i, j) => (A.data[i * A.cols + j] + A.data[j * A.cols + i]) / 2);

test("bad input is named", () => {
  expect(() => generalizedEigen(identity(2), identity(3))).toThrow("A is 2 x 2, but B is 3 x 3");
  expect(() => generalizedEigen(matrix(2, 3), identity(2))).toThrow(
    "generalizedEigen: the matrix must be square",
  );
  expect(() =>
    generalizedEigen(
      fromRows([
        [0, 1],
        [2, 0],
      ]),
      identity(2),
    ),
  ).toThrow("must be symmetric");
  expect(() => generalizedEigen(identity(2), sample.diagonal([1, -1]))).toThrow("not positive definite");
  expect(() => generalizedEigen(fromRows([[Number.NaN]]), identity(1))).toThrow("NaN");
  expect(() => generalizedEigen(sample.diagonal([1e200, 1]), sample.diagonal([1e-200, 1]))).toThrow(
    "too large",
  );
  expect(generalizedEigen(matrix(0, 0), matrix(0, 0)).values).toHaveLength(0);
  expect(
    sample.largest(generalizedEigen(sample.diagonal([3, 1]), sample.diagonal([1, 4])).vectors),
  ).toBeCloseTo(1, 14);
});
