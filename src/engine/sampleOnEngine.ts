/**
 * A uniform sample of the rows of a table, with all their columns. A row is drawn if a hash of it and the
 * seed is below the share, so the draw does not depend on order, partition or number of threads. Equal rows
 * are then drawn together or not at all; if the number of rows shows this (by six standard deviations), the
 * engine draws with its own random numbers.
 */

import { double } from "../core/internal.ts";
import { answer, countOf, type EngineBatch } from "./engine.ts";
import { noRows, type EngineTable } from "./engineTable.ts";
import { U } from "./cluster/enginePasses.ts";

export interface EngineSample {
  /** The FROM clause for drawing it again. */
  readonly from: string;
  readonly drawn: EngineBatch;
  /** Rows of the whole table. */
  readonly rows: number;
}

export async function sampleOnEngine(
  table: EngineTable,
  { rows: size, seed = 0 }: { readonly rows: number; readonly seed?: number },
): Promise<EngineSample> {
  const { engine, from } = table;
  const { dialect } = engine;
  const rows = await countOf(table);
  if (rows === 0) throw noRows(table, 0);
  if (rows <= size) return { from, drawn: await answer(engine, `select * from ${from}`), rows };
  const share = size / rows;
  const number = `${dialect.uniform([dialect.wholeRow], seed)} as ${U}`;
  const hashed = `(select *, ${number} from ${from}) as kindred_drawn`;
  const byHash = `(select * from ${hashed} where ${U} < ${double(share)}) as kindred_sample`;
  const found = inOrder(await answer(engine, `select * from ${byHash}`));
  if (Math.abs(found.rows - size) <= 6 * Math.sqrt(size)) return { from: byHash, drawn: found, rows };
  const percent = (100 * share).toFixed(12);
  const byChance =
    dialect.engine === "duckdb"
      ? `(select * from ${from} using sample ${percent} percent (bernoulli, ${seed})) as kindred_sample`
      : `(select * from (select * from ${from}) tablesample (${percent} percent) repeatable (${seed})) as kindred_sample`;
  return { from: byChance, drawn: await answer(engine, `select * from ${byChance}`), rows };
}

/** Names in one statement. */
const NAMES = 1000;

/** The rows whose ids are among these names, but for those that were drawn. */
export async function namedOnEngine(
  { engine, from, idText }: EngineTable,
  { id, names }: { readonly id: string; readonly names: ReadonlySet<string> },
  { names: columns, columns: cells }: EngineBatch,
): Promise<EngineBatch[]> {
  const drawn = new Set(Array.from(cells[columns.indexOf(id)] as ArrayLike<unknown>, String));
  const sought = [...names].filter((name) => !drawn.has(name));
  const found: EngineBatch[] = [];
  for (let first = 0; first < sought.length; first += NAMES) {
    const listed = sought.slice(first, first + NAMES).map((name) => engine.dialect.text(name));
    found.push(await answer(engine, `select * from ${from} where ${idText} in (${listed.join(", ")})`));
  }
  return found.filter(({ rows }) => rows > 0);
}

/** Rows ordered by their random numbers, which are left out, so the order of the table does not matter. */
function inOrder({ names, rows, columns }: EngineBatch): EngineBatch {
  const at = names.indexOf(U);
  if (at < 0) return { names, rows, columns };
  const key = columns[at] as Float64Array;
  const order = Array.from({ length: rows }, (_, i) => i).sort((i, j) => key[i] - key[j]);
  return {
    names: names.filter((_, j) => j !== at),
    rows,
    columns: columns
      .filter((_, j) => j !== at)
      .map((column) =>
        column instanceof Float64Array
          ? Float64Array.from(order, (i) => column[i])
          : order.map((i) => column[i]),
      ),
  };
}
