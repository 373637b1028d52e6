import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { symmetricEigen } from "../../src/matrix/factor/eigen.ts";
import { useEngine } from "../../src/matrix/engine.ts";
import { fromRows, identity, matrix, transpose, type Matrix } from "../../src/matrix/matrix.ts";
import { gram, multiply } from "../../src/matrix/multiply.ts";
import * as sample from "./samples.ts";

afterEach(() => void useEngine("simd"));

/** Descending values, |A V - V diag| and |V'V - I| within 1e-13 n of the size of A. */
function expectEigen(A: Matrix): { values: Float64Array; vectors: Matrix } {
  const result = symmetricEigen(A);
  const { values, vectors } = result;
  const n = A.rows;
  for (let j = 1; j < n; j++) expect(values[j]).toBeLessThanOrEqual(values[j - 1]);
  // Residuals are formed on a matrix of size 1, where they cannot overflow.
  const size = sample.largest(A) || 1;
  const unit = matrix(
    n,
    n,
    A.data.map((value) => value / size),
  );
  const residual = sample.difference(
    multiply(unit, vectors),
    multiply(vectors, sample.diagonal(values.map((value) => value / size))),
  );
  expect(residual).toBeLessThanOrEqual(1e-13 * n * Math.max(1, sample.largest(unit)));
  expect(sample.difference(gram(vectors), identity(n))).toBeLessThanOrEqual(1e-13 * n);
  return result;
}

const rank20 = gram(transpose(sample.normal(300, 20)));
const laplacian = (n: number): Matrix =>
  sample.byEntry(n, n, (i, j) =>
    i === j ? (i === 0 || i === n - 1 ? 1 : 2) : Math.abs(i - j) === 1 ? -1 : 0,
  );
const wilkinson = (n: number): Matrix =>
  sample.byEntry(n, n, (i, j) => (i === j ? Math.abs(i - (n - 1) / 2) : Math.abs(i - j) === 1 ? 1 : 0));
const spectrum = (values: number[], seed: number): Matrix => {
  const { vectors } = symmetricEigen(sample.symmetricNormal(values.length, seed));
  return multiply(multiply(vectors, sample.diagonal(values)), transpose(vectors));
};

describe.each(sample.factorEngines)("symmetricEigen with the %s engine", (name) => {
  test("of every small order, and across the order where halves are split", () => {
    useEngine(name);
    for (const n of [1, 2, 3, 4, 7, 16, 31, 32, 33, 34, 63, 64, 65, 97, 130]) {
      expect(expectEigen(sample.symmetricNormal(n, n)).values).toHaveLength(n);
    }
  });

  test("a Gram matrix of rank 20 and order 300, where the usual QL test does not stop", () => {
    useEngine(name);
    const { values } = expectEigen(rank20);
    expect(values[19]).toBeGreaterThan(1);
    for (let j = 20; j < 300; j++) expect(Math.abs(values[j])).toBeLessThan(1e-11);
  });

  test("a path Laplacian has its known eigenvalues", () => {
    useEngine(name);
    const n = 200;
    const { values } = expectEigen(laplacian(n));
    for (let j = 0; j < n; j++) {
      expect(values[n - 1 - j]).toBeCloseTo(4 * Math.sin((Math.PI * j) / (2 * n)) ** 2, 12);
    }
  });

  test("Wilkinson's matrix, with pairs of eigenvalues that agree to roundoff", () => {
    useEngine(name);
    const { values } = expectEigen(wilkinson(101));
    expect(values[0] - values[1]).toBeLessThan(1e-12);
    expect(expectEigen(wilkinson(21)).values[0]).toBeCloseTo(10.746194182903393, 12);
  });

  test("identity, zeros, all ones, repeated, graded and near-zero values", () => {
    useEngine(name);
    for (const n of [1, 2, 5, 40, 100]) {
      expect(Array.from(expectEigen(identity(n)).values)).toEqual(Array.from({ length: n }, () => 1));
      expect(Array.from(expectEigen(matrix(n, n)).values)).toEqual(Array.from({ length: n }, () => 0));
      expect(expectEigen(sample.byEntry(n, n, () => 1)).values[0]).toBeCloseTo(n, 10);
    }
    const repeated = Array.from({ length: 90 }, (_, i) => Math.floor(i / 30) + 1);
    const { values } = expectEigen(spectrum(repeated, 3));
    repeated.reverse().forEach((value, j) => expect(values[j]).toBeCloseTo(value, 11));
    expectEigen(sample.byEntry(80, 80, (i, j) => 10 ** (-(i + j) / 5)));
    expectEigen(sample.diagonal(Array.from({ length: 70 }, (_, i) => (i % 3) * 10 ** -i)));
  });

  test("scales near the ends of the number range", () => {
    useEngine(name);
    const A = sample.symmetricNormal(50, 8);
    const { values } = symmetricEigen(A);
    for (const factor of [1e300, 1e-300, 2 ** 1000]) {
      const wide = expectEigen(sample.scaled(A, factor)).values;
      for (let j = 0; j < 50; j++)
        expect(wide[j] / factor / values[0]).toBeCloseTo(values[j] / values[0], 12);
    }
    // Of denormal numbers some ten bits are left.
    const dim = symmetricEigen(sample.scaled(A, 2 ** -1060));
    expect(sample.difference(gram(dim.vectors), identity(50))).toBeLessThan(1e-13 * 50);
    for (let j = 0; j < 50; j++) expect(dim.values[j] / 2 ** -1060).toBeCloseTo(values[j], 2);
    expectEigen(
      fromRows([
        [1e300, 1e-300],
        [1e-300, 1e-300],
      ]),
    );
    expectEigen(sample.diagonal([1e300, 1, 1e-300, 0, -1e300]));
  });
});

test("engines agree", () => {
  const A = sample.symmetricNormal(150, 5);
  const results: Float64Array[] = [];
  sample.forEachEngine(() => results.push(symmetricEigen(A).values));
  for (const values of results) values.forEach((value, j) => expect(value).toBeCloseTo(results[0][j], 12));
});

test("properties: trace, Frobenius norm, shift and sign", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 45 }),
      fc.integer(),
      fc.double({ min: -5, max: 5, noNaN: true }),
      (n, seed, shift) => {
        const A = sample.symmetricNormal(n, seed);
        const { values } = symmetricEigen(A);
        const trace = A.data.reduce((sum, value, p) => (p % (n + 1) === 0 ? sum + value : sum), 0);
        expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(trace, 10);
        const square = A.data.reduce((sum, value) => sum + value * value, 0);
        expect(values.reduce((sum, value) => sum + value * value, 0) / square).toBeCloseTo(1, 11);
        const moved = symmetricEigen(
          sample.byEntry(n, n, (i, j) => A.data[i * n + j] + (i === j ? shift : 0)),
        ).values;
        const mirrored = symmetricEigen(sample.scaled(A, -1)).values;
        for (let j = 0; j < n; j++) {
          expect(moved[j]).toBeCloseTo(values[j] + shift, 11);
          expect(-mirrored[n - 1 - j]).toBeCloseTo(values[j], 11);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("random ranks, scales and multiplicities keep the bounds", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 90 }),
      fc.integer({ min: 0, max: 90 }),
      fc.integer(),
      fc.integer({ min: -290, max: 290 }),
      (n, rank, seed, exponent) => {
        const factor = sample.ofRank(n, n, Math.min(n, rank), seed);
        const { values } = expectEigen(sample.scaled(gram(factor), 10 ** exponent));
        expect(values[n - 1]).toBeGreaterThanOrEqual(-1e-13 * n * values[0]);
        expectEigen(
          sample.scaled(
            sample.byEntry(n, n, (i, j) => Math.round(factor.data[i * n + j] + factor.data[j * n + i])),
            10 ** exponent,
          ),
        );
      },
    ),
    { numRuns: 40 },
  );
});

test("each vector has its entry of largest size positive", () => {
  const { vectors } = symmetricEigen(sample.symmetricNormal(30, 2));
  const columns = transpose(vectors);
  for (let j = 0; j < 30; j++) {
    const column = columns.data.subarray(j * 30, (j + 1) * 30);
    expect(Math.max(...column)).toBe(Math.max(...column.map(Math.abs)));
  }
});

test("bad input is named", () => {
  expect(() => symmetricEigen(matrix(2, 3))).toThrow("symmetricEigen: the matrix must be square, got 2 x 3");
  expect(() =>
    symmetricEigen(
      fromRows([
        [1, 2],
        [3, 1],
      ]),
    ),
  ).toThrow("entry (1, 0) is 3 and entry (0, 1) is 2");
  expect(() =>
    symmetricEigen(
      fromRows([
        [1, Number.NaN],
        [0, 1],
      ]),
    ),
  ).toThrow("NaN in row 0, column 1");
  expect(() =>
    symmetricEigen(
      fromRows([
        [1, 0],
        [0, Infinity],
      ]),
    ),
  ).toThrow("Infinity in row 1, column 1");
  expect(symmetricEigen(matrix(0, 0)).values).toHaveLength(0);
  // Rounding asymmetry is averaged away.
  expect(
    symmetricEigen(
      fromRows([
        [2, 1],
        [1 + 1e-12, 2],
      ]),
    ).values[0],
  ).toBeCloseTo(3, 11);
});
