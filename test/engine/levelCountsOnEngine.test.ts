import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  duckdb,
  engineBatches,
  levelCountsOnEngine,
  openEngineTable,
  type Engine,
  type EngineTable,
  type LevelCountsOnEngineOptions,
} from "../../src/engine/index.ts";
import { blockTables, levelBlocks } from "../../src/engine/counts/blockCounts.ts";
import { levelCountsRoute } from "../../src/engine/route.ts";
import { levelCounts, levelScheme, type RowBatch } from "../../src/scale/index.ts";
import { chowLiuSelect, chowLiuSelectFromCounts, type LevelCounts } from "../../src/select/index.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await duckdb({ threads: 2 });
  // Values on cuts (the quarters), a constant column, names to be quoted, classes with quotes and unknown ones.
  await engine.run(
    `create table t as select
       (i * 7 % 9) / 4 as "it's", cast(i % 5 as integer) as "a ""b""", 3.5 as flat,
       cast(hash(i) % 1000 as double) / 100 + i % 3 as x, cast(i % 2 as boolean) as flag,
       cast(hash(i + 1) % 4 as tinyint) as g, ln(1 + i) as z,
       case when i % 11 = 0 then null when i % 11 = 1 then '' when i % 11 = 2 then '-1' else 'it''s \\ ' || (i % 3) end as y,
       cast(i % 4 as double) as number, case when i % 2 = 0 then -1 else 1 end as sign
     from range(5000) r(i)`,
  );
});
afterAll(() => engine.close());

const LABELS = ["y", "number", "sign"] as const;
function open(label: string | undefined, query = "select * from t"): Promise<EngineTable> {
  const ignore = query.includes("*") ? LABELS.filter((name) => name !== label) : [];
  return openEngineTable(engine, { query }, { label, ignore });
}

/** The same rows counted here, by `levelScheme` and `levelCounts`. */
async function streamed(
  table: EngineTable,
  options: Pick<LevelCountsOnEngineOptions, "discretize" | "bins" | "pairs"> = {},
): Promise<LevelCounts> {
  const { pairs, ...cuts } = options;
  const scheme = await levelScheme(() => engineBatches(table), cuts);
  return levelCounts(() => engineBatches(table), scheme, { pairs });
}

/** The cuts may differ in their last digits; the counts are integers. */
function countsOf(counts: LevelCounts): object {
  const { discretization, ...rest } = counts;
  return { ...rest, columns: discretization.columns, kind: discretization.kind };
}

describe("level counts on DuckDB are those of the rows", () => {
  it.each([
    ["y", {}],
    ["y", { discretize: "width", bins: 7 }],
    ["number", { discretize: "width" }],
    ["number", {}],
    ["sign", {}],
    [undefined, {}],
    ["y", { pairs: false }],
    [undefined, { pairs: false }],
  ] as const)("label %s, %j", async (label, options) => {
    const table = await open(label);
    const own = await levelCountsOnEngine(table, { ...options, route: "push-down" });
    const expected = await streamed(table, options);
    expect(own.route).toBe("push-down");
    expect(countsOf(own.counts)).toEqual(countsOf(expected));
    own.counts.discretization.cuts.forEach((cuts, f) =>
      cuts.forEach((cut, j) => expect(cut).toBeCloseTo(expected.discretization.cuts[f][j], 10)),
    );
  });

  it("values as levels, also 0 and -0", async () => {
    const table = await open(
      "y",
      `select "it's", "a ""b""", flag, g, case when g = 0 then -0e0 when g = 1 then 0e0 else g end as zero, y from t`,
    );
    const { counts } = await levelCountsOnEngine(table, { discretize: "given", route: "push-down" });
    expect(countsOf(counts)).toEqual(countsOf(await streamed(table, { discretize: "given" })));
    expect(counts.discretization.cuts[4]).toEqual([0, 2, 3]);
  });

  it("one column", async () => {
    const table = await open(undefined, "select g from t");
    const { counts } = await levelCountsOnEngine(table);
    expect(countsOf(counts)).toEqual(countsOf(await streamed(table)));
  });

  it("rows streamed, and rows that lack a number left out", async () => {
    const query = "select case when g = 0 then null else x end as x, z, y from t";
    const table = await openEngineTable(engine, { query }, { label: "y", missing: "drop" });
    const [a, b] = await Promise.all(
      (["push-down", "stream"] as const).map((route) => levelCountsOnEngine(table, { route })),
    );
    expect(countsOf(a.counts)).toEqual(countsOf(b.counts));
    expect(countsOf(a.counts)).toEqual(countsOf(await streamed(table)));
    expect(a.notes).toEqual(b.notes);
    expect(a.notes[0]).toMatch(/^\d+ rows with missing values were left out$/);
  });

  it("and so are the features selected", async () => {
    const table = await open("y", "select * from t where z < 7");
    const { counts } = await levelCountsOnEngine(table);
    const batches: RowBatch[] = [];
    for await (const batch of engineBatches(table)) batches.push(batch);
    expect(batches).toHaveLength(1);
    const [{ X, label, names }] = batches;
    const whole = chowLiuSelect(X, label!.values, { features: 4, names });
    const own = chowLiuSelectFromCounts(counts, { features: 4 });
    expect(Array.from(own.features)).toEqual(Array.from(whole.features));
    expect(Array.from(own.scores)).toEqual(Array.from(whole.scores));
  });

  it("leaves nothing behind", async () => {
    await levelCountsOnEngine(await open("y"), { route: "push-down" });
    const names: unknown[] = [];
    for await (const { columns } of engine.query("select database_name from duckdb_databases()")) {
      names.push(...columns[0]);
    }
    expect(names.filter((name) => String(name).startsWith("kindred"))).toEqual([]);
  });
});

describe("what does not fit", () => {
  it.each([
    ["select x from t", undefined, { discretize: "given" }, 'column "x" has'],
    [
      "select x from t",
      undefined,
      { bins: 3 },
      'option "bins" is for "width"; option "discretize" is "sigma"',
    ],
    [
      "select i as x, i from range(70000) r(i)",
      "i",
      {},
      'the label "i" has more than 65536 different values',
    ],
  ] as const)("%s", async (query, label, options, message) => {
    const table = await openEngineTable(engine, { query }, { label });
    await expect(levelCountsOnEngine(table, options)).rejects.toThrow(message);
  });
});

describe("blocks", () => {
  it("hold every variable once, the class alone", () => {
    const blocks = levelBlocks([3, 3, 3, 3, 3, 200, 2, 2], 4);
    expect(blocks.map(({ variables }) => variables)).toEqual([[0, 1, 2, 3], [4], [5], [6, 7], [8]]);
    expect(blocks[0]).toMatchObject({ weights: [1, 3, 9, 27], levels: 81 });
    expect(blockTables(blocks, 4, true)).toHaveLength(10);
    expect(blockTables(blocks, 4, false)).toEqual([
      [0, 4],
      [1, 4],
      [2, 4],
      [3, 4],
    ]);
    expect(blockTables(levelBlocks([3], 0), 0, true)).toEqual([[0]]);
  });

  it("many of them, or many classes, are for a stream", () => {
    const route = (features: number, classes = 2): string => {
      const blocks = levelBlocks(Array<number>(features).fill(3), classes);
      const tables = blockTables(blocks, classes, true).length;
      return levelCountsRoute(engine, { features, classes, tables });
    };
    expect([route(30), route(400), route(30, 300)]).toEqual(["push-down", "stream", "stream"]);
  });
});
