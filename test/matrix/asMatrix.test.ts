import { tableFromArrays } from "@uwdata/flechette";
import { describe, expect, test } from "vitest";
import { kmeans, spectral } from "../../src/cluster/index.ts";
import { cc } from "../../src/recipes/index.ts";
import { pca } from "../../src/embed/index.ts";
import { asMatrix, asRows, fromRows, toSparse, type MatrixLike } from "../../src/matrix/index.ts";
import { lda } from "../../src/metric/index.ts";
import { formsOf } from "./forms.ts";

const rows = [
  [1, 2, 3],
  [4, 5, 6],
  [7, 8, 10],
  [0, 1, 1],
];
const X = fromRows(rows);
const forms = Object.entries(formsOf(rows));

describe.each(forms)("%s", (_, form) => {
  test("are the same rows, for a method and its predictions", () => {
    expect(asMatrix(form, "test")).toEqual(X);
    expect(asRows(form, "test")).toEqual(X);
    const found = kmeans(form as number[][], { clusters: 2, seed: 1 });
    expect(found.labels).toEqual(kmeans(X, { clusters: 2, seed: 1 }).labels);
    expect(found.predict(form as number[][])).toEqual(found.labels);
  });
});

test("properties of objects that are texts are no columns", () => {
  expect(
    asMatrix(
      rows.map(([a, b, c], i) => ({ a, name: `row ${i}`, b, c })),
      "test",
    ),
  ).toEqual(X);
});

test("a matrix and sparse rows are not copied", () => {
  expect(asMatrix(X, "test")).toBe(X);
  const sparse = toSparse(X);
  expect(asRows(sparse, "test")).toBe(sparse);
  expect(() => asMatrix(sparse as never, "spectral")).toThrow(/spectral: these rows are sparse.*toDense/);
});

test("flechette tables, integers of 64 bits among them", () => {
  const table = tableFromArrays({ a: [1n, 2n], b: [0.5, 1.5] } as never) as unknown as MatrixLike;
  expect(asMatrix(table, "test")).toEqual(fromRows([[1, 0.5], [2, 1.5]])); // prettier-ignore
  const holes = tableFromArrays({ a: [1, null] }) as unknown as MatrixLike;
  expect(() => asMatrix(holes, "test")).toThrow('row 1, column "a" is null');
});

test("methods of every room take plain rows, and so do their results", () => {
  const many = Array.from({ length: 20 }, (_, i) => [i, (i * 7) % 5, i % 3]);
  const y = many.map((_, i) => i % 2);
  expect(pca(many, { dims: 1 }).transform(many).rows).toBe(20);
  expect(lda(many, y).transform([[1, 2, 3]]).rows).toBe(1);
  expect(spectral(many, { clusters: 2, neighbors: 4 }).predict([many[3]])).toHaveLength(1);
  expect(cc(many, { clusters: 2 }).predict(many)).toHaveLength(20);
});

test.each<readonly [string, unknown, RegExp]>([
  ["nothing", undefined, /kmeans: the rows must be a matrix.*got nothing/],
  ["a number", 3, /got 3/],
  ["a text", "iris.csv", /got the text "iris.csv"/],
  ["another object", { x: 1 }, /got an object/],
  ["numbers without a shape", Float64Array.of(1, 2), /got numbers without a shape/],
  ["one row", [1, 2, 3], /row 0 is 1; a row is an array of numbers/],
  ["ragged rows", [[1, 2], [3]], /row 1 has 1 value, but row 0 has 2/],
  [
    "a text in a cell",
    [
      [1, 2],
      [3, "4"],
    ],
    /row 1, column 1 \(counted from 0\) is the text "4"/,
  ],
  ["NaN", [[1, NaN]], /row 0, column 1 \(counted from 0\) is NaN/],
  [
    "a hole",
    [
      [1, 2],
      [3, null],
    ],
    /row 1, column 1 \(counted from 0\) is null/,
  ],
  ["a missing row", [[1, 2], undefined], /row 1 is missing, but row 0 is an array/],
  ["a missing property", [{ a: 1 }, { b: 1 }], /row 0, column "b" is missing/],
  ["a property that is a number only later", [{ a: 1 }, { a: 1, b: 2 }], /row 0, column "b" is missing/],
  ["a number that is a text", [{ a: 1, b: "2.5" }], /"b" is the text "2.5" in row 0; make it a number/],
  ["a date", [{ a: 1, b: new Date(0) }], /"b" is a date in row 0/],
  ["objects without numbers", [{ a: "x" }], /no property is a number \(there is a\)/],
  ["columns of two lengths", { a: [1, 2], b: [1] }, /column "b" has 1 value, but "a" has 2 values/],
  [
    "strides that leave the data",
    { data: [1, 2, 3, 4], shape: [2, 2], stride: [3, 1] },
    /reach beyond the data/,
  ],
  [
    "strides in parts",
    { data: [1, 2, 3, 4], shape: [2, 2], stride: [1.5, 1] },
    /strides and offset must be whole/,
  ],
  ["a wrong shape", { data: [1, 2, 3], shape: [2, 2] }, /2 x 2 rows need 4 values, got 3 values/],
  ["a shape of one side", { data: [1, 2, 3], shape: [3] }, /the shape must be \[rows, columns\], got \[3\]/],
  ["an unsafe integer", [[2n ** 60n + 1n]], /is 1152921504606846977, not a finite number/],
])("%s is refused in words", (_, input, message) => {
  expect(() => kmeans(input as never, { clusters: 1 })).toThrow(message);
});
