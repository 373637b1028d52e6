import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { useEngine } from "../../src/matrix/engine.ts";
import { fromRows, identity, matrix } from "../../src/matrix/matrix.ts";
import { multiply } from "../../src/matrix/multiply.ts";
import { solve } from "../../src/matrix/factor/solve.ts";
import { solveTriangular } from "../../src/matrix/factor/triangular.ts";
import { byEntry, difference, factorEngines, forEachEngine, normal, ofRank, scaled } from "./samples.ts";

afterEach(() => void useEngine("simd"));

describe.each(factorEngines)("with the %s engine", (name) => {
  test("solve: A X = B at every order around the block size", () => {
    useEngine(name);
    for (const n of [1, 2, 3, 5, 8, 31, 32, 33, 63, 64, 65, 100, 130]) {
      const A = normal(n, n, n);
      const X = normal(n, 1 + (n % 7), 2);
      expect(difference(solve(A, multiply(A, X)), X)).toBeLessThan(1e-9);
    }
  });

  test("solve: a matrix that needs its rows exchanged", () => {
    useEngine(name);
    const n = 50;
    const shift = byEntry(n, n, (i, j) => (j === (i + 1) % n ? 2 : 0));
    expect(difference(multiply(shift, solve(shift, identity(n))), identity(n))).toBe(0);
  });

  test("solve: a singular matrix is an error, not a wild answer", () => {
    useEngine(name);
    for (const [n, rank] of [
      [2, 1],
      [10, 9],
      [64, 20],
      [100, 99],
    ]) {
      expect(() => solve(ofRank(n, n, rank, n), identity(n))).toThrow("solve: the matrix is singular");
    }
    expect(() => solve(matrix(3, 3), identity(3))).toThrow("pivot 0 of 3");
    expect(() =>
      solve(
        byEntry(4, 4, () => 1),
        identity(4),
      ),
    ).toThrow("pivot 1 of 4");
  });

  test("solve: scaling rows and columns does not make a matrix singular", () => {
    useEngine(name);
    const n = 40;
    const A = normal(n, n, 3);
    const X = normal(n, 3, 4);
    const B = multiply(A, X);
    for (const [r, c] of [
      [300, 0],
      [-300, 0],
      [100, -100],
      [-120, 60],
    ]) {
      const rowSize = (i: number): number => 10 ** (r * (i / n));
      const columnSize = (j: number): number => 10 ** (c * (j / n));
      const wide = byEntry(n, n, (i, j) => A.data[i * n + j] * rowSize(i) * columnSize(j));
      const right = byEntry(n, 3, (i, j) => B.data[i * 3 + j] * rowSize(i));
      const Y = solve(wide, right);
      const back = byEntry(n, 3, (i, j) => Y.data[i * 3 + j] * columnSize(i));
      expect(difference(back, X)).toBeLessThan(1e-9);
    }
  });

  test("solveTriangular: both triangles, transposed or not, unit or not, few or many columns", () => {
    useEngine(name);
    for (const n of [1, 2, 31, 33, 70]) {
      for (const upper of [false, true]) {
        for (const unit of [false, true]) {
          // What lies in the other triangle must not be read.
          const T = byEntry(n, n, (i, j) => (i === j ? 3 + (i % 2) : (Math.cos(i * 7 + j) * 2) / n));
          const clean = byEntry(n, n, (i, j) =>
            i === j ? (unit ? 1 : T.data[i * n + j]) : i < j === upper ? T.data[i * n + j] : 0,
          );
          for (const transposed of [false, true]) {
            const M = transposed ? byEntry(n, n, (i, j) => clean.data[j * n + i]) : clean;
            for (const columns of [1, 3, 4, 21]) {
              const X = normal(n, columns, 5);
              const Y = solveTriangular(T, multiply(M, X), { upper, unit, transposed });
              expect(difference(Y, X)).toBeLessThan(1e-11);
            }
          }
        }
      }
    }
  });
});

test("engines agree", () => {
  const A = normal(90, 90, 6);
  const B = normal(90, 5, 7);
  const results = [solve(A, B)];
  forEachEngine(() => results.push(solve(A, B)));
  for (const X of results) expect(difference(X, results[0])).toBeLessThan(1e-9);
});

test("properties: linear in B, and the inverse undoes the product", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer(),
      fc.integer({ min: -250, max: 250 }),
      (n, seed, exponent) => {
        const A = byEntry(n, n, (i, j) => Math.sin(seed + i * 31 + j * 17) + (i === j ? 3 * n : 0));
        const B = normal(n, 2, seed);
        const X = solve(A, B);
        const wide = solve(scaled(A, 10 ** exponent), scaled(B, 10 ** exponent));
        expect(difference(wide, X)).toBeLessThan(1e-12);
        expect(difference(multiply(A, X), B)).toBeLessThan(1e-11);
      },
    ),
    { numRuns: 50 },
  );
});

test("bad input is named", () => {
  expect(() => solve(matrix(2, 3), matrix(2, 1))).toThrow("solve: the matrix must be square");
  expect(() => solve(identity(2), matrix(3, 1))).toThrow(
    "the right-hand side has 3 rows, but the matrix is 2 x 2",
  );
  expect(() => solve(fromRows([[Number.NaN]]), matrix(1, 1))).toThrow("NaN in row 0, column 0");
  expect(() => solveTriangular(matrix(2, 2), identity(2))).toThrow("entry 0 of its diagonal is 0");
  expect(() => solveTriangular(identity(2), matrix(3, 1))).toThrow("right-hand side has 3 rows");
  expect(
    Array.from(
      solve(
        fromRows([
          [2, 1],
          [1, 3],
        ]),
        Float64Array.of(3, 5),
      ),
    ),
  ).toEqual([0.8, 1.4]);
  expect(solve(matrix(0, 0), matrix(0, 2)).cols).toBe(2);
});
