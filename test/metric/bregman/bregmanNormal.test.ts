import { describe, expect, it } from "vitest";
import { random } from "../../../src/core/random.ts";
import { identity, matrix, type Matrix } from "../../../src/matrix/matrix.ts";
import { gram, multiplyTransposeVector, multiplyVector } from "../../../src/matrix/multiply.ts";
import { cholesky } from "../../../src/matrix/factor/cholesky.ts";
import { withNormalEquations } from "../../../src/metric/bregman/bregmanSystem.ts";

function drawn(rows: number, cols: number, seed: number): Matrix {
  const stream = random(seed);
  const A = matrix(rows, cols);
  for (let p = 0; p < A.data.length; p++) A.data[p] = stream.normal();
  return A;
}

describe("withNormalEquations", () => {
  it.each([
    [1, 1],
    [5, 3],
    [64, 10],
    [97, 259],
    [203, 300],
    [300, 40], // several tasks in the factor, too
  ])("the kernel solves and multiplies as matrices do: %i variables, %i pairs", (n, pairs) => {
    const Q = gram(drawn(3, n, 1));
    const R = drawn(pairs, n, 2);
    const weights = Float64Array.from({ length: pairs }, (_, p) => (p % 5) / 3);
    const diagonal = Float64Array.from({ length: n }, (_, k) => 0.1 + (k % 7));
    const b = drawn(1, n, 3).data;
    const l = drawn(1, pairs, 4).data;
    const H = matrix(n, n, Q.data.slice());
    for (let k = 0; k < n; k++) {
      H.data[k * (n + 1)] += diagonal[k];
      for (let j = 0; j < n; j++) {
        for (let p = 0; p < pairs; p++)
          H.data[k * n + j] += weights[p] * R.data[p * n + k] * R.data[p * n + j];
      }
    }
    const slow = [cholesky(H).solve(b), multiplyVector(R, b), multiplyTransposeVector(R, l)];
    const fast = withNormalEquations(Q, R, (equations) => {
      expect(equations.factor(weights, diagonal.map(Math.sqrt), 0.5)).toBe(true);
      expect(equations.factor(weights, diagonal, 1e-14)).toBe(true);
      return [equations.solve(b), equations.multiply(b), equations.multiplyTransposed(l)];
    });
    fast.forEach((values, part) => values.forEach((value, k) => expect(value).toBeCloseTo(slow[part][k], 8)));
    const back = multiplyVector(Q, fast[0]);
    const Rx = multiplyVector(R, fast[0]);
    for (let k = 0; k < n; k++) {
      back[k] += diagonal[k] * fast[0][k];
      for (let p = 0; p < pairs; p++) back[k] += R.data[p * n + k] * weights[p] * Rx[p];
      expect(back[k]).toBeCloseTo(b[k], 7);
    }
  });

  it("says when a matrix is not positive definite", () => {
    const Q = identity(150);
    Q.data[149 * 151] = -1;
    withNormalEquations(Q, drawn(2, 150, 1), (equations) => {
      expect(equations.factor(new Float64Array(2), new Float64Array(150), 0)).toBe(false);
    });
  });
});
