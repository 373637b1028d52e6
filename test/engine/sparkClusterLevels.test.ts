import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answer, type Engine } from "../../src/engine/engine.ts";
import {
  classColumnsOnEngine,
  engineBatches,
  levelCountsOnEngine,
  openEngineTable,
} from "../../src/engine/index.ts";
import { classColumnStatistics, levelCounts } from "../../src/scale/index.ts";
import { chowLiuSelectFromCounts } from "../../src/select/index.ts";
import { connect, remote, MANY, manyRows } from "./spark/cluster.ts";

describe.skipIf(remote === undefined)("level counts on a Spark cluster (npm run test:spark)", () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await connect();
  });
  afterAll(() => engine.close());

  const odd =
    "select (id * 7 % 9) / 4 as `it's`, cast(id % 5 as int) as `a ``b```, 3.5 as flat, " +
    "cast(xxhash64(id) % 1000 as double) / 100 + id % 3 as x, id % 2 = 0 as flag, " +
    "case when id % 11 = 0 then null when id % 11 = 1 then '' when id % 11 = 2 then '-1' " +
    "else concat('it\\'s \\\\ ', id % 3) end as y from range(5000)";
  // 40 more columns make more than one statement.
  const wide = Array.from({ length: 40 }, (_, j) => `cast(xxhash64(${j}, id) % 7 as double) as c${j}`);

  it.each([
    ["sigma", odd, {}],
    ["width", odd, { discretize: "width", bins: 7 }],
    ["without pairs", odd, { pairs: false }],
    ["values", `select \`a \`\`b\`\`\`, flag, y from (${odd})`, { discretize: "given" }],
    ["45 columns", odd.replace("select ", `select ${wide.join(", ")}, `), { discretize: "width" }],
  ] as const)(
    "those of the rows: %s",
    async (_, query, options) => {
      const table = await openEngineTable(engine, { query }, { label: "y" });
      const { counts, route } = await levelCountsOnEngine(table, options);
      expect(route).toBe("push-down");
      const { discretization, classes } = counts;
      const rows = await levelCounts(
        () => engineBatches(table),
        { discretization, classes },
        { pairs: counts.pairTables !== undefined },
      );
      expect(counts).toEqual(rows);
      expect(counts.unlabelled).toBe(1365);
    },
    120_000,
  );

  it("columns of each class, for naive Bayes: those of the rows", async () => {
    const query = odd.replace("select ", `select ${wide.join(", ")}, `);
    const table = await openEngineTable(engine, { query }, { label: "y" });
    const { statistics } = await classColumnsOnEngine(table);
    const rows = await classColumnStatistics(() => engineBatches(table));
    expect(statistics.names).toEqual(rows.names);
    expect(statistics.groups.map(({ label }) => label)).toEqual(rows.groups.map(({ label }) => label));
    statistics.groups.forEach((group, g) => {
      expect(group.rows).toBe(rows.groups[g].rows);
      for (const part of ["min", "max", "mean", "squares"] as const) {
        group[part].forEach((value, f) => expect(value).toBeCloseTo(rows.groups[g][part][f], 6));
      }
    });
  }, 120_000);

  it(`Chow-Liu selection of ${MANY} rows`, async () => {
    const name = await manyRows(engine);
    const table = await openEngineTable(engine, { table: name }, { label: "class", ignore: ["id"] });
    const { counts } = await levelCountsOnEngine(table);
    expect(counts.rows).toBe(MANY);
    expect(Array.from(counts.classCounts)).toEqual(Array<number>(5).fill(MANY / 5));
    const [low] = counts.discretization.cuts[2];
    const { columns } = await answer(
      engine,
      `select count(*) from ${name} where x3 < ${low}e0 and class = 'c0'`,
    );
    expect(counts.classTables[3 * 2 * 5]).toBe(columns[0][0]);
    const { features, certificate } = chowLiuSelectFromCounts(counts, { features: 4 });
    expect(features).toHaveLength(4);
    expect(certificate.score).toBeGreaterThan(0.9);
  }, 180_000);
});
