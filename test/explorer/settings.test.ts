import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FRESH, fromHash, toHash, type Settings } from "../../explorer/app/settings.ts";

const name = fc.string({ minLength: 1, maxLength: 12 });
const pairs = fc.array(
  fc.tuple(fc.nat(999), fc.nat(999)).map(([i, j]) => [i, j] as const),
  { maxLength: 5 },
);
/** Rows as a statement keeps them. */
const rising = (minLength: number): fc.Arbitrary<number[]> =>
  fc.uniqueArray(fc.nat(60), { minLength, maxLength: 30 }).map((rows) => rows.sort((a, b) => a - b));
const own = fc.constantFrom<Settings["own"]>(
  {},
  { restarts: 3 },
  { norm: 2 },
  { norm: "inf" },
  { rebuildGraph: true, neighbors: 12 },
);
const choice = fc.record({
  method: fc.constantFrom("kmeans", "ccml", "cop-kmeans"),
  clusters: fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
  seed: fc.nat(9),
  own,
  same: pairs,
  different: pairs,
  statements: fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant("together" as const), rows: rising(2) }),
      fc.record({ kind: fc.constant("apart" as const), rows: rising(1), others: rising(1) }),
    ),
    { maxLength: 3 },
  ),
});
const source = fc.oneof(
  fc.record({
    kind: fc.constant("named" as const),
    name,
    options: fc.constantFrom<Readonly<Record<string, number>>>({}, { rows: 100, seed: 3 }),
  }),
  fc.record({ kind: fc.constantFrom("dropped" as const, "served" as const), name }),
);
const settings = fc
  .tuple(
    choice,
    source,
    fc.record({
      as: fc.dictionary(name, fc.constantFrom("number", "category", "text"), {
        maxKeys: 2,
        noNullPrototype: true,
      }),
      label: fc.option(name, { nil: undefined }),
    }),
    fc.uniqueArray(name, { maxLength: 3 }),
    fc.constantFrom("auto" as const, "zscore" as const, "minmax" as const, "none" as const),
    fc.constantFrom("learned" as const, "plain" as const, "columns" as const),
    fc.record({
      weights: fc.constantFrom("auto" as const, "equal" as const),
      missing: fc.constantFrom("fill" as const, "drop" as const, "refuse" as const),
      axes: fc.option(fc.tuple(name, name), { nil: undefined }),
      color: fc.option(name, { nil: undefined }),
      edits: fc.array(
        fc.oneof(
          fc.record({
            kind: fc.constant("merge" as const),
            clusters: fc.uniqueArray(fc.nat(9), { minLength: 2, maxLength: 4 }),
          }),
          fc.record({
            kind: fc.constant("split" as const),
            cluster: fc.nat(9),
            into: fc.option(fc.integer({ min: 2, max: 9 }), { nil: undefined }),
          }),
        ),
        { maxLength: 3 },
      ),
      skipped: pairs,
      names: fc.array(fc.constantFrom("", "red, sweet", "a&b=c"), { maxLength: 3 }),
    }),
    fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined }),
    fc.option(fc.oneof(choice, fc.constant("classes" as const)), { nil: undefined }),
  )
  .map(([method, from, reading, off, scale, view, more, gamma, pinned]): Settings => ({
    ...method,
    ...more,
    source: from,
    reading,
    off,
    scale,
    view,
    gamma: gamma === undefined ? undefined : Math.abs(gamma),
    pinned,
  }));

test("an address holds all settings", () => {
  fc.assert(
    fc.property(settings, (given) => {
      // Absent and undefined are the same to the page.
      expect(fromHash(`#${toHash(given)}`)).toEqual(given);
    }),
  );
});

describe("addresses from elsewhere", () => {
  test("nothing is the start page", () => {
    expect(fromHash("")).toEqual({ ...FRESH, source: undefined });
    expect(toHash(FRESH)).toBe("");
  });

  test("parts that make no sense are left out", () => {
    const read = fromHash("#data=iris&k=-3&seed=x&scale=huge&view=7&gamma=now&same=1-2.oops.3-&as=nothing");
    expect(read).toMatchObject({ scale: "auto", view: "learned", seed: 0, same: [[1, 2]] });
    expect(read.clusters).toBeUndefined();
    expect(read.gamma).toBeUndefined();
    expect(read.reading.as).toEqual({});
  });

  test.each([
    "9007199254740992-9007199254740994",
    `1-${"9".repeat(400)}`,
    `${"9".repeat(400)}-${"9".repeat(400)}`,
    Array.from({ length: 1000 }, (_, i) => `${i}-${i + 90_000}`).join("."),
  ])("rows without end are left out: %.40s", (rows) => {
    const read = fromHash(`#data=iris&say=together:${rows}&say=apart:1/${rows}&same=${rows}&different=1-2`);
    expect(read.statements).toEqual([]);
    expect(read.different).toEqual([[1, 2]]);
    expect(read.same.flat().every(Number.isSafeInteger)).toBe(true);
  });

  test("is readable", () => {
    const part = {
      source: { kind: "named", name: "wine", options: {} } as const,
      method: "ccml",
      clusters: 3,
    };
    expect(toHash({ ...FRESH, ...part, same: [[1, 4]] })).toBe("data=wine&method=ccml&k=3&same=1-4");
  });
});
