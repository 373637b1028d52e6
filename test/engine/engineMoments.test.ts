import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  duckdb,
  engineBatches,
  engineMoments,
  engineTable,
  openEngineTable,
  type Engine,
  type EngineTable,
} from "../../src/engine/index.ts";
import { columnBlocks } from "../../src/engine/momentSums.ts";
import { momentRoute } from "../../src/engine/route.ts";
import { matrix, type Matrix } from "../../src/matrix/index.ts";
import { scatter } from "../../src/metric/moments/classMoments.ts";
import { kissmeFromMoments, lda, ldaFromMoments, mlca, rca, rcaFromMoments } from "../../src/metric/index.ts";
import {
  allMoments,
  classwiseAccumulator,
  knownGroups,
  labelledMoments,
  mlcaFromStatistics,
  momentAccumulator,
  momentStatistics,
  scaledMoments,
  statisticsScaling,
  type MomentStatistics,
} from "../../src/scale/index.ts";

const ROUTES = ["push-down", "stream"] as const;
const folder = mkdtempSync(join(tmpdir(), "kindred-engine-"));
let engine: Engine;
beforeAll(async () => {
  engine = await duckdb({ threads: 2 });
  // 7 columns of different spread, one far from the origin; rows in no order.
  await engine.run(
    "create table t as select " +
      "sin(i * 1.7) + y as a, cos(i * 0.37) * 3 - y as b, 1e8 + sin(i * 0.9) + y * y as far, sqrt(i) as d, " +
      "i % 11 as whole, cast(i % 5 as float) / 4 as single, cast(i % 7 as decimal(9, 2)) / 2 as dec, " +
      "['red', 'green', 'blue'][y + 1] as name, cast(y as double) as num, y as int, y * 2 - 1 as signs, i as id " +
      "from (select i, i * 7919 % 3 as y from range(5000) r(i)) order by hash(i)",
  );
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const FEATURES = ["a", "b", "far", "d", "whole", "single", "dec"];

const query = (label: string, where = "true"): string =>
  `select ${FEATURES.join(", ")}, ${label} as y from t where ${where}`;

/** The rows as they are, read here. */
async function rowsOf(table: EngineTable): Promise<{ X: Matrix; labels: string[] }> {
  const values: number[] = [];
  const labels: string[] = [];
  let d = 0;
  for await (const { X, label } of engineBatches(table)) {
    values.push(...X.data);
    labels.push(...(label?.values ?? []));
    d = X.cols;
  }
  return { X: matrix(values.length / d, d, Float64Array.from(values)), labels };
}

/** Largest difference against the largest entry. */
function apart(a: Matrix, b: Matrix): number {
  expect([a.rows, a.cols]).toEqual([b.rows, b.cols]);
  const size = a.data.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-300);
  return a.data.reduce((most, value, p) => Math.max(most, Math.abs(value - b.data[p])), 0) / size;
}

/** Everything that follows from statistics, in units of the columns, so that the shift does not matter. */
function difference(a: MomentStatistics, b: MomentStatistics): number {
  const exact = (s: MomentStatistics): object => ({
    rows: s.rows,
    names: s.names,
    min: Array.from(s.min),
    max: Array.from(s.max),
    classes: labelledMoments(s).classes,
    counts: Array.from(labelledMoments(s).counts),
    kinds: [s.known, s.minusOne, s.unlabelled].map(({ counts }) => counts.reduce((n, c) => n + c, 0)),
  });
  expect(exact(a)).toEqual(exact(b));
  const { scaling } = statisticsScaling(a);
  let most = 0;
  for (const moments of [allMoments, labelledMoments]) {
    const [A, B] = [a, b].map((s) => moments(s));
    if (A.classes.length === 0) continue;
    const [x, y] = [A, B].map((m) => scatter(scaledMoments(m, scaling)));
    // In scaled units the scatter of a column is the number of rows, and its mean is 0.
    const far = (p: Matrix, q: Matrix): number =>
      p.data.reduce((largest, value, at) => Math.max(largest, Math.abs(value - q.data[at])), 0);
    most = Math.max(most, far(x.total, y.total) / a.rows, far(x.within, y.within) / a.rows);
    most = Math.max(most, far(x.classMeans, y.classMeans));
    y.mean.forEach((value, f) => (most = Math.max(most, Math.abs(value - x.mean[f]))));
  }
  return most;
}

describe.each(ROUTES)("moments of a table on DuckDB, %s", (route) => {
  test.each([
    ["text", "name", 3],
    ["whole numbers", "int", 3],
    ["doubles, 1.0 being the class 1", "num", 3],
    ["halves", "num / 2", 3],
    ["decimals", "cast(num as decimal(9, 3)) / 2", 3],
    ["one class", "'all'", 1],
    ["some null", "case when id % 5 = 0 then null else name end", 3],
    ["some empty, some -1", "case id % 4 when 0 then '' when 1 then '-1' else name end", 3],
    ["-1 and 1", "case when int = 1 then 1 else -1 end", 2],
    ["-1 and 1 as doubles, some null", "case int when 1 then 1.0::double when 0 then -1.0::double end", 2],
    ["truth", "int = 1", 2],
    ["all null", "cast(null as varchar)", 0],
  ])("are those of the same rows in memory: %s", async (_, label, classes) => {
    const table = await openEngineTable(engine, { query: query(label) }, { label: "y" });
    const { X, labels } = await rowsOf(table);
    expect(X.rows).toBe(5000);
    const memory = momentAccumulator(FEATURES);
    memory.add(X, labels);
    const found = await engineMoments(table, { route });
    expect(found.route).toBe(route);
    expect(labelledMoments(found.statistics).classes).toHaveLength(classes);
    expect(difference(memory.result(), found.statistics)).toBeLessThan(1e-10);
  });

  test("need no labels", async () => {
    const { table } = await engineTable(engine, { query: query("name") }, { ignore: ["y"] });
    const found = await engineMoments(table, { route });
    expect(difference(await momentStatistics(() => engineBatches(table)), found.statistics)).toBeLessThan(
      1e-10,
    );
    expect(found.statistics.unlabelled.counts).toEqual(Float64Array.of(5000));
  });

  test("give the models of memory to 1e-8", async () => {
    const table = await openEngineTable(engine, { query: query("name") }, { label: "y" });
    const { X, labels } = await rowsOf(table);
    const { statistics, classwise } = await engineMoments(table, { route, classwise: true });
    const all = allMoments(statistics);
    const classes = labelledMoments(statistics);
    expect(apart(mlca(X, labels).matrix, mlcaFromStatistics(statistics).matrix)).toBeLessThan(1e-8);
    expect(apart(lda(X, labels).matrix, ldaFromMoments(classes).matrix)).toBeLessThan(1e-8);
    expect(apart(rca(X, labels).matrix, rcaFromMoments(statistics.known, {}, all).matrix)).toBeLessThan(1e-8);
    const groups = classwiseAccumulator(FEATURES);
    groups.add(X, labels);
    expect(
      apart(
        kissmeFromMoments(knownGroups(groups.result()), {}, all).matrix,
        kissmeFromMoments(knownGroups(classwise!), {}, all).matrix,
      ),
    ).toBeLessThan(1e-8);
  });

  test("leave out or refuse rows that lack a number", async () => {
    const holes = query("name").replace("a,", "case when id % 50 = 0 then null else a end as a,");
    await expect(
      openEngineTable(engine, { query: holes }, { label: "y" }).then((table) =>
        engineMoments(table, { route }),
      ),
    ).rejects.toThrow(
      /^the query: .*column "a" has .*finite number.*; leave such rows out \(option "missing" drop\)/,
    );
    const table = await openEngineTable(engine, { query: holes }, { label: "y", missing: "drop" });
    const found = await engineMoments(table, { route });
    expect(found.notes).toEqual(["100 rows with missing values were left out"]);
    const whole = await openEngineTable(engine, { query: query("name", "id % 50 <> 0") }, { label: "y" });
    const expected = await momentStatistics(() => engineBatches(whole));
    expect(difference(expected, found.statistics)).toBeLessThan(1e-10);
  });

  test("say when there are no rows", async () => {
    const open = (where: string, missing: "refuse" | "drop" = "refuse") =>
      openEngineTable(engine, { query: query("name", where) }, { label: "y", missing });
    await expect(engineMoments(await open("false"), { route })).rejects.toThrow("the query has no rows");
    await expect(
      engineMoments(
        await openEngineTable(engine, { query: "select cast(null as double) as a" }, { missing: "drop" }),
        { route },
      ),
    ).rejects.toThrow("the query has no rows without missing values");
  });
});

test("files in parts and in any order have the statistics of the table", async () => {
  await engine.run(
    `copy (select *, id % 3 as part from t order by hash(id + 7)) to '${folder}/parts' (format parquet, partition_by part)`,
  );
  const options = { label: "name", ignore: ["num", "int", "signs", "id"] };
  const whole = await openEngineTable(engine, { table: "t" }, options);
  const expected = await momentStatistics(() => engineBatches(whole));
  for (const route of ROUTES) {
    const parts = await openEngineTable(
      engine,
      { query: `select * exclude (part) from '${folder}/parts/*/*.parquet'` },
      options,
    );
    const { statistics } = await engineMoments(parts, { route });
    expect(difference(expected, statistics)).toBeLessThan(1e-10);
  }
});

test("random tables have the moments of their rows, by either route", async () => {
  const cell = fc.double({ min: -5, max: 5, noNaN: true });
  const label = fc.constantFrom("a", "b", "1", "-1", "", "it's");
  const rows = fc.array(fc.tuple(cell, cell, label), { minLength: 2, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(rows, fc.constantFrom(0, 1e6), async (cells, offset) => {
      const values = cells.map(
        ([a, b, y]) => `(${a.toExponential()}, ${(b + offset).toExponential()}, '${y.replace("'", "''")}')`,
      );
      const table = await openEngineTable(
        engine,
        { query: `select * from (values ${values.join(", ")}) v(a, b, y)` },
        { label: "y" },
      );
      const memory = momentAccumulator(["a", "b"]);
      memory.add(
        matrix(cells.length, 2, Float64Array.from(cells.flatMap(([a, b]) => [a, b + offset]))),
        cells.map(([, , y]) => y),
      );
      const expected = memory.result();
      const spread = expected.max.some((most, f) => most - expected.min[f] < 1e-3);
      fc.pre(!spread);
      for (const route of ROUTES) {
        const { statistics } = await engineMoments(table, { route });
        expect(difference(expected, statistics)).toBeLessThan(1e-9);
      }
    }),
    { numRuns: 25 },
  );
});

test("X'X is asked for in blocks that hold every pair once", () => {
  for (const [d, most] of [
    [1, 1],
    [5, 15],
    [5, 4],
    [23, 64],
    [64, 600],
  ]) {
    const blocks = columnBlocks(d, most);
    expect(Math.max(...blocks.map((pairs) => pairs.length))).toBeLessThanOrEqual(most);
    const pairs = blocks.flat().map(([i, j]) => i * d + j);
    expect(new Set(pairs).size).toBe(pairs.length);
    expect(pairs).toHaveLength((d * (d + 1)) / 2);
    expect(blocks.flat().every(([i, j]) => i <= j)).toBe(true);
  }
});

test("a wide table takes several statements, and the default route is by width", async () => {
  const columns = Array.from({ length: 60 }, (_, j) => `sin(i * ${j + 1} / 7.0) + i % 2 as c${j}`);
  const wide = `select ${columns.join(", ")}, i % 2 as y from range(300) r(i)`;
  const table = await openEngineTable(engine, { query: wide }, { label: "y" });
  const [pushed, streamed] = await Promise.all(ROUTES.map((route) => engineMoments(table, { route })));
  expect(difference(streamed.statistics, pushed.statistics)).toBeLessThan(1e-10);
  expect((await engineMoments(table)).route).toBe("stream");
  expect(momentRoute(engine, 2)).toBe("push-down");
});

test("what cannot be summed is told", async () => {
  const huge = await openEngineTable(engine, { query: "select 1e200 * (i - 1) as a from range(3) r(i)" });
  await expect(engineMoments(huge, { route: "push-down" })).rejects.toThrow(/out of range|too large to sum/);
  await expect(engineMoments(huge, { route: "stream" })).rejects.toThrow(/too large to sum: scale it first/);
  const unlabelled = await openEngineTable(engine, { query: "select 1 as a" });
  await expect(engineMoments(unlabelled, { classwise: true })).rejects.toThrow("need a column of classes");
});
