import { describe, expect, test } from "vitest";
import { kmeans } from "../../src/cluster/index.ts";
import { cluster } from "../../src/run/index.ts";
import { random } from "../../src/core/random.ts";
import { namedData, scale } from "../../src/data/index.ts";
import { learnFeatures, featureGroups } from "../../src/features/index.ts";
import { isSparse, type Matrix } from "../../src/matrix/index.ts";
import { adjustedRand } from "../../src/score/index.ts";
import { categories, mixedTable, numbers, ordered, tableOf, texts } from "./makeTable.ts";

function columnsOf(X: Matrix, names: readonly string[]): ReturnType<typeof numbers>[] {
  return names.map((name, j) =>
    numbers(
      name,
      Array.from({ length: X.rows }, (_, i) => X.data[i * X.cols + j]),
    ),
  );
}

function total(X: Matrix, features: readonly number[]): number {
  let sum = 0;
  for (const f of features) {
    let mean = 0;
    for (let i = 0; i < X.rows; i++) mean += X.data[i * X.cols + f] / X.rows;
    for (let i = 0; i < X.rows; i++) sum += (X.data[i * X.cols + f] - mean) ** 2 / X.rows;
  }
  return sum;
}

describe("tables of numbers without gaps", () => {
  test.each(["iris", "wine"] as const)("%s: exactly the z-scores", async (name) => {
    const { X, names } = await namedData(name);
    if (isSparse(X)) throw new Error("a dense table is expected");
    const features = learnFeatures(tableOf(columnsOf(X, names)));
    expect(features.X).toEqual(scale(X, "zscore").X);
    expect(features.columns.every(({ weight }) => weight === 1)).toBe(true);
  });

  test("columns of noise count like the others", () => {
    const g = random(5);
    const noisy = Array.from({ length: 60 }, (_, f) =>
      numbers(
        `c${f}`,
        Array.from({ length: 400 }, (__, i) => (f < 3 ? 5 * (i % 3 === f ? 1 : 0) : 0) + g.normal()),
      ),
    );
    const { columns } = learnFeatures(tableOf(noisy));
    expect(columns.every(({ weight, why }) => weight === 1 && why === "kept")).toBe(true);
  });

  test("only columns with values beyond doubt are treated", () => {
    const g = random(3);
    const plain = Array.from({ length: 300 }, () => g.normal());
    const { columns } = learnFeatures(
      tableOf([
        numbers("far", [...plain.slice(1), 1e6]),
        numbers("plain", plain),
        numbers(
          "wide",
          plain.map((x) => Math.exp(3 * x)),
        ),
      ]),
    );
    expect(columns.map(({ became }) => became)).toEqual([
      "far values limited, z-score",
      "z-score",
      expect.stringMatching(/^log/),
    ]);
  });
});

describe("what each kind becomes", () => {
  const { table, truth } = mixedTable();
  const features = learnFeatures(table);
  const byName = new Map(features.columns.map((column) => [column.name, column]));

  test("every column is explained", () => {
    expect(features.columns.map(({ name }) => name)).toEqual(table.columns.map(({ name }) => name));
    const why = (name: string): string => byName.get(name)!.why;
    expect(why("key")).toBe("left out: id");
    expect(why("always")).toBe("left out: constant");
    expect(why("never")).toBe("left out: empty");
    for (const name of ["noise", "place"]) {
      expect(why(name)).toBe("kept with half the weight: unrelated to every other column");
      expect(byName.get(name)!.weight).toBe(0.5);
    }
    for (const name of ["price", "size", "plan", "tags", "path", "grade", "joined", "note", "embedding"]) {
      expect(`${name} ${why(name)}`).toMatch(/ kept: related to /);
    }
    const size = ["size", "size in feet"].map(why);
    expect(size.filter((reason) => /^left out: a copy of size( in feet)?$/.test(reason))).toHaveLength(1);
    expect(features.columns.every(({ weight }) => weight === 0 || weight >= 0.5)).toBe(true);
    expect(byName.get("price")!.became).toMatch(/^log/);
    expect(byName.get("plan")!.became).toBe("4 indicators");
    expect(byName.get("joined")!.became).toMatch(/weekday/);
  });

  test("no feature is NaN, and none is lost", () => {
    expect(features.X.data.every(Number.isFinite)).toBe(true);
    expect(featureGroups(features.record)).toHaveLength(features.X.cols);
    expect(features.X.rows).toBe(table.rows);
  });

  test("columns count the same before weights: the variance of each is 1, and of a text or a vector 1 to the number of its components", () => {
    const equal = learnFeatures(table, { weights: "equal", text: ["note"] });
    const groups = featureGroups(equal.record);
    for (const name of new Set(groups)) {
      const own = [...groups.keys()].filter((f) => groups[f] === name);
      // Filled cells have less variance than the others.
      expect(total(equal.X, own)).toBeGreaterThan(0.85);
      const { kind } = table.columns.find((column) => column.name === name)!;
      const most = kind === "text" || kind === "vector" ? own.length : 1;
      expect(total(equal.X, own)).toBeLessThan(1.0001 * most);
    }
  });

  test("the groups are found", () => {
    expect(adjustedRand(kmeans(features.X, { clusters: 3 }).labels, truth)).toBeGreaterThan(0.95);
  });
});

describe("rules for several columns", () => {
  const g = random(11);
  const n = 500;
  const truth = Array.from({ length: n }, () => g.integer(3));

  test("of categories that determine each other one is kept", () => {
    const city = truth.map((k) => `${k}${g.integer(2)}`);
    const country = city.map((name) => `land ${name[0]}`);
    const { columns } = learnFeatures(
      tableOf([
        categories("city", city),
        categories("country", country),
        numbers(
          "x",
          truth.map((k) => 3 * k + g.normal()),
        ),
        numbers(
          "y",
          truth.map((k) => (k === 1 ? 3 : 0) + g.normal()),
        ),
      ]),
    );
    for (const { weight, why } of columns) {
      expect(weight).toBeGreaterThan(0.5);
      expect(why).toMatch(/^kept: related to /);
    }
  });

  test("copies in other words, letters or units are left out, and what is left counts as if they were not there", () => {
    const own = random(31);
    const sort = truth.map((k) => "abc"[own.uniform() < 0.8 ? k : own.integer(3)]);
    const amount = truth.map((k) => 2 * k + own.normal());
    const kept = [categories("sort", sort), numbers("amount", amount)];
    const gap = amount.map((x, i) => (i % 10 === 0 ? Number.NaN : Math.round(-100 * x)));
    const table = tableOf([
      categories(
        "kind",
        sort.map((level) => level.toUpperCase()),
      ),
      numbers("cents", gap),
      ...kept,
    ]);
    const { columns, record } = learnFeatures(table);
    expect(columns.map(({ why }) => why)).toEqual([
      "kept: related to amount",
      "left out: a copy of amount",
      "left out: a copy of kind",
      "kept: related to kind",
    ]);
    const alone = learnFeatures(tableOf(kept)).record.parts.map(({ weight }) => weight);
    expect(record.parts.map(({ weight }) => weight)).toEqual(alone);
  });

  test("a second block of related columns counts, and what could not be compared is told apart", () => {
    const own = random(32);
    const other = truth.map(() => own.integer(2));
    const block = (name: string, of: readonly number[]): ReturnType<typeof numbers>[] =>
      [0, 1, 2].map((j) =>
        numbers(
          `${name} ${j}`,
          of.map((k) => 3 * k + own.normal()),
        ),
      );
    const few = numbers(
      "few",
      truth.map((k, i) => (i < 2 ? k + i : Number.NaN)),
    );
    const table = tableOf([...block("first", truth), ...block("second", other), few]);
    const { columns } = learnFeatures(table, { use: table.columns.map(({ name }) => name) });
    for (const { weight, why } of columns.slice(0, 6)) {
      expect(weight).toBeGreaterThan(0.75);
      expect(why).toMatch(/^kept: related to (first|second) \d, /);
    }
    expect(columns[6]).toMatchObject({
      weight: 0.5,
      why: "kept: too few cells to compare it with other columns",
    });
  });

  test("a text whose rows share all their words, or none, is left out for that reason", () => {
    const why = (cells: (i: number) => string): string => {
      const table = tableOf([
        numbers(
          "x",
          truth.map((k) => 3 * k + g.normal()),
        ),
        {
          name: "note",
          kind: "text",
          why: "",
          reading: {},
          missing: 0,
          cells: truth.map((_, i) => cells(i)),
        },
      ]);
      return learnFeatures(table).columns[1].why;
    };
    const said = "left out: too few of its words are in several texts, but not in all";
    expect(why((i) => `delivered on time, number ${i}`)).toBe(said);
    expect(
      why(
        (i) =>
          `word${"abcdefghij"[i % 10]}${"abcdefghij"[Math.floor(i / 10) % 10]}${"x".repeat(1 + i / 100)}`,
      ),
    ).toBe(said);
  });

  test("a gap says nothing: it is filled as the known cells are", async () => {
    const own = random(17);
    // Employees of three kinds: those of the last one leave more often, and later.
    const left = truth.map((k) => (own.uniform() < [0.75, 0.7, 0.35][k] ? 4 * k + own.normal() : Number.NaN));
    const table = tableOf([
      numbers(
        "salary",
        truth.map((k) => 3 * k + own.normal()),
      ),
      numbers(
        "level",
        truth.map((k) => -3 * k + own.normal()),
      ),
      numbers("left", left),
    ]);
    const { X, record } = learnFeatures(table);
    expect(record.parts.map(({ encoding }) => encoding.form)).toEqual(["number", "number", "number"]);
    for (const k of [0, 1, 2]) {
      const mean = (missing: boolean): number => {
        const rows = Array.from(left.keys()).filter(
          (i) => truth[i] === k && Number.isNaN(left[i]) === missing,
        );
        return rows.reduce((sum, i) => sum + X.data[i * X.cols + 2], 0) / rows.length;
      };
      expect(Math.abs(mean(true) - mean(false))).toBeLessThan(0.2);
    }
    expect((await cluster(table)).clusters).toBe(3);
  });

  test("an amount that is often 0 is filled there, and the zeros are marked if they tell", () => {
    const spent = (none: (k: number) => number): number[] =>
      truth.map((k) => (g.uniform() < none(k) ? 0 : Math.exp(k + 0.5 * g.normal())));
    const table = tableOf([
      numbers(
        "x",
        truth.map((k) => 3 * k + g.normal()),
      ),
      numbers(
        "anyone",
        spent(() => 0.4),
      ),
      numbers(
        "some",
        spent((k) => (k === 1 ? 0.9 : 0.1)),
      ),
      numbers(
        "few",
        spent((k) => (k === 1 ? 0.6 : 0.95)),
      ),
    ]);
    const { X, columns, record, notes } = learnFeatures(table);
    expect(columns.map(({ became }) => became)).toEqual([
      "z-score",
      expect.stringMatching(/^where not 0, log, z-score/),
      "where not 0, log, z-score; mark where 0",
      "mark where 0",
    ]);
    expect(columns[3].why).toMatch(/^only whether it is 0: \d+ % of its cells are 0$/);
    // No cell was missing.
    expect(notes.map(({ code }) => code)).not.toContain("filled");
    const feature = record.parts.findIndex(({ column }) => column === "anyone");
    const { values } = table.columns[1];
    const means = [0, 1, 2].map((k) => {
      const own = truth.flatMap((group, i) =>
        group === k && values![i] === 0 ? [X.data[i * X.cols + feature]] : [],
      );
      return own.reduce((sum, value) => sum + value / own.length, 0);
    });
    expect(means[0]).toBeLessThan(means[1]);
    expect(means[1]).toBeLessThan(means[2]);
    const equal = learnFeatures(table, { weights: "equal" });
    expect(equal.record.parts.some(({ encoding }) => "amount" in encoding)).toBe(false);
  });

  test("amounts that are all mostly 0 are marks, together or alone", () => {
    const rare = (): number[] => truth.map(() => (g.uniform() < 0.85 ? 0 : Math.exp(g.normal())));
    const first = rare();
    const apart = learnFeatures(tableOf([numbers("a", first), numbers("b", rare())]));
    for (const { why } of apart.columns)
      expect(why).toMatch(/^only whether it is 0: 8\d % of its cells are 0$/);
    expect(apart.columns.map(({ became, weight }) => [became, weight])).toEqual([
      ["mark where 0", 1],
      ["mark where 0", 1],
    ]);
    const alike = learnFeatures(
      tableOf([
        numbers("a", first),
        numbers(
          "b",
          first.map((value) => value * Math.exp(g.normal())),
        ),
      ]),
    );
    expect(alike.record.parts.map(({ label, weight }) => [label, weight])).toEqual([["zero: a", 1]]);
  });

  test("zeros of counts and of rounded numbers are numbers", () => {
    const columns = [
      numbers(
        "visits",
        truth.map((k) => Math.floor(-(4 + k) * Math.log(1 - g.uniform()))),
      ),
      numbers(
        "hours",
        truth.map((k) => Math.round(Math.abs(3 * g.normal()) + k) / 4),
      ),
      numbers(
        "balance",
        truth.map((k) => (g.uniform() < 0.4 ? 0 : k + 2 * g.normal())),
      ),
    ];
    const { record } = learnFeatures(tableOf(columns));
    expect(record.parts).toHaveLength(3);
    for (const { encoding } of record.parts) expect(encoding).toMatchObject({ form: "number" });
  });

  test("a column that shifts the others is adjusted for", () => {
    const shift = truth.map(() => g.integer(2));
    const make = (by: number): ReturnType<typeof numbers> =>
      numbers(
        `v${by}`,
        truth.map((k, i) => [0, 3, -3][(k + by) % 3] + 9 * shift[i] + g.normal()),
      );
    const table = tableOf([
      make(0),
      make(1),
      make(2),
      categories(
        "laboratory",
        shift.map((s) => `lab ${s}`),
      ),
    ]);
    const before = adjustedRand(kmeans(learnFeatures(table).X, { clusters: 3 }).labels, truth);
    const features = learnFeatures(table, { adjust: ["laboratory"] });
    expect(adjustedRand(kmeans(features.X, { clusters: 3 }).labels, truth)).toBeGreaterThan(0.9);
    expect(before).toBeLessThan(0.7);
    expect(features.columns[3].why).toBe("left out: the others are adjusted for it");
  });
});

describe("options", () => {
  const { table } = mixedTable(200, 4);

  test("use and ignore", () => {
    const { columns } = learnFeatures(table, { use: ["price", "plan", "size"], ignore: ["size"] });
    expect(columns.filter(({ why }) => why !== "left out: as asked").map(({ name }) => name)).toEqual([
      "price",
      "plan",
    ]);
  });

  test("scales", () => {
    const own = tableOf([numbers("x", [1, 2, 3, 4, 105]), categories("c", ["a", "b", "a", "b", "a"])]);
    const column = (scaled: ReturnType<typeof learnFeatures>): number[] =>
      Array.from({ length: 5 }, (_, i) => scaled.X.data[i * scaled.X.cols]);
    expect(column(learnFeatures(own, { scale: "none" }))).toEqual([1, 2, 3, 4, 105]);
    expect(column(learnFeatures(own, { scale: "minmax" }))[4]).toBe(1);
    expect(column(learnFeatures(own, { scale: "robust" }))[2]).toBe(0);
    const unit = learnFeatures(own, { scale: "unit" }).X;
    for (let i = 0; i < 5; i++) {
      const row = unit.data.subarray(i * unit.cols, (i + 1) * unit.cols);
      expect(Math.hypot(...row)).toBeCloseTo(1, 12);
    }
  });

  test("missing cells are filled, dropped or refused", () => {
    const own = tableOf([numbers("x", [1, 2, Number.NaN, 4, 5]), categories("c", ["a", "b", "a", "b", ""])]);
    expect(learnFeatures(own).notes.map(({ code }) => code)).toContain("filled");
    const dropped = learnFeatures(own, { missing: "drop" });
    expect(Array.from(dropped.rows!)).toEqual([0, 1, 3]);
    expect(dropped.X.rows).toBe(3);
    expect(() => learnFeatures(own, { missing: "refuse" })).toThrow(/row 2, column "x" is missing/);
  });

  test("text is used as asked", () => {
    const own = learnFeatures(table, { text: "none" }).columns.find(({ name }) => name === "note")!;
    expect(own.why).toBe("left out: text");
    expect(() => learnFeatures(table, { text: ["price"] })).toThrow(/"price", which is taken as number/);
  });

  test("what cannot be is told", () => {
    expect(() => learnFeatures(table, { use: ["prise"] })).toThrow(/names the column "prise"/);
    expect(() => learnFeatures(table, { scale: "log" as never })).toThrow(/"scale" must be one of/);
    expect(() => learnFeatures(tableOf([texts("key", ["a", "b"], "id")]))).toThrow(
      /no column can be used: key \(id\)/,
    );
    expect(() => learnFeatures(tableOf([numbers("x", [])]))).toThrow(/there are no rows/);
    expect(() => learnFeatures(tableOf([numbers("x", [7])]))).toThrow(/no column can be used/);
  });
});

describe("relations that are no grouping, and relations that pairs of columns do not show", () => {
  const g = random(11);
  const groups = Array.from({ length: 300 }, () => Math.floor(3 * g.uniform() ** 1.5));

  test.each([5, 60])("two dates %i days apart do not outweigh the columns that carry groups", (lag) => {
    const first = groups.map(() => 18_000 + Math.floor(400 * g.uniform()));
    const second = first.map((day) => day + Math.ceil(2 * lag * g.uniform()));
    const table = tableOf([
      numbers("opened", first, "date"),
      numbers("closed", second, "date"),
      categories(
        "sort",
        groups.map((k) => "abc"[g.uniform() < 0.8 ? k : Math.floor(3 * g.uniform())]),
      ),
      numbers(
        "amount",
        groups.map((k) => 2 * k + g.normal()),
      ),
    ]);
    const { columns } = learnFeatures(table);
    expect(columns[0].weight).toBe(0.5);
    expect(columns[1].weight).toBe(0.5);
    expect(columns[2].weight).toBeGreaterThan(0.9);
    expect(columns[3].weight).toBeGreaterThan(0.9);
  });

  test("ratings with many gaps all count", () => {
    const levels = ["1", "2", "3", "4", "5"];
    const six = Array.from({ length: 300 }, () => Math.floor(6 * g.uniform() ** 1.5));
    const liked = Array.from({ length: 6 }, () => Array.from({ length: 30 }, () => 4 * g.uniform()));
    const rated = Array.from({ length: 30 }, (_, f) =>
      ordered(
        `film ${f}`,
        six.map((k) => {
          const rating = Math.round(Math.min(4, Math.max(0, liked[k][f] + 1.3 * g.normal())));
          return g.uniform() < 0.3 ? "" : levels[rating];
        }),
        levels,
      ),
    );
    const { columns } = learnFeatures(tableOf(rated));
    expect(columns.every(({ weight }) => weight >= 0.5)).toBe(true);
    expect(Math.max(...columns.map(({ weight }) => weight))).toBe(1);
  });

  test("gaps in a wide table are filled without the covariance of all columns", () => {
    const n = 40;
    const wide = Array.from({ length: 150 }, (_, f) =>
      numbers(
        `c${f}`,
        Array.from({ length: n }, (__, i) =>
          (i + f) % 37 === 0 ? NaN : (i % 2 === 0 ? 3 : -3) * (f % 2 === 0 ? 1 : -1) + g.normal(),
        ),
      ),
    );
    const { X } = learnFeatures(tableOf(wide), { weights: "equal" });
    wide.forEach(({ values }, f) => {
      for (let i = 0; i < n; i++) {
        if (!Number.isNaN(values![i])) continue;
        expect(Math.sign(X.data[i * X.cols + f])).toBe((i % 2 === 0 ? 1 : -1) * (f % 2 === 0 ? 1 : -1));
      }
    });
  });
});
