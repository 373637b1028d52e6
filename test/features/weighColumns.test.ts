import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { cellsOf } from "../../src/features/encode/encodePart.ts";
import { tableFeatures } from "../../src/features/index.ts";
import { weighColumns, type ColumnPart, relations } from "../../src/features/weigh/weighColumns.ts";
import { categories, numbers, tableOf } from "./makeTable.ts";

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
