import { describe, expect, test } from "vitest";
import { GREY, pathSlots, SLOTS, slotsOf } from "../../explorer/app/colors.ts";
import { nearestKin } from "../../explorer/app/kin.ts";
import { separation } from "../../explorer/app/separation.ts";
import { openTable } from "../../explorer/worker/openTable.ts";
import { inWords } from "../../explorer/worker/failure.ts";
import { solve } from "../../explorer/worker/solve.ts";
import type { Solution, TableData } from "../../explorer/protocol.ts";

const read = (text: string, label?: string, name = "t.csv"): Promise<TableData> =>
  openTable(
    {
      source: { kind: "file", name, file: new Blob([text]) },
      reading: { encode: [], ...(label !== undefined && { label }) },
    },
    () => {},
  );

describe("colours", () => {
  test("stay with the rows when clusters are renumbered or split", () => {
    const before = { labels: [0, 0, 0, 1, 1, 1], slots: [4, 7] };
    expect(slotsOf([1, 1, 1, 0, 0, 0], 2, before)).toEqual([7, 4]);
    expect(slotsOf([0, 0, 2, 1, 1, 1], 3, before)).toEqual([4, 7, 0]);
  });

  test("clusters beyond the colours are grey", () => {
    const labels = Array.from({ length: SLOTS + 2 }, (_, i) => i);
    expect(slotsOf(labels, SLOTS + 2).slice(SLOTS)).toEqual([GREY, GREY]);
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

describe("tables", () => {
  test("text becomes the classes, text that differs in every row the names of the rows", async () => {
    const lines = Array.from({ length: 30 }, (_, i) => `n${i},${i},${i % 3}`);
    const table = await read(`who,a,b\n${lines.join("\n")}\n`);
    expect(table.label).toBeUndefined();
    expect(table.ids?.name).toBe("who");
    expect(table.names).toEqual(["a", "b"]);
    const classes = await read(`a,b,kind\n${lines.map((_, i) => `${i},1,k${i % 2}`).join("\n")}\n`);
    expect(classes.label?.name).toBe("kind");
    expect(classes.origin).toMatchObject({ label: "kind", ignore: [] });
  });

  test("no label on request: a numeric one becomes a feature again", async () => {
    const text = "a,class\n1,1\n2,1\n3,2\n";
    expect((await read(text)).names).toEqual(["a"]);
    expect((await read(text, "")).names).toEqual(["a", "class"]);
  });

  test("LIBSVM, which has no columns to choose roles for, is read all the same", async () => {
    const table = await read("1 1:0.5 3:2\n-1 2:1\n1 1:0.25 3:1\n", undefined, "t.libsvm");
    expect(table.rows).toBe(3);
    expect([...table.values]).toEqual([0.5, 0, 2, 0, 1, 0, 0.25, 0, 1]);
    expect(table.label?.values).toEqual(["1", "-1", "1"]);
  });

  test("a class column of text that nobody wants is left out", async () => {
    const table = await read("a,kind\n1,x\n2,y\n", "");
    expect(table.columns).toEqual([
      { name: "a", text: false, role: "feature" },
      { name: "kind", text: true, role: "left out" },
    ]);
  });
});

describe("kin", () => {
  const rows = "a,b\n0,0\n1,0\n0,2\n9,9\n8,9\n";
  const question = { off: [], scale: "none", method: "kmeans", clusters: 2, seed: 0, own: {} } as const;

  test("are the nearest rows, with the features that keep them apart", async () => {
    const table = await read(rows);
    const found = await solve({ ...question, table, same: [], different: [] }, () => {});
    const kin = nearestKin(0, 2, found, table);
    expect(kin.map(({ row, distance }) => [row, distance])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(kin[0].because).toEqual([{ name: "a", share: 1 }]);
  });

  test("under a full metric the reasons are shares of all contributions, and only those that part", async () => {
    const table = await read(rows);
    const plain = await solve({ ...question, table, same: [], different: [] }, () => {});
    const learned: Solution = { ...plain, metric: Float64Array.of(1, -0.4, -0.4, 1) };
    // Row 4 differs from row 3 by (1, 0): (M delta) = (1, -0.4), so a contributes 1 and b nothing.
    expect(nearestKin(3, 1, learned, table)[0].because).toEqual([{ name: "a", share: 1 }]);
    // Row 0 and row 3: delta = (9, 9), each contributes 9 (9 - 3.6).
    const far = nearestKin(0, 4, learned, table).find(({ row }) => row === 3)!;
    expect(far.because.map(({ share }) => share)).toEqual([0.5, 0.5]);
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

describe("solve", () => {
  test("weights are shares, separation is between 0 and 1, positions are finite", async () => {
    const table = await openTable(
      { source: { kind: "named", name: "iris", options: {} }, reading: { encode: [] } },
      () => {},
    );
    for (const method of ["kmeans", "ccscml"]) {
      const question = { table, off: [], scale: "zscore", method, clusters: 2, seed: 0, own: {} } as const;
      const found = await solve({ ...question, same: [], different: [] }, () => {});
      expect(found.features.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9);
      for (const { separation } of found.features) {
        expect(separation).toBeGreaterThanOrEqual(0);
        expect(separation).toBeLessThanOrEqual(1 + 1e-12);
      }
      expect([...found.plain.xy, ...(found.learned?.xy ?? [])].every(Number.isFinite)).toBe(true);
      expect(found.plain.xy.length).toBe(300);
      expect(found.profiles.length).toBe(2);
    }
  });

  test("the separation of a feature is the same for the page and the worker", async () => {
    const table = await openTable(
      { source: { kind: "named", name: "wine", options: {} }, reading: { encode: [] } },
      () => {},
    );
    const question = {
      table,
      off: [],
      scale: "zscore",
      method: "kmeans",
      clusters: 3,
      seed: 0,
      own: {},
    } as const;
    const found = await solve({ ...question, same: [], different: [] }, () => {});
    for (const feature of found.features) {
      expect(separation(table, feature.column, found)).toBeCloseTo(feature.separation, 10);
    }
  });

  test("one feature, and rows on a line, can be seen", async () => {
    for (const text of ["a\n1\n2\n5\n6\n", "a,b,c\n1,2,3\n2,4,6\n7,14,21\n8,16,24\n"]) {
      const table = await read(text);
      const question = {
        table,
        off: [],
        scale: "zscore",
        method: "kmeans",
        clusters: 2,
        seed: 0,
        own: {},
      } as const;
      const { plain } = await solve({ ...question, same: [], different: [] }, () => {});
      expect(plain.xy.length).toBe(8);
      expect(plain.xy.every(Number.isFinite)).toBe(true);
    }
  });
});
