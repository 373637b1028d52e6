import { expect, test } from "vitest";
import { choosePartition } from "../../src/judge/index.ts";
import { applyFeatures, learnFeatures } from "../../src/features/index.ts";
import { asTable, cluster, compare, explain, type Rows } from "../../src/run/index.ts";
import { learnFromHints } from "../../src/hints/index.ts";
import { fromRows } from "../../src/matrix/index.ts";
import { describeColumns, readColumns, scale } from "../../src/data/index.ts";
import { encodeLabels, nmi, silhouette, withinSumOfSquares } from "../../src/score/index.ts";

const anything = (value: unknown): Rows => value as Rows;

test("rows that are none are refused with their place", async () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [[[1, 2], undefined, [3, 4]], "row 1 is missing, but row 0 is an array"],
    [Array.of<unknown>([1, 2], ...Array<unknown>(1)), "row 1 is missing, but row 0 is an array"],
    [[[1, 2], [3]], "row 1 has 1 value, but row 0 has 2"],
    [
      [
        [1, 2],
        [3, "a"],
      ],
      'row 1, column 1 (counted from 0) is the text "a"',
    ],
    [[[1], [2n ** 63n - 1n]], "row 1, column 0 (counted from 0) is 9223372036854775807"],
    [[{ a: 1 }, null, { a: 2 }], "row 1 is null"],
    [[{ a: 1 }, [2]], "row 1 is an array"],
    [[1, 2, 3], "row 0 is 1; a row is an array of numbers"],
    [{ rows: 3, cols: 3, data: new Float64Array(7) }, "3 x 3 rows need 9 values, got 7 values"],
    [{ rows: 1e9, cols: 2, data: new Float64Array(0) }, "1000000000 x 2 rows need 2000000000 values"],
    [{ rows: -1, cols: 3, data: new Float64Array(3) }, "the shape must be [rows, columns], got [-1,3]"],
  ];
  for (const [given, told] of cases) {
    expect(() => asTable(anything(given))).toThrow(`asTable: ${told}`);
    await expect(cluster(anything(given))).rejects.toThrow(told);
  }
  expect(() => asTable(anything([{ a: 1 }, 5]))).toThrow("asTable: row 1 is 5, but row 0 is an object");
  await expect(cluster(anything([[1], [2]]), null as never)).rejects.toThrow("the options must be an object");
  await expect(compare(anything([[1], [2]]), 3 as never)).rejects.toThrow("the options must be an object");
});

test("missing and infinite numbers are missing; integers of any type are numbers", () => {
  const lists = asTable(
    anything([
      [1, null],
      [Infinity, 2n],
      [true, undefined],
    ]),
  );
  expect(lists.columns.map(({ values, missing }) => [Array.from(values!), missing])).toEqual([
    [[1, Number.NaN, 1], 1],
    [[Number.NaN, 2, Number.NaN], 2],
  ]);
  const objects = asTable([{ a: 1n, b: -Infinity }, { a: 2, b: 3 }, { b: 4 }]);
  expect(objects.columns.map(({ kind, missing }) => [kind, missing])).toEqual([
    ["number", 1],
    ["number", 1],
  ]);
  const named = asTable([{ a: 1 }, { a: 2, toString: "x" }]);
  expect(named.columns[1]).toMatchObject({ name: "toString", missing: 1, levels: ["x"] });
});

test("dates are dates, codes of 19 digits keep them, and the rows stay as they are", () => {
  const rows = [0, 1, 2].map((i) =>
    Object.freeze({ when: new Date(Date.UTC(2024, 0, 1 + i, 6)), code: 1234567890123456789n + BigInt(i) }),
  );
  const { columns } = asTable(Object.freeze(rows));
  expect(columns[0]).toMatchObject({ kind: "date", missing: 0 });
  expect(Array.from(columns[0].values!)).toEqual([19723.25, 19724.25, 19725.25]);
  expect(columns[1].cells).toEqual(["1234567890123456789", "1234567890123456790", "1234567890123456791"]);
});

test("objects are read like the cells of a JSON file", async () => {
  const rows = Array.from({ length: 60 }, (_, i) => ({
    customer: `C${1000 + 7 * i}`,
    joined: `20${10 + (i % 9)}-0${1 + (i % 8)}-1${i % 10}`,
    spend: i % 11 === 0 ? "n/a" : `$${((i % 2) * 400 + 20 + i).toFixed(2)}`,
    plan: i % 2 === 0 ? "free" : "pro",
    address: { zip: 10115 + (i % 13) },
  }));
  const table = asTable(rows);
  const file = await readColumns(new TextEncoder().encode(JSON.stringify(rows)), { name: "the data" });
  expect(table.columns).toEqual(file.columns);
  expect(table.columns.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    "customer id",
    "joined date",
    "spend number",
    "plan category",
    "address.zip category",
  ]);
  expect(asTable(rows, { as: { plan: "text", joined: "ignore" } }).columns.map(({ kind }) => kind)).toEqual([
    "id",
    "number",
    "text",
    "category",
  ]);
  // Levels in a file, numbers in a program; a flag is a level in both.
  const small = rows.map((_, i) => ({ id: 100 + i, rating: 1 + (i % 5), bit: i % 2, open: i % 3 === 0 }));
  expect(asTable(small).columns.map(({ kind }) => kind)).toEqual(["id", "number", "number", "category"]);
  await expect(cluster(rows, { as: { plan: "text" } } as object)).rejects.toThrow(
    'has no option "as"; give it to readTable or asTable',
  );
  expect(() => asTable(rows, { as: { plans: "text" } })).toThrow('did you mean "plan"?');
  expect(() => asTable(rows, { has: 1 } as never)).toThrow('asTable: there is no option "has"');
});

test("a clustering places rows in every form that cluster takes", async () => {
  const rows = Array.from({ length: 60 }, (_, i) => ({
    id: `C${1000 + 7 * i}`,
    seen: new Date(Date.UTC(i % 2 === 0 ? -44 : 1815, i % 12, 1 + (i % 20))),
    spend: `$${((i % 2) * 400 + 20 + i).toFixed(2)}`,
    plan: i % 2 === 0 ? "free" : "pro",
  }));
  const found = await cluster(rows, { clusters: 2 });
  expect(found.sizes).toEqual([30, 30]);
  expect(found.assign(rows).labels).toEqual(found.labels);
  rows.forEach((row, i) => expect(found.assign([row]).labels).toEqual(found.labels.slice(i, i + 1)));
  expect(found.assign([])).toMatchObject({ labels: new Int32Array(), distances: new Float64Array() });
  expect(() => found.assign([{ plan: "pro" }])).toThrow('lacks the columns "seen", "spend"');
  expect(() => found.assign("rows.csv" as never)).toThrow("got string; readTable reads a file");
  const numbers = await cluster(
    [
      [1, 1],
      [1, 2],
      [9, 9],
      [9, 8],
    ],
    { clusters: 2 },
  );
  expect(numbers.assign([[1, 1.5]]).labels[0]).toBe(numbers.labels[0]);
});

test("dates among other values are texts, dates alone need no spelling", () => {
  const early = new Date(Date.UTC(-44, 2, 15));
  const { columns } = asTable([
    { a: early, b: early },
    { a: new Date(Number.NaN), b: 3 },
    { a: new Date(0), b: "soon" },
  ]);
  expect(columns[0]).toMatchObject({ kind: "date", missing: 1 });
  expect(columns[0].values).toEqual(Float64Array.of(early.getTime() / 86_400_000, Number.NaN, 0));
  expect(columns[1].cells ?? columns[1].levels).toContain("-000044-03-15");
});

test("labels and sources that are none", async () => {
  expect(() => nmi(undefined as never, [1, 2])).toThrow("labels are an array with one for each row");
  expect(() => encodeLabels(null as never)).toThrow("got null");
  for (const source of [undefined, null, 5, {}, () => 1]) {
    await expect(readColumns(source as never)).rejects.toThrow(
      "a source is a path, the URL of a file, bytes",
    );
  }
});

test("what is not awaited is told so", async () => {
  const table = readColumns(new TextEncoder().encode("a,b\n1,2\n3,4\n"));
  await expect(cluster(anything(table))).rejects.toThrow("not a promise of one; await it");
  expect(() => explain(Promise.resolve({}) as never)).toThrow("await it if it is a promise");
  for (const take of [describeColumns, learnFeatures, (given: never) => applyFeatures({} as never, given)]) {
    expect(() => take(table as never)).toThrow("got a promise; await it");
    expect(() => take(undefined as never)).toThrow("takes a table of readTable, got undefined");
  }
});

test("functions on numbers take rows in any form, and refuse what is none", () => {
  const rows = Array.from({ length: 30 }, (_, i) => [10 * (i % 3) + Math.sin(i), Math.cos(2 * i)]);
  const X = fromRows(rows);
  const labels = rows.map((_, i) => i % 3);
  expect(silhouette(rows, labels)).toBe(silhouette(X, labels));
  expect(withinSumOfSquares(rows, labels)).toBe(withinSumOfSquares(X, labels));
  expect(choosePartition(rows).labels).toEqual(choosePartition(X).labels);
  const hints = { pairs: [{ a: 0, b: 3, same: true }] };
  expect(learnFromHints(rows, hints).labels).toEqual(learnFromHints(X, hints).labels);
  for (const call of [
    () => silhouette(undefined as never, labels),
    () => withinSumOfSquares(undefined as never, labels),
    () => scale(undefined as never),
    () => choosePartition(undefined as never),
    () => learnFromHints(undefined as never, hints),
  ]) {
    expect(call).toThrow("the rows must be a matrix, an array of rows");
  }
});

test("rows of other libraries are the same table, however they come", async () => {
  const objects = Array.from({ length: 30 }, (_, i) => ({
    age: 20 + (i % 7),
    plan: i % 2 === 0 ? "free" : "pro",
  }));
  const ages = objects.map(({ age }) => age);
  const plans = objects.map(({ plan }) => plan);
  const getter = (name: string) => (i: number) => (name === "age" ? ages[i] : plans[i]);
  const forms: readonly Rows[] = [
    { age: ages, plan: plans },
    new Set(objects),
    { numRows: () => 30, columnNames: () => ["age", "plan"], getter },
  ];
  const { columns } = asTable(objects);
  for (const form of forms) expect(asTable(form).columns).toEqual(columns);
  const arriving = (async function* () {
    for (const row of objects) yield await Promise.resolve(row);
  })();
  const found = await cluster(arriving, { clusters: 2, seed: 1 });
  expect(found.labels).toEqual((await cluster(objects, { clusters: 2, seed: 1 })).labels);
});

test("a transposed view is read by its strides", () => {
  const [flat, turned] = [[1, 2, 3, 4, 5, 6], [1, 3, 5, 2, 4, 6]]; // prettier-ignore
  const rows = asTable({ data: flat, shape: [3, 2] });
  expect(asTable({ data: turned, shape: [3, 2], stride: [1, 3], offset: 0 })).toEqual(rows);
  expect(asTable({ data: Float32Array.from(flat), dims: [3, 2] })).toEqual(rows);
});

test("columns by name are the same table as their rows, with objects in cells", () => {
  const columns = {
    plan: ["free", null, "pro"],
    spend: new Float64Array([1, 2, Number.NaN]),
    home: [{ city: "Bonn", floor: 2 }, undefined, { city: "Ulm" }],
  };
  const rows = [0, 1, 2].map((i) => ({
    plan: columns.plan[i],
    spend: columns.spend[i],
    home: columns.home[i],
  }));
  expect(asTable(columns)).toEqual(asTable(rows));
  expect(asTable(columns).columns.map(({ name }) => name)).toContain("home.city");
});
