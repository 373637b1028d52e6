import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readTable } from "../../src/index.ts";
import { loadModel } from "../../src/model/index.ts";

/** A model and its labels as written on 2026-11-18, with near copies and a text by hashed words, which nothing makes today. */
const earlier = JSON.parse(
  readFileSync(new URL("../fixtures/earlier-model.json", import.meta.url), "utf8"),
) as { model: object; table: string; labels: number[] };

test("a model of an earlier version places the same rows", async () => {
  const model = loadModel(earlier.model);
  const table = await readTable(new TextEncoder().encode(earlier.table));
  expect(Array.from(model.assign(table).labels)).toEqual(earlier.labels);
});
