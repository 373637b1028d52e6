import { afterEach, expect, test } from "vitest";
import { cholesky } from "../../src/matrix/factor/cholesky.ts";
import { symmetricEigen } from "../../src/matrix/factor/eigen.ts";
import { useEngine } from "../../src/matrix/engine.ts";
import { generalizedEigen } from "../../src/matrix/factor/generalizedEigen.ts";
import { row } from "../../src/matrix/matrix.ts";
import { pseudoInverse, svd } from "../../src/matrix/factor/svd.ts";
import { qr } from "../../src/matrix/factor/qr.ts";
import { solve } from "../../src/matrix/factor/solve.ts";
import { topEigen } from "../../src/matrix/factor/topEigen.ts";
import lapack from "../fixtures/factorisations.json" with { type: "json" };
import { byEntry, factorEngines } from "./samples.ts";

afterEach(() => void useEngine("simd"));

/** The matrices of test/fixtures/factorisations.py; the remainder there is never negative. */
const n = 12;
const remainder = (a: number, b: number): number => ((a % b) + b) % b;
const A = byEntry(n, n, (i, j) => (remainder(i * j + 3 * (i + j), 7) - 3) / 4 + (i === j ? 2 - i : 0));
const B = byEntry(n, n, (i, j) => (i === j ? 5 : (remainder(i + j, 3) - 1) / 4));
const C = byEntry(n, 5, (i, j) => (remainder(5 * i + 2 * j * j, 11) - 5) / 8);

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  expect(actual).toHaveLength(expected.length);
  Array.from(expected).forEach((value, k) => expect(actual[k]).toBeCloseTo(value, 12));
}

test.each(factorEngines)("the %s engine gives what LAPACK gives", (name) => {
  useEngine(name);
  expectClose(symmetricEigen(A).values, lapack["eigenvalues of A"]);
  expectClose(topEigen(A, 3).values, lapack["eigenvalues of A"].slice(0, 3));
  expect(cholesky(B).logDeterminant).toBeCloseTo(lapack["log det B"], 12);
  expectClose(row(cholesky(B).L, n - 1), lapack["Cholesky factor of B, last row"]);
  expectClose(generalizedEigen(A, B).values, lapack["eigenvalues of A x = v B x"]);
  expectClose(svd(C).values, lapack["singular values of C"]);
  const { R } = qr(C);
  expectClose(
    Array.from({ length: 5 }, (_, k) => R.data[k * 6]),
    lapack["diagonal of R of C"],
  );
  expectClose(row(pseudoInverse(C).inverse, 0), lapack["pseudo-inverse of C, first row"]);
  const ones = new Float64Array(n).fill(1);
  expectClose(solve(A, ones), lapack["solution of A x = 1"]);
});
