import { columnBlocks } from "../momentSums.ts";
import { answer, type Engine, type EngineBatch } from "../engine.ts";
import type { LevelLayout } from "../../select/internal.ts";

/**
 * The tables of all pairs of variables from fewer, larger ones. Variables are combined in blocks, as one
 * variable of all combinations of their levels; the table of two blocks then contains those of every pair of
 * their variables:
 *
 *     n(u = a, v = b) = sum over the cells of the two blocks in which u = a and v = b.
 *
 * With four variables of three levels in a block, 16 pairs cost the engine one table of 81 x 81 cells.
 */

interface LevelBlock {
  /** Variables by number; the class comes after the features. */
  readonly variables: readonly number[];
  /** The weight of each level in the number of a combination. */
  readonly weights: readonly number[];
  /** Combinations. */
  readonly levels: number;
}

/** Combinations of a block, unless one variable alone has more; measured, see docs/reference/engine-cost.md. */
const MOST_COMBINATIONS = 128;

/** Features in order; the class, if there is one, is alone in the last block. */
export function levelBlocks(levels: ArrayLike<number>, classes: number): LevelBlock[] {
  const blocks: LevelBlock[] = [];
  for (let f = 0; f < levels.length; f++) {
    const last = blocks.at(-1);
    if (last !== undefined && last.levels * levels[f] <= MOST_COMBINATIONS) {
      blocks[blocks.length - 1] = {
        variables: [...last.variables, f],
        weights: [...last.weights, last.levels],
        levels: last.levels * levels[f],
      };
    } else blocks.push({ variables: [f], weights: [1], levels: levels[f] });
  }
  return classes === 0 ? blocks : [...blocks, { variables: [levels.length], weights: [1], levels: classes }];
}

/** The tables to request, each of one or two blocks: every pair, or every block with the class. */
export function blockTables(blocks: readonly LevelBlock[], classes: number, pairs: boolean): number[][] {
  const last = blocks.length - 1;
  if (last === 0) return [[0]];
  if (!pairs)
    return Array.from({ length: classes === 0 ? last + 1 : last }, (_, i) =>
      classes === 0 ? [i] : [i, last],
    );
  return blocks.flatMap((_, i) => Array.from({ length: last - i }, (_, k) => [i, i + 1 + k]));
}

export interface LevelTally {
  readonly blocks: readonly LevelBlock[];
  readonly margins: Float64Array;
  readonly classCounts: Float64Array;
  readonly classTables: Float64Array;
  readonly pairTables?: Float64Array;
  /** Adds the table of `blockTables`; with two blocks the first is by rows. */
  add(table: readonly number[], counts: Float64Array): void;
}

/** Sums the tables of blocks in the layout of `LevelCounts`. */
export function levelTally(
  layout: LevelLayout,
  blocks: readonly LevelBlock[],
  classes: number,
  pairs: boolean,
): LevelTally {
  const { levels, before, starts, pairAt } = layout;
  const d = levels.length;
  const margins = new Float64Array(before[d]);
  const classCounts = new Float64Array(classes);
  const classTables = new Float64Array(before[d] * classes);
  const pairTables = pairs ? new Float64Array(starts[d]) : undefined;
  const levelsOf = (v: number): number => (v === d ? classes : levels[v]);
  /** u < v. */
  const tableOf = (u: number, v: number): Float64Array | undefined =>
    v === d
      ? classTables.subarray(before[u] * classes, before[u + 1] * classes)
      : pairTables?.subarray(pairAt(u, v), pairAt(u, v) + levels[u] * levels[v]);
  const seen = new Set<number>();
  const addBlock = (block: LevelBlock, counts: Float64Array): void => {
    block.variables.forEach((u, p) => {
      const level = levelIn(block, p, levelsOf(u));
      const own = u === d ? classCounts : margins.subarray(before[u], before[u + 1]);
      counts.forEach((count, a) => (own[level(a)] += count));
      block.variables.slice(p + 1).forEach((v, q) => {
        const table = tableOf(u, v);
        const other = levelIn(block, p + 1 + q, levelsOf(v));
        if (table) counts.forEach((count, a) => (table[level(a) * levelsOf(v) + other(a)] += count));
      });
    });
  };
  return {
    blocks,
    margins,
    classCounts,
    classTables,
    ...(pairTables && { pairTables }),
    add(numbers, counts) {
      const [first, second] = numbers.map((i) => blocks[i]);
      const cols = second?.levels ?? 1;
      const sums = [new Float64Array(first.levels), new Float64Array(cols)];
      counts.forEach((count, p) => {
        sums[0][Math.floor(p / cols)] += count;
        sums[1][p % cols] += count;
      });
      numbers.forEach((i, side) => {
        if (!seen.has(i)) addBlock(blocks[i], sums[side]);
        seen.add(i);
      });
      if (second === undefined) return;
      first.variables.forEach((u, p) => {
        const level = levelIn(first, p, levelsOf(u));
        second.variables.forEach((v, q) => {
          const table = tableOf(u, v)!;
          const width = levelsOf(v);
          const other = levelIn(second, q, width);
          for (let a = 0, at = 0; a < first.levels; a++) {
            const row = level(a) * width;
            for (let b = 0; b < cols; b++, at++) if (counts[at] > 0) table[row + other(b)] += counts[at];
          }
        });
      });
    },
  };
}

/** The level of variable p of a block in a combination. */
function levelIn({ weights }: LevelBlock, p: number, levels: number): (combination: number) => number {
  const weight = weights[p];
  return (combination) => Math.floor(combination / weight) % levels;
}

/** The table of one or two blocks, the first by rows. */
interface BlockTable {
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
