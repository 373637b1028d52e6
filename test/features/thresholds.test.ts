// Each number that decides what a column becomes, by a table on each side of it, or near it on one side.
import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import type { Column } from "../../src/data/index.ts";
import { columnCandidates } from "../../src/features/encode/candidates.ts";
import { learnLevels } from "../../src/features/encode/levelsEncoding.ts";
import { learnNumber } from "../../src/features/encode/numberEncoding.ts";
import { learnVectors } from "../../src/features/encode/vectorEncoding.ts";
import { cellsOf } from "../../src/features/encode/encodePart.ts";
import { learnFill } from "../../src/features/fillModel.ts";
import {
  byAngle,
  codesBy,
  followsColumn,
  learnFeatures,
  splitKinds,
  tableFeatures,
} from "../../src/features/index.ts";
import { relations, weighColumns } from "../../src/features/weigh/weighColumns.ts";
import { matrix } from "../../src/matrix/index.ts";
import { categories, numbers, ordered, tableOf } from "./makeTable.ts";

const from = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const normals = (n: number, seed: number): number[] => {
  const { normal } = random(seed);
  return from(n, () => normal());
};

/** What became of the first of some columns, and why. */
function fateOf(...columns: Column[]): { became: string; why: string } {
  const n = columns[0].values?.length ?? columns[0].codes!.length;
  const other = numbers("other", normals(n, 77));
  return learnFeatures(tableOf([...columns, other])).columns[0];
}

describe("a column is left out", () => {
  test("if half of its cells are missing", () => {
    const gaps = (share: number): Column =>
      numbers(
        "x",
        normals(100, 1).map((x, i) => (i < 100 * share ? Number.NaN : x)),
      );
    expect(fateOf(gaps(0.45)).why).toMatch(/^kept/);
    expect(fateOf(gaps(0.6)).why).toBe("left out: 60 % of its cells are missing");
  });

  test("if its dates are one for each row", () => {
    const dates = (steps: readonly number[]): Column => {
      let day = 15000;
      return numbers("d", [day, ...steps.map((step) => (day += step))], "date");
    };
    const regular = "left out: it numbers the rows, in equal steps";
    expect(fateOf(dates(from(13, () => 3))).why).toBe(regular);
    expect(fateOf(dates(from(8, () => 3))).why).not.toBe(regular);
    expect(fateOf(dates(from(40, (i) => (i % 10 < 6 ? 3 : 5)))).why).not.toBe(regular);
    expect(fateOf(dates(from(41, (i) => (i % 2 === 0 ? 3 : 3.24)))).why).toBe(regular);
    expect(fateOf(dates(from(41, (i) => (i % 2 === 0 ? 3 : 3.6)))).why).not.toBe(regular);
  });
});

test("weekday and season come from dates that span them", () => {
  const dates = (span: number): string => {
    const { uniform } = random(5);
    const days = from(60, (i) => 15000 + (i < 2 ? i * span : Math.floor(span * uniform())));
    const column = numbers("d", days, "date");
    const found = columnCandidates(column, tableOf([column]), new Int32Array(0), {
      scale: "auto",
      transforms: "usual",
      text: "all",
      asked: new Set(),
      amounts: new Set(),
      seed: 0,
    });
    return typeof found === "string" ? found : found.map(({ became }) => became).join();
  };
  expect(dates(10)).not.toContain("weekday");
  expect(dates(20)).toContain("weekday");
  expect(dates(400)).not.toContain("season");
  expect(dates(700)).toContain("season");
});

describe("an amount that is often 0", () => {
  const amount = (n: number, zeros: number, values: number, repeated = 0): Column =>
    numbers(
      "spent",
      from(n, (i) => (i < zeros ? 0 : i < zeros + repeated ? 1 : 1 + (i % values) + 0.5 * (i % 7))),
    );
  const isAmount = (...columns: Column[]): boolean => {
    const { record } = learnFeatures(
      tableOf([...columns, numbers("other", normals(columns[0].values!.length, 3))]),
    );
    const own = record.parts.filter(({ column }) => column === "spent");
    return own.some(({ encoding }) => encoding.form === "number" && encoding.amount === true);
  };

  test("has enough zeros, values, and more zeros than any of them", () => {
    expect(isAmount(amount(60, 13, 90))).toBe(true);
    expect(isAmount(amount(60, 8, 90))).toBe(false);
    expect(isAmount(amount(200, 15, 190))).toBe(false);
    expect(
      isAmount(
        numbers(
          "spent",
          from(120, (i) => (i < 60 ? 0 : 1 + (i % 9))),
        ),
      ),
    ).toBe(false);
    expect(
      isAmount(
        numbers(
          "spent",
          from(120, (i) => (i < 60 ? 0 : 1 + (i % 14))),
        ),
      ),
    ).toBe(true);
    expect(isAmount(amount(120, 30, 200, 10))).toBe(true);
    expect(isAmount(amount(120, 30, 200, 18))).toBe(false);
  });

  test("is only a mark if nearly all are 0, and a number in a very wide table", () => {
    expect(fateOf(amount(100, 60, 90)).became).toContain("where not 0");
    expect(fateOf(amount(100, 80, 90)).why).toContain("80 % of its cells are 0");
    const wide = (count: number): Column[] => [
      amount(100, 40, 90),
      ...from(count, (k) => numbers(`c${k}`, normals(100, k + 10))),
    ];
    expect(isAmount(...wide(40))).toBe(true);
    expect(isAmount(...wide(60))).toBe(false);
  });
});

describe("levels", () => {
  const encoded = (counts: readonly number[], reading = {}): readonly string[] => {
    const cells = counts.flatMap((count, k) => from(count, () => `level ${k}`));
    return learnLevels(categories("c", cells, reading), cells.length, "auto")!.levels;
  };

  test("that are rare share an indicator", () => {
    expect(encoded([100, 100, 7, 7])).not.toContain("(other)");
    expect(encoded([100, 100, 4, 4])).toContain("(other)");
    expect(encoded([3000, 3000, 20, 20])).toContain("(other)");
    expect(encoded([3000, 3000, 40, 40])).not.toContain("(other)");
  });

  test("are sixty at most", () => {
    expect(encoded(from(59, () => 30))).toHaveLength(59);
    expect(encoded(from(80, () => 30))).toHaveLength(61);
  });

  test("of paths below one root are the steps below it", () => {
    const cells = Array.from({ length: 60 }, (_, i) => `shop > ${["books", "films", "games"][i % 3]}`);
    const features = learnFeatures(tableOf([categories("p", cells, { form: "path", separator: ">" })]));
    expect(features.record.parts[0].names).toEqual([
      "p = shop > books",
      "p = shop > films",
      "p = shop > games",
    ]);
    expect(features.notes).toEqual([]);
    expect(new Set(features.X.data).size).toBe(2);
  });

  test("of a path are its first three steps", () => {
    const cells = from(120, (i) => `a${i % 2} > b${i % 3} > c${i % 4} > d${i % 5}`);
    const column = categories("p", cells, { form: "path", separator: ">" });
    expect(learnLevels(column, 120, "auto")!.depths).toHaveLength(3);
  });
});

describe("numbers", () => {
  const usual = { scale: "auto", transforms: "usual" } as const;
  const shapeOf = (values: readonly number[]) => learnNumber(Float64Array.from(values), usual)!;
  /** n values whose logarithms are normal with this deviation. */
  const skewed = (deviation: number): number[] => normals(4000, 8).map((z) => Math.exp(deviation * z));

  test("that are skewed are transformed, if the skewness is not that of a few", () => {
    expect(shapeOf(skewed(0.2)).transform).toBe("none");
    expect(shapeOf(skewed(0.45)).transform).toBe("log");
    // Symmetric but for a tail beyond the 98 %.
    const tail = normals(4000, 9).map((z, i) => 20 + (i < 60 ? 5 + z : z));
    expect(shapeOf(tail).transform).toBe("none");
    // The others are skewed by less than a half.
    const few = normals(4000, 9).map((z, i) => (i < 30 ? Math.exp(0.36) + 0.72 : Math.exp(0.12 * z)));
    expect(shapeOf(few).transform).toBe("none");
    expect(shapeOf(from(400, (i) => 2 ** (i % 9))).transform).toBe("none");
    expect(shapeOf(from(400, (i) => 1.5 ** (i % 14))).transform).toBe("log");
  });

  test("that are far are limited", () => {
    const values = [...from(101, (i) => i), 160];
    const { clip } = shapeOf(values);
    const width = 50.5;
    expect(clip!.high).toBeCloseTo(75.75 + 1.25 * width, 8);
    expect(clip!.low).toBeCloseTo(25.25 - 1.25 * width, 8);
    expect(clip!.give).toBeCloseTo(0.5 * width, 8);
    const clear = (far: number) =>
      learnNumber(Float64Array.from([...from(101, (i) => i), far]), { scale: "auto", transforms: "clear" });
    expect(clear(75.75 + 15 * width)!.clip).toBeUndefined();
    expect(clear(75.75 + 30 * width)!.clip).toBeDefined();
  });

  test("of few values at uneven distances are steps", () => {
    const steps = (values: readonly number[], each: number) =>
      shapeOf(values.flatMap((value) => from(each, () => value))).steps;
    expect(steps([1, 2, 3, 8], 12)).toEqual([1, 2, 3, 8]);
    expect(steps([1, 2, 3, 6], 12)).toBeUndefined();
    expect(steps([1, 2, 3, 8], 8)).toBeUndefined();
    expect(steps([...from(11, (i) => i), 20], 12)).toHaveLength(12);
    expect(steps([...from(14, (i) => i), 30], 12)).toBeUndefined();
  });
});

describe("vectors", () => {
  const vectors = (n: number, d: number, spread: number) => {
    const { normal } = random(d);
    const X = matrix(n, d);
    for (let i = 0; i < n; i++) {
      const own = Float64Array.from({ length: d }, () => normal());
      const norm = Math.hypot(...own) / (1 + spread * (i % 2 === 0 ? 1 : -1));
      X.data.set(
        own.map((x) => x / norm),
        i * d,
      );
    }
    return learnVectors(
      X,
      Int32Array.from({ length: n }, (_, i) => i),
      undefined,
    )!;
  };

  test("of equal length are directions", () => {
    expect(vectors(50, 10, 0.2).unit).toBe(true);
    expect(vectors(50, 10, 0.4).unit).toBe(false);
    expect(vectors(50, 6, 0).unit).toBe(false);
  });

  test("keep a hundred components", () => {
    expect(vectors(200, 130, 0.1).components!.cols).toBe(100);
    expect(vectors(200, 90, 0.1).components!.cols).toBe(90);
  });
});

describe("ordered columns", () => {
  test("of few levels are levels for a mixture, unless they are many", () => {
    const rated = (count: number): Column => {
      const levels = from(count, String);
      return ordered(
        "r",
        from(300, (i) => levels[(i * 7) % count]),
        levels,
      );
    };
    const codes = (count: number): number => {
      const { record, X } = learnFeatures(tableOf([rated(count), numbers("x", normals(300, 4))]));
      return splitKinds(record, X).codes.length;
    };
    expect(codes(10)).toBe(1);
    expect(codes(16)).toBe(0);
  });
});

describe("relations", () => {
  const ranked = (values: readonly number[]) => ({
    values: Float64Array.from(values),
    width: 1,
    ordered: true,
  });

  test("are those beyond chance, of enough rows", () => {
    // One of two columns is related by chance with 5 %: beyond 1.96 / sqrt(n).
    const [x, e] = [normals(400, 1), normals(400, 2)];
    const squares = from(400, (k) => {
      const t = k / 1000;
      return relations([ranked(x), ranked(x.map((value, i) => t * value + (1 - t) * e[i]))]).squares[1];
    }).filter((square) => square > 0);
    const chance = 1.959964 ** 2 / 400;
    expect(Math.min(...squares)).toBeGreaterThan(chance);
    expect(Math.min(...squares)).toBeLessThan(1.1 * chance);
    const few = (rows: number): number => {
      const y = x.map((value, i) => (i < rows ? value : Number.NaN));
      return relations([ranked(x), ranked(y)]).squares[1];
    };
    expect(few(7)).toBeGreaterThan(0.9);
    expect(few(4)).toBe(0);
  });

  test("are looked for in the first rows of the sample", () => {
    const [x, e] = [normals(8000, 1), normals(8000, 2)];
    const table = tableOf([
      numbers("a", x),
      numbers(
        "b",
        x.map((value, i) => (i < 5000 ? e[i] : value)),
      ),
    ]);
    const { record } = learnFeatures(table);
    const parts = record.parts.map((part) => ({ ...part, share: 1 }));
    const order = Int32Array.from(x, (_, i) => i);
    expect(weighColumns(parts, cellsOf(table), order).why.get("b")).toMatch(/no column is related/);
    expect(weighColumns(parts, cellsOf(table), order.reverse()).why.get("b")).toMatch(/related to a/);
  });
});

test("a fill has five components at most", () => {
  const X = matrix(60, 40, Float64Array.from(normals(2400, 6)));
  X.data[7] = Number.NaN;
  expect(learnFill(X).loadings.cols).toBe(5);
});

test("many rows are sampled, and it is said", () => {
  const { notes } = learnFeatures(
    tableOf([numbers("a", [Number.NaN, ...normals(24_999, 1)]), numbers("b", normals(25_000, 2))]),
  );
  expect(notes.map(({ message }) => message)).toContain(
    "weights, components and fills were learned from 20000 of 25000 rows",
  );
});

test("very many columns are not compared", () => {
  const why = (columns: number): string => {
    const cells = (k: number): number[] =>
      normals(12, k).map((x, i) => (k === 0 && i === 0 ? Number.NaN : x));
    return learnFeatures(tableOf(from(columns, (k) => numbers(`c${k}`, cells(k))))).columns[0].why;
  };
  expect(why(30)).toMatch(/^kept: /);
  expect(why(2010)).toBe("kept");
});

describe("tables without a requested scale", () => {
  const table = (columns: number, cell: (i: number, j: number) => number) =>
    tableOf(
      from(columns, (j) =>
        numbers(
          `c${j}`,
          from(60, (i) => cell(i, j)),
        ),
      ),
    );

  test("of switches have levels, of many counts mostly 0 angles", () => {
    const { integer } = random(3);
    const bit = (): number => integer(2);
    expect(tableFeatures(table(10, bit)).nature).toBe("bits");
    expect(tableFeatures(table(7, bit)).nature).toBe("any");
    const count = (zeros: number) => (i: number, j: number) =>
      (i * 31 + j * 17) % 100 < zeros ? 0 : 1 + ((i + j) % 5);
    expect(tableFeatures(table(70, count(90))).nature).toBe("counts");
    expect(tableFeatures(table(45, count(90))).nature).toBe("any");
    expect(tableFeatures(table(70, count(70))).nature).toBe("any");
    const X = matrix(60, 60);
    X.data[0] = 1;
    expect(byAngle(X)).toBe(true);
    expect(byAngle(matrix(60, 40))).toBe(false);
  });
});

describe("codes of a mixture", () => {
  test("are of parts with some weight", () => {
    const table = tableOf([
      categories(
        "c",
        from(100, (i) => "ab"[i % 2]),
      ),
      numbers("x", normals(100, 1)),
    ]);
    const { record, X } = learnFeatures(table);
    const weighed = (weight: number) => ({
      ...record,
      parts: record.parts.map((part) => (part.column === "c" ? { ...part, weight } : part)),
    });
    expect(splitKinds(weighed(0.06), X).codes).toHaveLength(1);
    expect(splitKinds(weighed(0.04), X).codes).toHaveLength(0);
  });

  test("are of indicators above rounding", () => {
    const rule = { kind: "indicators", first: 0, count: 2 } as const;
    const X = matrix(2, 2, Float64Array.of(1, 7e-10, 1, 2e-9));
    expect(Array.from(codesBy(rule, X))).toEqual([0, -1]);
  });
});

describe("clusters that follow a column", () => {
  /** A column of levels and labels that repeat it but in a share of the rows. */
  const codes = (levels: readonly string[], labels: readonly number[]): string[] => {
    const table = tableOf([categories("c", levels), numbers("x", normals(levels.length, 1))]);
    return followsColumn(labels, table, learnFeatures(table)).map(({ code }) => code);
  };

  test("share most of its information", () => {
    const level = from(600, (i) => i % 3);
    const names = level.map((k) => "abc"[k]);
    const moved = (share: number): number[] => level.map((k, i) => (i % 100 < 100 * share ? (k + 1) % 3 : k));
    expect(codes(names, moved(0.02))).toEqual(["clusters-are-levels"]);
    expect(codes(names, moved(0.12))).toEqual([]);
    // Each level in two clusters: nearly all of its information, half of that of the labels.
    const split = (share: number): number[] => moved(share).map((k, i) => 2 * k + (Math.floor(i / 3) % 2));
    expect(codes(names, split(0.01))).toEqual(["clusters-follow"]);
    expect(codes(names, split(0.12))).toEqual([]);
  });

  test("that has levels, neither one for nearly all rows nor very many", () => {
    const rare = (share: number): number[] => from(600, (i) => (i < 600 * share ? 1 : 0));
    const told = (labels: readonly number[]): string[] => codes(labels.map(String), labels);
    expect(told(rare(0.06))).toEqual([]); // 0.23 nats
    expect(told(rare(0.15))).toEqual(["clusters-are-levels"]);
    const many = (count: number): number[] => from(8000, (i) => i % count);
    expect(told(many(50))).toEqual(["clusters-are-levels"]);
    expect(told(many(80))).toEqual([]);
  });
});

describe("the time between two dates", () => {
  const n = 400;
  const { uniform } = random(12);
  const start = from(n, () => 15_000 + Math.floor(1000 * uniform()));
  const has = (later: readonly number[], ...others: Column[]): boolean => {
    const { record } = learnFeatures(
      tableOf([
        numbers("a", start, "date"),
        numbers("b", later, "date"),
        ...others,
        numbers("x", normals(n, 2)),
      ]),
    );
    return record.parts.some(({ encoding }) => encoding.form === "number" && encoding.since !== undefined);
  };
  const after = (width: number, below = 0): number[] =>
    start.map((day) => day + Math.floor(width * (uniform() - below)));

  test("is a feature if one follows the other, or they are close", () => {
    expect(has(after(300))).toBe(true);
    // Neither: 20 % come before, as far apart as the dates are.
    expect(has(from(n, () => 15_000 + Math.floor(1000 * uniform())))).toBe(false);
    expect(has(after(900, 0.2))).toBe(false);
    // Close: half come before, within a third of the range of the dates.
    expect(has(after(340, 0.5))).toBe(true);
  });

  test("is none if it says what one of the dates says", () => {
    const fixed = start.map((_, i) => 17_000 + (i % 3));
    expect(has(fixed)).toBe(false);
    const nearly = start.map(() => 16_000 + Math.floor(700 * uniform()));
    expect(has(nearly)).toBe(true);
  });

  test("is not looked for among many dates", () => {
    const dates = (count: number): Column[] => from(count, (k) => numbers(`d${k}`, after(300 + k), "date"));
    expect(has(after(300), ...dates(10))).toBe(true);
    expect(has(after(300), ...dates(24))).toBe(false);
  });
});
