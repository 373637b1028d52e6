import { cellText, type Column } from "../data/index.ts";
import { codedTexts } from "../data/internal.ts";

/** A column of this table as numbers; NaN if missing, everywhere if the column does not exist. */
export function numbersOf(column: Column | undefined, rows: number): Float64Array {
  if (column?.values !== undefined) {
    const { values } = column;
    const infinite = values.some((value) => value === Infinity || value === -Infinity);
    return infinite ? values.map((value) => (Number.isFinite(value) ? value : Number.NaN)) : values;
  }
  const out = new Float64Array(rows).fill(Number.NaN);
  if (column?.codes !== undefined && column.levels !== undefined) {
    const numbers = column.levels.map((level) => (level.trim() === "" ? Number.NaN : Number(level)));
    for (let i = 0; i < rows; i++) if (column.codes[i] >= 0) out[i] = numbers[column.codes[i]];
  } else if (column?.cells !== undefined) {
    for (let i = 0; i < rows; i++) if (column.cells[i].trim() !== "") out[i] = Number(column.cells[i]);
  }
  for (let i = 0; i < rows; i++) if (!Number.isFinite(out[i])) out[i] = Number.NaN;
  return out;
}

/** A column of this table as levels and the index of each row's level, -1 if missing. */
export function levelsOf(
  column: Column | undefined,
  rows: number,
): { levels: readonly string[]; codes: Int32Array } {
  if (column?.codes !== undefined && column.levels !== undefined) {
    return { levels: column.levels, codes: column.codes };
  }
  const { texts, codes } = codedTexts(Array.from({ length: rows }, (_, i) => textOf(column)(i)));
  return { levels: texts, codes };
}

/** The cells as text, "" where missing. */
export function textOf(column: Column | undefined): (row: number) => string {
  return (row) => (column === undefined ? "" : cellText(column, row));
}

/** Days from one date to another in each row; NaN if one of them is missing. */
export function daysBetween(
  earlier: Column | undefined,
  later: Column | undefined,
  rows: number,
): Float64Array {
  const from = numbersOf(earlier, rows);
  return numbersOf(later, rows).map((day, i) => day - from[i]);
}
