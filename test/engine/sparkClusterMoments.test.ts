import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engineBatches } from "../../src/engine/engineBatches.ts";
import { engineMoments } from "../../src/engine/engineMoments.ts";
import { openEngineTable } from "../../src/engine/engineTable.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { labelledMoments, mlcaFromStatistics, momentStatistics } from "../../src/scale/index.ts";
import { connect, FEATURES, remote, MANY, manyRows } from "./spark/cluster.ts";

describe.skipIf(remote === undefined)("moments on a Spark cluster (npm run test:spark)", () => {
  let engine: Engine;
  let name: string;
  beforeAll(async () => {
    engine = await connect();
    name = await manyRows(engine);
  }, 900_000);
  afterAll(() => engine.close());

  it("are those of the same rows from a stream, and so is the metric", async () => {
    const query = `select * from ${name} where id % 2000 < 3`;
    const table = await openEngineTable(engine, { query }, { id: "id", label: "class" });
    const { statistics, route } = await engineMoments(table);
    expect(route).toBe("push-down");
    const streamed = await momentStatistics(() => engineBatches(table));
    const [sums, rows] = [labelledMoments(statistics), labelledMoments(streamed)];
    expect(sums.classes).toEqual(rows.classes);
    expect(sums.counts).toEqual(rows.counts);
    // The shifts differ, so the means of the classes are compared; the second moments show in the metric.
    const mean = ({ classSums, counts, shift }: typeof sums, c: number, f: number): number =>
      shift[f] + classSums.data[c * FEATURES + f] / counts[c];
    sums.classes.forEach((_, c) => {
      for (let f = 0; f < FEATURES; f++) expect(mean(sums, c, f)).toBeCloseTo(mean(rows, c, f), 10);
    });
    const [metric, expected] = [mlcaFromStatistics(statistics), mlcaFromStatistics(streamed)];
    metric.relevance.forEach((share, f) => expect(share).toBeCloseTo(expected.relevance[f], 8));
  }, 300_000);

  it(`MLCA of ${MANY} rows`, async () => {
    const table = await openEngineTable(engine, { table: name }, { id: "id", label: "class" });
    const { statistics, route } = await engineMoments(table);
    expect(route).toBe("push-down");
    expect(statistics.rows).toBe(MANY);
    const metric = mlcaFromStatistics(statistics);
    expect(metric.rank).toBe(4);
    // Column 5 has the same centre in every class.
    const relevance = Array.from(metric.relevance);
    expect(relevance.indexOf(Math.min(...relevance))).toBe(4);
  }, 600_000);
});
