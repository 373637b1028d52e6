import { expect, test } from "vitest";
import { assignMixedMixture, mixedMixture } from "../../src/cluster/index.ts";
import { KindredError } from "../../src/core/messages.ts";
import { random, type Random } from "../../src/core/random.ts";
import type { Column, Table } from "../../src/data/columns/column.ts";
import {
  applyFeatures,
  followsColumn,
  learnFeatures,
  splitKinds,
  type FeatureOptions,
  type FeatureRecord,
} from "../../src/features/index.ts";
import { categories, numbers, ordered, tableOf, texts } from "./makeTable.ts";

const SCALES = ["auto", "zscore", "minmax", "robust", "none", "unit"] as const;

/** Tables of any kinds and sizes, with gaps, ties, numbers of any size and columns of a single value. */
function randomTable(g: Random): Table {
  const n = [1, 2, 3, 5, 8, 20, 60, 200][g.integer(8)];
  const share = [0, 0.1, 0.6, 0.97][g.integer(4)];
  const gap = (): boolean => g.uniform() < share;
  const cells = (make: () => string): string[] => Array.from({ length: n }, () => (gap() ? "" : make()));
  const values = (make: () => number): number[] =>
    Array.from({ length: n }, () => (gap() ? Number.NaN : make()));
  const makers: readonly ((name: string) => Column)[] = [
    (name) =>
      numbers(
        name,
        values(() => g.normal()),
      ),
    (name) =>
      numbers(
        name,
        values(() => (g.uniform() < 0.2 ? 0 : Math.exp(10 * g.normal()))),
      ),
    (name) =>
      numbers(
        name,
        values(() => (g.uniform() < 0.05 ? 1e300 * g.normal() : g.integer(3))),
      ),
    (name) =>
      categories(
        name,
        cells(() => `l${g.integer(1 + g.integer(5) * 10)}`),
      ),
    (name) =>
      ordered(
        name,
        cells(() => "abc"[g.integer(3)]),
        ["a", "b", "c"],
      ),
    (name) =>
      numbers(
        name,
        values(() => 15_000 + 3000 * g.uniform()),
        "date",
      ),
    (name) =>
      texts(
        name,
        cells(() => Array.from({ length: g.integer(9) }, () => `word${"abcdefgh"[g.integer(8)]}`).join(" ")),
      ),
    (name) =>
      categories(
        name,
        cells(() => ["x; y", "x", "y;z"][g.integer(3)]),
        { form: "list", separator: ";" },
      ),
    (name) => {
      const cols = 1 + g.integer(12);
      const data = Float64Array.from({ length: n * cols }, () =>
        g.uniform() < 0.01 ? Number.NaN : g.normal(),
      );
      return { name, kind: "vector", why: "", reading: {}, missing: 0, vectors: { rows: n, cols, data } };
    },
  ];
  return tableOf(
    Array.from({ length: 1 + g.integer(8) }, (_, j) => makers[g.integer(makers.length)](`c${j}`)),
  );
}

function checked(table: Table, options: FeatureOptions): void {
  const features = learnFeatures(table, options);
  const { X } = features;
  expect(X.data.every(Number.isFinite)).toBe(true);
  const record = JSON.parse(JSON.stringify(features.record)) as FeatureRecord;
  expect(applyFeatures(record, table).X).toEqual(X);
  if (options.scale !== "auto" || X.rows < 2) return;
  const { X: Y, codes } = splitKinds(record, X);
  const found = mixedMixture(Y, codes, { clusters: Math.min(3, X.rows), space: X, restarts: 1 });
  expect(assignMixedMixture(found.model, Y, codes).labels).toEqual(found.labels);
  followsColumn(found.labels, table, features);
}

test("random tables never give NaN, and what cannot be used is told in words", () => {
  let used = 0;
  for (let seed = 0; seed < 150; seed++) {
    const g = random(seed);
    const table = randomTable(g);
    for (const scale of SCALES) {
      try {
        checked(table, {
          scale,
          weights: g.uniform() < 0.5 ? "auto" : "equal",
          missing: g.uniform() < 0.8 ? "fill" : "drop",
        });
        used++;
      } catch (error) {
        const told = /no column can be used|every row has missing cells/;
        if (!(error instanceof KindredError) || !told.test(error.message)) throw error;
      }
    }
  }
  expect(used).toBeGreaterThan(400);
});
