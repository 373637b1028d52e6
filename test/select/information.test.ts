import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { matrix, setThreads, stopThreads, useEngine } from "../../src/matrix/index.ts";
import { random } from "../../src/core/random.ts";
import { tablesOf, type Discrete } from "../../src/select/discrete.ts";
import { informationTable, pairInformation, withPairInformation } from "../../src/select/pairInformation.ts";
import { entropy, information, informationMatrix } from "../../src/select/index.ts";
import { plainJointRow } from "./plainPairs.ts";
import { column, entropyOf, informationOf, levelTables } from "./tables.ts";

afterEach(() => {
  useEngine("simd");
  stopThreads();
});

describe("entropy and information", () => {
  test("known values, in nats and bits", () => {
    const coin = [0, 1, 0, 1];
    expect(entropy(coin)).toBeCloseTo(Math.LN2, 14);
    expect(entropy(coin, { unit: "bits" })).toBeCloseTo(1, 14);
    expect(entropy(["a", "a"])).toBe(0);
    expect(information(coin, ["x", "y", "x", "y"], { unit: "bits" })).toBeCloseTo(1, 14);
    expect(information([0, 0, 1, 1], coin)).toBe(0);
  });

  test("Miller and Madow add (cells - 1) / 2n to every entropy", () => {
    const x = [0, 0, 0, 1, 1, 2, 2, 2, 2, 2];
    const y = [0, 1, 0, 1, 1, 0, 0, 0, 1, 0];
    const corrected = (...columns: number[][]): number => {
      const cells = new Set(columns[0].map((_, i) => columns.map((values) => values[i]).join())).size;
      return entropyOf(...columns) + (cells - 1) / (2 * x.length);
    };
    const options = { estimator: "miller-madow" } as const;
    expect(entropy(x, options)).toBeCloseTo(corrected(x), 13);
    expect(information(x, y, options)).toBeCloseTo(
      Math.max(0, corrected(x) + corrected(y) - corrected(x, y)),
      13,
    );
  });

  test("agrees with the definition, and does not depend on order or names of levels", () => {
    fc.assert(
      fc.property(levelTables({ rows: 150, cols: 4, levels: 6 }), ({ X, y }) => {
        for (let f = 0; f < X.cols; f++) {
          const x = column(X, f);
          const I = information(x, y);
          expect(I).toBeCloseTo(informationOf(x, y), 12);
          expect(information(y, x)).toBe(I);
          expect(information(x.map((level) => `level ${-level}`).toReversed(), y.toReversed())).toBe(I);
          expect(information(x, x)).toBe(entropy(x));
        }
      }),
      { numRuns: 60 },
    );
  });

  test("refuses what has no level", () => {
    expect(() => entropy([])).toThrow("there are no rows");
    expect(() => information([1, 2], [1])).toThrow('"y" has 1 values, but there are 2 rows');
    expect(() => entropy([1, Number.NaN])).toThrow("row 1 (counted from 0) is NaN");
    expect(() => entropy([1], { unit: "hartley" as "bits" })).toThrow('"unit" must be one of "nats", "bits"');
  });
});

/** Levels of every kind: constant, binary, three, many enough for a histogram, some of them empty. */
function mixed(rows: number): Discrete {
  const levels = [1, 2, 3, 3, 4, 9, 14, 40, 300, 2, 70];
  const stream = random(5);
  const codes = Uint16Array.from({ length: rows * levels.length }, (_, p) =>
    Math.min(stream.integer(levels[Math.floor(p / rows)]), stream.integer(levels[Math.floor(p / rows)])),
  );
  return { rows, cols: levels.length, levels: Int32Array.from(levels), codes };
}

describe("pairs of many variables", () => {
  test.each([1, 63, 64, 65, 500])(
    "popcounts, histograms and plain TypeScript agree bit for bit, %i rows",
    (rows) => {
      const variables = mixed(rows);
      const table = informationTable(rows, "plug-in", "nats");
      const all = (): [Float64Array, Float64Array[], Float64Array] =>
        withPairInformation(variables, table, true, (pairs) => [
          pairs.matrix().data,
          Array.from({ length: pairs.count }, (_, v) => pairs.row(v)),
          pairs.jointRow(2, 5),
        ]);
      const [whole, byRow, joint] = all();
      const plain = pairInformation(tablesOf(variables), table);
      expect(whole).toEqual(plain.matrix().data);
      expect(byRow).toEqual(Array.from({ length: plain.count }, (_, v) => plain.row(v)));
      expect(joint).toEqual(plainJointRow(variables, table, 2, 5));
    },
  );

  test("any number of threads gives the same bits", () => {
    const stream = random(1);
    const X = matrix(900, 300);
    for (let p = 0; p < X.data.length; p++) X.data[p] = stream.normal();
    setThreads(1);
    const one = informationMatrix(X);
    setThreads(2);
    expect(informationMatrix(X).data).toEqual(one.data);
  });

  test("the matrix is symmetric with entropies on its diagonal", () => {
    const X = matrix(
      40,
      3,
      Float64Array.from({ length: 120 }, (_, p) => (p * p) % 7),
    );
    const { data } = informationMatrix(X, { kind: "given", unit: "bits" });
    expect(data[1]).toBe(data[3]);
    expect(data[4]).toBe(entropy(column(X, 1), { unit: "bits" }));
  });
});
