import { describe, expect, test } from "vitest";
import type { Table } from "../../src/data/columns/column.ts";
import { readColumns } from "../../src/data/index.ts";
import {
  applyFeatures,
  learnFeatures,
  type FeatureRecord,
  type TableFeatures,
} from "../../src/features/index.ts";
import type { Matrix } from "../../src/matrix/index.ts";
import { categories, mixedTable, numbers, ordered, pickRows, tableOf } from "./makeTable.ts";

function furthest(A: Matrix, B: Matrix): number {
  expect([A.rows, A.cols]).toEqual([B.rows, B.cols]);
  return A.data.reduce((most, value, p) => Math.max(most, Math.abs(value - B.data[p])), 0);
}

function rowsOf(X: Matrix, rows: readonly number[]): Matrix {
  return {
    rows: rows.length,
    cols: X.cols,
    data: Float64Array.from(rows.flatMap((i) => Array.from(X.data.subarray(i * X.cols, (i + 1) * X.cols)))),
  };
}

const { table } = mixedTable();
const learned = learnFeatures(table);
const withText = { weights: "equal", text: ["note"] } as const;

describe("the record", () => {
  test.each([
    ["auto", learned],
    ["equal weights", learnFeatures(table, withText)],
    ["minmax", learnFeatures(table, { ...withText, scale: "minmax" })],
    ["robust", learnFeatures(table, { ...withText, scale: "robust" })],
    ["none", learnFeatures(table, { ...withText, scale: "none" })],
    ["unit", learnFeatures(table, { ...withText, scale: "unit" })],
    ["adjusted", learnFeatures(table, { adjust: ["place"] })],
  ])("%s: the training rows come out the same, through JSON and a clone", (_, { record, X }) => {
    expect(furthest(applyFeatures(record, table).X, X)).toBe(0);
    const stored = JSON.parse(JSON.stringify(record)) as FeatureRecord;
    expect(stored).toEqual(record);
    expect(furthest(applyFeatures(stored, table).X, X)).toBe(0);
    expect(furthest(applyFeatures(structuredClone(record), table).X, X)).toBe(0);
    expect(X.data.every(Number.isFinite)).toBe(true);
  });

  test("a row's features do not depend on the rows beside it", () => {
    const rows = [5, 17, 3, 3, 401];
    expect(
      furthest(applyFeatures(learned.record, pickRows(table, rows)).X, rowsOf(learned.X, rows)),
    ).toBeLessThan(1e-12);
    const one = applyFeatures(learned.record, pickRows(table, [8]));
    expect(furthest(one.X, rowsOf(learned.X, [8]))).toBeLessThan(1e-12);
  });

  test("rows in another order give the same record", () => {
    const rows = [...Array(table.rows).keys()].map((i) => (i * 7 + 3) % table.rows);
    expect(new Set(rows).size).toBe(table.rows);
    const other = learnFeatures(pickRows(table, rows));
    expect(other.columns.map(({ why, became }) => [why, became])).toEqual(
      learned.columns.map(({ why, became }) => [why, became]),
    );
    expect(furthest(other.X, rowsOf(learned.X, rows))).toBeLessThan(1e-9);
  });
});

describe("invariance", () => {
  const changed = (
    name: string,
    change: (column: Table["columns"][number]) => Table["columns"][number],
  ): Table => ({
    ...table,
    columns: table.columns.map((column) => (column.name === name ? change(column) : column)),
  });

  test("of the unit of a number", () => {
    const other = changed("price", (column) => ({ ...column, values: column.values!.map((x) => 1000 * x) }));
    expect(furthest(learnFeatures(other).X, learned.X)).toBeLessThan(1e-7);
  });

  test("of the names of levels", () => {
    const other = changed("plan", (column) => ({
      ...column,
      levels: column.levels!.map((level) => `${level}!`),
    }));
    expect(furthest(learnFeatures(other).X, learned.X)).toBeLessThan(1e-7);
  });

  test("of the order of levels in the table", () => {
    const other = changed("plan", (column) => ({
      ...column,
      levels: column.levels!.toReversed(),
      codes: column.codes!.map((code) => (code < 0 ? -1 : column.levels!.length - 1 - code)),
    }));
    expect(furthest(learnFeatures(other).X, learned.X)).toBeLessThan(1e-7);
  });

  test("of rows that occur twice: z-scores are the same, weights nearly", () => {
    const twice = pickRows(
      table,
      [...Array(2 * table.rows).keys()].map((i) => i % table.rows),
    );
    const plain = { weights: "equal", text: "none", scale: "zscore" } as const;
    const same = learnFeatures(table, plain);
    const double = learnFeatures(twice, plain);
    const first = [...Array(table.rows).keys()];
    expect(furthest(rowsOf(double.X, first), same.X)).toBeLessThan(1e-6);
    const weights = (features: TableFeatures): number[] => features.columns.map(({ weight }) => weight);
    const before = weights(learned);
    weights(learnFeatures(twice)).forEach((weight, k) =>
      expect(Math.abs(weight - before[k])).toBeLessThan(0.15),
    );
  });
});

describe("new rows", () => {
  const training = tableOf([
    numbers("x", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    categories("c", ["a", "a", "b", "a", "b", "b", "a", "b", "a", "b"]),
    ordered(
      "o",
      ["low", "mid", "high", "low", "mid", "high", "low", "mid", "high", "mid"],
      ["low", "mid", "high"],
    ),
  ]);
  const { record, X } = learnFeatures(training, { weights: "equal" });

  test("a level that was never seen is all zeros, and counted", () => {
    const { X: Y, notes } = applyFeatures(
      record,
      tableOf([
        numbers("x", [1, 2, 3]),
        categories("c", ["z", "a", "y"]),
        ordered("o", ["low", "low", "huge"], ["low", "huge"]),
      ]),
    );
    const c = record.parts.findIndex(({ column }) => column === "c");
    const first = record.parts.slice(0, c).reduce((sum, part) => sum + part.names.length, 0);
    expect(Array.from(Y.data.subarray(first, first + 2)).map(Math.abs)).toEqual([0, 0]);
    expect(Y.data[Y.cols + first]).not.toBe(0);
    expect(notes.filter(({ code }) => code === "unknown-level").map(({ column }) => column)).toEqual([
      "c",
      "o",
    ]);
    expect(notes[0].message).toMatch(/2 cells have levels .*"z", "y"/);
    expect(Y.data.every(Number.isFinite)).toBe(true);
  });

  test("ordered levels are found by name, whatever their place", () => {
    const { X: Y } = applyFeatures(
      record,
      tableOf([numbers("x", [1]), categories("c", ["a"]), ordered("o", ["high"], ["high"])]),
    );
    const { X: Z } = applyFeatures(
      record,
      tableOf([numbers("x", [1]), categories("c", ["a"]), ordered("o", ["high"], ["low", "mid", "high"])]),
    );
    expect(Y).toEqual(Z);
  });

  test("a column that is not there is named and filled, one too many is not looked at", () => {
    const { X: Y, notes } = applyFeatures(record, tableOf([numbers("extra", [9, 9]), numbers("x", [1, 2])]));
    expect(notes.filter(({ code }) => code === "column-absent").map(({ column }) => column)).toEqual([
      "c",
      "o",
    ]);
    expect(notes.some(({ code }) => code === "filled")).toBe(true);
    expect(Y.data.every(Number.isFinite)).toBe(true);
    expect(() => applyFeatures(record, tableOf([numbers("extra", [1])]))).toThrow(
      /none of the columns x, c, o exists/,
    );
  });

  test("gaps are filled by the training rows alone", () => {
    const gap = (beside: number): number => {
      const rows = tableOf([
        numbers("x", [Number.NaN, beside, beside]),
        categories("c", ["a", "b", "b"]),
        ordered("o", ["mid", "mid", "mid"], ["low", "mid", "high"]),
      ]);
      return applyFeatures(record, rows).X.data[0];
    };
    expect(gap(1)).toBe(gap(1e9));
  });

  test("values far beyond the training rows are limited", () => {
    const skewed = tableOf([
      numbers(
        "x",
        [...Array(200).keys()].map((i) => Math.exp(((i * 37) % 200) / 30)),
      ),
      categories(
        "c",
        [...Array(200).keys()].map((i) => "ab"[i % 2]),
      ),
    ]);
    const own = learnFeatures(skewed, { weights: "equal" });
    const far = applyFeatures(own.record, tableOf([numbers("x", [1e300, -5]), categories("c", ["a", "a"])]));
    expect(far.X.data.every((value) => Math.abs(value) < 1000)).toBe(true);
  });

  test("an all-missing column and a constant one leave no trace", () => {
    const odd = tableOf([
      ...training.columns,
      numbers("gone", Array(10).fill(Number.NaN)),
      numbers("still", Array(10).fill(3)),
    ]);
    const features = learnFeatures(odd, { weights: "equal" });
    expect(features.columns.slice(3).map(({ why }) => why)).toEqual([
      "left out: every cell is missing",
      "left out: constant",
    ]);
    expect(features.X).toEqual(X);
  });

  test("missing cells are refused or dropped in new rows, too", () => {
    const gaps = tableOf([
      numbers("x", [1, Number.NaN]),
      categories("c", ["a", "b"]),
      ordered("o", ["low", "low"], ["low"]),
    ]);
    const refuse = learnFeatures(training, { missing: "refuse" }).record;
    expect(() => applyFeatures(refuse, gaps)).toThrow(/row 1, column "x" is missing/);
    const drop = learnFeatures(training, { missing: "drop" }).record;
    expect(Array.from(applyFeatures(drop, gaps).rows!)).toEqual([0]);
  });
});

test("the root is a path, and training rows have no unknown levels", async () => {
  const paths = ["/", "/cart", "/products/12", "/products/77", "/about"];
  const lines = Array.from({ length: 100 }, (_, i) => `${paths[i % 5]},${i % 5 < 2 ? "a" : "b"}`);
  const read = await readColumns(new TextEncoder().encode(`path,kind\n${lines.join("\n")}\n`));
  expect(read.columns[0].reading.form).toBe("path");
  const { record, notes } = learnFeatures(read, { weights: "equal" });
  expect(notes).toEqual([]);
  expect(applyFeatures(record, read).notes).toEqual([]);
});

test("a date in equal steps numbers the rows; other dates and dates asked for are features", async () => {
  const at = (minutes: number): string => new Date(1.7e12 + 60_000 * minutes).toISOString();
  const whyOf = async (minutes: (i: number) => number, as?: string): Promise<string> => {
    const lines = Array.from({ length: 60 }, (_, i) => `${at(minutes((7 * i) % 60))},${((7 * i) % 60) / 10}`);
    const given = as === undefined ? {} : { as: { time: as } };
    const read = await readColumns(new TextEncoder().encode(`time,level\n${lines.join("\n")}\n`), given);
    return learnFeatures(read, { weights: "equal" }).columns[0].why;
  };
  const gaps = (i: number): number => 5 * (i + (i > 20 ? 30 : 0));
  expect(await whyOf((i) => 5 * i)).toBe("left out: it numbers the rows, in equal steps");
  expect(await whyOf(gaps)).toBe("left out: it numbers the rows, in equal steps");
  expect(await whyOf((i) => i * i)).toBe("kept");
  expect(await whyOf((i) => 5 * i, "date")).toBe("kept");
});
