import { describe, expect, test } from "vitest";
import { countText, stopsOf } from "../../explorer/app/solve/pathStops.ts";
import { hintsOf } from "../../explorer/app/hints/hintsOf.ts";
import { readSession, writeSession } from "../../explorer/app/data/sessionFile.ts";
import { FRESH, type Settings } from "../../explorer/app/settings.ts";
import { CLUSTER_KEY, type Brush, type SolveQuestion, type TableData } from "../../explorer/protocol.ts";
import { browse, summarize } from "../../explorer/worker/browse.ts";
import { fingerprint } from "../../explorer/worker/fingerprint.ts";
import { openTable } from "../../explorer/worker/openTable.ts";
import { solve } from "../../explorer/worker/solve.ts";

let tables = 5000;
const read = (text: string): Promise<TableData> =>
  openTable(
    { key: ++tables, source: { kind: "file", name: "t.csv", file: new Blob([text]) }, reading: { as: {} } },
    () => {},
  );

const QUESTION: Omit<SolveQuestion, "table"> = {
  off: [],
  scale: "auto",
  weights: "auto",
  missing: "fill",
  edits: [],
  method: "kmeans",
  clusters: 3,
  seed: 0,
  own: {},
  same: [],
  different: [],
  statements: [],
};

/** Three groups of twenty rows on two columns, a category and a text. */
function threeGroups(): string {
  const lines = Array.from({ length: 60 }, (_, i) => {
    const group = i % 3;
    return `${10 * group + (i % 7) / 10},${5 * (group % 2) + (i % 5) / 10},k${group},"note ${i} of many words here"`;
  });
  return `a,b,kind,words\n${lines.join("\n")}\n`;
}

describe("looking through the rows", () => {
  const asked = (table: TableData) => ({ table, brushes: {}, text: "" });

  test("histograms count every row once", async () => {
    const table = await read(threeGroups());
    const [a, , kind, words] = summarize(table);
    expect(a.kind === "numbers" && a.counts.reduce((sum, count) => sum + count, 0)).toBe(60);
    expect(kind.kind === "levels" && kind.levels.map(({ count }) => count)).toEqual([20, 20, 20]);
    expect(words.kind).toBe("other");
  });

  test("brushes leave the rows that are inside of all of them, against looking at each row", async () => {
    const table = await read(threeGroups());
    const [a, , kind] = table.columns;
    const code = kind.levels!.indexOf("k2");
    const { rows, inside, counts } = browse(table, {
      ...asked(table),
      brushes: { a: { from: 20.2, to: 20.4 }, kind: { levels: [code] } },
    });
    const slow = Array.from({ length: 60 }, (_, i) => i).filter(
      (i) => a.values![i] >= 20.2 && a.values![i] <= 20.4 && kind.codes![i] === code,
    );
    expect(slow.length).toBeGreaterThan(0);
    expect(Array.from(rows)).toEqual(slow);
    expect(inside!.reduce((sum, one) => sum + one, 0)).toBe(slow.length);
    for (const list of counts!) expect(list?.reduce((x, y) => x + y, 0) ?? slow.length).toBe(slow.length);
  });

  test("counts follow brushes that move, come and go, against counting all rows", async () => {
    const table = await read(threeGroups().replace("10,5.1,", ",5.1,"));
    const summary = summarize(table);
    const moves: Record<string, Brush>[] = [
      { a: { from: 0, to: 15 } },
      { a: { from: 0.3, to: 20.1 } },
      { a: { from: 0.3, to: 20.1 }, kind: { levels: [0, 2] } },
      {},
      { kind: { levels: [1] } },
      { b: { from: 99, to: 100 } },
      { b: { from: 0.2, to: 5.3 } },
    ];
    const slow = (c: number, rows: readonly number[]): number[] | undefined => {
      const [{ values, codes }, one] = [table.columns[c], summary[c]];
      if (one.kind === "levels") {
        return one.levels.map(({ code }) => rows.filter((i) => codes![i] === code).length);
      }
      if (one.kind !== "numbers") return undefined;
      const { low, high, bins } = one;
      const bin = (i: number): number =>
        Math.min(bins - 1, Math.floor((bins * (values![i] - low)) / (high - low)));
      return Array.from(one.counts, (_, b) => rows.filter((i) => bin(i) === b).length);
    };
    for (const brushes of moves) {
      const { inside = new Uint8Array(), counts = [] } = browse(table, { ...asked(table), brushes });
      const rows = [...inside.keys()].filter((i) => inside[i] === 1);
      expect(counts.map((list) => list && Array.from(list))).toEqual(counts.map((_, c) => slow(c, rows)));
      expect(counts.length).toBe(Object.keys(brushes).length === 0 ? 0 : 4);
    }
  });

  test("search finds words in any cell and rows by number; order is by value, missing last", async () => {
    const table = await read(threeGroups().replace("10,5.1,", ",5.1,"));
    expect(Array.from(browse(table, { ...asked(table), text: "NOTE 17 " }).rows)).toEqual([17]);
    expect(Array.from(browse(table, { ...asked(table), text: "row 3" }).rows)).toContain(3);
    const { rows } = browse(table, { ...asked(table), order: { column: "a", down: false } });
    const values = Array.from(rows, (row) => table.columns[0].values![row]).filter(
      (value) => !Number.isNaN(value),
    );
    expect(values).toEqual(values.toSorted((x, y) => x - y));
    const labels = Int32Array.from({ length: 60 }, (_, i) => 2 - (i % 3));
    const listed = browse(table, {
      ...asked(table),
      labels,
      only: 1,
      order: { column: CLUSTER_KEY, down: true },
    });
    expect(Array.from(listed.rows).every((row) => row % 3 === 1)).toBe(true);
    expect(listed.rows.length).toBe(20);
    // A cluster and a search reach the contents of the columns as a brush does.
    expect(listed.counts![2]!.reduce((most, count) => Math.max(most, count))).toBe(20);
    const found = browse(table, { ...asked(table), text: "note 5" });
    expect(found.counts![0]!.reduce((sum, count) => sum + count)).toBe(found.rows.length);
  });
});

describe("clusters as a person merges and splits them", () => {
  test("merging joins, splitting parts, and the model stays that of the clusters found", async () => {
    const table = await read(threeGroups());
    const found = await solve({ ...QUESTION, table }, () => {});
    expect(found.sizes).toEqual([20, 20, 20]);
    const merged = await solve(
      { ...QUESTION, table, edits: [{ kind: "merge", clusters: [0, 2] }] },
      () => {},
    );
    expect(merged.sizes.toSorted((a, b) => a - b)).toEqual([20, 40]);
    for (let i = 0; i < 60; i++) {
      for (let j = 0; j < i; j++) {
        const [before, after] = [found.labels[i] === found.labels[j], merged.labels[i] === merged.labels[j]];
        expect(!before || after).toBe(true);
      }
    }
    expect(merged.profiles.length).toBe(2);
    expect(merged.representatives.length).toBe(2);
    expect((JSON.parse(await merged.model.text()) as { clusters: number }).clusters).toBe(3);
    const edits = [
      { kind: "merge", clusters: [0, 1, 2] },
      { kind: "split", cluster: 0, into: 3 },
    ] as const;
    const back = await solve({ ...QUESTION, table, edits }, () => {});
    expect(back.sizes).toEqual([20, 20, 20]);
  });

  test("a cluster that is not there is left out, and that is said", async () => {
    const table = await read(threeGroups());
    const found = await solve({ ...QUESTION, table, edits: [{ kind: "merge", clusters: [1, 9] }] }, () => {});
    expect(found.sizes.length).toBe(3);
    expect(found.warnings.join()).toMatch(/There is no cluster 9 to merge/);
  });

  test("rows that are dropped for missing cells are nowhere and in no cluster", async () => {
    const table = await read(
      threeGroups().replace("\n0.3,5,k0", "\n,5,k0").replace("\n10.1,5.1,k1", "\n,5.1,k1"),
    );
    const missing = table.columns[0].missing;
    const found = await solve({ ...QUESTION, table, missing: "drop" }, () => {});
    const nowhere = Array.from(found.labels.keys()).filter((i) => found.labels[i] < 0);
    expect(nowhere.length).toBe(missing);
    for (const i of nowhere) expect(found.plain.xy[2 * i]).toBeNaN();
    expect(found.labels.length).toBe(60);
    expect(missing).toBe(1);
    await expect(solve({ ...QUESTION, table, missing: "refuse" }, () => {})).rejects.toThrow(/missing/);
  });

  test("the top of the tree holds every row once, with the clusters that it was cut into", async () => {
    const table = await read(threeGroups());
    const { tree, labels } = await solve({ ...QUESTION, table, method: "ward" }, () => {});
    expect(tree!.leaves.reduce((sum, { size }) => sum + size, 0)).toBe(60);
    expect(tree!.merges.length).toBe(tree!.leaves.length - 1);
    for (const { row, cluster } of tree!.leaves) expect(cluster).toBe(labels[row]);
  });
});

describe("statements about many rows", () => {
  test("are links of all rows with all, of very many rows with some in turn", () => {
    const rows = Array.from({ length: 14 }, (_, i) => i);
    const others = Array.from({ length: 18 }, (_, i) => 100 + i);
    const { not, groups } = hintsOf({
      same: [],
      different: [],
      statements: [
        { kind: "apart", rows, others },
        { kind: "together", rows },
      ],
    });
    expect(not.reduce((sum, one) => sum + (one.rows?.length ?? 0), 0)).toBe(14 * 18);
    expect(groups).toEqual([rows]);
    const many = Array.from({ length: 300 }, (_, i) => i);
    const far = many.map((i) => 1000 + i);
    const thin = hintsOf({
      same: [],
      different: [],
      statements: [{ kind: "apart", rows: many, others: far }],
    });
    expect(new Set(thin.not.flatMap((one) => one.rows ?? [])).size).toBe(300);
    expect(thin.not.length).toBe(300);
  });

  test("reach the method: the groups end apart", async () => {
    const table = await read(threeGroups());
    const rows = [0, 3, 6];
    const others = [9, 12, 15];
    const { labels } = await solve(
      { ...QUESTION, table, method: "hints", clusters: 3, statements: [{ kind: "apart", rows, others }] },
      () => {},
    );
    for (const a of rows) for (const b of others) expect(labels[a]).not.toBe(labels[b]);
  });
});

describe("sessions", () => {
  const settings: Settings = {
    ...FRESH,
    source: { kind: "dropped", name: "wine.csv" },
    method: "hints",
    clusters: 3,
    same: [[1, 2]],
    statements: [{ kind: "apart", rows: [1, 2], others: [7, 8, 9] }],
    names: ["red", ""],
    edits: [{ kind: "merge", clusters: [0, 1] }],
    reading: { label: "class", as: { zip: "category" } },
  };
  const data = { kind: "dropped", name: "wine.csv", rows: 9, columns: ["a"], fingerprint: "3-00" } as const;

  test("come back as they were", () => {
    const text = writeSession(settings, data);
    expect(readSession("s.kindred.json", text)).toEqual({ settings, data });
  });

  test("files that are none are refused in words", () => {
    for (const text of ["", "{", "[]", "{}", '{"kind":"kindred-session","version":2}']) {
      expect(() => readSession("s.kindred.json", text)).toThrow(/^s\.kindred\.json /);
    }
    const damaged = '{"kind":"kindred-session","version":1,"data":{"name":"a"},"settings":{"off":7}}';
    expect(() => readSession("s.kindred.json", damaged)).toThrow(/is damaged/);
  });

  test.each([
    { hints: { statements: [{ kind: "together", rows: { length: 2e9 } }] } },
    { hints: { statements: [{ kind: "apart", rows: [1], others: { length: 2e9 } }] } },
    { hints: { same: { length: 2e9 } } },
    { hints: { statements: [null] } },
    { settings: { pinned: { ...FRESH, statements: [{ kind: "together", rows: { length: 2e9 } }] } } },
    { settings: { own: { a: { toString: 1 } } } },
    { names: 7 },
  ])("lists that are none: %j", (part) => {
    const file = { kind: "kindred-session", version: 1, data: { name: "a" }, ...part };
    expect(() => readSession("s.kindred.json", JSON.stringify(file))).toThrow("s.kindred.json is damaged");
  });

  test("the fingerprint tells files apart by one byte and by their length", async () => {
    const of = (text: string): Promise<string> => fingerprint({ file: new Blob([text]) });
    expect(await of("a,b\n1,2\n")).toBe(await of("a,b\n1,2\n"));
    const all = await Promise.all(
      ["", "a", "b", "ab", "ba", "a\0", "a\0\0", "a,b\n1,2\n", "a,b\n1,3\n"].map(of),
    );
    expect(new Set(all).size).toBe(all.length);
    const large = "x".repeat(9_000_000);
    expect(await of(large)).not.toBe(await of(`${large.slice(1)}y`));
  });
});

describe("the clusterpath", () => {
  const step = (gamma: number, ...labels: number[]) => ({
    gamma,
    clusters: new Set(labels).size,
    labels: Int32Array.from(labels),
    xy: new Float32Array(0),
  });

  test("counts groups and single rows", () => {
    expect(countText([0, 1, 2])).toBe("3 single rows");
    expect(countText([0, 0, 2])).toBe("1 group and 1 single row");
    expect(countText([0, 0, 1, 1])).toBe("2 groups");
    expect(countText([0])).toBe("1 single row");
  });

  test("stops where the groups change, and at both ends", () => {
    const steps = [
      step(0, 0, 1, 2),
      step(1, 0, 1, 2),
      step(2, 0, 0, 2),
      step(3, 0, 0, 2),
      step(4, 0, 0, 0),
      step(5, 0, 0, 0),
    ];
    expect(stopsOf({ steps, axes: ["", ""], warnings: [] })).toEqual([0, 2, 4, 5]);
  });
});
