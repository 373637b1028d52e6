import { describe, expect, expectTypeOf, test } from "vitest";
import {
  asStored,
  boolean,
  choice,
  list,
  load,
  nullable,
  number,
  numbers,
  optional,
  record,
  size,
  table,
  tagged,
  text,
  textOr,
  where,
  whole,
  wholes,
  type LoadedOf,
  type StoredOf,
} from "../../src/core/codec.ts";
import { matrixForm } from "../../src/matrix/storedMatrix.ts";

const form = record({
  clusters: size("K"),
  centers: matrixForm("K", "d"),
  labels: wholes("n", { min: 0, below: "K" }),
  weights: optional(numbers("n", { above: 0 })),
  means: asStored(numbers("d")),
});

const stored = {
  clusters: 2,
  centers: { rows: 2, cols: 1, data: [0, 1] },
  labels: [0, 1, 1],
  weights: [1, 2, 3],
  means: [0.5],
};

describe("a stored form", () => {
  test("is loaded and saved as it was, and its types follow", () => {
    const loaded = load(form, stored, "the demo");
    expect(loaded.labels).toEqual(Int32Array.of(0, 1, 1));
    expect(form.save(loaded)).toEqual(stored);
    const { weights: _, ...without } = stored;
    expect(form.save(load(form, without, "the demo"))).toEqual(without);
    expectTypeOf<LoadedOf<typeof form>["weights"]>().toEqualTypeOf<Float64Array | undefined>();
    expectTypeOf<StoredOf<typeof form>["means"]>().toEqualTypeOf<readonly number[]>();
  });

  test.each([
    [{ clusters: 3 }, '"centers" has 2 rows where 3 belong'],
    [{ clusters: -1 }, '"clusters" must be a whole number at least 0, not -1'],
    [{ labels: [0, 2, 1] }, '"labels[1]" must be a whole number at least 0 and below 2, not 2'],
    [{ weights: [1, 2] }, '"weights" has 2 entries where 3 belong'],
    [{ weights: [1, 0, 2] }, '"weights[1]" must be a finite number above 0, not 0'],
    [{ weights: null }, '"weights" must be a list, not null'],
    [{ means: undefined }, '"means" must be a list, not missing'],
    [{ centers: { rows: 2, cols: 1, data: [1] } }, '"centers" has 1 numbers where 2 belong'],
    [{ centers: [] }, '"centers" must be an object, not a list of 0'],
  ])("%j is refused by name", (change, message) => {
    expect(() => load(form, { ...stored, ...change }, "the demo")).toThrow(
      expect.objectContaining({
        code: "damaged",
        message: `the demo is damaged${message.endsWith("missing") ? ", or of an older version" : ""}: ${message}`,
      }),
    );
  });

  test("entries of a list keep the names of lengths to themselves", () => {
    const rows = list(record({ a: numbers("n"), b: numbers("n") }), "rows");
    const parts = [
      { a: [1], b: [1] },
      { a: [1, 2], b: [1, 2] },
    ];
    expect(rows.save(load(rows, parts, "the demo"))).toEqual(parts);
    expect(() => load(rows, [{ a: [1], b: [] }], "the demo")).toThrow('"[0].b" has 0 entries where 1 belong');
  });

  test("a kind says which fields there are", () => {
    const shape = tagged(
      "kind",
      { circle: { radius: number() }, square: { side: number() } },
      { name: text() },
    );
    expectTypeOf<StoredOf<typeof shape>["kind"]>().toEqualTypeOf<"circle" | "square">();
    const square = { kind: "square", name: "a", side: 2 } as const;
    expect(shape.save(load(shape, square, "the shape"))).toEqual(square);
    expect(() => load(shape, { ...square, kind: "cube" }, "the shape")).toThrow(
      'the shape is damaged: "kind" is "cube", which this version does not know',
    );
    expect(() => load(shape, 3, "the shape")).toThrow("the shape is damaged: it must be an object, not 3");
  });

  test("conditions between parts, and the smaller forms", () => {
    const ordered = where(record({ low: number(), high: number() }), ({ low, high }, refuse) => {
      if (low > high) throw refuse("low", "is above high");
    });
    expect(() => load(ordered, { low: 2, high: 1 }, "the range")).toThrow('"low" is above high');
    const rest = record({
      seed: nullable(whole()),
      word: choice("a", "b"),
      exact: boolean(),
      units: table(number()),
      parts: list(textOr(record({ option: text() }))),
    });
    const value = {
      seed: null,
      word: "a",
      exact: true,
      units: { kg: 1 },
      parts: ["x", { option: "y" }],
    } as const;
    expect(rest.save(load(rest, value, "it"))).toEqual(value);
    expect(() => load(rest, { ...value, word: "c" }, "it")).toThrow('"word" must be "a" or "b", not "c"');
    expect(() => load(rest, { ...value, units: { kg: "1" } }, "it")).toThrow(
      '"units.kg" must be a finite number',
    );
    expect(() => load(rest, { ...value, parts: [1] }, "it")).toThrow('"parts[0]" must be an object, not 1');
  });
});
