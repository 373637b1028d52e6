import * as fc from "fast-check";
import { expect, test } from "vitest";
import { symmetricEigen } from "../../src/matrix/factor/eigen.ts";
import { ldl } from "../../src/matrix/factor/ldl.ts";
import { fromRows, identity, matrix, type Matrix } from "../../src/matrix/matrix.ts";
import { gram, multiply, multiplyTransposeB } from "../../src/matrix/multiply.ts";
import { byEntry, diagonal, difference, largest, ofRank, scaled, symmetricNormal } from "./samples.ts";

/** A[p, p] = L D L' with L unit lower triangular and bounded, D of blocks of order 1 and 2. */
function expectFactor(A: Matrix): ReturnType<typeof ldl> {
  const n = A.rows;
  const result = ldl(A);
  const { L, D, permutation } = result;
  const size = largest(A) || 1;
  const permuted = byEntry(n, n, (i, j) => A.data[permutation[i] * n + permutation[j]] / size);
  const unitD = matrix(
    n,
    n,
    D.data.map((value) => value / size),
  );
  expect(difference(multiplyTransposeB(multiply(L, unitD), L), permuted)).toBeLessThan(1e-14 * (n + 1));
  expect(largest(L)).toBeLessThanOrEqual(2.79);
  const upperL = byEntry(n, n, (i, j) => (j >= i ? L.data[i * n + j] : 0));
  expect(difference(upperL, identity(n))).toBe(0);
  expect(largest(byEntry(n, n, (i, j) => (Math.abs(i - j) > 1 ? D.data[i * n + j] : 0)))).toBe(0);
  expect(Array.from(permutation).sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i));
  return result;
}

test("indefinite matrices of every small order", () => {
  for (let n = 1; n <= 40; n++) {
    const A = symmetricNormal(n, n);
    const { inertia, solve, sign, logDeterminant } = expectFactor(A);
    const { values } = symmetricEigen(A);
    expect(inertia).toEqual({
      positive: values.filter((value) => value > 0).length,
      negative: values.filter((value) => value < 0).length,
      zero: 0,
    });
    expect(sign).toBe(inertia.negative % 2 === 0 ? 1 : -1);
    expect(logDeterminant).toBeCloseTo(
      values.reduce((sum, value) => sum + Math.log(Math.abs(value)), 0),
      8,
    );
    expect(difference(multiply(A, solve(identity(n))), identity(n))).toBeLessThan(1e-9);
  }
});

test("matrices without a usable pivot on the diagonal", () => {
  const saddle = fromRows([
    [0, 0, 1],
    [0, 0, 2],
    [1, 2, 0],
  ]);
  expect(expectFactor(saddle).inertia).toEqual({ positive: 1, negative: 1, zero: 1 });
  const swap = fromRows([
    [0, 1],
    [1, 0],
  ]);
  const { inertia, sign, logDeterminant, solve } = expectFactor(swap);
  expect(inertia).toEqual({ positive: 1, negative: 1, zero: 0 });
  expect(sign).toBe(-1);
  expect(logDeterminant).toBeCloseTo(0, 15);
  expect(Array.from(solve(Float64Array.of(3, 5)))).toEqual([5, 3]);
  expectFactor(byEntry(50, 50, (i, j) => (i === j ? 0 : ((i * 7 + j * 7) % 11) - 5)));
  expectFactor(byEntry(41, 41, (i, j) => (Math.abs(i - j) === 1 ? 1 : 0)));
});

test("singular matrices: inertia counts the zeros, solving refuses", () => {
  for (const [n, rank] of [
    [4, 1],
    [30, 7],
    [60, 59],
  ]) {
    const A = gram(ofRank(n, n, rank, n));
    const { inertia, sign, logDeterminant, solve } = expectFactor(A);
    expect(inertia).toEqual({ positive: rank, negative: 0, zero: n - rank });
    expect(sign).toBe(0);
    expect(logDeterminant).toBe(-Infinity);
    expect(() => solve(identity(n))).toThrow("ldl: the matrix is singular to working precision");
  }
  expect(expectFactor(matrix(3, 3)).inertia).toEqual({ positive: 0, negative: 0, zero: 3 });
  expect(expectFactor(byEntry(5, 5, () => -2)).inertia).toEqual({ positive: 0, negative: 1, zero: 4 });
});

test("scales near the ends of the number range", () => {
  const A = symmetricNormal(40, 2);
  const { logDeterminant } = ldl(A);
  for (const factor of [1e300, 1e-300]) {
    const wide = expectFactor(scaled(A, factor));
    expect(wide.logDeterminant).toBeCloseTo(logDeterminant + 40 * Math.log(factor), 6);
    const X = wide.solve(scaled(identity(40), factor));
    expect(difference(multiply(A, X), identity(40))).toBeLessThan(1e-10);
  }
});

test("properties: Sylvester's law under congruence, identity and diagonals", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(-3, -1, 1, 2), { minLength: 1, maxLength: 20 }),
      fc.integer(),
      (signs, seed) => {
        const n = signs.length;
        const T = byEntry(n, n, (i, j) => (i === j ? 1 : j < i ? Math.sin(seed + 13 * i + 7 * j) : 0));
        const { inertia } = expectFactor(multiplyTransposeB(multiply(T, diagonal(signs)), T));
        expect(inertia.negative).toBe(signs.filter((sign) => sign < 0).length);
      },
    ),
    { numRuns: 60 },
  );
});

test("bad input is named", () => {
  expect(() => ldl(matrix(2, 3))).toThrow("ldl: the matrix must be square");
  expect(() => ldl(fromRows([[Infinity]]))).toThrow("Infinity in row 0, column 0");
  expect(ldl(matrix(0, 0)).inertia).toEqual({ positive: 0, negative: 0, zero: 0 });
});
