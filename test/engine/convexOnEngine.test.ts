import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cellsOf, cellTree } from "../../src/cluster/compress/cellTree.ts";
import { representatives } from "../../src/cluster/compress/representatives.ts";
import {
  cellRows,
  representativesOnEngine,
  convexOnEngine,
} from "../../src/engine/cluster/convexOnEngine.ts";
import {
  answer,
  duckdb,
  engineBatches,
  engineTable,
  scaledTable,
  type Engine,
  type EngineTable,
} from "../../src/engine/index.ts";
import { takeRows, type Matrix, matrix } from "../../src/matrix/matrix.ts";
import { columnScaling, convexStream } from "../../src/scale/index.ts";
import { adjustedRand } from "../../src/score/index.ts";

const ROWS = 20000;
let engine: Engine;
let table: EngineTable;
let X: Matrix;
beforeAll(async () => {
  engine = await duckdb({ threads: 2 });
  // Five clusters in four features, one of them far from 0, and a constant one.
  const near = (f: number): string =>
    `(hash(i % 5, ${f}) % 1000) / 50.0 + (hash(i, ${f}) % 1000 + hash(i, ${f + 50}) % 1000) / 1000.0`;
  await engine.run(
    `create table t as select ${near(1)} as a, ${near(2)} as "b c", 1e6 + ${near(3)} as e, ${near(4)} as g, 7 as h, ` +
      `i % 5 as y, i as id from range(${ROWS}) r(i)`,
  );
  const opened = await engineTable(engine, { table: "t" }, { label: "y", id: "id" });
  table = scaledTable(opened.table, columnScaling(opened.statistics).scaling);
  X = matrix(ROWS, table.features.length);
  for await (const batch of engineBatches(table)) X.data.set(batch.X.data, batch.first * X.cols);
});
afterAll(() => engine.close());

describe("cells on DuckDB", () => {
  it("are those of the rows in memory", async () => {
    const tree = cellTree(X, 500);
    expect(tree.depth).toBeGreaterThan(tree.oblique / 2);
    const memory = cellsOf(tree, X);
    const { columns } = await answer(
      engine,
      `select id, kindred_node from ${cellRows(table, tree, ["id"])} order by id`,
    );
    expect(Int32Array.from(columns[1] as Float64Array, (node) => tree.cells[node])).toEqual(memory);
  });

  it("have the sums of the rows in memory", async () => {
    const own = representatives(X, { count: 300 });
    const found = await representativesOnEngine(table, own.tree);
    const cells = Int32Array.from(found.nodes, (node) => own.tree.cells[node]);
    expect(found.masses).toEqual(Float64Array.from(cells, (cell) => own.masses[cell]));
    const points = takeRows(own.points, cells);
    found.points.data.forEach((value, p) => expect(Math.abs(value - points.data[p])).toBeLessThan(1e-10));
    const { withinSumOfSquares, share, largestRadius } = found.compression;
    expect(withinSumOfSquares / own.compression.withinSumOfSquares).toBeCloseTo(1, 10);
    expect(share / own.compression.share).toBeCloseTo(1, 10);
    expect(largestRadius / own.compression.largestRadius).toBeCloseTo(1, 10);
  });
});

describe("convex clustering of a table", () => {
  it("finds the clusters, with a certificate, and gives every row its own", async () => {
    const result = await convexOnEngine(table, { clusters: 5, representatives: 400, sample: 5000 });
    expect(result.clusters).toBe(5);
    expect(result.rows).toBe(ROWS);
    expect(result.certificate.relativeGap).toBeLessThan(1e-6);
    expect(result.compression.representatives).toBe(400);
    expect(result.sizes.reduce((a, b) => a + b, 0)).toBe(ROWS);
    const { columns } = await answer(
      engine,
      `select id, y, kindred_cluster from ${result.clusterRows(["id", "y"])} order by id`,
    );
    const labels = columns[2] as Float64Array;
    expect(adjustedRand(labels, columns[1] as Float64Array)).toBe(1);
    for (let k = 0; k < 5; k++) {
      const own = [...labels.keys()].filter((i) => labels[i] === k);
      expect(own.length).toBe(result.sizes[k]);
      for (let f = 0; f < X.cols; f++) {
        const mean = own.reduce((sum, i) => sum + X.data[i * X.cols + f], 0) / own.length;
        expect(result.centers.data[k * X.cols + f]).toBeCloseTo(mean, 10);
      }
    }
  });

  it("is that of the same rows in a stream, where all rows are drawn", async () => {
    const options = { clusters: 5, representatives: 400, sample: ROWS };
    const here = await convexStream(() => engineBatches(table), options);
    expect(here.compression.rows).toBe(ROWS);
    expect(here.certificate.relativeGap).toBeLessThan(1e-6);
    const labels: number[] = [];
    for await (const batch of here.labels()) labels.push(...batch.labels);
    expect(labels).toEqual([...here.predict(X)]);
    const sizes = new Float64Array(5);
    for (const label of labels) sizes[label]++;
    expect(here.sizes).toEqual(sizes);
    expect(
      adjustedRand(
        labels,
        Array.from({ length: ROWS }, (_, i) => i % 5),
      ),
    ).toBe(1);
  });

  it("refuses what it cannot do", async () => {
    await expect(convexOnEngine(table, { clusters: 50, representatives: 20 })).rejects.toThrow(
      "50 clusters cannot be made of 20 representatives",
    );
    // Progress is told by the clock.
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    for (const calls of [0, 1]) {
      let left = calls;
      await expect(convexOnEngine(table, { onProgress: () => left-- > 0 })).rejects.toThrow(
        "convexOnEngine was stopped by onProgress",
      );
    }
    clock.mockRestore();
    await expect(convexOnEngine(table, { representatives: 1 })).rejects.toThrow('"representatives" must be');
  });
});
