import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cellsOf, cellTree } from "../../src/cluster/cellTree.ts";
import { cellRows } from "../../src/engine/cellsOnEngine.ts";
import { convexOnEngine } from "../../src/engine/convexOnEngine.ts";
import { answer, type Engine } from "../../src/engine/engine.ts";
import { engineTable, scaledTable, type EngineTable } from "../../src/engine/engineTable.ts";
import { writeLabels } from "../../src/engine/writeLabels.ts";
import { matrix } from "../../src/matrix/matrix.ts";
import { columnScaling } from "../../src/scale/index.ts";
import { connect, remote, TEN_MILLION, tenMillionRows } from "./spark/cluster.ts";

describe.skipIf(remote === undefined)("convex clustering on a Spark cluster (npm run test:spark)", () => {
  let engine: Engine;
  let table: EngineTable;
  beforeAll(async () => {
    engine = await connect();
    const opened = await engineTable(
      engine,
      { table: await tenMillionRows(engine) },
      { id: "id", label: "class" },
    );
    table = scaledTable(opened.table, columnScaling(opened.statistics).scaling);
  }, 900_000);
  afterAll(() => engine.close());

  it("cells are those of the rows in memory", async () => {
    const few = { ...table, from: `(select * from ${table.from} where id < 5000) as kindred_few` };
    const xs = table.features.map(({ sql }) => sql);
    const found = await answer(engine, `select id, ${xs.join(", ")} from ${few.from} order by id`);
    const X = matrix(5000, xs.length);
    xs.forEach((_, f) => found.columns[f + 1].forEach((x, i) => (X.data[i * xs.length + f] = Number(x))));
    const tree = cellTree(X, 1000);
    const { columns } = await answer(
      engine,
      `select id, kindred_node from ${cellRows(few, tree, ["id"])} order by id`,
    );
    expect(Int32Array.from(columns[1] as Float64Array, (node) => tree.cells[node])).toEqual(cellsOf(tree, X));
  }, 600_000);

  it("ten million rows are clustered by representatives, and their labels written there", async () => {
    const result = await convexOnEngine(table, { clusters: 5, representatives: 2000 });
    expect(result.rows).toBe(TEN_MILLION);
    expect(result.certificate.relativeGap).toBeLessThan(1e-6);
    expect(result.compression.representatives).toBe(2000);
    await writeLabels(table, result, { table: "convex_labels" }, { replace: true });
    const { rows, columns } = await answer(
      engine,
      "select class, min(cluster), max(cluster), count(*) from convex_labels join ten_million using (id) group by class",
    );
    expect(rows).toBe(5);
    const [least, most, counts] = columns.slice(1) as Float64Array[];
    expect(most).toEqual(least);
    expect(new Set(least).size).toBe(5);
    expect(Array.from(counts)).toEqual([1, 2, 3, 4, 5].map(() => TEN_MILLION / 5));
  }, 1_200_000);
});
