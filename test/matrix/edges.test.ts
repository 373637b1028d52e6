import { afterAll, describe, expect, it } from "vitest";
import { random } from "../../src/core/random.ts";
import {
  edgeDifferences,
  edgeSums,
  matrix,
  squaredDistances,
  squaredNorms,
  useEngine,
  type Matrix,
} from "../../src/matrix/index.ts";
import { normal } from "./samples.ts";

afterAll(() => {
  useEngine("simd");
});

describe.each(["simd", "relaxed"] as const)("edge updates under the %s engine", (name) => {
  it.each([0, 1, 2, 17])("take differences of rows of %i values and add them up again", (d) => {
    useEngine(name);
    const source = random(d);
    const U = normal(23, d, source);
    const from = new Int32Array(4500).map(() => source.integer(23));
    const to = new Int32Array(4500).map(() => source.integer(23));
    const Z = edgeDifferences(U, from, to);
    expect(Z.data).toEqual(
      new Float64Array(4500 * d).map((_, p) => {
        const e = Math.floor(p / d);
        return U.data[from[e] * d + (p % d)] - U.data[to[e] * d + (p % d)];
      }),
    );
    const expected = new Float64Array(23 * d);
    for (let e = 0; e < 4500; e++) {
      for (let f = 0; f < d; f++) {
        expected[from[e] * d + f] += Z.data[e * d + f];
        expected[to[e] * d + f] -= Z.data[e * d + f];
      }
    }
    expect(edgeSums(23, Z, from, to).data).toEqual(expected);
  });

  it("accept no edges at all", () => {
    useEngine(name);
    const none = new Int32Array(0);
    expect(edgeDifferences(matrix(3, 2), none, none)).toEqual(matrix(0, 2));
    expect(edgeSums(3, matrix(0, 2), none, none)).toEqual(matrix(3, 2));
  });

  it("refuse edges that leave the graph", () => {
    useEngine(name);
    const edge = (i: number, j: number): [Int32Array, Int32Array] => [Int32Array.of(i), Int32Array.of(j)];
    expect(() => edgeDifferences(matrix(3, 2), ...edge(0, 3))).toThrow(/edge 0 joins 0 and 3/);
    expect(() => edgeSums(3, matrix(1, 2), ...edge(-1, 0))).toThrow(/there are 3 nodes/);
    expect(() => edgeSums(3, matrix(2, 2), ...edge(1, 0))).toThrow(/1 edges, but 2 rows/);
  });
});

describe.each(["simd", "relaxed"] as const)("squared distances under the %s engine", (name) => {
  it("keep their digits next to cancellation", () => {
    useEngine(name);
    const source = random(5);
    const A = normal(60, 9, source);
    const B = normal(40, 9, source);
    for (let p = 0; p < A.data.length; p++) A.data[p] = 1e7 + A.data[p] * (p < 200 ? 1e-6 : 1);
    for (let p = 0; p < B.data.length; p++) B.data[p] += 1e7;
    B.data.set(A.data.subarray(0, 9));
    const D = squaredDistances(A, B);
    const worst = D.data.reduce((worst, value, p) => {
      const exact = direct(A, Math.floor(p / 40), B, p % 40);
      return Math.max(worst, Math.abs(value - exact) / (exact || 1));
    }, 0);
    expect(worst).toBeLessThan(1e-11);
    expect(D.data[0]).toBe(0);
    expect(Array.from({ length: 60 }, (_, i) => squaredDistances(A).data[i * 61])).toEqual(
      Array.from({ length: 60 }, () => 0),
    );
  });

  it("of huge values overflow to infinity, not to NaN", () => {
    useEngine(name);
    const A = matrix(2, 1, Float64Array.of(1e300, -1e300));
    expect(Array.from(squaredDistances(A).data)).toEqual([0, Infinity, Infinity, 0]);
  });
});

it("squared norms are sums of squares", () => {
  expect(Array.from(squaredNorms(matrix(2, 2, Float64Array.of(3, 4, 1, 2))))).toEqual([25, 5]);
});

function direct(A: Matrix, i: number, B: Matrix, j: number): number {
  let sum = 0;
  for (let f = 0; f < A.cols; f++) sum += (A.data[i * A.cols + f] - B.data[j * A.cols + f]) ** 2;
  return sum;
}
