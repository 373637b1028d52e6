import { describe, expect, test } from "vitest";
import { eigengap, spectral } from "../../src/cluster/index.ts";
import { random } from "../../src/core/random.ts";
import { matrix, type Matrix } from "../../src/matrix/index.ts";

function blobs(counts: readonly number[], distance: number, seed: number): Matrix {
  const g = random(seed);
  const rows = counts.flatMap((count, k) =>
    Array.from({ length: count }, () => [
      distance * Math.cos(2 * Math.PI * (k / counts.length)) + g.normal(),
      distance * Math.sin(2 * Math.PI * (k / counts.length)) + g.normal(),
    ]),
  );
  return matrix(rows.length, 2, Float64Array.from(rows.flat()));
}

describe("eigengap", () => {
  test.each([2, 3, 5, 8])("finds %i groups", (K) => {
    const X = blobs(
      Array.from({ length: K }, (_, k) => 40 + 10 * k),
      4 * K,
      K,
    );
    expect(eigengap(X).clusters).toBe(K);
  });

  test("its eigenvalues are those of spectral clustering", () => {
    const X = blobs([60, 60, 60], 5, 4);
    const { eigenvalues, clusters, gap, converged } = eigengap(X, { mostClusters: 6 });
    expect(converged).toBe(true);
    const reference = spectral(X, { clusters: 7 }).eigenvalues;
    eigenvalues.forEach((value, k) => expect(value).toBeCloseTo(reference[k], 5));
    expect(clusters).toBe(3);
    expect(gap).toBeCloseTo((reference[2] - reference[3]) / (1 - reference[3]), 4);
  });

  test("one group in many dimensions stays one", () => {
    const g = random(6);
    const X = matrix(
      300,
      20,
      Float64Array.from({ length: 6000 }, () => g.normal()),
    );
    expect(eigengap(X).clusters).toBe(1);
  });

  test("too few rows are refused", () => {
    expect(() => eigengap(matrix(2, 2))).toThrow(/too small \(2 x 2\)/);
  });
});
