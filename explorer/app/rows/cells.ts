import { cellText, type Column } from "kindred/data";
import { table } from "../known.ts";

const LINES = 6;
const LONGEST = 48;
/** The most recognisable cells come first: names and texts, then other words, then numbers. */
const ORDER: Readonly<Record<string, number>> = {
  id: 0,
  text: 1,
  category: 2,
  ordered: 3,
  date: 4,
  number: 5,
};

/** A cell for people: numbers without rounding noise, long texts in full. */
export function cellWords(column: Column, row: number): string {
  const { values, cells, levels, kind, reading } = column;
  if (kind === "number" && values !== undefined && cells === undefined && levels === undefined) {
    const value = values[row];
    if (Number.isNaN(value)) return "";
    const unit = reading.unit === undefined ? "" : ` ${reading.unit}`;
    return `${Number(value.toPrecision(6))}${unit}`;
  }
  return cellText(column, row);
}

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 });

/** A value between the cells of a column, such as an end of its histogram. */
export function valueWords({ kind, reading }: Column, value: number): string {
  const written = kind !== "date" || reading.form === "clock" || reading.form === "duration";
  return written ? COMPACT.format(value) : new Date(value * 86_400_000).toISOString().slice(0, 10);
}

export function clipped(text: string, length: number = LONGEST): string {
  const letters = [...text];
  return letters.length <= length ? text : `${letters.slice(0, length - 1).join("")}…`;
}

/** Columns in the order in which people recognise a row. */
export function tellingColumns(columns: readonly Column[]): Column[] {
  return columns
    .filter(({ kind }) => kind in ORDER)
    .map((column, place) => ({ column, place }))
    .sort((a, b) => ORDER[a.column.kind] - ORDER[b.column.kind] || a.place - b.place)
    .map(({ column }) => column);
}

/** A few lines about a row. */
export function rowWords(row: number): string[] {
  const rows = table.value;
  if (rows === undefined) return [];
  return tellingColumns(rows.columns)
    .filter(({ name }) => name !== rows.id && name !== rows.label)
    .slice(0, LINES)
    .map((column) => clipped(`${column.name}: ${cellWords(column, row) || "missing"}`));
}
