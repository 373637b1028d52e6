import { describe, expect, test } from "vitest";
import { messyTables } from "./messyTables.mjs";
import { mixedMixture, spectral } from "../../src/cluster/index.ts";
import { readColumns } from "../../src/data/columns/readColumns.ts";
import { applyFeatures, followsColumn, learnFeatures, splitKinds } from "../../src/features/index.ts";
import { adjustedRand } from "../../src/score/index.ts";
import { pickRows } from "./makeTable.ts";

/** What each must reach with the number of clusters given: well below what it does, well above what less care does. */
const LEAST: Readonly<Record<string, number>> = {
  wines: 0.9,
  patients: 0.8,
  trips: 0.75,
  incidents: 0.9,
  plants: 0.85,
  // Here gaps tell two of the groups apart, and a gap says nothing.
  employees: 0.75,
  readings: 0.6,
  articles: 0.9,
};

describe.each(messyTables(4))("$name", ({ name, text, truth, groups }) => {
  test("its groups are found, from the file to the clusters", async () => {
    const table = await readColumns(new TextEncoder().encode(text), { name });
    const features = learnFeatures(table);
    const { X, codes } = splitKinds(features.record, features.X);
    const { labels } = features.record.parts.every(({ kind, weight }) => kind === "vector" || weight === 0)
      ? spectral(X, { clusters: groups })
      : mixedMixture(X, codes, { clusters: groups, space: features.X });
    expect(adjustedRand(labels, truth)).toBeGreaterThan(LEAST[name]);

    expect(features.X.data.every(Number.isFinite)).toBe(true);
    const some = [3, 1, 4, 1, 5, 9, 2, 6];
    const { X: Y } = applyFeatures(
      JSON.parse(JSON.stringify(features.record)) as typeof features.record,
      pickRows(table, some),
    );
    some.forEach((i, r) => {
      for (let f = 0; f < Y.cols; f++) {
        expect(Math.abs(Y.data[r * Y.cols + f] - features.X.data[i * Y.cols + f])).toBeLessThan(1e-12);
      }
    });
  });
});

test("vectors that a language shifts: it is said, and adjusting for it finds the topics", async () => {
  const { text, truth } = messyTables(5).find(({ name }) => name === "articles")!;
  const table = await readColumns(new TextEncoder().encode(text), { name: "articles" });
  const features = learnFeatures(table, { ignore: ["section"] });
  const language = table.columns.find(({ name }) => name === "language")!;
  // Clusters that are the languages, but for one row in twenty.
  const near = language.codes!.map((code, i) => (i % 20 === 0 ? (code + 1) % 3 : code));
  expect(followsColumn(near, table, features)[0]).toMatchObject({
    column: "language",
    option: "adjust",
  });
  const { record, X } = learnFeatures(table, { use: ["embedding"], adjust: ["language"] });
  const { X: numbers } = splitKinds(record, X);
  expect(adjustedRand(spectral(numbers, { clusters: 6 }).labels, truth)).toBeGreaterThan(0.9);
});
