import { describe, expect, test } from "vitest";
import { random } from "../../../src/core/random.ts";
import { metricStep } from "../../../src/convex/recipe/metricStep.ts";
import { gram, matrix, multiplyTransposeB, symmetricEigen, type Matrix } from "../../../src/matrix/index.ts";

function gaussian(n: number, d: number, seed: number): Matrix {
  const draw = random(seed);
  return matrix(
    n,
    d,
    Float64Array.from({ length: n * d }, (_, p) => draw.normal() * 3 ** (p % d)),
  );
}

function trace(A: Matrix, B: Matrix): number {
  let sum = 0;
  for (let p = 0; p < A.data.length; p++) sum += A.data[p] * B.data[p];
  return sum;
}

const logDeterminant = (B: Matrix): number =>
  symmetricEigen(B).values.reduce((sum, value) => sum + Math.log(value), 0);

describe("metricStep", () => {
  test("has determinant 1 and beats every random metric of determinant 1 (Sui et al. 2018, (34), corrected)", () => {
    const X = gaussian(40, 4, 3);
    const A = gram(X);
    const { B } = metricStep(X, matrix(40, 4), { ridge: 0, condition: 1e12 })!;
    expect(logDeterminant(B)).toBeCloseTo(0, 9);
    const best = trace(A, B);
    expect(best).toBeCloseTo(4 * Math.exp(logDeterminant(A) / 4), 6);
    for (let seed = 0; seed < 200; seed++) {
      const R = gaussian(4, 4, seed);
      const C = multiplyTransposeB(R, R);
      const scale = Math.exp(-logDeterminant(C) / 4);
      expect(scale * trace(A, C)).toBeGreaterThanOrEqual(best * (1 - 1e-12));
    }
  });

  test("with the bound on cond(B) it is still the best metric within the bound", () => {
    const X = gaussian(40, 3, 5);
    for (let i = 0; i < 40; i++) X.data[i * 3] *= 1e-4;
    const A = gram(X);
    const { B, condition, bounded } = metricStep(X, matrix(40, 3), { ridge: 0, condition: 50 })!;
    expect(bounded).toBe(true);
    expect(condition).toBeLessThan(50 * (1 + 1e-9));
    const best = trace(A, B);
    const { vectors } = symmetricEigen(A);
    const draw = random(1);
    for (let t = 0; t < 300; t++) {
      // Any metric within the bound; those with A's own eigenvectors come closest.
      const values = Float64Array.from({ length: 3 }, () => 50 ** (draw.uniform() - 1));
      const scale = Math.exp(-values.reduce((sum, value) => sum + Math.log(value), 0) / 3);
      let cost = 0;
      for (let k = 0; k < 3; k++) {
        for (let i = 0; i < 3; i++) {
          for (let j = 0; j < 3; j++) {
            cost += scale * values[k] * vectors.data[i * 3 + k] * vectors.data[j * 3 + k] * A.data[i * 3 + j];
          }
        }
      }
      expect(cost).toBeGreaterThanOrEqual(best * (1 - 1e-9));
    }
  });

  test("a feature that is fitted exactly does not make it infinite", () => {
    const X = gaussian(20, 3, 2);
    const U = matrix(20, 3);
    for (let i = 0; i < 20; i++) U.data[i * 3 + 1] = X.data[i * 3 + 1];
    const step = metricStep(X, U, { ridge: 1e-3, condition: 1e6 })!;
    expect(step.B.data.every(Number.isFinite)).toBe(true);
    expect(step.bounded).toBe(true);
    expect(metricStep(X, X, { ridge: 1e-3, condition: 1e6 })).toBeUndefined();
  });
});
