import { expect, test } from "vitest";
import { symmetricEigen, symmetricEigenvalues } from "../../src/matrix/factor/eigen.ts";
import { identity, matrix, transpose, type Matrix } from "../../src/matrix/matrix.ts";
import { gram } from "../../src/matrix/multiply.ts";
import { diagonal, normal, scaled, symmetricNormal } from "./samples.ts";

const cases: readonly (readonly [string, Matrix])[] = [
  ...[1, 2, 3, 13, 64, 130].map((n) => [`of order ${n}`, symmetricNormal(n, n)] as const),
  ["of rank 20", gram(transpose(normal(90, 20)))],
  ["of ones", identity(9)],
  ["of zeros", matrix(5, 5)],
  ["a diagonal", diagonal([3, -1, 0, 7])],
  ["tiny", scaled(symmetricNormal(8), 1e-290)],
  ["huge", scaled(symmetricNormal(8), 1e290)],
];

test.each(cases)("eigenvalues alone are those with vectors: %s", (_, A) => {
  const { values } = symmetricEigen(A);
  const alone = symmetricEigenvalues(A);
  const size = Math.max(...values.map(Math.abs), Number.MIN_VALUE);
  for (let k = 0; k < A.rows; k++) {
    expect(Math.abs(alone[k] - values[k]) / size).toBeLessThanOrEqual(1e-14 * A.rows);
  }
});

test("nothing has none, and what is not a number is refused", () => {
  expect(symmetricEigenvalues(matrix(0, 0))).toHaveLength(0);
  expect(() => symmetricEigenvalues(matrix(2, 3))).toThrow("must be square");
  expect(() => symmetricEigenvalues(diagonal([1, Number.NaN]))).toThrow("NaN");
});
