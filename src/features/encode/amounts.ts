import type { Column, Table } from "../../data/index.ts";
import { numbersOf } from "../columnCells.ts";
import type { Candidate } from "./candidates.ts";

/**
 * Amounts that are often 0: money spent in a department, rain, visits. Whether there is any and how much there is are
 * two features (two-part model, Cragg 1971): a mark, which counts as it is related to other columns, and the amount where it is
 * not 0. As one number, the zeros lie far from most others and look like a cluster.
 */
export function amountColumns(table: Table, chosen: ReadonlySet<string>): Column[] {
  const used = table.columns.filter(
    ({ name, kind }) => chosen.has(name) && kind !== "id" && kind !== "constant" && kind !== "empty",
  );
  if (used.length < 2 || used.length > MOST_COLUMNS) return [];
  return used.filter((column) => column.kind === "number" && isAmount(numbersOf(column, table.rows)));
}

/** Rows of more columns are mostly counts of words or pixels: their zeros are numbers like others. */
const MOST_COLUMNS = 50;
const LEAST_ZEROS = 10;
const LEAST_SHARE = 0.1;
/** Number of other values, and the frequency of 0 relative to the most frequent of them. */
const VALUES = 10;
const TIMES = 2;

/** Whether 0 is the smallest number and too frequent for one of a smooth or rounded distribution. */
function isAmount(values: Float64Array): boolean {
  const counts = new Map<number, number>();
  let present = 0;
  for (const value of values) {
    if (value < 0) return false;
    if (Number.isNaN(value)) continue;
    present++;
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const zeros = counts.get(0) ?? 0;
  if (zeros < LEAST_ZEROS || zeros < LEAST_SHARE * present || counts.size <= VALUES) return false;
  counts.delete(0);
  for (const count of counts.values()) if (zeros < TIMES * count) return false;
  return true;
}

/** A mark for each amount: 1 where it is 0. `alone`: amounts of which there is no other feature. */
export function zeroMarks(amounts: readonly Column[], rows: number, alone: ReadonlySet<string>): Candidate[] {
  return amounts.map((column) => {
    const { name, kind } = column;
    const share = numbersOf(column, rows).reduce((sum, value) => sum + (value === 0 ? 1 : 0), 0) / rows;
    const spread = Math.sqrt(share * (1 - share)) || 1;
    const label = `zero: ${name}`;
    const became = "mark where 0";
    const encoding = { form: "mark", share, spread } as const;
    return { column: name, kind, label, names: [label], encoding, became, share: Number(alone.has(name)) };
  });
}
