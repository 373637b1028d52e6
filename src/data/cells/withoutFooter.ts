import { note } from "../../core/internal.ts";
import { amountParts, amountValue } from "../kinds/amount.ts";
import { takeRawRows, type RawColumn, type RawTable } from "./rawColumn.ts";

const TOTAL =
  /^(?:grand |sub ?)?totals?\b|^(?:sum|summe|gesamt|insgesamt|average|avg|mean|mittelwert|totaal|totale|median|minimum|min|maximum|max|std|sd|stdev|count)\b/i;
const MOST_LINES = 8;

/**
 * Removes the summary lines below a table: they begin with a word such as "Total", and have few cells or repeat
 * the sum, the mean or another figure of the columns above.
 */
export function withoutFooter(table: RawTable): RawTable {
  const { columns, rows, notes, source, decimal = "." } = table;
  if (columns.length < 3) return table;
  let first = rows;
  while (first > 1 && rows - first < MOST_LINES && beginsAsTotal(columns, first - 1)) first--;
  let kept = rows;
  while (kept > first && (hasFewCells(columns, kept - 1) || sumsUp(columns, first, kept - 1, decimal)))
    kept--;
  if (kept === rows) return table;
  const left = rows - kept;
  const own = Int32Array.from({ length: kept }, (_, i) => i);
  const word = textAt(columns[firstCell(columns, kept)], kept);
  const message =
    left === 1
      ? `the last line sums up the table ("${word}") and is left out`
      : `the last ${left} lines sum up the table ("${word}") and are left out`;
  return {
    ...table,
    rows: kept,
    columns: columns.map((column) => takeRawRows(column, own)),
    notes: [...notes, note("footer", message, { file: source, row: kept + 1 })],
  };
}

function beginsAsTotal(columns: readonly RawColumn[], row: number): boolean {
  const first = firstCell(columns, row);
  return (first === 0 || first === 1) && TOTAL.test(textAt(columns[first], row));
}

function hasFewCells(columns: readonly RawColumn[], row: number): boolean {
  return columns.filter((column) => hasCell(column, row)).length <= columns.length / 2;
}

/** Whether nearly all numbers of a row are figures of the `rows` rows above, up to rounding. */
function sumsUp(columns: readonly RawColumn[], rows: number, row: number, decimal: "." | ","): boolean {
  let [numbers, figures] = [0, 0];
  for (const column of columns) {
    const value = amountAt(column, row, decimal);
    if (value !== value) continue;
    numbers++;
    if (isFigure(value, amountsOf(column, rows, decimal))) figures++;
  }
  return numbers > 0 && figures >= 0.8 * numbers;
}

/** The number of a cell, also one with a decimal comma, a currency or a unit; NaN if there is none. */
function amountAt({ numbers, codes, texts }: RawColumn, row: number, decimal: "." | ","): number {
  const value = numbers?.[row] ?? Number.NaN;
  const code = codes?.[row] ?? -1;
  return value === value || code < 0 ? value : amountOf(texts![code], decimal);
}

function amountsOf({ numbers, codes, texts }: RawColumn, rows: number, decimal: "." | ","): Float64Array {
  if (codes === undefined) return numbers!.subarray(0, rows);
  const read = texts!.map((text) => amountOf(text, decimal));
  return Float64Array.from({ length: rows }, (_, i) =>
    codes[i] < 0 ? (numbers?.[i] ?? Number.NaN) : read[codes[i]],
  );
}

function amountOf(text: string, decimal: "." | ","): number {
  const parts = amountParts(text);
  return (parts && amountValue(parts, decimal)) ?? Number.NaN;
}

/** A value is within rounding of the sum, mean, median, least, largest, standard deviation or count of others. */
function isFigure(value: number, others: Float64Array): boolean {
  const known = others.filter((other) => other === other).sort();
  const n = known.length;
  if (n < 2) return false;
  const sum = known.reduce((a, b) => a + b, 0);
  const deviation = Math.sqrt(known.reduce((a, b) => a + (b - sum / n) ** 2, 0) / (n - 1));
  const figures = [sum, sum / n, known[n >> 1], known[0], known[n - 1], deviation, n];
  return figures.some(
    (figure) =>
      Math.abs(value - figure) <= 0.05 * deviation || Math.abs(value - figure) <= 1e-3 * Math.abs(figure),
  );
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
