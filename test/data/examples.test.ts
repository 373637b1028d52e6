import { expect, test } from "vitest";
import { adjustedRand } from "../../src/score/index.ts";
import { examples, exampleText, readColumns } from "../../src/data/index.ts";
import type { MethodName } from "../../src/run/callOptions.ts";
import { cluster } from "../../src/run/index.ts";

test.each(Object.keys(examples))("%s: the same text for a seed, other rows for another", (name) => {
  expect(exampleText(name)).toBe(exampleText(name, { seed: 0 }));
  expect(exampleText(name, { seed: 1 })).not.toBe(exampleText(name));
  const lines = exampleText(name, { rows: 50, group: true }).trimEnd().split("\n");
  expect(lines).toHaveLength(51);
  expect(lines[0].endsWith(",group")).toBe(true);
});

// Whether the groups are in the rows, not which partition the default method believes: customers are mixed columns.
test.each([
  ["customers", "mixed"],
  ["sensors", "auto"],
  ["articles", "auto"],
])("%s: the hidden groups are found by %s", async (name, method) => {
  const table = await readColumns(new TextEncoder().encode(exampleText(name, { seed: 3, group: true })));
  const { labels, truth } = await grouped(table, method);
  expect(adjustedRand(labels, truth)).toBeGreaterThan(0.9);
});

test("tasting: the batch hides most of the groups, until hints tell", async () => {
  const table = await readColumns(new TextEncoder().encode(exampleText("tasting", { group: true })));
  const { labels, truth } = await grouped(table);
  const pairs = [
    ...[
      [0, 1],
      [2, 8],
      [5, 7],
      [3, 4],
      [9, 14],
    ].map(([a, b]) => ({ a, b, same: true })),
    ...[
      [0, 2],
      [0, 5],
      [2, 5],
    ].map(([a, b]) => ({ a, b, same: false })),
  ];
  const told = await cluster(table, { clusters: 3, label: "group", hints: { pairs } });
  const hidden = adjustedRand(labels, truth);
  expect(hidden).toBeLessThan(0.5);
  expect(adjustedRand(told.labels, truth)).toBeGreaterThan(0.95);
});

test("names what is wrong", () => {
  expect(() => exampleText("nothing")).toThrow('there is no example "nothing"; the examples are customers');
  expect(() => exampleText("customers", { rows: 2 })).toThrow("rows");
});

async function grouped(table: Awaited<ReturnType<typeof readColumns>>, method = "auto") {
  const found = await cluster(table, { method: method as MethodName, label: "group" });
  const { codes } = table.columns.find(({ name }) => name === "group")!;
  return { labels: found.labels, truth: [...codes!] };
}
