import { expect, test } from "vitest";
import { cluster } from "../../src/run/cluster.ts";
import { keptHints } from "../../src/run/known/knowledge.ts";
import { random } from "../../src/core/random.ts";

test("hints on rows that were left out are counted, the others move with their rows", () => {
  const given = {
    pairs: [
      { a: 0, b: 2, same: true },
      { a: 1, b: 4, same: false, weight: 2 },
    ],
    groups: [
      [1, 2, 4],
      [1, 2],
    ],
    labels: [
      { row: 2, label: "left" },
      { row: 4, label: "kept" },
    ],
    not: [
      { row: 1, label: "left" },
      { row: 1, label: "kept" },
      { row: 3, rows: [2, 4] },
    ],
    skipped: [[0, 1] as const, [2, 3] as const],
  };
  const { hints, lost } = keptHints(given, Int32Array.of(0, 1, 3, 4));
  expect(hints).toEqual({
    pairs: [{ a: 1, b: 3, same: false, weight: 2 }],
    groups: [[1, 3]],
    labels: [{ row: 3, label: "kept" }],
    not: [
      { row: 1, label: "kept", rows: [] },
      { row: 2, rows: [3] },
    ],
    skipped: [[0, 1]],
  });
  expect(lost).toBe(4);
});

test("hints speak of rows of the table, whichever of them are dropped", async () => {
  const stream = random(8);
  const rows = Array.from({ length: 60 }, (_, i) => ({
    name: `r${i}`,
    x: stream.normal() + 6 * (i % 2),
    y: i % 7 === 0 ? null : stream.normal(),
    z: stream.normal() + 3 * (i % 3),
  }));
  const hints = {
    pairs: [
      { a: 1, b: 58, same: false },
      { a: 1, b: 59, same: true },
      { a: 3, b: 4, same: false },
      { a: 3, b: 4, same: true },
      { a: 0, b: 2, same: true },
    ],
  };
  const found = await cluster(rows, { id: "name", missing: "drop", clusters: 2, hints });
  expect(found.labels[0]).toBe(-1);
  expect(found.labels[1]).toBe(found.labels[59]);
  expect(found.labels[1]).not.toBe(found.labels[58]);
  const said = found.notes.map(({ message }) => message).join("\n");
  expect(said).toContain("1 hint speaks of rows that were left out, and is not used");
  expect(said).toContain("rows r3 and r4 are said to be the same and to be different: neither is used");
  const named = await cluster(rows, { id: "name", clusters: 2, method: "cop-kmeans", hints });
  expect(named.method).toBe("cop-kmeans");
  expect(named.notes.some(({ message }) => message.includes("rows r3 and r4"))).toBe(true);
});
