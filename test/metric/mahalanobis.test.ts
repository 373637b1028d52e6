import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromRows, matrix, row, toRows } from "../../src/matrix/matrix.ts";
import { gram } from "../../src/matrix/multiply.ts";
import { toSparse } from "../../src/matrix/sparse.ts";
import {
  factorOf,
  loadMahalanobis,
  mahalanobis,
  mahalanobisFromMatrix,
} from "../../src/metric/mahalanobis.ts";

const fit = {
  method: "test",
  converged: true,
  iterations: 1,
  certificate: { kind: "closed form", residual: 0 },
  warnings: [],
};
const entries = (count: number) =>
  fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: count, maxLength: count });

describe("mahalanobis", () => {
  it("has transform, distance and matrix that agree", () => {
    fc.assert(
      fc.property(entries(6), entries(12), (factor, points) => {
        const metric = mahalanobis({ ...fit, factor: matrix(2, 3, Float64Array.from(factor)) });
        const Y = matrix(4, 3, Float64Array.from(points));
        const moved = metric.transform(Y);
        const M = toRows(metric.matrix);
        for (let i = 0; i < 4; i++) {
          for (let j = 0; j < i; j++) {
            const difference = row(Y, i).map((value, f) => value - row(Y, j)[f]);
            let square = 0;
            for (let a = 0; a < 3; a++)
              for (let b = 0; b < 3; b++) square += difference[a] * M[a][b] * difference[b];
            const euclidean = Math.hypot(...row(moved, i).map((value, r) => value - row(moved, j)[r]));
            expect(metric.distance(row(Y, i), row(Y, j))).toBeCloseTo(euclidean, 9);
            expect(Math.sqrt(Math.max(0, square))).toBeCloseTo(euclidean, 5);
          }
        }
        expect(metric.transform(toSparse(Y)).data).toEqual(moved.data);
      }),
    );
  });

  it("weighs features by their share of the mean squared distance", () => {
    const factor = fromRows([
      [2, 0, 0],
      [0, 1, 0],
    ]);
    const metric = mahalanobis({ ...fit, factor, variances: [1, 4, 9] });
    expect(Array.from(metric.relevance)).toEqual([0.5, 0.5, 0]);
    expect(metric.rank).toBe(2);
    expect(metric.condition).toBeCloseTo(4, 12);
  });

  it("is read back from its file as it was", () => {
    const factor = fromRows([
      [0.1, -2, 1e-7],
      [3, 1 / 3, 0],
    ]);
    const metric = mahalanobis({ ...fit, factor, names: ["a", "b", "c"], threshold: 1.5 });
    const back = loadMahalanobis(JSON.parse(JSON.stringify(metric)));
    expect(back.factor).toEqual(metric.factor);
    expect(JSON.stringify(back)).toBe(JSON.stringify(metric));
    expect(back.same?.([0, 0, 0], [0.1, 0, 0])).toBe(true);
    expect(back.same?.([0, 0, 0], [1, 0, 0])).toBe(false);
  });

  it("refuses rows of another width, and a NaN factor", () => {
    const metric = mahalanobis({ ...fit, factor: fromRows([[1, 0]]) });
    expect(() => metric.transform(matrix(2, 3))).toThrow("learned on 2 columns, but these rows have 3");
    expect(() => metric.distance([1], [1, 2])).toThrow("learned on 2 columns, but a point has 1");
    expect(() => mahalanobis({ ...fit, factor: fromRows([[1, Number.NaN]]) })).toThrow(
      "no metric of finite numbers",
    );
  });

  it("has rank 0 and no relevance when the metric is zero", () => {
    const metric = mahalanobisFromMatrix(matrix(2, 2), fit);
    expect(metric.rank).toBe(0);
    expect(metric.distance([1, 2], [3, 4])).toBe(0);
    expect(Array.from(metric.relevance)).toEqual([0, 0]);
  });
});

describe("factorOf", () => {
  it("gives back a positive semidefinite matrix", () => {
    fc.assert(
      fc.property(entries(8), (values) => {
        const M = gram(matrix(2, 4, Float64Array.from(values)));
        const back = gram(factorOf(M));
        for (let p = 0; p < 16; p++) expect(back.data[p]).toBeCloseTo(M.data[p], 9);
      }),
    );
  });

  it("gives back a matrix with repeated eigenvalues, where eigenvectors that are not orthogonal would not", () => {
    // 3 I - 11' / 2 has the eigenvalue 3 three times and 1 once.
    const M = matrix(
      4,
      4,
      Float64Array.from({ length: 16 }, (_, p) => (p % 5 === 0 ? 3 : 0) - 0.5),
    );
    const back = gram(factorOf(M));
    for (let p = 0; p < 16; p++) expect(back.data[p]).toBeCloseTo(M.data[p], 12);
  });

  it("cuts negative eigenvalues", () => {
    const L = factorOf(
      fromRows([
        [0, 2],
        [2, 0],
      ]),
    ); // eigenvalues 2 and -2
    expect(L.rows).toBe(1);
    expect(toRows(gram(L))).toEqual([
      [expect.closeTo(1, 12), expect.closeTo(1, 12)],
      [expect.closeTo(1, 12), expect.closeTo(1, 12)],
    ]);
  });
});
