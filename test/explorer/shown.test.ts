import { describe, expect, test } from "vitest";
import { COLORS, dotClass, GREY, pathSlots, slotsOf } from "../../explorer/app/shown/colors.ts";
import { nearestKin } from "../../explorer/app/rows/kin.ts";
import { option, note } from "../../src/core/messages.ts";
import { separation } from "../../explorer/app/shown/separation.ts";
import { openTable } from "../../explorer/worker/openTable.ts";
import { inWords, notesOf } from "../../explorer/worker/failure.ts";
import { judge } from "../../explorer/worker/judge.ts";
import { solve } from "../../explorer/worker/solve.ts";
import type { Solution, TableData } from "../../explorer/protocol.ts";

let tables = 0;
const read = (text: string, label?: string, name = "t.csv"): Promise<TableData> =>
  openTable(
    {
      key: ++tables,
      source: { kind: "file", name, file: new Blob([text]) },
      reading: { as: {}, ...(label !== undefined && { label }) },
    },
    () => {},
  );

describe("colours", () => {
  test("stay with the rows when clusters are renumbered or split", () => {
    const before = { labels: [0, 0, 0, 1, 1, 1], slots: [4, 7] };
    expect(slotsOf([1, 1, 1, 0, 0, 0], 2, before)).toEqual([7, 4]);
    expect(slotsOf([0, 0, 2, 1, 1, 1], 3, before)).toEqual([4, 7, 0]);
  });

  test("clusters beyond the colours have other shapes, and beyond these are grey", () => {
    const labels = Array.from({ length: 4 * COLORS + 2 }, (_, i) => i);
    const slots = slotsOf(labels, labels.length);
    expect(slots.slice(0, COLORS)).toEqual(labels.slice(0, COLORS));
    expect(slots[COLORS]).toBe(16);
    expect(new Set(slots.slice(0, -2)).size).toBe(4 * COLORS);
    expect(slots.slice(-2)).toEqual([GREY, GREY]);
    expect(dotClass(slots[0])).toBe("dot c0");
    expect(dotClass(slots[2 * COLORS + 3])).toBe("dot c3 shape2");
    // A shape stays with its rows, too.
    expect(slotsOf([0, 0, 1], 2, { labels: [1, 1, 0], slots: [3, 19] })).toEqual([19, 3]);
  });

  test("along a path the larger part of a cluster keeps its colour, single rows are grey", () => {
    const rows = 14;
    const labels = (of: (i: number) => number): { labels: Int32Array } => ({
      labels: Int32Array.from({ length: rows }, (_, i) => of(i)),
    });
    const [apart, two, one] = pathSlots([labels((i) => i), labels((i) => (i < 9 ? 0 : 1)), labels(() => 0)]);
    expect(new Set(one)).toEqual(new Set([0]));
    expect([two[0], two[13]]).toEqual([0, 1]);
    expect(new Set(apart)).toEqual(new Set([GREY]));
  });
});

const kindsOf = ({ columns }: TableData): Record<string, string> =>
  Object.fromEntries(columns.map(({ name, kind }) => [name, kind]));

describe("tables", () => {
  test("every column stays, with what it is taken as; one that differs in every row names the rows", async () => {
    const lines = Array.from({ length: 60 }, (_, i) => `n${i},${i * 1.5},k${i % 3}`);
    const table = await read(`who,a,colour\n${lines.join("\n")}\n`);
    expect(kindsOf(table)).toEqual({ who: "id", a: "number", colour: "category" });
    expect(table.id).toBe("who");
    expect(table.label).toBeUndefined();
    const found = await solve({ ...QUESTION, table, clusters: 3 }, () => {});
    expect(found.columns.filter(({ weight }) => weight > 0).map(({ name }) => name)).toContain("colour");
  });

  test("a column is set aside on request, whatever its name", async () => {
    const text = `a,class\n${Array.from({ length: 40 }, (_, i) => `${i},c${i % 2}`).join("\n")}\n`;
    expect((await read(text)).label).toBeUndefined();
    expect((await read(text, "class")).label).toBe("class");
  });

  test("what a column is taken as can be changed", async () => {
    const text = `zip,a\n${Array.from({ length: 40 }, (_, i) => `${100 + (i % 4)},${i * 1.1}`).join("\n")}\n`;
    const table = await openTable(
      {
        key: 1,
        source: { kind: "file", name: "t.csv", file: new Blob([text]) },
        reading: { as: { zip: "category" } },
      },
      () => {},
    );
    expect(kindsOf(table).zip).toBe("category");
    const { command, code } = await solve({ ...QUESTION, table, clusters: 2 }, () => {});
    expect(command).toContain("--as zip=category");
    expect(code).toContain('"as":{"zip":"category"}');
  });

  test("LIBSVM keeps its classes, by its name or by its contents", async () => {
    for (const name of ["t.libsvm", "t.txt"]) {
      const table = await read("1 1:0.5 3:2\n-1 2:1\n1 1:0.25 3:1\n", undefined, name);
      expect(table.rows).toBe(3);
      expect(table.label).toBe("label");
      expect(table.columns.find(({ name: own }) => own === "label")?.cells).toEqual(["1", "-1", "1"]);
      expect(table.origin.kind).toBe("sparse");
    }
  });
});

const QUESTION = {
  off: [],
  scale: "auto",
  weights: "auto",
  missing: "fill",
  edits: [],
  statements: [],
  method: "kmeans",
  seed: 0,
  own: {},
  same: [],
  different: [],
} as const;

describe("kin", () => {
  const rows = "a,b\n0,0\n1,0\n0,2\n9,9\n8,9\n";
  const question = { ...QUESTION, scale: "none", clusters: 2 } as const;

  test("are the nearest rows, with the columns that keep them apart", async () => {
    const table = await read(rows);
    const found = await solve({ ...question, table }, () => {});
    const kin = nearestKin(0, 2, found);
    expect(kin.map(({ row, distance }) => [row, distance])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(kin[0].because).toEqual([{ name: "a", share: 1 }]);
  });

  test("under a full metric the reasons are shares of all contributions, and only those that part", async () => {
    const table = await read(rows);
    const plain = await solve({ ...question, table }, () => {});
    const learned: Solution = { ...plain, metric: Float64Array.of(1, -0.4, -0.4, 1) };
    // Row 4 differs from row 3 by (1, 0): (M delta) = (1, -0.4), so a contributes 1 and b nothing.
    expect(nearestKin(3, 1, learned)[0].because).toEqual([{ name: "a", share: 1 }]);
    // Row 0 and row 3: delta = (9, 9), each contributes 9 (9 - 3.6).
    const far = nearestKin(0, 4, learned).find(({ row }) => row === 3)!;
    expect(far.because.map(({ share }) => share)).toEqual([0.5, 0.5]);
  });

  test("numbers that come from one category are one reason", () => {
    const numbers = {
      values: Float32Array.of(1, 0, 0, 0, 1, 0),
      dimensions: 3,
      sources: ["colour", "colour", "a"],
    };
    const space = { values: numbers.values, dimensions: 3 };
    expect(nearestKin(0, 1, { numbers, space })[0].because).toEqual([{ name: "colour", share: 1 }]);
  });
});

describe("failures in words", () => {
  test("memory", () => {
    expect(inWords(new RangeError("Array buffer allocation failed"))).toMatch(/more memory/);
    expect(inWords(new RangeError("WebAssembly.Memory.grow(): Maximum memory size exceeded"))).toMatch(
      /more memory/,
    );
    expect(inWords(new RangeError("Maximum call stack size exceeded"))).not.toMatch(/more memory/);
  });

  test("sentences", () => {
    expect(inWords(new Error("there is no such thing"))).toBe("There is no such thing.");
    expect(inWords(new Error("wine.csv line 3: no"))).toBe("wine.csv line 3: no.");
    expect(inWords(new TypeError("x is not a function"))).toBe("Unexpected TypeError: x is not a function");
  });
});

describe("messages of the library", () => {
  test("name options as the page labels them", async () => {
    const table = await read("a,b\n1,2\n2,1\n8,9\n9,8\n");
    const said = await solve({ ...QUESTION, table, clusters: 9 }, () => {}).catch(inWords);
    expect(said).toContain("“Clusters” is 9");
    const none = await solve({ ...QUESTION, table, method: "hints" }, () => {}).catch(inWords);
    expect(none).toMatch(/“Hints”/);
  });
});

describe("solve", () => {
  const named = (name: string): Promise<TableData> =>
    openTable({ key: ++tables, source: { kind: "named", name, options: {} }, reading: { as: {} } }, () => {});

  test("weights are shares, separation is between 0 and 1, positions are finite", async () => {
    const table = await named("iris");
    for (const method of ["kmeans", "ccscml"]) {
      const found = await solve({ ...QUESTION, table, method, clusters: 2 }, () => {});
      expect(found.features.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9);
      for (const feature of found.features) {
        expect(feature.separation).toBeGreaterThanOrEqual(0);
        expect(feature.separation).toBeLessThanOrEqual(1 + 1e-12);
      }
      expect([...found.plain.xy, ...(found.learned?.xy ?? [])].every(Number.isFinite)).toBe(true);
      expect(found.plain.xy.length).toBe(300);
      expect(found.profiles.length).toBe(2);
      expect(found.features.map(({ column }) => column)).not.toContain(table.label);
    }
  });

  test("rows alone on the path explain no variance", () => {
    const values = Float64Array.of(1, 1, 3, 3, 9, 5, 7);
    const column = { name: "a", kind: "number", reading: {}, missing: 0, why: "", values } as never;
    const alone = { labels: [0, 1, 2, 3, 4, 5, 6], sizes: [1, 1, 1, 1, 1, 1, 1] };
    expect(separation(column, alone)).toBe(0);
    expect(separation(column, { labels: [0, 0, 1, 1, 2, 3, 4], sizes: [2, 2, 1, 1, 1] })).toBeLessThan(0.6);
  });

  test("the separation of a column is 1 where clusters are its levels, 0 where they are not", () => {
    const column = { name: "a", kind: "number", why: "", reading: {}, missing: 0 } as const;
    const shown = { labels: [0, 0, 1, 1, -1], sizes: [2, 2] };
    const values = (...numbers: number[]): Float64Array => Float64Array.from(numbers);
    expect(separation({ ...column, values: values(1, 1, 3, 3, 2) }, shown)).toBeCloseTo(1, 12);
    expect(separation({ ...column, values: values(1, 3, 1, 3, 2) }, shown)).toBeCloseTo(0, 12);
    expect(separation({ ...column, values: values(1, 1, 3, Number.NaN, 2) }, shown)).toBeGreaterThan(0.9);
    const levels = { levels: ["x", "y"], codes: Int32Array.of(0, 0, 1, 1, -1) };
    expect(separation({ ...column, kind: "category", ...levels }, shown)).toBeCloseTo(1, 12);
  });

  test("one column, and rows on a line, can be seen", async () => {
    for (const text of ["a\n1\n2\n5\n6\n", "a,b,c\n1,2,3\n2,4,6\n7,14,21\n8,16,24\n"]) {
      const table = await read(text);
      const { plain } = await solve({ ...QUESTION, table, clusters: 2, weights: "equal" }, () => {});
      expect(plain.xy.length).toBe(8);
      expect(plain.xy.every(Number.isFinite)).toBe(true);
    }
  });

  test("hints teach: what they changed comes with the result, and they are kept", async () => {
    const table = await named("iris");
    const pairs = { same: [[0, 1]], different: [[0, 60]] } as const;
    const found = await solve({ ...QUESTION, table, method: "hints", clusters: 3, ...pairs }, () => {});
    const { labels, taught, trust } = found;
    expect(labels[0]).toBe(labels[1]);
    expect(labels[0]).not.toBe(labels[60]);
    expect(taught?.answers).toBe(2);
    expect(taught?.columns.map(({ name }) => name).sort()).toEqual(
      found.features.map(({ column }) => column).sort(),
    );
    expect(taught?.columns.reduce((sum, { after }) => sum + after, 0)).toBeCloseTo(1, 6);
    expect(trust?.word).toMatch(/clear|doubtful|weak|none/);
  });

  test("pairs to judge go on from the last answer, and start anew when it is taken back", async () => {
    const table = await named("iris");
    const rows = {
      table,
      off: [],
      scale: "auto",
      weights: "auto",
      missing: "fill",
      statements: [],
      seed: 0,
      clusters: 3,
    } as const;
    const first = judge({ ...rows, same: [], different: [], skipped: [] })!;
    expect(first.pair[0]).not.toBe(first.pair[1]);
    const next = judge({ ...rows, same: [first.pair], different: [], skipped: [] })!;
    expect([...next.pair].sort()).not.toEqual([...first.pair].sort());
    const other = judge({ ...rows, same: [first.pair], different: [], skipped: [next.pair] })!;
    expect(other.pair).not.toEqual(next.pair);
    const again = judge({ ...rows, same: [], different: [], skipped: [] })!;
    expect(again.pair).toEqual(first.pair);
  });
});

test("advice about a column names the page's own control, or is left out", () => {
  const says = (name: string, effect: string): string =>
    `the clusters follow "helmet"; if that is not what is sought, ${option(name)} helmet ${effect}`;
  const told = (name: string, effect: string): string[] =>
    notesOf([note("clusters-follow", says(name, effect), { column: "helmet", option: name })]);
  expect(told("ignore", "leaves it out")).toEqual([
    'the clusters follow "helmet"; if that is not what is sought, clearing the tick of helmet leaves it out',
  ]);
  expect(told("adjust", "removes its influence on the other columns")).toEqual([
    'the clusters follow "helmet"',
  ]);
});
