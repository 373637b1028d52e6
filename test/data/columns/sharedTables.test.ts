import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readColumns } from "../../../src/data/index.ts";
import { shared } from "../../../bench/shared.mjs";

const folder = shared("tables");
const present = existsSync(join(folder, "index.json"));
if (!present)
  console.warn(`the shared tables are not at ${folder} (set KINDRED_SHARED); their test is skipped`);

interface Entry {
  readonly file: string;
  readonly also: readonly string[];
  readonly rows: number;
  readonly columns: Readonly<Record<string, string>>;
}

const KINDS: Readonly<Record<string, string>> = { noise: "number", ordinal: "ordered" };

test.skipIf(!present)("the kinds of at least 95 % of the columns of the shared tables", async () => {
  const entries = JSON.parse(readFileSync(join(folder, "index.json"), "utf8")) as Entry[];
  const wrong: string[] = [];
  let columns = 0;
  for (const { file, rows, columns: expected } of entries) {
    const table = await readColumns(join(folder, file));
    if (table.rows < rows) wrong.push(`${file}: ${table.rows} rows`);
    for (const { name, kind } of table.columns) {
      columns++;
      if (kind !== (KINDS[expected[name]] ?? expected[name])) wrong.push(`${file}, ${name}: ${kind}`);
    }
    expect(table.columns.map(({ name }) => name)).toEqual(Object.keys(expected));
  }
  expect(columns).toBeGreaterThan(100);
  expect(wrong.length).toBeLessThanOrEqual(0.05 * columns);
});

test.skipIf(!present)("one set of vectors in three formats", async () => {
  const [lines, lists, array] = await Promise.all(
    ["documents.ndjson", "documents.parquet", "documents.npy"].map(async (file) => {
      const table = await readColumns(join(folder, file));
      return table.columns.find((column) => column.kind === "vector")!.vectors!;
    }),
  );
  // Some hundred thousand numbers: by a loop, since comparing them one by one in `toEqual` takes a minute.
  expect(array.data.every((value, i) => value === lists.data[i])).toBe(true);
  expect(lists.data.every((value, i) => value === Math.fround(lines.data[i]))).toBe(true);
  expect([array.rows, lists.rows, lines.rows]).toEqual([lists.rows, lists.rows, lists.rows]);
});
