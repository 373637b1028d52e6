import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { readColumns } from "../../src/data/index.ts";
import { applyFeatures, learnFeatures } from "../../src/features/index.ts";
import { openFeatureStream } from "../../src/rows/index.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-feature-stream-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const ROWS = 45_000;

beforeAll(() => {
  const draw = random(4);
  const lines = Array.from({ length: ROWS }, (_, i) => {
    const group = draw.integer(3);
    const plan =
      i === 40_000 ? "legacy" : ["free", "basic", "pro"][draw.uniform() < 0.9 ? group : draw.integer(3)];
    const price = draw.uniform() < 0.04 ? "NA" : `€${Math.exp(2 * group + draw.normal()).toFixed(2)}`;
    return `${1e6 + ((i * 7919) % ROWS)},${plan},${price},"a, ""b""",${["low", "medium", "high"][group]},${2 * group + draw.normal()}`;
  });
  writeFileSync(at("all.csv"), ["id,plan,price,same,grade,x", ...lines].join("\n"));
  writeFileSync(at("part1.csv"), ["id,plan,price,same,grade,x", ...lines.slice(0, 20_000)].join("\n"));
  writeFileSync(at("part2.csv"), ["id,plan,price,same,grade,x", ...lines.slice(20_000)].join("\n"));
});

async function gathered(
  stream: Awaited<ReturnType<typeof openFeatureStream>>,
): Promise<{ rows: number; data: number[] }> {
  const data: number[] = [];
  let rows = 0;
  for await (const batch of stream.batches()) {
    expect(batch.first).toBe(rows);
    rows += batch.X.rows;
    for (const value of batch.X.data) data.push(value);
  }
  return { rows, data };
}

test("a sample decides as all rows do, and batches are the features of the whole", async () => {
  const whole = await readColumns(at("all.csv"));
  const stream = await openFeatureStream(at("all.csv"), { sample: 3000 });
  expect(stream.table.rows).toBe(3000);
  expect(stream.rows).toBe(ROWS);
  expect(stream.table.columns.map(({ kind, reading }) => [kind, reading.form])).toEqual(
    whole.columns.map(({ kind, reading }) => [kind, reading.form]),
  );
  const used = learnFeatures(whole)
    .columns.filter(({ weight }) => weight > 0)
    .map(({ name }) => name);
  expect(stream.learned.columns.filter(({ weight }) => weight > 0).map(({ name }) => name)).toEqual(used);
  // Levels that the sample did not show are told, once for all rows.
  expect(stream.checked.map(({ code, column }) => [code, column])).toEqual([["unknown-level", "plan"]]);
  expect(stream.checked[0].message).toContain('"legacy"');
  const { rows, data } = await gathered(stream);
  expect(rows).toBe(ROWS);
  const { X } = applyFeatures(stream.learned.record, whole);
  expect(data.length).toBe(X.data.length);
  expect(data.every((value, p) => value === X.data[p])).toBe(true);
});

test("several files are one stream", async () => {
  const one = await openFeatureStream(at("all.csv"), { sample: 1e6, id: "id" });
  const parts = await openFeatureStream(at("part*.csv"), { sample: 1e6, id: "id" });
  expect(parts.learned.record.parts.map(({ names }) => names)).toEqual(
    one.learned.record.parts.map(({ names }) => names),
  );
  expect((await gathered(parts)).rows).toBe(ROWS);
  for await (const { ids } of parts.batches()) {
    expect(ids?.name).toBe("id");
    break;
  }
});

test("standard input is refused in words", async () => {
  await expect(openFeatureStream("-")).rejects.toThrow(/standard input can be read only once/);
});
