import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import type { Table } from "../../src/data/index.ts";
import { fillRows, learnFill } from "../../src/features/fillModel.ts";
import { followsColumn, learnFeatures, splitKinds } from "../../src/features/index.ts";
import { ranks } from "../../src/features/encode/numberEncoding.ts";
import { normalTail } from "../../src/features/weigh/weighColumns.ts";
import { drawnRows, writtenOnce } from "../../src/features/drawnRows.ts";
import { matrix } from "../../src/matrix/index.ts";
import { categories, mixedTable, numbers, ordered, pickRows, tableOf } from "./makeTable.ts";

describe("fill", () => {
  test("is the mean of a Gaussian given the cells that are there", () => {
    const model = {
      mean: [1, 2, 3],
      loadings: { rows: 3, cols: 1, data: [2, -1, 0.5] },
      noise: 0.3,
    };
    const X = matrix(1, 3, Float64Array.of(2, Number.NaN, 4));
    fillRows(model, X);
    // Covariance W W' + s I of cells 0 and 2, and with cell 1.
    const [a, b, c] = [4 + 0.3, 2 * 0.5, 0.25 + 0.3];
    const det = a * c - b * b;
    const [ra, rc] = [1, 1];
    const expected = 2 + -2 * ((c * ra - b * rc) / det) + -0.5 * ((a * rc - b * ra) / det);
    expect(X.data[1]).toBeCloseTo(expected, 10);
    expect(X.data[0]).toBe(2);
  });

  test.each([
    [400, 8],
    [60, 2500],
  ])("recovers a low-rank table better than means do: %i x %i", (n, d) => {
    const g = random(3);
    const loadings = Array.from({ length: d }, () => g.normal());
    const full = matrix(n, d);
    for (let i = 0; i < n; i++) {
      const z = g.normal();
      for (let f = 0; f < d; f++) full.data[i * d + f] = loadings[f] * z + 0.2 * g.normal();
    }
    const gaps = matrix(
      n,
      d,
      full.data.map((value) => (g.uniform() < 0.2 ? Number.NaN : value)),
    );
    const filled = matrix(n, d, gaps.data.slice());
    fillRows(learnFill(gaps), filled);
    let own = 0;
    let means = 0;
    gaps.data.forEach((value, p) => {
      if (!Number.isNaN(value)) return;
      own += (filled.data[p] - full.data[p]) ** 2;
      means += full.data[p] ** 2;
    });
    expect(own).toBeLessThan(0.25 * means);
    expect(filled.data.every(Number.isFinite)).toBe(true);
  });
});

describe("sampled rows", () => {
  const { table } = mixedTable(300, 2);

  test("a table that is written three times has the same features", () => {
    const thrice = pickRows(
      table,
      Array.from({ length: 900 }, (_, i) => i % 300),
    );
    expect(writtenOnce(thrice).rows).toBe(300);
    expect(learnFeatures(thrice).record).toEqual(learnFeatures(table).record);
  });

  test("many rows of few levels are no copies", () => {
    const cells = Array.from({ length: 60 }, (_, i) => "abc"[i % 3]);
    expect(writtenOnce(tableOf([categories("c", cells)])).rows).toBe(60);
  });

  test("the same rows, whatever their order", () => {
    const order = [...Array(300).keys()].map((i) => (i * 7 + 11) % 300);
    const a = drawnRows(table, 50);
    const b = drawnRows(pickRows(table, order), 50);
    expect(writtenOnce(table)).toBe(table);
    expect(Array.from(b, (r) => order[r])).toEqual(Array.from(a));
    expect(new Set(a).size).toBe(50);
  });

  test("rows that occur often are drawn as often as they occur", () => {
    const cells = [...Array(2000).keys()].map((i) => (i % 4 === 0 ? "rare" : "common"));
    const drawn = drawnRows(tableOf([categories("c", cells)]), 400);
    const rare = Array.from(drawn).filter((row) => cells[row] === "rare").length;
    expect(rare).toBeGreaterThan(60);
    expect(rare).toBeLessThan(140);
  });
});

test("normal quantiles and ranks", () => {
  const known = [
    [1e-9, 5.997807015],
    [0.001, 3.090232306],
    [0.025, 1.959963985],
  ];
  for (const [p, quantile] of known) expect(normalTail(p)).toBeCloseTo(quantile, 6);
  expect(Array.from(ranks(Float64Array.of(5, 1, 5, Number.NaN, 2)))).toEqual([3.5, 1, 3.5, Number.NaN, 2]);
});

describe("back to columns", () => {
  const { table } = mixedTable();
  const features = learnFeatures(table);
  const { record, X } = features;

  test("categories are read back as codes, missing ones as -1", () => {
    const { X: Y, codes, features: kept } = splitKinds(record, X);
    const plan = codes.find((entry) => entry.column === "plan")!;
    const given = table.columns.find(({ name }) => name === "plan")!;
    for (let i = 0; i < table.rows; i++) {
      const level = given.codes![i] < 0 ? undefined : `plan = ${given.levels![given.codes![i]]}`;
      expect(plan.names[plan.codes[i]]).toBe(level);
    }
    expect(Y.cols).toBe(kept.length);
    expect(Y.cols + codes.reduce((sum, entry) => sum + entry.levels, 0)).toBeLessThanOrEqual(X.cols);
  });
});

describe("clusters that repeat a column", () => {
  const g = random(13);
  const n = 400;
  const language = Array.from({ length: n }, () => ["en", "de", "fr"][g.integer(3)]);
  const table = tableOf([
    categories("language", language),
    ordered(
      "size",
      language.map(() => ["s", "m", "l"][g.integer(3)]),
      ["s", "m", "l"],
    ),
    numbers(
      "x",
      language.map((name) => name.charCodeAt(0) + g.normal()),
    ),
  ]);
  const features = learnFeatures(table, { weights: "equal" });

  test("are named, with the command that changes it", () => {
    const labels = Int32Array.from(language, (name) => ["en", "de", "fr"].indexOf(name));
    const notes = followsColumn(labels, table, features);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatchObject({
      code: "clusters-are-levels",
      column: "language",
      option: "ignore",
    });
  });

  test("also where a level has several clusters", () => {
    const labels = Int32Array.from(language, (name) => 2 * ["en", "de", "fr"].indexOf(name) + g.integer(2));
    const notes = followsColumn(labels, table, features);
    expect(notes.map(({ code }) => code)).toEqual(["clusters-follow"]);
  });

  test("other clusters are not", () => {
    expect(
      followsColumn(
        Int32Array.from(language, () => g.integer(3)),
        table,
        features,
      ),
    ).toEqual([]);
    expect(() => followsColumn([0, 1], table, features)).toThrow(/2 labels for 400 rows/);
  });
});

test("each thing of a list is a category of two levels, missing where the list is", () => {
  const cells = ["red, blue", "blue", "", "red", "green, blue", "green"].flatMap((cell) =>
    Array.from({ length: 12 }, () => cell),
  );
  const levels = [...new Set(cells.filter((cell) => cell !== ""))];
  const table: Table = {
    source: "lists",
    rows: cells.length,
    notes: [],
    columns: [
      {
        name: "colours",
        kind: "category",
        why: "",
        reading: { form: "list", separator: ",", levels },
        missing: 12,
        levels,
        codes: Int32Array.from(cells, (cell) => levels.indexOf(cell)),
      },
    ],
  };
  const { X, record } = learnFeatures(table, { weights: "equal" });
  const { codes, features } = splitKinds(record, X);
  expect(features).toEqual([]);
  const blue = codes.find(({ names }) => names[1] === "colours = blue")!;
  expect(Array.from(blue.codes)).toEqual(
    cells.map((cell) => (cell === "" ? -1 : Number(cell.includes("blue")))),
  );
});

test("numbers with few values at uneven distances are levels for a mixture, those on a grid are not", async () => {
  const g = random(21);
  const n = 500;
  const group = Array.from({ length: n }, () => g.integer(2));
  const drawn = (values: readonly number[]): number[] =>
    group.map((k) => values[Math.min(values.length - 1, 2 * k + g.integer(values.length - 2))]);
  const disk = drawn([64, 128, 256, 512, 1000]);
  disk[7] = Number.NaN;
  const table = tableOf([
    numbers("disk", disk),
    numbers("score", drawn([10, 20, 30, 40, 50])),
    categories(
      "kind",
      group.map((k) => ["a", "b"][g.uniform() < 0.9 ? k : 1 - k]),
    ),
  ]);
  const { X, record } = learnFeatures(table);
  const { codes, features } = splitKinds(record, X);
  expect(codes.map(({ column }) => column)).toEqual(["disk", "kind"]);
  expect(features).toEqual([1]);
  const [{ codes: levels, names }] = codes;
  expect(names).toEqual(["64", "128", "256", "512", "1000"]);
  expect(levels[7]).toBe(-1);
  expect(Array.from(levels, (code, i) => (code < 0 ? i : Number(names[code])))).toEqual(
    disk.map((value, i) => (Number.isNaN(value) ? i : value)),
  );
});
