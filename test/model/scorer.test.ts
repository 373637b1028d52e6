import { loadScorer } from "../../src/place/index.ts";
import { describe, expect, test } from "vitest";
import { cellText, examples, exampleText, namedData } from "../../src/data/index.ts";
import {
  asTable,
  cluster,
  loadModel,
  methods,
  readTable,
  type Clustering,
  type MethodName,
} from "../../src/index.ts";

const iris = asTable(await namedData("iris"));
const customers = await readTable(new TextEncoder().encode(exampleText("customers")));

type Table = typeof customers;

/** Iris in words, for the method that takes levels alone. */
const words = await readTable(
  new TextEncoder().encode(
    iris.columns
      .map(({ name, values }, f) => [
        name,
        ...Array.from({ length: iris.rows }, (_, i) =>
          values === undefined
            ? cellText(iris.columns[f], i)
            : ["small", "medium", "large"][
                ([...values].filter((value) => value < values[i]).length / 50) | 0
              ],
        ),
      ])
      .reduce<string[]>(
        (lines, cells) => cells.map((cell, i) => (lines[i] ? `${lines[i]},${cell}` : cell)),
        [],
      )
      .join("\n"),
  ),
);

/** The rows of a table as objects: numbers as numbers, other cells as they are written, gaps as null. */
function objectsOf({ columns, rows }: Table): Record<string, unknown>[] {
  return Array.from({ length: rows }, (_, i) =>
    Object.fromEntries(
      columns.map((column) => {
        const text = cellText(column, i);
        const isNumber = column.kind === "number" && column.cells === undefined;
        return [column.name, text === "" ? null : isNumber ? column.values![i] : text];
      }),
    ),
  );
}

/** The rows that a scorer, alone or of a model, places elsewhere than `assign`. */
async function misplaced(found: Clustering, rows: readonly Record<string, unknown>[]): Promise<number[]> {
  const file = JSON.parse(JSON.stringify(found));
  const model = loadModel(file);
  const placed = model.assign(rows);
  const score = model.scorer();
  const alone = await loadScorer(file);
  const isNear = (a: number, b: number): boolean => a === b || Math.abs(a - b) <= 1e-9 * (1 + b);
  // Twice: what is remembered of the first time must be the same.
  return [...rows.keys(), ...rows.keys()].filter((row) => {
    const scored = score(rows[row]);
    const { cluster: label, name, distance, next, nextDistance } = scored;
    return !(
      label === placed.labels[row] &&
      next === placed.next[row] &&
      name === (found.names[label] ?? null) &&
      isNear(distance, placed.distances[row]) &&
      isNear(nextDistance, placed.nextDistances[row]) &&
      JSON.stringify(alone(rows[row])) === JSON.stringify(scored)
    );
  });
}

describe("a scorer places every row as assign does", () => {
  const own = iris.columns.find(({ name }) => name === "class")!;
  const classes = Array.from({ length: 150 }, (_, i) => (i % 10 === 0 ? cellText(own, i) : ""));
  test.each(methods.map(({ name, needs }) => ({ name, needs })))("of $name", async ({ name, needs }) => {
    const pairs = {
      mustLink: [[0, 1]] as const,
      cannotLink: [
        [0, 50],
        [50, 100],
        [0, 100],
      ] as const,
    };
    const table = name === "latent-classes" ? words : iris;
    const found = await cluster(table, {
      method: name as MethodName,
      clusters: 3,
      label: "class",
      ...((needs.pairs === "required" || name === "hints") && pairs),
      ...(needs.labels === "required" && { labels: classes }),
    });
    expect(await misplaced(found, objectsOf(table).slice(0, 60))).toEqual([]);
  });

  test.each(["auto", "kmeans", "mixed"] as const)(
    "of tables with gaps, levels and dates: %s",
    async (method) => {
      const found = await cluster(customers, { method, clusters: 4 });
      const rows = objectsOf(customers).slice(0, 80);
      expect(await misplaced(found, rows)).toEqual([]);
      const emptied = rows.map((row, i) => {
        const name = customers.columns[i % customers.columns.length].name;
        return { ...row, [name]: null, country: i % 7 === 0 ? "XX" : row.country };
      });
      expect(await misplaced(found, emptied)).toEqual([]);
    },
  );

  test.each(Object.keys(examples))("of the example %s", async (name) => {
    const table = await readTable(new TextEncoder().encode(exampleText(name as keyof typeof examples)));
    const found = await cluster(table, { method: "kmeans", clusters: 3 });
    expect(await misplaced(found, objectsOf(table).slice(0, 40))).toEqual([]);
  });

  test.each(["unit", "minmax", "robust"] as const)(
    "under scale %s, and where columns are adjusted",
    async (scale) => {
      const found = await cluster(customers, { method: "kmeans", clusters: 3, scale, adjust: ["plan"] });
      expect(await misplaced(found, objectsOf(customers).slice(0, 30))).toEqual([]);
    },
  );
});

test("rows of numbers, and rows whose cells are missing under drop", async () => {
  const X = Array.from({ length: 90 }, (_, i) => [i % 3, Math.sin(i), Math.cos(i) + (i % 3)]);
  const found = await cluster(X, { method: "kmeans", clusters: 3, missing: "drop" });
  const score = found.scorer();
  expect(X.map((row) => score(row).cluster)).toEqual(Array.from(found.labels));
  expect(score(new Float32Array([1, 0, 1]))).toEqual(score([1, 0, 1]));
  expect(score([1, null as never, 1])).toMatchObject({ cluster: -1, name: null });
});

test("a file that is none, or is damaged, is refused in words", async () => {
  const found = await cluster([[1], [2], [9]], { method: "kmeans", clusters: 2 });
  const file = JSON.parse(JSON.stringify(found));
  await expect(loadScorer("{}")).rejects.toThrow(/parsed content/);
  await expect(loadScorer({})).rejects.toThrow(/"kind" must be "clustering"/);
  await expect(loadScorer({ ...file, kindred: 1 })).rejects.toThrow(/format 1/);
  await expect(loadScorer({ ...file, placing: { ...file.placing, centers: 5 } })).rejects.toThrow(/placing/);
});

test("a row that is none is refused in words", async () => {
  const found = await cluster(
    [
      { a: 1, b: 2 },
      { a: 2, b: 1 },
      { a: 9, b: 9 },
    ],
    { method: "kmeans", clusters: 2 },
  );
  const score = found.scorer();
  expect(() => score({ a: 1 })).toThrow(/lacks the column "b"/);
  expect(() => score(5 as never)).toThrow(/a row is an object/);
  expect(() => score([1, 2])).toThrow(/lacks/);
  expect(() => score({ a: 1e200, b: 1 })).toThrow(/too far/);
});
