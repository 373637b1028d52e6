import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cellsOf, cellTree } from "../../src/cluster/compress/cellTree.ts";
import { cellRows, convexOnEngine } from "../../src/engine/cluster/convexOnEngine.ts";
import { answer, type Engine } from "../../src/engine/engine.ts";
import { engineTable, scaledTable, type EngineTable } from "../../src/engine/engineTable.ts";
import { writeLabels } from "../../src/engine/cluster/writeLabels.ts";
import { matrix } from "../../src/matrix/matrix.ts";
import { columnScaling } from "../../src/scale/index.ts";
import { connect, remote, MANY, manyRows } from "./spark/cluster.ts";

/** A tenth of the rows, or with KINDRED_SPARK_FULL=1 all of them. */
const ROWS = process.env.KINDRED_SPARK_FULL === undefined ? MANY / 10 : MANY;

describe.skipIf(remote === undefined)("convex clustering on a Spark cluster (npm run test:spark)", () => {
  let engine: Engine;
  let table: EngineTable;
  beforeAll(async () => {
    engine = await connect();
    const opened = await engineTable(engine, { table: await manyRows(engine) }, { id: "id", label: "class" });
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

  it(`${ROWS} rows are clustered by representatives, and their labels written there`, async () => {
    const rows = { ...table, from: `(select * from ${table.from} where id < ${ROWS}) as kindred_rows` };
    const result = await convexOnEngine(rows, { clusters: 5, representatives: 2000 });
    expect(result.rows).toBe(ROWS);
    expect(result.certificate.relativeGap).toBeLessThan(1e-6);
    expect(result.compression.representatives).toBe(2000);
    await writeLabels(rows, result, { table: "convex_labels" }, { replace: true });
    const { columns } = await answer(
      engine,
      `select class, cluster, count(*) from convex_labels join rows_${MANY} using (id) group by class, cluster`,
    );
    const [clusters, counts] = columns.slice(1) as Float64Array[];
    expect(counts.reduce((sum, count) => sum + count)).toBe(ROWS);
    // Every class has a cluster of its own, but for the few rows that a cell at a border takes along.
    const own = new Map<string, { cluster: number; count: number }>();
    (columns[0] as readonly string[]).forEach((name, g) => {
      if (!(counts[g] < (own.get(name)?.count ?? 0)))
        own.set(name, { cluster: clusters[g], count: counts[g] });
    });
    expect(new Set([...own.values()].map(({ cluster }) => cluster)).size).toBe(5);
    const right = [...own.values()].reduce((sum, { count }) => sum + count, 0);
    expect(right / ROWS).toBeGreaterThan(0.999);
  }, 1_200_000);
});
