import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { useEngine } from "../../src/matrix/engine.ts";
import { fromRows, identity, matrix, type Matrix } from "../../src/matrix/matrix.ts";
import { gram, multiply } from "../../src/matrix/multiply.ts";
import { qr } from "../../src/matrix/factor/qr.ts";
import * as sample from "./samples.ts";

afterEach(() => void useEngine("simd"));

/** Q R = A column by column relative to the column, Q orthonormal, R upper triangular with diagonal >= 0. */
function expectFactor(A: Matrix): ReturnType<typeof qr> {
  const result = qr(A);
  const { Q, R } = result;
  const k = Math.min(A.rows, A.cols);
  expect([Q.rows, Q.cols, R.rows, R.cols]).toEqual([A.rows, k, k, A.cols]);
  expect(sample.difference(gram(Q), identity(k))).toBeLessThan(1e-14 * (k + 1));
  const size = columnSizes(A);
  const unitA = sample.byEntry(A.rows, A.cols, (i, j) => A.data[i * A.cols + j] / size[j]);
  const unitR = sample.byEntry(k, A.cols, (i, j) => R.data[i * A.cols + j] / size[j]);
  expect(sample.difference(multiply(Q, unitR), unitA)).toBeLessThan(1e-14 * (A.rows + 1));
  expect(sample.largest(sample.byEntry(k, k, (i, j) => (j < i ? R.data[i * A.cols + j] : 0)))).toBe(0);
  for (let i = 0; i < k; i++) expect(R.data[i * A.cols + i]).toBeGreaterThanOrEqual(0);
  return result;
}

function columnSizes(A: Matrix): number[] {
  return Array.from({ length: A.cols }, (_, j) => {
    let peak = 0;
    for (let i = 0; i < A.rows; i++) peak = Math.max(peak, Math.abs(A.data[i * A.cols + j]));
    return peak || 1;
  });
}

const shapes = [
  [1, 1],
  [5, 1],
  [1, 5],
  [3, 2],
  [31, 33],
  [33, 31],
  [64, 64],
  [65, 65],
  [200, 40],
  [40, 200],
  [100, 97],
];

describe.each(sample.factorEngines)("qr with the %s engine", (name) => {
  test("tall, square and wide", () => {
    useEngine(name);
    for (const [m, n] of shapes) {
      // A normal matrix has full rank.
      const { R } = expectFactor(sample.normal(m, n, m + n));
      for (let i = 0; i < R.rows; i++) expect(R.data[i * n + i]).toBeGreaterThan(0);
    }
  });

  test("any rank: zeros, repeated columns, low rank", () => {
    useEngine(name);
    for (const [m, n] of shapes) {
      expect(sample.largest(expectFactor(matrix(m, n)).R)).toBe(0);
      expectFactor(sample.byEntry(m, n, () => 1));
      expectFactor(sample.byEntry(m, n, (i, j) => (j % 2 === 0 ? i + 1 : 0)));
      expectFactor(sample.ofRank(m, n, Math.ceil(Math.min(m, n) / 3)));
    }
    expectFactor(identity(70));
  });

  test("columns of any scale, each relative to itself", () => {
    useEngine(name);
    expectFactor(
      sample.byEntry(60, 50, (i, j) => Math.sin(i * 13 + j * j) * 10 ** (((j * 7) % 50) * 12 - 300)),
    );
    const { R } = qr(sample.normal(40, 30));
    for (const factor of [1e300, 1e-300]) {
      const wide = expectFactor(sample.scaled(sample.normal(40, 30), factor)).R;
      expect(sample.difference(sample.scaled(wide, 1 / factor), R)).toBeLessThan(1e-13);
    }
  });
});

test("engines agree", () => {
  const A = sample.normal(90, 70, 5);
  const results: Matrix[] = [];
  sample.forEachEngine(() => results.push(qr(A).R));
  for (const R of results) expect(sample.difference(R, results[0])).toBeLessThan(1e-12);
});

test("properties: R is the Cholesky factor of A'A, and is not changed by rotations of the rows", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 0, max: 20 }),
      fc.integer(),
      (n, extra, seed) => {
        const A = sample.normal(n + extra, n, seed);
        const { R } = expectFactor(A);
        expect(sample.difference(gram(R), gram(A))).toBeLessThan(
          1e-13 * (n + extra) * sample.largest(gram(A)),
        );
        const { Q } = qr(sample.normal(n + extra, n + extra, seed + 1));
        const ratio = Math.abs(R.data[n * n - 1]) / sample.largest(R);
        expect(sample.difference(qr(multiply(Q, A)).R, R)).toBeLessThan((1e-12 * sample.largest(R)) / ratio);
      },
    ),
    { numRuns: 40 },
  );
});

test("bad input is named; empty shapes are fine", () => {
  expect(() => qr(fromRows([[1, Number.NaN]]))).toThrow("qr: the matrix has NaN in row 0, column 1");
  expect(qr(matrix(0, 3)).R.cols).toBe(3);
  expect(qr(matrix(3, 0)).Q.rows).toBe(3);
});
