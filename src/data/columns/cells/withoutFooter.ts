import { note } from "../../../core/notes.ts";
import type { RawColumn, RawTable } from "./rawColumn.ts";
import { takeRawRows } from "./takeRawRows.ts";

const TOTAL =
  /^(?:grand |sub ?)?totals?\b|^(?:sum|summe|gesamt|insgesamt|average|mean|mittelwert|totaal|totale)\b/i;
const MOST_LINES = 3;

/** Removes the summary lines below a table: they begin with a word such as "Total", and have few cells. */
export function withoutFooter(table: RawTable): RawTable {
  const { columns, rows, notes, source } = table;
  if (columns.length < 3) return table;
  let kept = rows;
  while (kept > 1 && rows - kept < MOST_LINES && isFooter(columns, kept - 1)) kept--;
  if (kept === rows) return table;
  const left = rows - kept;
  const own = Int32Array.from({ length: kept }, (_, i) => i);
  const message = `${left === 1 ? "the last line is" : `the last ${left} lines are`} no row of the table but sums it up ("${textAt(columns[firstCell(columns, kept)], kept)}"), and left out`;
  return {
    ...table,
    rows: kept,
    columns: columns.map((column) => takeRawRows(column, own)),
    notes: [...notes, note("footer", message, { file: source, row: kept + 1 })],
  };
}

function isFooter(columns: readonly RawColumn[], row: number): boolean {
  const first = firstCell(columns, row);
  if (first < 0 || first > 1 || !TOTAL.test(textAt(columns[first], row))) return false;
  return columns.filter((column) => hasCell(column, row)).length <= columns.length / 2;
}

function firstCell(columns: readonly RawColumn[], row: number): number {
  return columns.findIndex((column) => hasCell(column, row));
}

function hasCell({ numbers, codes, vectors, dimensions = 0 }: RawColumn, row: number): boolean {
  const isNumber = (value: number | undefined): boolean => value !== undefined && value === value;
  return isNumber(numbers?.[row]) || (codes?.[row] ?? -1) >= 0 || isNumber(vectors?.[row * dimensions]);
}

function textAt({ codes, texts }: RawColumn, row: number): string {
  return texts?.[codes?.[row] ?? -1] ?? "";
}
