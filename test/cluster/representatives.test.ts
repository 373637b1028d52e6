import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellsOf, cellTree } from "../../src/cluster/compress/cellTree.ts";
import { representatives } from "../../src/cluster/compress/representatives.ts";
import { blobs } from "../../src/data/index.ts";
import { fromRows, type Matrix, matrix } from "../../src/matrix/matrix.ts";

const anyRows = fc
  .record({
    rows: fc.integer({ min: 1, max: 60 }),
    cols: fc.integer({ min: 1, max: 4 }),
    most: fc.integer({ min: 1, max: 40 }),
  })
  .chain(({ rows, cols, most }) =>
    fc.record({
      // Few values, so that there are duplicates and constant columns, and some extreme ones.
      values: fc.array(fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom(1e8, 1e8 + 1, 1e-9)), {
        minLength: rows * cols,
        maxLength: rows * cols,
      }),
      rows: fc.constant(rows),
      cols: fc.constant(cols),
      most: fc.constant(most),
    }),
  );

function distinct({ rows, cols, data }: Matrix): number {
  return new Set(Array.from({ length: rows }, (_, i) => data.slice(i * cols, (i + 1) * cols).join())).size;
}

describe("representatives", () => {
  it("are the means of cells, with the rows that these hold", () => {
    fc.assert(
      fc.property(anyRows, ({ values, rows, cols, most }) => {
        const X = matrix(rows, cols, Float64Array.from(values));
        const { points, masses, cells, tree, compression } = representatives(X, { count: most });
        expect(points.rows).toBe(Math.min(most, distinct(X)));
        expect(tree.count).toBe(points.rows);
        expect(masses.reduce((a, b) => a + b, 0)).toBe(rows);
        let within = 0;
        for (let c = 0; c < points.rows; c++) {
          const own = Array.from({ length: rows }, (_, i) => i).filter((i) => cells[i] === c);
          expect(own.length).toBe(masses[c]);
          for (let f = 0; f < cols; f++) {
            const mean = own.reduce((sum, i) => sum + X.data[i * cols + f], 0) / own.length;
            expect(points.data[c * cols + f]).toBeCloseTo(mean, 6);
            for (const i of own) within += (X.data[i * cols + f] - points.data[c * cols + f]) ** 2;
          }
        }
        expect(compression.withinSumOfSquares).toBeCloseTo(within, 6 - Math.log10(1 + within));
        expect(compression.withinSumOfSquares > 0).toBe(most < distinct(X));
        expect(compression.bound).toBeCloseTo(Math.sqrt(compression.share), 12);
      }),
      { numRuns: 200 },
    );
  });

  it("are as close in any order of the rows", () => {
    const { X } = blobs({ rows: 3000, features: 5, clusters: 6, seed: 2 });
    const turned = matrix(X.rows, X.cols);
    for (let i = 0; i < X.rows; i++) {
      turned.data.set(X.data.subarray(i * X.cols, (i + 1) * X.cols), (X.rows - 1 - i) * X.cols);
    }
    const a = representatives(X, { count: 100 });
    const b = representatives(turned, { count: 100 });
    expect(b.compression.share / a.compression.share).toBeGreaterThan(0.9);
    expect(b.compression.share / a.compression.share).toBeLessThan(1.1);
  });

  it("lose less with every cut, and cut between clusters first", () => {
    const { X, labels } = blobs({ rows: 2000, features: 6, clusters: 8, seed: 1 });
    const shares = [1, 2, 4, 8, 16, 64, 500].map((count) => representatives(X, { count }).compression.share);
    shares.slice(1).forEach((share, k) => expect(share).toBeLessThan(shares[k]));
    const { cells } = representatives(X, { count: 8 });
    const pairs = new Set(Array.from(cells, (cell, i) => `${cell} ${labels[i]}`));
    expect(pairs.size).toBe(8);
  });

  it("place new rows by the same comparisons", () => {
    const { X } = blobs({ rows: 500, features: 3, seed: 3 });
    const tree = cellTree(X, 50);
    const all = cellsOf(tree, X);
    const some = matrix(10, 3, X.data.slice(0, 30));
    expect(cellsOf(tree, some)).toEqual(all.slice(0, 10));
  });

  it("refuse what cannot be compared", () => {
    expect(() =>
      representatives(
        fromRows([
          [1, 2],
          [NaN, 3],
        ]),
      ),
    ).toThrow(/row 1.*column 0/);
    expect(() => representatives(matrix(0, 2))).toThrow("there are no rows");
    expect(() => representatives(fromRows([[1], [2]]), { count: 0 })).toThrow('"count" must be an integer');
  });
});
