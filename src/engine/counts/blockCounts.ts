import { columnBlocks } from "../momentSums.ts";
import { answer, type Engine, type EngineBatch } from "../engine.ts";
import type { LevelBlock } from "./levelBlocks.ts";

/** The table of one or two blocks, the first by rows. */
export interface BlockTable {
  readonly blocks: readonly number[];
  readonly counts: Float64Array;
  /** Rows with a value that is not a level. */
  readonly unseen: number;
}

/** @param from rows with the combination of each block as b0, b1, ... */
export function blockCounts(
  engine: Engine,
  from: string,
  blocks: readonly LevelBlock[],
  tables: readonly (readonly number[])[],
): AsyncGenerator<BlockTable, void, undefined> {
  return engine.dialect.engine === "duckdb"
    ? fromKeptBlocks(engine, from, blocks, tables)
    : fromOnePass(engine, from, blocks, tables);
}

/**
 * DuckDB: finding the levels is the expensive part, so the blocks are kept, two bytes a row each, and grouped
 * pair by pair. They are in a separate database in memory (or, beyond the memory limit, in temporary files).
 */
async function* fromKeptBlocks(
  engine: Engine,
  from: string,
  blocks: readonly LevelBlock[],
  tables: readonly (readonly number[])[],
): AsyncGenerator<BlockTable, void, undefined> {
  const database = `kindred_${crypto.randomUUID().replaceAll("-", "")}`;
  await engine.run(`attach ':memory:' as ${database}`);
  try {
    const kept = `${database}.main.blocks`;
    const narrow = blocks.every(({ levels }) => levels < 2 ** 15);
    const columns = blocks.map((_, k) => `cast(b${k} as ${narrow ? "smallint" : "integer"}) as b${k}`);
    await engine.run(`create table ${kept} as select ${columns.join(", ")} from ${from}`);
    for (const table of tables) {
      const key = keyOf(blocks, table, 0);
      yield tableOf(
        blocks,
        table,
        0,
        await answer(engine, `select ${key} as k, count(*) as n from ${kept} group by k`),
      );
    }
  } finally {
    await engine.run(`detach ${database}`);
  }
}

/**
 * Spark: a pass is the expensive part, so every row emits its cells of all tables at once, as an array of
 * numbers that differ between tables. One number as key takes half the time of grouping sets.
 */
async function* fromOnePass(
  engine: Engine,
  from: string,
  blocks: readonly LevelBlock[],
  tables: readonly (readonly number[])[],
): AsyncGenerator<BlockTable, void, undefined> {
  const asked = new Map(tables.map((table) => [table.join(), table]));
  // Square groups of blocks, so a statement reads few columns.
  const groups = columnBlocks(blocks.length, CELLS_OF_A_ROW).map((pairs) =>
    pairs.map(([i, j]) => asked.get(i === j ? `${i}` : `${i},${j}`)).filter((table) => table !== undefined),
  );
  for (const group of groups.filter((own) => own.length > 0)) {
    let total = 0;
    const starts = group.map((table) => {
      const start = total;
      total += cellsOf(blocks, table);
      return start;
    });
    const keys = group.map((table, p) => keyOf(blocks, table, starts[p]));
    const cells = `(select explode(array(${keys.join(", ")})) as k from ${from}) as kindred_cells`;
    const found = await answer(engine, `select k, count(*) as n from ${cells} group by k`);
    for (const [p, table] of group.entries()) yield tableOf(blocks, table, starts[p], found);
  }
}

/** Maximum number of tables in one statement of Spark. */
const CELLS_OF_A_ROW = 64;

/** The number of the cell of a row. */
function keyOf(blocks: readonly LevelBlock[], table: readonly number[], start: number): string {
  const [first, second] = table;
  const cell =
    second === undefined ? `b${first}` : `cast(b${first} as int) * ${blocks[second].levels} + b${second}`;
  return start === 0 ? cell : `${start} + ${cell}`;
}

function cellsOf(blocks: readonly LevelBlock[], table: readonly number[]): number {
  return table.reduce((product, i) => product * blocks[i].levels, 1);
}

function tableOf(
  blocks: readonly LevelBlock[],
  table: readonly number[],
  start: number,
  { rows, columns }: EngineBatch,
): BlockTable {
  const counts = new Float64Array(cellsOf(blocks, table));
  const [keys, sizes] = columns as readonly Float64Array[];
  let unseen = 0;
  for (let p = 0; p < rows; p++) {
    const cell = keys[p] - start;
    if (cell >= 0 && cell < counts.length) counts[cell] = sizes[p];
    else if (Number.isNaN(cell)) unseen += sizes[p];
  }
  return { blocks: table, counts, unseen };
}
