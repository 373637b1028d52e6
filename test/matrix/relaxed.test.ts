import { afterAll, describe, expect, it } from "vitest";
import { random } from "../../src/core/random.ts";
import {
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  setThreads,
  stopThreads,
  transpose,
  useEngine,
  type Matrix,
} from "../../src/matrix/index.ts";
import * as products from "../../src/matrix/kernel/products.wasm.ts";
import { buildProblem } from "../../src/matrix/wasm.ts";

/** Rows, depth and columns: whole tiles of 6 x 4, every rest of both, odd depths, more than one block of each. */
const SHAPES = [
  [6, 44, 8],
  [12, 25, 16],
  [7, 30, 9],
  [11, 17, 15],
  [5, 300, 7],
  [97, 257, 515],
  [103, 511, 521],
];

afterAll(() => {
  useEngine("simd");
  setThreads(1);
  stopThreads();
});

describe.skipIf(buildProblem(products, "relaxed") !== undefined)("tiles of six rows", () => {
  it("add what the others add, from rows and from columns", () => {
    const source = random(1);
    for (const [m, k, n] of SHAPES) {
      const [A, B] = [
        [m, k],
        [n, k],
      ].map(([rows, cols]) => normal(source.normal, rows, cols));
      const [simd, relaxed] = (["simd", "relaxed"] as const).map((engine) => {
        useEngine(engine);
        return [
          multiplyTransposeB(A, B),
          multiply(A, transpose(B)),
          multiplyTransposeA(transpose(A), transpose(B)),
        ];
      });
      expect(relaxed.map((product, way) => firstFar(product, simd[way]))).toEqual([-1, -1, -1]);
    }
  });

  it("multiply large matrices rightly, on one thread and on two", () => {
    const source = random(2);
    const [A, B] = [normal(source.normal, 503, 401), normal(source.normal, 401, 509)];
    useEngine("simd");
    const expected = multiply(A, B);
    useEngine("relaxed");
    setThreads(1);
    const alone = multiply(A, B);
    setThreads(2);
    expect(multiply(A, B).data).toEqual(alone.data);
    expect(firstFar(alone, expected)).toBe(-1);
  });
});

function normal(next: () => number, rows: number, cols: number): Matrix {
  return matrix(
    rows,
    cols,
    Float64Array.from({ length: rows * cols }, () => next()),
  );
}

/** The place of the first value that is not the expected one to 1e-12; -1 if all are. */
function firstFar({ data }: Matrix, expected: Matrix): number {
  return data.findIndex((value, p) => !(Math.abs(value - expected.data[p]) < 1e-12));
}
