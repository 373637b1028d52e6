import { expect, test } from "vitest";
import { cluster, readTable } from "../../../src/index.ts";
import { learnFeatures } from "../../../src/features/index.ts";

/** Two groups in the numbers, and what they are about in another file. */
const numbers = `x,y\n${Array.from({ length: 60 }, (_, i) => `${(i % 2) * 9 + (i % 7) / 7},${(i % 5) / 5}`).join("\n")}`;
const topics = `about,when\n${Array.from({ length: 60 }, (_, i) => `${i % 2 === 0 ? "rivers" : "engines"},2026-01-${String(1 + (i % 28)).padStart(2, "0")}`).join("\n")}`;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("columns of another file describe the clusters and are no features, unless they are named", async () => {
  const table = await readTable(bytes(numbers), { with: bytes(topics), as: { when: "date" } });
  expect(table.columns.map(({ name, role }) => [name, role])).toEqual([
    ["x", undefined],
    ["y", undefined],
    ["about", "beside"],
    ["when", "beside"],
  ]);
  const alone = await readTable(bytes(numbers));
  expect(learnFeatures(table).X).toEqual(learnFeatures(alone).X);
  expect(
    learnFeatures(table, { use: ["x", "about"] }).columns.filter(({ weight }) => weight > 0),
  ).toHaveLength(2);
  const found = await cluster(table, { clusters: 2 });
  expect(found.labels).toEqual((await cluster(alone, { clusters: 2 })).labels);
  expect(found.names.join()).toMatch(/rivers/);
  expect(found.names.join()).toMatch(/engines/);
});

test("other rows and names that stand twice are refused, with the files", async () => {
  await expect(readTable(bytes(numbers), { with: bytes("about\nrivers\n") })).rejects.toThrow(
    /1 rows?, .* 60/s,
  );
  await expect(readTable(bytes(numbers), { with: bytes(topics.replace("about", "x")) })).rejects.toThrow(
    /the column "x" is in .* and in .*rename/,
  );
});
