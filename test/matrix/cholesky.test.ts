import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { cholesky, tryCholesky } from "../../src/matrix/factor/cholesky.ts";
import { useEngine } from "../../src/matrix/engine.ts";
import { fromRows, identity, matrix, type Matrix } from "../../src/matrix/matrix.ts";
import { gram, multiply, multiplyTransposeB } from "../../src/matrix/multiply.ts";
import * as sample from "./samples.ts";

afterEach(() => void useEngine("simd"));

/** X'X of n + 5 normal rows. */
const wishart = (n: number, seed: number = 1): Matrix => gram(sample.normal(n + 5, n, seed));

describe.each(sample.factorEngines)("cholesky with the %s engine", (name) => {
  test("L L' = A, L lower triangular, at every order around the block sizes", () => {
    useEngine(name);
    for (const n of [1, 2, 3, 4, 5, 7, 8, 63, 64, 65, 66, 67, 68, 71, 72, 73, 128, 130, 201]) {
      const A = wishart(n, n);
      const { L } = cholesky(A);
      expect(sample.difference(multiplyTransposeB(L, L), A)).toBeLessThan(1e-14 * n * sample.largest(A));
      expect(sample.largest(sample.byEntry(n, n, (i, j) => (j > i ? L.data[i * n + j] : 0)))).toBe(0);
    }
  });

  test("solves for a vector, a few and many right-hand sides", () => {
    useEngine(name);
    const n = 90;
    const A = wishart(n);
    const { solve } = cholesky(A);
    for (const columns of [0, 1, 3, 4, 40]) {
      const B = sample.normal(n, columns, 3);
      expect(sample.difference(multiply(A, solve(B)), B)).toBeLessThan(1e-9);
    }
    const b = sample.normal(n, 1, 4).data;
    expect(sample.difference(multiply(A, matrix(n, 1, solve(b))), matrix(n, 1, b))).toBeLessThan(1e-9);
  });

  test("names the pivot where the matrix stops being positive definite", () => {
    useEngine(name);
    for (const [n, at] of [
      [3, 0],
      [10, 9],
      [150, 70],
      [150, 149],
    ]) {
      const A = identity(n);
      A.data[at * n + at] = -1;
      expect(() => cholesky(A)).toThrow(`pivot ${at} of ${n}, counted from 0`);
      expect(tryCholesky(A)).toBeUndefined();
    }
  });

  test("a singular matrix is refused even where rounding would let it pass", () => {
    useEngine(name);
    for (const [n, rank] of [
      [2, 1],
      [20, 5],
      [100, 99],
      [130, 20],
    ]) {
      expect(tryCholesky(gram(sample.ofRank(n, n, rank, n)))).toBeUndefined();
    }
    expect(tryCholesky(matrix(3, 3))).toBeUndefined();
    expect(tryCholesky(sample.byEntry(4, 4, () => 1))).toBeUndefined();
  });

  test("any scale, and any scaling of the variables", () => {
    useEngine(name);
    const A = wishart(70);
    const { L, logDeterminant } = cholesky(A);
    for (const factor of [1e300, 1e-300, 1e-305]) {
      const wide = cholesky(sample.scaled(A, factor));
      expect(sample.difference(sample.scaled(wide.L, 1 / Math.sqrt(factor)), L)).toBeLessThan(1e-11);
      expect(wide.logDeterminant).toBeCloseTo(logDeterminant + 70 * Math.log(factor), 6);
    }
    const size = (i: number): number => 10 ** ((i % 9) * 10 - 40);
    const graded = sample.byEntry(70, 70, (i, j) => A.data[i * 70 + j] * size(i) * size(j));
    const rows = cholesky(graded).L;
    const back = sample.byEntry(70, 70, (i, j) => rows.data[i * 70 + j] / size(i));
    expect(sample.difference(back, L)).toBeLessThan(1e-10);
  });
});

test("engines agree", () => {
  const A = wishart(150, 7);
  const results: Matrix[] = [];
  sample.forEachEngine(() => results.push(cholesky(A).L));
  for (const L of results) expect(sample.difference(L, results[0])).toBeLessThan(1e-11);
});

test("properties: the determinant of a product, and of a diagonal", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 25 }), fc.integer(), (n, seed) => {
      const { L, logDeterminant } = cholesky(wishart(n, seed));
      const again = cholesky(multiplyTransposeB(L, L));
      expect(again.logDeterminant).toBeCloseTo(logDeterminant, 8);
      expect(sample.difference(again.L, L)).toBeLessThan(1e-8);
    }),
    { numRuns: 50 },
  );
  expect(
    cholesky(
      fromRows([
        [4, 0],
        [0, 9],
      ]),
    ).logDeterminant,
  ).toBeCloseTo(Math.log(36), 14);
});

test("bad input is named", () => {
  expect(() => cholesky(matrix(2, 3))).toThrow("cholesky: the matrix must be square, got 2 x 3");
  expect(() =>
    cholesky(
      fromRows([
        [1, 2],
        [0, 1],
      ]),
    ),
  ).toThrow("entry (1, 0) is 0 and entry (0, 1) is 2");
  expect(() => tryCholesky(fromRows([[Number.NaN]]))).toThrow("NaN in row 0, column 0");
  const { solve } = cholesky(identity(3));
  expect(() => solve(matrix(2, 1))).toThrow("the right-hand side has 2 rows, but the matrix is 3 x 3");
  expect(() => solve(Float64Array.of(1, Number.NaN, 3))).toThrow("right-hand side has NaN in row 1");
  const empty = cholesky(matrix(0, 0));
  expect(empty.logDeterminant).toBe(0);
  expect(empty.solve(matrix(0, 2)).cols).toBe(2);
});
