import { describe, expect, it } from "vitest";
import { kernelDiagonal, kernelFunction, kernelMatrix } from "../../src/metric/index.ts";
import { fromRows } from "../../src/matrix/index.ts";

const X = fromRows([
  [0, 0],
  [3, 4],
  [6, 8],
]);

describe("kernelFunction", () => {
  it("takes the median distance as sigma", () => {
    expect(kernelFunction(X)).toEqual({ kind: "gaussian", sigma: 5 });
    const equal = fromRows([
      [1, 2],
      [1, 2],
    ]);
    expect(kernelFunction(equal)).toEqual({ kind: "gaussian", sigma: 1 });
  });

  it("has the values of the formulas, and the diagonal of the matrix", () => {
    const gaussian = kernelFunction(X, { sigma: 2 });
    expect(kernelMatrix(X, X, gaussian).data[1]).toBeCloseTo(Math.exp(-25 / 8), 15);
    const polynomial = kernelFunction(X, { kernel: "polynomial", degree: 3, offset: 2 });
    expect(kernelMatrix(X, X, polynomial).data[5]).toBeCloseTo((50 / 2 + 2) ** 3, 8);
    for (const kernel of [gaussian, polynomial, kernelFunction(X, { kernel: "linear" })]) {
      const K = kernelMatrix(X, X, kernel);
      expect(Array.from(kernelDiagonal(X, kernel))).toEqual([0, 1, 2].map((i) => K.data[4 * i]));
    }
  });

  it("stays a number for tiny and huge sigma", () => {
    for (const sigma of [1e-300, 1e300]) {
      const K = kernelMatrix(X, X, kernelFunction(X, { sigma }));
      expect(K.data[1]).toBe(sigma < 1 ? 0 : 1);
      expect(K.data[0]).toBe(1);
    }
  });

  it("refuses sigma 0 and parameters of another kernel", () => {
    expect(() => kernelFunction(X, { sigma: 0 })).toThrow(/"sigma" must be a finite number above 0/);
    expect(() => kernelFunction(X, { kernel: "linear", sigma: 1 })).toThrow(
      /"sigma" belongs to the gaussian/,
    );
    expect(() => kernelFunction(X, { degree: 2 })).toThrow(/polynomial kernel/);
  });
});
