import type { Column } from "../data/index.ts";
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
  if (column?.cells !== undefined) {
    const { cells } = column;
    return (row) => cells[row];
  }
  if (column?.codes !== undefined && column.levels !== undefined) {
    const { codes, levels } = column;
    return (row) => (codes[row] < 0 ? "" : levels[codes[row]]);
  }
  const values = column?.values;
  return (row) => (values === undefined || Number.isNaN(values[row]) ? "" : String(values[row]));
}

/** Whether a row of the column is missing. */
export function missingTest(column: Column | undefined): (row: number) => boolean {
  if (column === undefined || column.kind === "empty") return () => true;
  if (column.codes !== undefined) {
    const { codes } = column;
    return (row) => codes[row] < 0;
  }
  if (column.vectors !== undefined) {
    const { data, cols } = column.vectors;
    return (row) => {
      for (let p = row * cols; p < (row + 1) * cols; p++) if (!Number.isFinite(data[p])) return true;
      return cols === 0;
    };
  }
  if (column.values !== undefined) {
    const { values } = column;
    return (row) => !Number.isFinite(values[row]);
  }
  const cells = column.cells;
  return (row) => cells === undefined || cells[row] === "";
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
