import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { cellKey, contentHash, cellStore, type CellStore } from "../../src/cells/cellStore.ts";
import { listing, scratch } from "../cli/command.ts";

/** A store, and what it warned of. */
function watched(folder: string): { store: CellStore; told: string[] } {
  const told: string[] = [];
  return { store: cellStore(folder, { warn: (message) => told.push(message) }), told };
}

test("every number and typed array comes back as it was", () => {
  const folder = scratch();
  const numbers = fc.array(fc.double());
  const plain = { noNullPrototype: true };
  const results = fc.record(
    {
      number: fc.double(),
      list: numbers,
      text: fc.string(),
      nested: fc.record(
        {
          floats: numbers.map((values) => Float64Array.from(values)),
          none: fc.constant(null),
        },
        plain,
      ),
      labels: fc
        .array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }))
        .map((values) => Int32Array.from(values)),
    },
    plain,
  );
  let n = 0;
  fc.assert(
    fc.property(results, (result) => {
      const cell = { n: n++ };
      cellStore(folder).add(cell, result);
      expect(cellStore(folder).find(cell)).toStrictEqual(result);
    }),
    { numRuns: 40 },
  );
  expect(() => cellStore(folder).add({}, { pairs: new Map() })).toThrow(/type Map cannot be kept/);
});

test("a cell is found by its facts in any order, and by no others", () => {
  const folder = scratch();
  const store = cellStore(folder);
  store.add({ method: "cc", own: { a: 1, b: [1, 2] } }, { score: 1 });
  expect(store.find({ method: "cc", own: { a: 1, b: [1, 2] } })).toBe(undefined); // what is there when it is opened
  const next = cellStore(folder);
  expect(next.find({ own: { b: [1, 2], a: 1 }, method: "cc" })).toEqual({ score: 1 });
  for (const other of [{ method: "cc" }, { method: "cc", own: { a: 1, b: [2, 1] } }, {}]) {
    expect(next.find(other)).toBe(undefined);
  }
  expect(cellKey({ rows: "12" })).not.toBe(cellKey({ rows: 12 }));
  expect(contentHash("a", "bc")).not.toBe(contentHash("ab", "c"));
  expect(contentHash(Float64Array.of(1, 2).subarray(1))).toBe(contentHash(Float64Array.of(2)));
});

test("a torn last line is as if it had not been written", () => {
  const folder = scratch();
  const first = cellStore(folder);
  first.add({ n: 1 }, { value: 1 });
  first.add({ n: 2 }, { value: 2 });
  const path = join(folder, listing(folder)[0]);
  const whole = readFileSync(path).length;
  for (const missing of [1, 5, 60]) {
    truncateSync(path, whole - missing);
    const { store, told } = watched(folder);
    expect(store.find({ n: 1 })).toEqual({ value: 1 });
    expect(store.find({ n: 2 })).toBe(undefined);
    expect(told).toEqual([]);
  }
  // What is added goes to another file, not behind the torn line.
  const store = cellStore(folder);
  store.add({ n: 2 }, { value: 3 });
  expect(listing(folder)).toHaveLength(2);
  expect(cellStore(folder).find({ n: 2 })).toEqual({ value: 3 });
});

test.each([
  ["a changed digit", (text: string) => text.replace('"value":1}', '"value":7}')],
  ["zeros", (text: string) => text.replace(/"result".{5}/, "\0".repeat(14))],
  ["half a line in the middle", (text: string) => `${text.slice(0, 40)}\n${text}`],
])("%s in a file is named, and the rest is used", (_, damage) => {
  const folder = scratch();
  const store = cellStore(folder);
  store.add({ n: 1 }, { value: 1 });
  store.add({ n: 2 }, { value: 2 });
  const path = join(folder, listing(folder)[0]);
  writeFileSync(path, damage(readFileSync(path, "utf8")));
  const { store: next, told } = watched(folder);
  expect(next.find({ n: 2 })).toEqual({ value: 2 });
  expect(told).toEqual([`${path}: line 1 is damaged and not used`]);
});

test("several at once write to files of their own, and other files are left alone", () => {
  const folder = scratch();
  writeFileSync(join(folder, "notes.ndjson"), "mine\n");
  const [a, b] = [cellStore(folder), cellStore(folder)];
  for (let n = 0; n < 20; n++) (n % 2 === 0 ? a : b).add({ n }, { n });
  expect(listing(folder)).toHaveLength(3);
  const both = cellStore(folder);
  for (let n = 0; n < 20; n++) expect(both.find({ n })).toEqual({ n });
  appendFileSync(join(folder, "notes.ndjson"), "still mine\n");
  expect(watched(folder).told).toEqual([]);
});

test("a folder that can no longer be written is said once, and costs the cells alone", () => {
  const folder = join(scratch(), "runs");
  const { store, told } = watched(folder);
  rmSync(folder, { recursive: true });
  store.add({ n: 1 }, { n: 1 });
  mkdirSync(folder);
  store.add({ n: 2 }, { n: 2 });
  expect(told).toEqual([`folder ${folder}: cannot be written (ENOENT); later cells are not kept`]);
  expect(listing(folder)).toEqual([]);
});

test("what cannot be a folder is said at once", () => {
  const file = join(scratch(), "file");
  writeFileSync(file, "");
  const option = "--resume";
  expect(() => cellStore(file, { option })).toThrow(`--resume ${file}: this is a file, not a folder`);
  expect(() => cellStore(join(file, "under"), { option })).toThrow(
    /--resume .*under: the folder cannot be made or written \(ENOTDIR\)/,
  );
  const folder = scratch();
  mkdirSync(join(folder, "cells-1.ndjson"));
  expect(() => cellStore(folder)).toThrow(/folder: .*cells-1\.ndjson cannot be read \(EISDIR\)/);
});
