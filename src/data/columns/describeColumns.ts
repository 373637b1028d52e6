import { padded, shortName, textWidth } from "../../core/internal.ts";
import { requireTable, type Column, type Table } from "./column.ts";

/** The decisions about a table, one line per column: its name, its kind, and the reason. */
export function describeColumns(table: Table): string {
  requireTable(table, "describeColumns");
  const header = ["column", "taken as", "why"];
  const rows = table.columns.map((column) => [
    column.name,
    columnWords(column),
    whyWords(column, table.rows),
  ]);
  const widths = header.map((title, j) =>
    Math.min(40, Math.max(title.length, ...rows.map((row) => textWidth(row[j])))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, j) => (j === cells.length - 1 ? cell : padded(shortName(cell, widths[j]), widths[j])))
      .join("  ")
      .trimEnd();
  return [header, ...rows].map(line).join("\n");
}

/** "number, money": the kind of a column and its form, if it has one. */
export function columnWords({ kind, reading }: Column): string {
  const { form, unit } = reading;
  if (form === undefined || form === "day") return kind;
  if (form === "money" || form === "unit") return unit === undefined ? kind : `${kind}, ${unit}`;
  return `${kind}, ${form}`;
}

/** The reason for the kind of a column, and its share of missing cells. */
export function whyWords(column: Column, rows: number): string {
  if (column.missing === 0 || column.kind === "empty") return column.why;
  const share = (100 * column.missing) / rows;
  const shown = share < 1 ? "below 1 %" : share > 99 && share < 100 ? "above 99 %" : `${Math.round(share)} %`;
  return `${column.why}; ${shown} missing`;
}
