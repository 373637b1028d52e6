import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gaussianNaiveBayes, gaussianNaiveBayesFromColumns } from "../../src/classify/index.ts";
import { scale } from "../../src/data/index.ts";
import { matrix, takeRows, type Matrix } from "../../src/matrix/index.ts";
import {
  allColumns,
  classColumnsAccumulator,
  classColumnStatistics,
  columnScaling,
  type ClassColumnStatistics,
} from "../../src/scale/index.ts";
import { mergeClassColumnStatistics } from "../../src/scale/internal.ts";
import type { Label } from "../../src/score/index.ts";

const names = (d: number): string[] => Array.from({ length: d }, (_, j) => `c${j}`);

function part(X: Matrix, labels: readonly (Label | null)[], rows: readonly number[]): ClassColumnStatistics {
  const accumulator = classColumnsAccumulator(names(X.cols));
  if (rows.length > 0) {
    accumulator.add(
      takeRows(X, rows),
      rows.map((i) => labels[i]),
    );
  }
  return accumulator.result();
}

const tables = fc.integer({ min: 1, max: 4 }).chain((d) =>
  fc.record({
    d: fc.constant(d),
    offset: fc.constantFrom(0, 1000, -3e4),
    labels: fc.constantFrom(["a", "b"], ["a", "b", "-1", ""], ["1", "-1", null], [1, 2, -1]),
    rows: fc.array(
      fc.record({
        cells: fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: d, maxLength: d }),
        part: fc.integer({ min: 0, max: 2 }),
      }),
      { minLength: 8, maxLength: 60 },
    ),
  }),
);

describe("Gaussian naive Bayes from the columns of each class", () => {
  test("is that from memory to 1e-8, in any order and partition", () => {
    fc.assert(
      fc.property(tables, ({ d, offset, labels: kinds, rows }) => {
        const data = rows.flatMap(({ cells }, i) =>
          cells.map((v, f) => (f === 3 ? 4.5 : v + offset + (i % 7))),
        );
        const X = matrix(rows.length, d, Float64Array.from(data));
        const labels = rows.map((_, i) => kinds[i % kinds.length]);
        const all = [...rows.keys()];
        const [a, b, c] = [0, 1, 2].map((k) =>
          part(
            X,
            labels,
            all.filter((i) => rows[i].part === k),
          ),
        );
        const direct = gaussianNaiveBayes(X, labels).toJSON();
        for (const statistics of [
          part(X, labels, all),
          mergeClassColumnStatistics(mergeClassColumnStatistics(a, b), c),
          mergeClassColumnStatistics(c, mergeClassColumnStatistics(b, a)),
        ]) {
          const stored = JSON.parse(JSON.stringify(statistics)) as ClassColumnStatistics;
          const { means, variances, ...rest } = gaussianNaiveBayesFromColumns(stored).toJSON();
          expect(rest).toEqual({ ...direct, means: undefined, variances: undefined });
          means.forEach((mean, p) => expect(Math.abs(mean - direct.means[p])).toBeLessThan(1e-8));
          variances.forEach((variance, p) =>
            expect(Math.abs(variance - direct.variances[p])).toBeLessThan(
              1e-8 * Math.max(1, direct.variances[p]),
            ),
          );
        }
      }),
      { numRuns: 150 },
    );
  });

  test("columns over all rows scale as the rows do", () => {
    const X = matrix(6, 2, Float64Array.of(1, 5, 2, 5, 3, 5, 9, 5, 8, 5, 0, 5));
    const { scaling } = columnScaling(
      allColumns(part(X, ["a", "b", null, "-1", "a", "b"], [0, 1, 2, 3, 4, 5])),
    );
    const direct = scale(X).scaling;
    expect(scaling.kept).toEqual(direct.kept);
    expect(scaling.groups[0].scale[0]).toBeCloseTo(direct.groups[0].scale[0], 14);
  });

  test("bad input", async () => {
    const X = matrix(2, 1, Float64Array.of(1, 2));
    const accumulator = classColumnsAccumulator(["x"]);
    expect(() => accumulator.add(matrix(1, 2), ["a"])).toThrow("2 columns, but 1 were expected");
    expect(() => accumulator.add(X, ["a"])).toThrow("there are 1 labels for 2 rows");
    expect(() => accumulator.add(X, [1, Number.NaN])).toThrow("the label of row 1 (counted from 0) is NaN");
    expect(() => gaussianNaiveBayesFromColumns(part(X, ["a", ""], [0, 1]))).toThrow('got only "a"');
    expect(() => gaussianNaiveBayesFromColumns({ names: [], groups: [] })).toThrow("there are no columns");
    const far = part(matrix(2, 1, Float64Array.of(1e200, 2)), ["a", "b"], [0, 1]);
    expect(() => gaussianNaiveBayesFromColumns(far)).toThrow("too large to be squared");
    await expect(classColumnStatistics(async function* () {})).rejects.toThrow("no batches");
  });
});
