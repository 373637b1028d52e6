import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answer, type Engine } from "../../src/engine/engine.ts";
import { spark } from "../../src/engine/spark.ts";
import { writeParquet, writeTable } from "../../src/engine/writeTable.ts";
import { centerOf, connect, FEATURES, remote, MANY, manyRows } from "./spark/cluster.ts";

describe.skipIf(remote === undefined)("a Spark cluster (npm run test:spark)", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await connect();
  });
  afterAll(() => engine.close());
  const one = async (sql: string): Promise<unknown[]> =>
    (await answer(engine, sql)).columns.map((column) => column[0]);

  it("tells its version", () => {
    expect(engine.name).toMatch(/^Spark \d+\.\d+\.\d+/);
  });

  it("values of every type", async () => {
    const values: readonly (readonly [sql: string, value: unknown])[] = [
      ["cast(-7 as tinyint)", -7],
      ["cast(300 as smallint)", 300],
      ["-2147483648", -2147483648],
      ["9007199254740991L", Number.MAX_SAFE_INTEGER],
      ["1.5f", 1.5],
      ["0.1e0", 0.1],
      ["1e308", 1e308],
      ["cast('NaN' as double)", NaN],
      ["cast('-Infinity' as double)", -Infinity],
      ["-12345678.25bd", -12345678.25],
      ["cast(1.5 as decimal(38, 10))", 1.5],
      ["cast(null as double)", NaN],
      ["cast(null as bigint)", NaN],
      ["cast(null as decimal(10, 2))", NaN],
      ["cast(null as string)", null],
      ["null", null],
      ["''", ""],
      ["'größer 🜁'", "größer 🜁"],
      [String.raw`'a\\b\'c'`, String.raw`a\b'c`],
      ["true", "true"],
      ["date'1969-12-31'", "1969-12-31"],
      ["timestamp_ntz'2024-02-29 12:34:56.000007'", "2024-02-29 12:34:56.000007"],
      ["timestamp_ntz'2024-02-29 12:34:56'", "2024-02-29 12:34:56"],
      ["timestamp'2024-02-29 12:34:56Z'", "2024-02-29 12:34:56+00"],
      ["array(1, 2)", "[1,2]"],
      ["named_struct('a', 1, 'b', 'x')", '{"a":1,"b":"x"}'],
      ["X'00ff'", "00ff"],
    ];
    const row = await one(`select ${values.map(([sql], j) => `${sql} as c${j}`).join(", ")}`);
    expect(row).toEqual(values.map(([, value]) => value));
  });

  it("names and texts as the dialect writes them", async () => {
    const { name, text } = engine.dialect;
    const odd = 'it\'s a `name` \\ "with" ünïcode';
    const { names, columns } = await answer(engine, `select ${text(odd)} as ${name(odd)}`);
    expect(names).toEqual([odd]);
    expect(columns[0]).toEqual([odd]);
    expect((await answer(engine, engine.dialect.describe("range(3)"))).columns[0]).toEqual(["id"]);
  });

  it("an answer without rows", async () => {
    expect(await answer(engine, "select id from range(0)")).toEqual({ names: [], rows: 0, columns: [] });
  });

  it("an answer of a million rows, each once", async () => {
    let [rows, sum, batches] = [0, 0, 0];
    for await (const { columns } of engine.query("select id, id * 0.5e0 as x from range(1000000)")) {
      const [id, x] = columns as Float64Array[];
      for (let i = 0; i < id.length; i++) sum += id[i] + 2 * x[i];
      rows += id.length;
      batches++;
    }
    expect(rows).toBe(1_000_000);
    expect(sum).toBe(999_999_000_000);
    expect(batches).toBeGreaterThan(1);
  });

  it("leaving in the middle, and then the next query", async () => {
    for await (const { rows } of engine.query("select id from range(0, 20000000, 1, 100)")) {
      expect(rows).toBeGreaterThan(0);
      break;
    }
    expect(await one("select count(*) from range(7)")).toEqual([7]);
  });

  it("queries side by side in one session", async () => {
    const answers = await Promise.all([5, 6, 7, 8].map((n) => one(`select sum(id) from range(${n})`)));
    expect(answers).toEqual([[10], [15], [21], [28]]);
  });

  it(`${MANY} rows: sums, and a table that other sessions see`, async () => {
    const table = await manyRows(engine);
    const other = await connect();
    try {
      const means = Array.from({ length: FEATURES }, (_, j) => `avg(x${j + 1})`).join(", ");
      const { rows, columns } = await answer(
        other,
        `select class, count(*), sum(id), ${means} from ${table} group by class order by class`,
      );
      expect(rows).toBe(5);
      expect(columns[0]).toEqual(["c0", "c1", "c2", "c3", "c4"]);
      const n = MANY / 5;
      for (let c = 0; c < 5; c++) {
        expect(columns[1][c]).toBe(n);
        expect(columns[2][c]).toBe(5 * ((n * (n - 1)) / 2) + c * n);
        // The standard error of a mean is 0.5 / sqrt(n).
        for (let j = 0; j < FEATURES; j++) {
          expect(Math.abs(Number(columns[3 + j][c]) - centerOf(c, j))).toBeLessThan(2 / Math.sqrt(n));
        }
      }
    } finally {
      await other.close();
    }
  }, 180_000);

  it("writes tables and Parquet, whole", async () => {
    const name = `written_${Date.now()}`;
    await writeTable(engine, name, "select id, id % 3 as part from range(1000)");
    await expect(writeTable(engine, `default.${name}`, "select 1")).rejects.toThrow("already");
    await writeTable(engine, `spark_catalog.default.${name}`, `select id from ${name} where part = 0`, {
      replace: true,
    });
    expect(await one(`select count(*), sum(id) from ${name}`)).toEqual([334, 166_833]);
    await expect(
      writeTable(engine, `${name}_bad`, "select assert_true(id < 900) is null as a from range(1000)"),
    ).rejects.toThrow(/^Spark: \[/);
    const warehouse = String((await one("set spark.sql.warehouse.dir"))[1]).replace(/^file:/, "");
    const path = `${warehouse}/${name}_parquet`;
    const rows = "select id, id % 4 as part from range(1000)";
    await writeParquet(engine, path, rows, { partition: ["part"] });
    expect(await one(`select count(*), sum(id) from parquet.\`${path}\` where part = 1`)).toEqual([
      250, 124_750,
    ]);
    await expect(writeParquet(engine, path, rows)).rejects.toThrow(`the folder ${path} is not empty`);
    const { columns } = await answer(engine, `show tables like '${name}*'`);
    expect(columns[1]).toEqual([name]);
    await engine.run(`drop table ${name}`);
  });

  it.each([
    [
      "a wrong table",
      "select * from nope",
      /^Spark: \[TABLE_OR_VIEW_NOT_FOUND\] The table or view `nope` cannot be found\.[^\n]*$/,
    ],
    [
      "a wrong column",
      "select nope from range(3)",
      /^Spark: \[UNRESOLVED_COLUMN\.WITH_SUGGESTION\] [^\n]*`nope`[^\n]*$/,
    ],
    [
      "a wrong statement",
      "selec 1",
      /^Spark: \[PARSE_SYNTAX_ERROR\] Syntax error at or near 'selec'\.[^\n]*$/,
    ],
    ["a failing row", "select 1 / (id - 500) from range(1000)", /^Spark: [^\n]*\[DIVIDE_BY_ZERO\][^\n]*$/],
  ])("%s gets one line", async (_, sql, words) => {
    await expect(answer(engine, sql)).rejects.toThrow(words);
    await expect(engine.run(`create table never as ${sql}`)).rejects.toThrow(words);
  });

  it.skipIf(!remote?.includes("token="))("a wrong token gets one line", async () => {
    const wrong = remote!.replace(/token=.*/, "token=wrong");
    await expect(spark({ remote: wrong })).rejects.toThrow(/^Spark at \S+ refuses the token$/);
    await expect(spark({ remote: remote!.replace(/\/;.*/, "") })).rejects.toThrow(
      /^Spark at \S+ asks for a token/,
    );
  });

  it("a wrong port gets one line", async () => {
    await expect(spark({ remote: "sc://127.0.0.1:1" })).rejects.toThrow(
      /^no Spark Connect server answers at 127\.0\.0\.1:1: connection refused$/,
    );
  });
});
