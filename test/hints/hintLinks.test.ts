import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { hintLinks, parseHints, readHints, writeHints, type Hints } from "../../src/data/index.ts";

const table = (rows: number, ids?: string[]) => ({
  X: { rows },
  ...(ids !== undefined && { ids: { name: "id", values: ids } }),
  source: "t.csv",
});

describe("hintLinks", () => {
  test("groups and labels become links, labels exclude each other", () => {
    const links = hintLinks(8, {
      groups: [[2, 0, 1]],
      labels: [
        { row: 3, label: "x" },
        { row: 5, label: " x " },
        { row: 4, label: "y" },
        { row: 6, label: "" },
      ],
      not: [
        { row: 7, label: "y" },
        { row: 6, rows: [0, 3] },
      ],
    });
    expect(links.same.map(({ a, b }) => [a, b])).toEqual([
      [0, 1],
      [1, 2],
      [3, 5],
    ]);
    expect(links.different.map(({ a, b }) => [a, b])).toEqual([
      [0, 6],
      [3, 4],
      [3, 6],
      [4, 7],
    ]);
    expect(links.names).toEqual([
      { name: "x", row: 3 },
      { name: "y", row: 4 },
    ]);
    expect(links.contradictions).toEqual([]);
  });

  test("a different pair that others join is named with the chain and set aside", () => {
    const links = hintLinks(4, {
      pairs: [
        { a: 0, b: 1, same: true },
        { a: 2, b: 1, same: true },
        { a: 0, b: 2, same: false },
      ],
    });
    expect(links.different).toEqual([]);
    expect(links.contradictions).toHaveLength(1);
    expect(links.contradictions[0].rows).toEqual([0, 1, 2]);
    expect(links.contradictions[0].setAside).toEqual([{ a: 0, b: 2, same: false }]);
  });

  test("of contradicting hints the lighter one is set aside", () => {
    const links = hintLinks(3, {
      pairs: [
        { a: 0, b: 1, same: true, weight: 0.5 },
        { a: 1, b: 2, same: true },
        { a: 0, b: 2, same: false },
      ],
    });
    expect(links.different.map(({ a, b }) => [a, b])).toEqual([[0, 2]]);
    expect(links.same.map(({ a, b }) => [a, b])).toEqual([[1, 2]]);
    expect(links.contradictions[0].setAside[0]).toMatchObject({ a: 0, b: 1, same: true });
  });

  test("a pair called both with equal weight says nothing; a row with two labels neither", () => {
    const links = hintLinks(3, {
      pairs: [
        { a: 0, b: 1, same: true },
        { a: 1, b: 0, same: false },
      ],
      labels: [
        { row: 2, label: "p" },
        { row: 2, label: "q" },
      ],
    });
    expect(links.same).toEqual([]);
    expect(links.different).toEqual([]);
    expect(links.names).toEqual([]);
    expect(links.contradictions.map(({ rows }) => rows)).toEqual([[2], [0, 1]]);
  });

  test("the order of hints does not matter, and what is kept holds together", () => {
    const stream = random(5);
    for (let round = 0; round < 200; round++) {
      const n = 3 + stream.integer(8);
      const pairs = Array.from({ length: 2 + stream.integer(14) }, () => {
        const a = stream.integer(n);
        const b = (a + 1 + stream.integer(n - 1)) % n;
        return { a, b, same: stream.uniform() < 0.5, weight: 1 + stream.integer(2) };
      });
      const first = hintLinks(n, { pairs });
      const order = stream.shuffle(Int32Array.from(pairs.keys()));
      const second = hintLinks(n, { pairs: Array.from(order, (p) => pairs[p]) });
      expect(second.same).toEqual(first.same);
      expect(second.different).toEqual(first.different);
      const group = Array.from({ length: n }, (_, i) => i);
      for (let sweep = 0; sweep < n; sweep++) {
        for (const { a, b } of first.same) group[a] = group[b] = Math.min(group[a], group[b]);
      }
      for (const { a, b } of first.different) expect(group[a]).not.toBe(group[b]);
      // Every hint is kept, repeats a kept one, or is named.
      const kept = new Set([...first.same, ...first.different].map(({ a, b, same }) => `${a} ${b} ${same}`));
      const named = new Set(
        first.contradictions.flatMap(({ setAside }) => setAside).map(({ a, b, same }) => `${a} ${b} ${same}`),
      );
      for (const { a, b, same } of pairs) {
        const key = `${Math.min(a, b)} ${Math.max(a, b)} ${same}`;
        expect(kept.has(key) || named.has(key)).toBe(true);
      }
    }
  });

  test("rows that do not exist and pairs of a row with itself are refused", () => {
    expect(() => hintLinks(3, { pairs: [{ a: 0, b: 3, same: true }] })).toThrow(/no row 3/);
    expect(() => hintLinks(3, { pairs: [{ a: 1, b: 1, same: true }] })).toThrow(/with itself/);
    expect(() => hintLinks(3, { groups: [[0, -1]] })).toThrow(/no row -1/);
    expect(() => hintLinks(3, { not: [{ row: 0, label: "z" }] })).toThrow(/no row has this label/);
    expect(() => hintLinks(3, { pairs: [{ a: 0, b: 1, same: true, weight: 0 }] })).toThrow(/weight 0/);
  });
});

describe("hints as text", () => {
  test("pairs, groups, labels, not and skip are read by number", () => {
    const hints = parseHints(
      'a,b,hint\n0,1,same\n2,3,different\n4,5,skip\n0,2,4,same\n1,"red, dark"\n3,red,not\n',
      table(6),
    );
    expect(hints).toEqual({
      pairs: [
        { a: 0, b: 1, same: true },
        { a: 2, b: 3, same: false },
      ],
      groups: [[0, 2, 4]],
      labels: [{ row: 1, label: "red, dark" }],
      not: [{ row: 3, label: "red" }],
      skipped: [[4, 5]],
    });
  });

  test("by id, with semicolons and carriage returns", () => {
    const hints = parseHints("p;q;must-link\r\nq;r;0\r\n", table(3, ["p", "q", "r"]));
    expect(hints.pairs).toEqual([
      { a: 0, b: 1, same: true },
      { a: 1, b: 2, same: false },
    ]);
  });

  test("from packed text with bars, and in UTF-16", async () => {
    const text = "a|b|hint\n0|1|same\n";
    const wide = Uint8Array.from([0xff, 0xfe, ...[...text].flatMap((letter) => [letter.charCodeAt(0), 0])]);
    for (const source of [gzipSync(text), wide, gzipSync(wide)]) {
      expect((await readHints(source, table(2))).pairs).toEqual([{ a: 0, b: 1, same: true }]);
    }
  });

  test("a hint about a misspelled row is no header", () => {
    const ids = table(3, ["c1", "c2", "c3"]);
    expect(() => parseHints("c9,gold\nc1,gold\n", ids)).toThrow('line 1: "c9" is not among the ids');
    expect(parseHints("customer,cluster\nc1,gold\n", ids).labels).toEqual([{ row: 0, label: "gold" }]);
  });

  test("two files of pairs", () => {
    expect(parseHints("0,1\n2,3\n", table(4), { pairs: "different" }).pairs).toEqual([
      { a: 0, b: 1, same: false },
      { a: 2, b: 3, same: false },
    ]);
  });

  test("writing and reading gives the same hints", async () => {
    const ids = ["a,1", 'b"2', " c", "d", "e", "f"];
    const hints: Hints = {
      pairs: [
        { a: 0, b: 1, same: true },
        { a: 5, b: 2, same: false },
      ],
      groups: [[1, 2, 3]],
      labels: [{ row: 4, label: "two words" }],
      not: [{ row: 5, label: "two words" }],
      skipped: [[0, 5]],
    };
    expect(parseHints(writeHints(hints, ids), table(6, ids))).toEqual(hints);
    const bytes = new TextEncoder().encode(writeHints(hints));
    expect(await readHints(bytes, table(6))).toEqual(hints);
  });

  test("JSON, such as a model, is named as such; ids in brackets are not", () => {
    for (const text of ['{"kindred":1,"kind":"clustering"}', '[\n{"a": 1}]', "[[0,1]]"])
      expect(() => parseHints(text, table(3), { name: "m.json" })).toThrow(
        "m.json is JSON; a file of hints has lines such as a,b,same or row,label",
      );
    const ids = ["[p]", "{q}"];
    expect(parseHints("[p],{q},same\n", table(2, ids)).pairs).toEqual([{ a: 0, b: 1, same: true }]);
  });

  test("what is wrong is named with its line", () => {
    expect(() => parseHints("0,9,same\n", table(3))).toThrow(/line 1: "9" is not a row of t.csv/);
    expect(() => parseHints("0,1,maybe\n", table(3))).toThrow(/line 1: "maybe" is neither/);
    expect(() => parseHints("0,1,same\n0\n", table(3))).toThrow(/line 2/);
    expect(() => parseHints("0,0,same\n", table(3))).toThrow(/with itself/);
    expect(() => parseHints('0,"x\n', table(3))).toThrow(/never closed/);
    expect(() => parseHints("q,p,same\n", table(3, ["p", "p", "q"]))).toThrow(
      /"p" is the name of several rows/,
    );
    expect(parseHints("q,r,same\n", table(4, ["p", "p", "q", "r"])).pairs).toEqual([
      { a: 2, b: 3, same: true },
    ]);
  });
});
