import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { random } from "../../src/core/random.ts";
import { readColumns } from "../../src/data/index.ts";
import { answer, duckdb } from "../../src/engine/index.ts";
import { cluster } from "../../src/front/cluster.ts";
import { modelSql } from "../../src/model/index.ts";

const folder = mkdtempSync(join(tmpdir(), "kindred-"));
const file = join(folder, "it's rows.csv");
const source = random(5);
const lines = Array.from({ length: 400 }, (_, i) => {
  const group = i % 3;
  const amount = Math.exp(2 * group + source.normal());
  const change = 10 * (group - 1) ** 3 + source.normal();
  const plan = ["o'free", "basic", "pro"][source.uniform() < 0.9 ? group : source.integer(3)];
  return `${amount.toFixed(4)},${change.toFixed(4)},${plan}`;
});
writeFileSync(file, `amount "x",change,plan\n${lines.join("\n")}\n`.replace('amount "x"', '"amount ""x"""'));

test.each(["kmeans", "gmm", "ccml"])(
  "DuckDB labels rows by the SQL of a model of %s as the model does",
  async (method) => {
    const table = await readColumns(file);
    const found = await cluster(table, { method, clusters: 3 });
    if (found.placing.kind === "rows") return;
    const engine = await duckdb();
    try {
      const from = `read_csv('${file.replaceAll("'", "''")}')`;
      const { columns } = await answer(
        engine,
        `select cluster, distance, second from (${modelSql(found, "duckdb", from)}) as q`,
      );
      const placed = found.assign(table);
      expect(Array.from(columns[0] as ArrayLike<unknown>, Number)).toEqual(Array.from(placed.labels));
      // The query of a mixture has densities in the place of distances.
      const centers = found.placing.kind === "centers";
      const apart = (columns[1] as readonly unknown[]).map((distance, i) =>
        centers ? Math.abs(Number(distance) - placed.distances[i]) : 0,
      );
      expect(Math.max(...apart)).toBeLessThan(5e-10);
      const next = Array.from(placed.next);
      expect(centers ? Array.from(columns[2] as ArrayLike<unknown>, Number) : next).toEqual(next);
    } finally {
      await engine.close();
    }
  },
);

test("every dialect quotes its own way, and what SQL cannot say is refused in words", async () => {
  const table = await readColumns(file);
  const found = await cluster(table, { method: "kmeans", clusters: 3 });
  expect(modelSql(found, "postgres", "t")).toContain('"amount ""x"""');
  expect(modelSql(found, "spark", "t")).toContain('`amount "x"`');
  expect(modelSql(found, "spark", "t")).toContain("'o\\'free'");
  const rows = await cluster(table, { method: "spectral", clusters: 3 });
  expect(() => modelSql(rows, "duckdb", "t")).toThrow(/spectral places rows by the rows it knows/);
});
