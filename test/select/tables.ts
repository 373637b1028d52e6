import * as fc from "fast-check";
import { matrix, type Matrix } from "../../src/matrix/matrix.ts";

/** A small table of levels with a class, in which some columns depend on the class or on each other. */
export interface LevelTable {
  readonly X: Matrix;
  readonly y: readonly number[];
}

export function levelTables(most: { rows: number; cols: number; levels: number }): fc.Arbitrary<LevelTable> {
  return fc
    .record({
      rows: fc.integer({ min: 4, max: most.rows }),
      cols: fc.integer({ min: 1, max: most.cols }),
      levels: fc.integer({ min: 2, max: most.levels }),
      classes: fc.integer({ min: 2, max: 3 }),
    })
    .chain(({ rows, cols, levels, classes }) =>
      fc.record({
        y: fc
          .array(fc.integer({ min: 0, max: classes - 1 }), { minLength: rows, maxLength: rows })
          .map((values) => values.map((value, i) => (i < 2 ? i : value))),
        cells: fc.array(fc.integer({ min: 0, max: levels - 1 }), {
          minLength: rows * cols,
          maxLength: rows * cols,
        }),
        follows: fc.array(fc.integer({ min: -3, max: cols }), { minLength: cols, maxLength: cols }),
        noise: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: rows * cols, maxLength: rows * cols }),
      }),
    )
    .map(({ y, cells, follows, noise }) => {
      const cols = follows.length;
      const X = matrix(y.length, cols, Float64Array.from(cells));
      for (let f = 0; f < cols; f++) {
        const source = follows[f];
        for (let i = 0; i < y.length; i++) {
          if (source < 0 || noise[i * cols + f] === 0) continue;
          X.data[i * cols + f] = source >= f ? y[i] : X.data[i * cols + source];
        }
      }
      return { X, y };
    });
}

export function column({ rows, cols, data }: Matrix, f: number): number[] {
  return Array.from({ length: rows }, (_, i) => data[i * cols + f]);
}

/** H in nats, from the definition. */
export function entropyOf(...columns: readonly ArrayLike<unknown>[]): number {
  const counts = new Map<string, number>();
  const n = columns[0].length;
  for (let i = 0; i < n; i++) {
    const key = columns.map((values) => String(values[i])).join("|");
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts.values()].reduce((sum, k) => sum - (k / n) * Math.log(k / n), 0);
}

export function informationOf(x: ArrayLike<unknown>, y: ArrayLike<unknown>): number {
  return entropyOf(x) + entropyOf(y) - entropyOf(x, y);
}
