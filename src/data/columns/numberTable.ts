import { isSparse, toDense, type Matrix } from "../../matrix/index.ts";
import { isWrittenAlike } from "../binary/wholeNumbers.ts";
import { codedTexts } from "../cells/rawColumn.ts";
import type { NumberTable, TextColumn } from "../table.ts";
import type { Column, ColumnRole, Table } from "./column.ts";

/** A table of numbers with its columns of text. */
export function numberTable(numbers: NumberTable): Table {
  const { X, names, source, notes } = numbers;
  const table = matrixTable(isSparse(X) ? toDense(X) : X, names, source);
  return {
    ...table,
    columns: [...table.columns, ...textColumns(numbers)],
    notes: notes.map((message) => ({ code: "reading", message })),
  };
}

/** The columns of text that stay beside numbers: known classes, names and groups of the rows. */
export function textColumns({ label, ids, batch }: NumberTable): Column[] {
  return [
    ...(label === undefined ? [] : [textColumn(label, "classes", "known classes")]),
    ...(ids === undefined ? [] : [textColumn(ids, "names", "names the rows")]),
    ...(batch === undefined ? [] : [textColumn(batch, "groups", "groups of rows")]),
  ];
}

/** A column of text with its levels. */
function textColumn({ name, values }: TextColumn, role: ColumnRole, why: string): Column {
  const kind = role === "names" ? "id" : "category";
  const shared: Column = {
    name,
    kind,
    why,
    role,
    reading: {},
    cells: values,
    missing: values.filter((text) => text === "").length,
  };
  if (kind === "id") return shared;
  const { texts: levels, codes } = codedTexts(values);
  return { ...shared, levels, codes };
}

export function matrixTable(
  { rows, cols, data }: Matrix,
  names: readonly string[] = Array.from({ length: cols }, (_, f) => `c${f}`),
  source: string = "the data",
): Table {
  const columns = names.map((name, f): Column => {
    const values = Float64Array.from({ length: rows }, (_, i) => numberOf(data[i * cols + f]) ?? Number.NaN);
    return numberColumn(name, values);
  });
  return { source, rows, columns, notes: [] };
}

export function numberColumn(name: string, values: Float64Array): Column {
  const missing = values.reduce((count, value) => count + (Number.isNaN(value) ? 1 : 0), 0);
  return { name, kind: "number", why: "given as numbers", reading: {}, missing, values };
}

/** A number, NaN if it is missing or not finite; undefined if the value is none. */
export function numberOf(value: unknown): number | undefined {
  if (value === null || value === undefined) return Number.NaN;
  if (typeof value === "bigint" && !isWrittenAlike(value)) return undefined;
  if (typeof value !== "number" && typeof value !== "bigint") return undefined;
  return Number.isFinite(Number(value)) ? Number(value) : Number.NaN;
}
