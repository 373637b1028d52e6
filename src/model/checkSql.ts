/** What all rows of a table show beyond the training sample of a model, as one counting query. */
import { double } from "../core/internal.ts";
import { numbersBeside } from "../data/internal.ts";
import type { ClusteringData } from "./modelForm.ts";
import { cellStep, levelCell, usedCells } from "./featureSql.ts";
import { DIALECTS, type SqlDialect } from "./sqlDialect.ts";

export interface CheckSql {
  /** One row of counts, one for each of `counted`. */
  readonly query: string;
  /** Cells that are not values of the column's kind, or have an unknown level. */
  readonly counted: readonly { readonly column: string; readonly what: "unread" | "unknown" }[];
  /** The unknown levels of a column, with their counts. */
  unknown(column: string): string;
}

/** Undefined if no column of the model could be read differently. */
export function checkSql(
  { space, columns }: Pick<ClusteringData, "space" | "columns">,
  dialect: Exclude<SqlDialect, "postgres">,
  table: string,
): CheckSql | undefined {
  if (space.kind !== "features") return undefined;
  const sql = DIALECTS[dialect];
  const cells = cellStep(space.record, sql, columns);
  const used = usedCells(space.record);
  if (used.size === 0) return undefined;
  const from = `(select t.*, ${cells.columns.join(", ")} from ${table} as t) as kindred_cells`;
  const kindOf = (column: string): string | undefined => columns.find(({ name }) => name === column)?.kind;
  const levelsOf = (column: string): readonly string[] =>
    columns.find(({ name }) => name === column)?.reading.levels ?? used.get(column)!;
  const unknown = (column: string): string => {
    const levels = levelsOf(column);
    const cell = levelCell(column, sql);
    const beside = kindOf(column) === "ordered" ? numbersBeside(levels) : undefined;
    const read =
      beside === undefined
        ? ""
        : ` and not coalesce(${sql.numberOf(cell)} between ${double(beside.least)} and ${double(beside.most)}, false)`;
    return `${cell} not in (${levels.map((level) => sql.text(level)).join(", ")})${read}`;
  };
  const counted = Array.from(used, ([column, levels]) => ({
    column,
    what: levels === undefined ? ("unread" as const) : ("unknown" as const),
  }));
  const tests = counted.map(({ column, what }) => {
    if (what === "unknown") return unknown(column);
    const cell = sql.name(column);
    return `${cell} is not null and ${sql.numberOf(cell)} is null`;
  });
  const counts = tests.map((test, k) => `sum(case when ${test} then 1 else 0 end) as kindred_n${k}`);
  return {
    query: `select ${counts.join(", ")} from ${from}`,
    counted,
    unknown: (column) =>
      `select ${levelCell(column, sql)} as kindred_level, count(*) as kindred_n from ${from} where ${unknown(column)} ` +
      `group by ${levelCell(column, sql)} order by count(*) desc, ${levelCell(column, sql)} limit 20`,
  };
}
