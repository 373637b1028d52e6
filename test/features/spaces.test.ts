import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { inversePower, likeliestPower, power } from "../../src/features/encode/powerTransform.ts";
import { decodeNumber, encodeNumbers, learnNumber } from "../../src/features/encode/numberEncoding.ts";
import { cellsOf } from "../../src/features/encode/encodePart.ts";
import { factors } from "../../src/features/factors.ts";
import { applyFeatures, featureSpaces, tableFeatures, type FeatureRecord } from "../../src/features/index.ts";
import { weighColumns, type ColumnPart } from "../../src/features/weigh/weighColumns.ts";
import { relations } from "../../src/features/weigh/relations.ts";
import { matrix, multiplyTransposeB } from "../../src/matrix/index.ts";
import { categories, mixedTable, numbers, tableOf } from "./makeTable.ts";

describe("the power transform", () => {
  test.each([-2, 0, 0.5, 1, 2, 3.7])("at %s it is undone, rises, and is smooth at 0", (a) => {
    let before = -Infinity;
    for (let t = -4; t <= 4; t += 0.25) {
      const y = power(t, a);
      expect(inversePower(y, a)).toBeCloseTo(t, 9);
      expect(y).toBeGreaterThan(before);
      before = y;
    }
    expect((power(1e-6, a) - power(-1e-6, a)) / 2e-6).toBeCloseTo(1, 5);
  });

  test("is the definition", () => {
    expect(power(3, 0.5)).toBeCloseTo(2, 12);
    expect(power(3, 0)).toBeCloseTo(Math.log(4), 12);
    expect(power(-3, 2)).toBeCloseTo(-Math.log(4), 12);
    expect(power(-3, 1.5)).toBeCloseTo(-2, 12);
    // Beyond the range of psi: its end.
    expect(inversePower(1e9, -1)).toBeGreaterThan(1e15);
    expect(inversePower(-1e9, 3)).toBeLessThan(-1e15);
  });

  test("the likeliest power undoes a power", () => {
    const g = random(1);
    for (const a of [-0.5, 0, 1, 2.5]) {
      const t = Float64Array.from({ length: 4000 }, () => inversePower(0.3 * g.normal(), a)).sort();
      expect(Math.abs(likeliestPower(t) - a)).toBeLessThan(0.35);
    }
  });

  test("a skewed number becomes symmetric with variance 1, far values are limited, and it comes back", () => {
    const g = random(2);
    const values = Float64Array.from({ length: 500 }, () => Math.exp(1.2 * g.normal()));
    values[0] = 1e5;
    const encoding = learnNumber(values, { scale: "auto", transforms: "power" })!;
    const y = encodeNumbers(encoding, values);
    const mean = (of: (x: number) => number): number => y.reduce((sum, x) => sum + of(x) / y.length, 0);
    expect(mean((x) => x)).toBeCloseTo(0, 9);
    expect(mean((x) => x * x)).toBeCloseTo(1, 9);
    expect(Math.abs(mean((x) => x ** 3))).toBeLessThan(0.6);
    expect(Math.max(...y)).toBeLessThan(4);
    expect(decodeNumber(encoding, y[7])).toBeCloseTo(values[7], 6);
    const other = learnNumber(
      values.map((x) => 1000 * x - 4),
      { scale: "auto", transforms: "power" },
    )!;
    const z = encodeNumbers(
      other,
      values.map((x) => 1000 * x - 4),
    );
    for (const [i, value] of z.entries()) expect(value).toBeCloseTo(y[i], 6);
  });
});

describe("relations of columns", () => {
  const g = random(3);
  const n = 400;
  const x = Float64Array.from({ length: n }, () => g.normal());
  const number = (values: Float64Array) => ({ values, width: 1, ordered: true });

  test("are squared rank correlations over the rows that both have", () => {
    const y = x.map((value, i) => (i % 3 === 0 ? Number.NaN : Math.exp(value)));
    const noise = x.map(() => g.normal());
    const { squares, twins, rows } = relations([number(x), number(y), number(noise)]);
    expect(squares[1]).toBeCloseTo(1, 2);
    expect(twins[1]).toBe(squares[1]);
    expect(squares[2]).toBe(0);
    expect(rows[1]).toBe(n - Math.ceil(n / 3));
    expect(squares[3]).toBe(squares[1]);
  });

  test("a number and a category: the level that it is closest to; few common rows are none", () => {
    const level = x.map((value) => (value > 1 ? 1 : 0));
    const indicators = Float64Array.from({ length: 2 * n }, (_, p) => (level[p >> 1] === p % 2 ? 1 : 0));
    const category = { values: indicators, width: 2, ordered: false };
    const { squares, twins } = relations([number(x), category]);
    expect(squares[1]).toBeGreaterThan(0.3);
    expect(twins[1]).toBe(squares[1]);
    const early = x.map((value, i) => (i < 4 ? value : Number.NaN));
    expect(Array.from(relations([number(x), number(early)]).squares)).toEqual([0, 0, 0, 0]);
  });
});

describe("weights of columns", () => {
  const g = random(31);
  const truth = Array.from({ length: 400 }, () => g.integer(3));
  const rows = Int32Array.from({ length: 400 }, (_, i) => i);
  const weighed = (columns: readonly ReturnType<typeof numbers>[]) => {
    const table = tableOf(columns);
    const given: ColumnPart[] = tableFeatures(table, { weights: "equal" }).record.parts.map((part) => ({
      ...part,
      share: 1,
    }));
    const { parts, why } = weighColumns(given, cellsOf(table), rows);
    return { weights: new Map(parts.map(({ part, weight }) => [part.column, weight])), why };
  };
  const shifted = (name: string, by: readonly number[]): ReturnType<typeof numbers> =>
    numbers(
      name,
      by.map((k) => 3 * k + g.normal()),
    );

  test("a second block of related columns counts; an unrelated column counts half", () => {
    const other = truth.map(() => g.integer(2));
    const noise = truth.map(() => 0);
    const { weights, why } = weighed([
      ...["a", "b", "c"].map((name) => shifted(name, truth)),
      ...["d", "e", "f"].map((name) => shifted(name, other)),
      shifted("noise", noise),
    ]);
    for (const name of ["a", "b", "c", "d", "e", "f"]) expect(weights.get(name)).toBeGreaterThan(0.75);
    expect(Math.max(...weights.values())).toBe(1);
    expect(weights.get("noise")).toBe(0.5);
    expect(why.get("noise")).toBe("kept with half the weight: unrelated to every other column");
    expect(why.get("d")).toMatch(/^kept: related to [ef], [ef]$/);
  });

  test("copies in other words or units are left out, and what could not be compared is told apart", () => {
    const sort = truth.map((k) => "abc"[g.uniform() < 0.8 ? k : g.integer(3)]);
    const amount = truth.map((k) => 2 * k + g.normal());
    const own = [categories("sort", sort), numbers("amount", amount)];
    const cents = amount.map((x, i) => (i % 10 === 0 ? Number.NaN : Math.round(-100 * x)));
    const few = truth.map((k, i) => (i < 4 ? k + i : Number.NaN));
    const kind = sort.map((level) => level.toUpperCase());
    const { weights, why } = weighed([...own, numbers("cents", cents), categories("kind", kind)]);
    expect(why.get("cents")).toBe("left out: a copy of amount");
    expect(why.get("kind")).toBe("left out: a copy of sort");
    expect(weights).toEqual(weighed(own).weights);
    const table = tableOf([...own, numbers("few", few)]);
    const { parts } = tableFeatures(table, { weights: "equal", use: ["sort", "amount", "few"] }).record;
    const found = weighColumns(
      parts.map((part) => ({ ...part, share: 1 })),
      cellsOf(table),
      rows,
    );
    expect(found.why.get("few")).toBe("kept: too few cells to compare it with other columns");
  });
});

describe("factors", () => {
  const g = random(4);
  const n = 300;
  const make = (common: number, d: number): ReturnType<typeof matrix> => {
    const X = matrix(n, d);
    for (let i = 0; i < n; i++) {
      const z = Array.from({ length: common }, () => g.normal());
      for (let f = 0; f < d; f++) X.data[i * d + f] = (common > 0 ? z[f % common] : 0) + 0.7 * g.normal();
    }
    return X;
  };
  const all = Int32Array.from({ length: n }, (_, i) => i);
  const groups = (d: number): string[] => Array.from({ length: d }, (_, f) => `c${f}`);

  test("are as many as the table has, and two without any", () => {
    expect(factors(make(4, 16), groups(16), all)!.rows).toBe(4);
    expect(factors(make(0, 16), groups(16), all)!.rows).toBe(2);
    expect(factors(make(2, 2), groups(2), all)).toBeUndefined();
  });

  test("the features of one column are permuted together: their own relations are no factor", () => {
    const X = make(3, 12);
    expect(
      factors(
        X,
        Array.from({ length: 12 }, () => "one"),
        all,
      )!.rows,
    ).toBe(2);
    const V = factors(X, groups(12), all)!;
    const products = multiplyTransposeB(V, V);
    products.data.forEach((value, p) => expect(value).toBeCloseTo(p % (V.rows + 1) === 0 ? 1 : 0, 8));
  });
});

describe("the spaces of a table", () => {
  test("are those of its rows, and of new ones by their records", () => {
    const { table } = mixedTable();
    const features = tableFeatures(table, { weights: "equal" });
    const spaces = featureSpaces(table, features);
    expect(spaces.map(({ name }) => name)).toEqual(["z", "power", "numbers", "related", "factors"]);
    for (const { X, record, factor } of spaces) {
      const stored = JSON.parse(JSON.stringify(record)) as FeatureRecord;
      const applied = applyFeatures(stored, table).X;
      const again = factor === undefined ? applied : multiplyTransposeB(applied, factor);
      expect(again.data.every((value, p) => Math.abs(value - X.data[p]) < 1e-12)).toBe(true);
      expect(X.data.every(Number.isFinite)).toBe(true);
      expect(X.rows).toBe(table.rows);
    }
    const weights = spaces.find(({ name }) => name === "related")!.record.parts.map(({ weight }) => weight);
    expect(Math.max(...weights)).toBeLessThanOrEqual(1);
    expect(spaces[2].record.parts.every(({ encoding }) => encoding.form !== "levels")).toBe(true);
  });

  test("few columns have no joint directions; a scale that was asked for is the only space", () => {
    const g = random(5);
    const own = tableOf(
      ["a", "b", "c"].map((name) =>
        numbers(
          name,
          Array.from({ length: 50 }, () => g.normal()),
        ),
      ),
    );
    expect(featureSpaces(own, tableFeatures(own)).map(({ name }) => name)).toEqual(["z", "power"]);
    const asked = tableFeatures(own, { scale: "minmax" });
    expect(featureSpaces(own, asked)).toEqual([{ name: "own", X: asked.X, record: asked.record }]);
  });
});
