import { expect, test } from "vitest";
import { cluster } from "../../src/run/cluster.ts";

const rows = Array.from({ length: 20 }, (_, i) => [(i % 2) * 9 + (i % 5) / 10, i % 3]);

test.each([
  [["low"], 0],
  [["low", "high"], 0],
  [["low", "high", "middle"], 1],
])("names %j for two clusters", async (names, told) => {
  const found = await cluster(rows, { method: "kmeans", clusters: 2, names });
  expect(found.names[0]).toBe("low");
  const notes = found.notes.filter(({ code }) => code === "names");
  expect(notes).toHaveLength(told);
  for (const { message } of notes)
    expect(message).toMatch(/has 3 names for 2 clusters; the last are not used/);
});
