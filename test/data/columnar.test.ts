import { tableFromArrays, tableToIPC } from "@uwdata/flechette";
import { describe, expect, test } from "vitest";
import { readNumbers } from "../../src/data/index.ts";
import { decompressLz4Frame } from "../../src/data/binary/unpack.ts";
import { toRows, type Matrix } from "../../src/matrix/index.ts";
import fixture from "../fixtures/columnar.json" with { type: "json" };

const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, "base64"));
const { table } = fixture;
const options = { label: "color", ignore: ["kind"] } as const;

const expected = table.f64.map((_, i) => [
  table.f64[i],
  Math.fround(table.f32[i]),
  table.i32[i],
  table.i64[i],
  Number(table.flag[i]),
]);

describe.each([
  ["parquet", fixture.parquet],
  ["arrow", fixture.arrow],
])("%s, written by pyarrow", (format, files) => {
  test.each(Object.entries(files))("%s", async (_, base64) => {
    const read = await readNumbers(bytes(base64), options);
    expect(read.names).toEqual(["f64", "f32", "i32", "i64", "flag"]);
    expect(toRows(read.X as Matrix)).toEqual(expected);
    expect(read.label).toEqual({ name: "color", values: table.color });
  });

  test("text columns are refused by name, ignored ones not looked at", async () => {
    const file = bytes(Object.values(files)[0]);
    await expect(readNumbers(file, { name: "t", label: "kind" })).rejects.toThrow(
      't row 1, column "color": "red" is not a number',
    );
    const read = await readNumbers(file, { ignore: ["color", "kind", "i64"], id: "i32" });
    expect(read.names).toEqual(["f64", "f32", "flag"]);
    expect(read.ids!.values).toEqual(table.i32.map(String));
  });

  test("a damaged file is an error that names it", async () => {
    const whole = bytes(Object.values(files)[0]);
    for (const length of [20, whole.length >> 1, whole.length - 9]) {
      const reading = readNumbers(whole.slice(0, length), { name: "cut.bin", ...options });
      await expect(reading).rejects.toThrow(/^cut\.bin cannot be read as (Parquet|Arrow)/);
    }
    await expect(readNumbers(whole, { name: "t", label: "nope" })).rejects.toThrow(
      `option "label" names the column "nope", which t does not have`,
    );
    expect(format).toMatch(/parquet|arrow/);
  });
});

describe.each(["parquet", "arrow"] as const)("%s", (format) => {
  test("nulls and NaN are missing values", async () => {
    const file = bytes(fixture.holes[format]);
    await expect(readNumbers(file, { name: "t" })).rejects.toThrow(
      't: 3 missing values: row 2, column "x"; row 3, column "y"; row 4, column "x"; option "missing" can drop',
    );
    const filled = await readNumbers(file, { missing: "mean" });
    expect(toRows(filled.X as Matrix)).toEqual([
      [1.5, 1],
      [2.5, 2],
      [3.5, 7 / 3],
      [2.5, 4],
    ]);
  });

  test("lists and times are not numbers", async () => {
    await expect(readNumbers(bytes(fixture.nested[format]), { name: "t" })).rejects.toThrow(
      't row 1, column "l": a nested value; option "ignore" would leave it out',
    );
    expect((await readNumbers(bytes(fixture.nested[format]), { ignore: ["l"] })).names).toEqual(["x"]);
    await expect(readNumbers(bytes(fixture.when[format]), { name: "t" })).rejects.toThrow(
      't row 1, column "t": "1970-01-01" is not a number',
    );
  });
});

test("LZ4 blocks that refer to the block before", async () => {
  const { X } = await readNumbers(bytes(fixture.big.lz4));
  expect(X.rows).toBe(20000);
  expect((X as Matrix).data.every((x, i) => x === (i % 97) / 8)).toBe(true);
});

test("damaged LZ4 frames end in an error, not in a loop or in wrong bytes", () => {
  const room = new Uint8Array(64);
  expect(() => decompressLz4Frame(new Uint8Array(20), room)).toThrow("not an LZ4 frame");
  const frame = Uint8Array.of(4, 34, 77, 24, 0x40, 0x40, 0xc0, 5, 0, 0, 0, 0x10, 65, 9, 0, 0, 0, 0, 0, 0);
  expect(() => decompressLz4Frame(frame, room)).toThrow("the LZ4 data is damaged");
  expect(() => decompressLz4Frame(frame.slice(0, 13), room)).toThrow("ends too early");
});

describe("many rows of doubles", () => {
  const rows = 70_001;
  const columns = [0, 1, 2].map((c) => Float64Array.from({ length: rows }, (_, i) => i * 3 + c));
  const file = (): Uint8Array =>
    tableToIPC(tableFromArrays({ a: columns[0], b: columns[1], c: columns[2] }), { format: "file" })!;

  test("come row by row, in their order", async () => {
    const { X } = await readNumbers(file());
    expect(X.rows).toBe(rows);
    expect((X as Matrix).data.every((value, p) => value === p)).toBe(true);
  });

  test("some missing: dropped, and only these", async () => {
    const holes = [0, 130, 131, 9000, rows - 1];
    for (const i of holes) columns[i % 3][i] = Number.NaN;
    const { X, notes } = await readNumbers(file(), { missing: "drop" });
    expect(notes.join()).toMatch("5 rows with missing values dropped");
    const left = Array.from({ length: rows }, (_, i) => i).filter((i) => !holes.includes(i));
    expect((X as Matrix).data.every((value, p) => value === 3 * left[Math.floor(p / 3)] + (p % 3))).toBe(
      true,
    );
    columns[1][131] = Infinity;
    await expect(readNumbers(file(), { missing: "drop", name: "t" })).rejects.toThrow(
      't row 132, column "b": Infinity is not a finite number',
    );
    for (const i of holes) columns[i % 3][i] = 3 * i + (i % 3);
    columns[1][131] = 394;
  });
});
