import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import {
  engines,
  fromRows,
  gram,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  multiplyTransposeVector,
  multiplyVector,
  rankOneUpdate,
  toSparse,
  transpose,
  useEngine,
  type Matrix,
} from "../../src/matrix/index.ts";
import { random } from "../../src/core/random.ts";
import { mapped } from "../../src/matrix/matrix.ts";
import { normal } from "./samples.ts";

const available = engines()
  .filter((entry) => entry.available)
  .map((entry) => entry.name);
const sizes = [0, 1, 2, 3, 5, 17, 65, 130];

afterAll(() => {
  useEngine("simd");
});

describe.each(available)("products under the %s engine", (name) => {
  it("agree with sums of products in every transpose and odd shape", () => {
    useEngine(name);
    const source = random(1);
    for (const m of sizes) {
      for (const k of sizes) {
        const A = normal(m, k, source);
        for (const n of [0, 1, 4, 7, 66]) {
          const B = normal(k, n, source);
          const expected = reference(A, B);
          expect(error(multiply(A, B), expected, k)).toBeLessThan(1);
          expect(error(multiplyTransposeA(transpose(A), B), expected, k)).toBeLessThan(1);
          expect(error(multiplyTransposeB(A, transpose(B)), expected, k)).toBeLessThan(1);
        }
        expect(error(gram(A), reference(transpose(A), A), m)).toBeLessThan(1);
        const x = normal(k, 1, source);
        expect(error(matrix(m, 1, multiplyVector(A, x.data)), reference(A, x), k)).toBeLessThan(1);
        expect(
          error(matrix(m, 1, multiplyTransposeVector(transpose(A), x.data)), reference(A, x), k),
        ).toBeLessThan(1);
      }
    }
  });

  it("cross every block border", () => {
    useEngine(name);
    const source = random(2);
    for (const [m, k, n] of [
      [97, 257, 515],
      [3, 5000, 4],
      [9000, 3, 17],
      [2, 3, 5000],
      [2051, 5, 50],
    ]) {
      const A = normal(m, k, source);
      const B = normal(k, n, source);
      expect(error(multiply(A, B), reference(A, B), k)).toBeLessThan(1);
    }
    for (const [rows, cols] of [
      [5000, 7],
      [1000, 270],
    ]) {
      const X = normal(rows, cols, source);
      expect(error(gram(X), reference(transpose(X), X), rows)).toBeLessThan(1);
    }
  });

  it("of a gram matrix are symmetric to the bit", () => {
    useEngine(name);
    const G = gram(normal(321, 39, random(3)));
    expect(transpose(G)).toEqual(G);
  });

  it("carry NaN and infinity where they belong and nowhere else", () => {
    useEngine(name);
    const A = normal(13, 31, random(4));
    const B = normal(31, 11, random(5));
    A.data[5 * 31 + 7] = Number.NaN;
    B.data[9 * 11 + 10] = Number.POSITIVE_INFINITY;
    const found = Array.from(multiply(A, B).data, (value, p) => {
      if (Number.isNaN(value)) return "NaN";
      return Number.isFinite(value) ? "finite" : `infinite in column ${p % 11}`;
    });
    const expected = Array.from({ length: 13 * 11 }, (_, p) => {
      if (Math.floor(p / 11) === 5) return "NaN";
      return p % 11 === 10 ? "infinite in column 10" : "finite";
    });
    expect(found).toEqual(expected);
  });

  it("keep to extreme scales", () => {
    useEngine(name);
    const A = normal(33, 40, random(6));
    const B = normal(40, 21, random(7));
    const large = multiply(scaled(A, 2 ** 996), scaled(B, 2 ** -996));
    expect(large).toEqual(multiply(A, B));
    const tiny = multiply(scaled(A, 2 ** -900), B);
    expect(tiny).toEqual(scaled(multiply(A, B), 2 ** -900));
  });

  it("update in place", () => {
    useEngine(name);
    const source = random(8);
    const A = normal(37, 19, source);
    const B = normal(23, 19, source);
    const C = normal(37, 23, source);
    const before = C.data.slice();
    rankOneUpdate(C, 2, A.data.subarray(0, 37), B.data.subarray(0, 23));
    expect(C.data[40]).toBeCloseTo(before[40] + 2 * A.data[1] * B.data[17], 12);
  });

  it("obey (AB)' = B'A' and distribute over sums", () => {
    useEngine(name);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer(),
        (m, k, n, seed) => {
          const source = random(seed);
          const A = normal(m, k, source);
          const B = normal(k, n, source);
          const D = normal(k, n, source);
          expect(error(transpose(multiply(A, B)), multiply(transpose(B), transpose(A)), k)).toBeLessThan(1);
          const sum = matrix(
            k,
            n,
            B.data.map((b, p) => b + D.data[p]),
          );
          const parts = multiply(A, B).data.map((c, p) => c + multiply(A, D).data[p]);
          expect(error(multiply(A, sum), matrix(m, n, parts), 4 * k)).toBeLessThan(1);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("products with a sparse factor", () => {
  it("equal the dense ones", () => {
    const source = random(9);
    const S = normal(14, 9, source);
    for (let p = 0; p < S.data.length; p++) if (p % 3 !== 0) S.data[p] = 0;
    const sparse = toSparse(S);
    const right = normal(9, 5, source);
    const left = normal(5, 14, source);
    expect(error(multiply(sparse, right), reference(S, right), 9)).toBeLessThan(1);
    expect(error(multiply(left, sparse), reference(left, S), 14)).toBeLessThan(1);
    expect(
      error(multiplyTransposeA(sparse, transpose(left)), reference(transpose(S), transpose(left)), 14),
    ).toBeLessThan(1);
    expect(error(multiplyTransposeA(transpose(left), sparse), reference(left, S), 14)).toBeLessThan(1);
    expect(error(multiplyTransposeB(sparse, transpose(right)), reference(S, right), 9)).toBeLessThan(1);
    expect(
      error(multiplyTransposeB(transpose(right), sparse), reference(transpose(right), transpose(S)), 9),
    ).toBeLessThan(1);
    expect(error(gram(sparse), reference(transpose(S), S), 14)).toBeLessThan(1);
    const x = right.data.subarray(0, 9);
    expect(multiplyVector(sparse, x)).toEqual(Float64Array.from(reference(S, matrix(9, 1, x.slice())).data));
    const y = left.data.subarray(0, 14);
    expect(
      error(
        matrix(9, 1, multiplyTransposeVector(sparse, y)),
        reference(transpose(S), matrix(14, 1, y.slice())),
        14,
      ),
    ).toBeLessThan(1);
  });

  it("refuse two sparse factors by name", () => {
    const S = toSparse(fromRows([[1, 0]]));
    expect(() => multiplyTransposeB(S, S)).toThrow(/must be dense/);
  });
});

describe("shapes that do not fit", () => {
  it("are named", () => {
    expect(() => multiply(matrix(2, 3), matrix(2, 3))).toThrow(/A of 2 x 3 and B of 2 x 3/);
    expect(() => multiplyTransposeA(matrix(2, 3), matrix(3, 2))).toThrow(/A'B is not defined/);
    expect(() => multiplyTransposeB(matrix(2, 3), matrix(2, 4))).toThrow(/A B' is not defined/);
    expect(() => multiplyVector(matrix(2, 3), [1, 2])).toThrow(/x of 2 values/);
    expect(() => rankOneUpdate(matrix(2, 3), 1, [1, 2])).toThrow(/vectors of 2 and 3 values/);
  });
});

function scaled(A: Matrix, factor: number): Matrix {
  return mapped(A, (a) => a * factor);
}

function reference(A: Matrix, B: Matrix): Matrix {
  const C = matrix(A.rows, B.cols);
  for (let i = 0; i < A.rows; i++) {
    for (let k = 0; k < A.cols; k++) {
      const a = A.data[i * A.cols + k];
      for (let j = 0; j < B.cols; j++) C.data[i * B.cols + j] += a * B.data[k * B.cols + j];
    }
  }
  return C;
}

/** The largest difference, in units of what rounding may do to a sum of `terms` products of standard normals. */
function error(actual: Matrix, expected: Matrix, terms: number): number {
  if (actual.rows !== expected.rows || actual.cols !== expected.cols) return Number.POSITIVE_INFINITY;
  let worst = 0;
  for (let p = 0; p < expected.data.length; p++) {
    const difference = Math.abs(actual.data[p] - expected.data[p]);
    if (!(difference <= worst)) worst = difference;
  }
  return worst / (1e-14 * (terms + 10));
}
