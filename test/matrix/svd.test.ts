import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { useEngine } from "../../src/matrix/engine.ts";
import { fromRows, identity, matrix, transpose, type Matrix } from "../../src/matrix/matrix.ts";
import { gram, multiply, multiplyTransposeB } from "../../src/matrix/multiply.ts";
import { qr } from "../../src/matrix/factor/qr.ts";
import { svd } from "../../src/matrix/factor/svd.ts";
import * as sample from "./samples.ts";

afterEach(() => void useEngine("simd"));

function expectSVD(A: Matrix): ReturnType<typeof svd> {
  const result = svd(A);
  const { U, values, V } = result;
  const k = Math.min(A.rows, A.cols);
  expect([U.rows, U.cols, values.length, V.rows, V.cols]).toEqual([A.rows, k, k, A.cols, k]);
  for (let j = 0; j < k; j++) {
    expect(values[j]).toBeGreaterThanOrEqual(0);
    expect(values[j]).toBeLessThanOrEqual(values[Math.max(0, j - 1)]);
  }
  const size = sample.largest(A) || 1;
  const unit = sample.byEntry(A.rows, A.cols, (i, j) => A.data[i * A.cols + j] / size);
  const product = multiplyTransposeB(multiply(U, sample.diagonal(values.map((value) => value / size))), V);
  const n = Math.max(A.rows, A.cols);
  expect(sample.difference(product, unit)).toBeLessThan(2e-14 * n);
  expect(sample.difference(gram(U), identity(k))).toBeLessThan(1e-14 * n);
  expect(sample.difference(gram(V), identity(k))).toBeLessThan(1e-14 * n);
  return result;
}

const orthonormal = (rows: number, cols: number, seed: number): Matrix =>
  qr(sample.normal(rows, cols, seed)).Q;

describe.each(sample.factorEngines)("svd with the %s engine", (name) => {
  test("tall, square and wide", () => {
    useEngine(name);
    for (const [m, n] of [
      [1, 1],
      [4, 1],
      [1, 4],
      [2, 2],
      [9, 6],
      [33, 33],
      [120, 40],
      [40, 120],
      [70, 69],
    ]) {
      expect(expectSVD(sample.normal(m, n, m * n)).values).toHaveLength(Math.min(m, n));
    }
  });

  test("rank deficient, identity, zeros, repeated values", () => {
    useEngine(name);
    for (const [m, n, rank] of [
      [3, 3, 1],
      [40, 30, 1],
      [40, 30, 29],
      [60, 60, 20],
      [30, 50, 7],
    ]) {
      const { values } = expectSVD(sample.ofRank(m, n, rank, m));
      expect(values[rank - 1]).toBeGreaterThan(1e-3);
      for (let j = rank; j < values.length; j++) expect(values[j]).toBeLessThan(1e-12 * values[0]);
    }
    expect(Array.from(expectSVD(identity(20)).values)).toEqual(Array.from({ length: 20 }, () => 1));
    expect(Array.from(expectSVD(matrix(7, 4)).values)).toEqual([0, 0, 0, 0]);
    expect(expectSVD(sample.byEntry(12, 8, () => 1)).values[0]).toBeCloseTo(Math.sqrt(96), 12);
    expectSVD(sample.byEntry(20, 10, (i, j) => (j === 3 ? i : 0)));
    const repeated = multiplyTransposeB(
      multiply(orthonormal(50, 30, 1), sample.diagonal(Array.from({ length: 30 }, (_, i) => 1 + (i % 2)))),
      orthonormal(30, 30, 2),
    );
    expectSVD(repeated).values.forEach((value, j) => expect(value).toBeCloseTo(j < 15 ? 2 : 1, 12));
  });

  test("small singular values keep their relative accuracy under scaled columns", () => {
    useEngine(name);
    // Orthogonal columns of sizes 1 down to 1e-40: the singular values are these sizes.
    const sizes = Array.from({ length: 21 }, (_, j) => 10 ** (-2 * j));
    const Q = orthonormal(60, 21, 3);
    const A = sample.byEntry(60, 21, (i, j) => Q.data[i * 21 + j] * sizes[(j * 8) % 21]);
    const { values } = expectSVD(A);
    sizes.forEach((size, j) => expect(values[j] / size).toBeCloseTo(1, 12));
  });

  test("a Kahan-like triangle and a Hilbert matrix, through X'X hopeless", () => {
    useEngine(name);
    const hilbert = sample.byEntry(8, 8, (i, j) => 1 / (i + j + 1));
    // The reciprocal of the largest eigenvalue of the inverse, whose entries are integers (scipy.linalg.invhilbert).
    expect(expectSVD(hilbert).values[7] / 1.111538966372442e-10).toBeCloseTo(1, 5);
    expectSVD(sample.byEntry(60, 60, (i, j) => (i > j ? 0 : (i === j ? 1 : -0.6) * 0.8 ** i)));
  });

  test("scales near the ends of the number range", () => {
    useEngine(name);
    const A = sample.normal(30, 20, 4);
    const { values } = svd(A);
    for (const factor of [1e300, 1e-300]) {
      expectSVD(sample.scaled(A, factor)).values.forEach((value, j) =>
        expect(value / factor).toBeCloseTo(values[j], 11),
      );
    }
    expect(Array.from(expectSVD(sample.diagonal([1e-200, 1, 1e-100])).values)).toEqual([1, 1e-100, 1e-200]);
  });
});

test("engines agree", () => {
  const A = sample.normal(80, 50, 5);
  const results: Float64Array[] = [];
  sample.forEachEngine(() => results.push(svd(A).values));
  for (const values of results) values.forEach((value, j) => expect(value).toBeCloseTo(results[0][j], 12));
});

test("properties: transpose, rotation, Frobenius norm", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 25 }),
      fc.integer({ min: 1, max: 25 }),
      fc.integer({ min: 1, max: 25 }),
      fc.integer(),
      (m, n, rank, seed) => {
        const A = sample.ofRank(m, n, Math.min(m, n, rank), seed);
        const { values } = expectSVD(A);
        const flipped = svd(transpose(A)).values;
        const rotated = svd(multiply(orthonormal(m, m, seed), A)).values;
        for (let j = 0; j < values.length; j++) {
          expect(Math.abs(flipped[j] - values[j])).toBeLessThan(1e-13 * values[0] + 1e-300);
          expect(Math.abs(rotated[j] - values[j])).toBeLessThan(1e-12 * values[0] + 1e-300);
        }
        const square = A.data.reduce((sum, value) => sum + value * value, 0);
        expect(values.reduce((sum, value) => sum + value * value, 0) / square).toBeCloseTo(1, 11);
      },
    ),
    { numRuns: 60 },
  );
});

test("bad input is named; empty shapes are fine", () => {
  expect(() => svd(fromRows([[1], [Infinity]]))).toThrow("svd: the matrix has Infinity in row 1, column 0");
  expect(svd(matrix(0, 3)).V.rows).toBe(3);
  expect(svd(matrix(3, 0)).values).toHaveLength(0);
});
