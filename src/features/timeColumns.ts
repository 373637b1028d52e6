import type { Column, Table } from "../data/index.ts";
import { daysBetween } from "./columnCells.ts";
import { quantile } from "./encode/quantile.ts";
import type { FeatureRecord } from "./featureRecord.ts";

/** The times between dates that a record uses, as columns of a table: "days from ordered to shipped". */
export function timeColumns({ parts }: FeatureRecord, table: Table): Column[] {
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  return parts.flatMap(({ column, encoding }): Column | [] => {
    const since = encoding.form === "number" ? encoding.since : undefined;
    if (since === undefined || !byName.has(since) || !byName.has(column)) return [];
    const days = daysBetween(byName.get(since), byName.get(column), table.rows);
    const present = days.filter((value) => !Number.isNaN(value));
    const sizes = present.map(Math.abs).sort();
    const middle = sizes.length === 0 ? 0 : quantile(sizes, 0.5);
    const whole = present.every((value) => Number.isInteger(value));
    const [unit, length] = UNITS.find(([name, , from]) => middle >= from || (whole && name === "days"))!;
    return {
      name: `${unit} from ${since} to ${column}`,
      kind: "number",
      why: "the time between two dates",
      reading: { form: BETWEEN },
      missing: table.rows - present.length,
      values: days.map((value) => value / length),
    };
  });
}

/** The form of such a column. */
export const BETWEEN = "between";
/** Units, their days, and the median in days from which they are used. */
const UNITS: readonly (readonly [string, number, number])[] = [
  ["years", 365.2425, 1096],
  ["days", 1, 2],
  ["hours", 1 / 24, 2 / 24],
  ["minutes", 1 / 1440, 0],
];
