import { inputError } from "../core/errors.ts";
import type { Column, Table } from "../data/columns/column.ts";
import type { NumberTable } from "../data/index.ts";
import { fromRows, toDense } from "../matrix/index.ts";
import type { Matrix } from "../matrix/matrix.ts";
import { isSparse } from "../matrix/sparse.ts";

/** The input of `cluster` and `compare`: a table, a table of numbers, a matrix or an array of rows. */
export type Rows = Table | NumberTable | Matrix | ArrayLike<ArrayLike<number>> | readonly object[];

export function asTable(rows: Rows, who: string): Table {
  if (typeof rows !== "object" || rows === null) {
    throw inputError(
      `${who} takes a table, a matrix or an array of rows, got ${rows === null ? "null" : typeof rows}`,
    );
  }
  if ("columns" in rows && Array.isArray(rows.columns) && "rows" in rows) return rows as Table;
  if ("X" in rows && "names" in rows) return numberTable(rows as NumberTable);
  if ("data" in rows && "cols" in rows) return fromMatrix(rows as Matrix);
  if (Array.isArray(rows) && rows.length > 0 && !isListOfNumbers(rows[0]))
    return fromObjects(rows as object[], who);
  if ("length" in rows) return fromMatrix(fromRows(rows as ArrayLike<ArrayLike<number>>));
  throw inputError(
    `${who} takes a table, a matrix or an array of rows, got an object with ${Object.keys(rows).slice(0, 5).join(", ")}`,
  );
}

const isListOfNumbers = (value: unknown): boolean =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value);

function numberTable(numbers: NumberTable): Table {
  const { X, names, source, notes } = numbers;
  const table = fromMatrix(isSparse(X) ? toDense(X) : X, names, source);
  return {
    ...table,
    columns: [...table.columns, ...textColumns(numbers)],
    notes: notes.map((message) => ({ code: "reading", message })),
  };
}

/** The columns of text that stay beside numbers: known classes, names and groups of the rows. */
export function textColumns({ label, ids, batch }: NumberTable): Column[] {
  return [
    ...(label === undefined ? [] : [textColumn(label.name, label.values, "category", KNOWN_CLASSES)]),
    ...(ids === undefined ? [] : [textColumn(ids.name, ids.values, "id", NAMES_ROWS)]),
    ...(batch === undefined ? [] : [textColumn(batch.name, batch.values, "category", "groups of rows")]),
  ];
}

/** Why a column is set aside, from readers that know its role. */
export const KNOWN_CLASSES = "known classes";
export const NAMES_ROWS = "names the rows";

/** A column of text with its levels. */
function textColumn(name: string, values: readonly string[], kind: "category" | "id", why: string): Column {
  const shared = {
    name,
    kind,
    why,
    reading: {},
    cells: values,
    missing: values.filter((text) => text === "").length,
  };
  if (kind === "id") return shared;
  const levels = [...new Set(values.filter((text) => text !== ""))];
  const places = new Map(levels.map((level, place) => [level, place] as const));
  return { ...shared, levels, codes: Int32Array.from(values, (text) => places.get(text) ?? -1) };
}

function fromMatrix(
  { rows, cols, data }: Matrix,
  names: readonly string[] = Array.from({ length: cols }, (_, f) => `c${f}`),
  source: string = "the data",
): Table {
  const columns = names.map((name, f): Column => {
    const values = Float64Array.from({ length: rows }, (_, i) => data[i * cols + f]);
    const missing = values.reduce((count, value) => count + (Number.isNaN(value) ? 1 : 0), 0);
    return { name, kind: "number", why: "given as numbers", reading: {}, missing, values };
  });
  return { source, rows, columns, notes: [] };
}

function fromObjects(rows: readonly object[], who: string): Table {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (names.length === 0) throw inputError(`${who}: the rows are objects without properties`);
  const columns = names.map((name): Column => {
    const values = rows.map((row) => (row as Record<string, unknown>)[name]);
    if (values.every((value) => value === null || value === undefined || typeof value === "number")) {
      const numbers = Float64Array.from(values, (value) => (value as number | null) ?? Number.NaN);
      const missing = numbers.reduce((count, value) => count + (Number.isNaN(value) ? 1 : 0), 0);
      return { name, kind: "number", why: "given as numbers", reading: {}, missing, values: numbers };
    }
    const texts = values.map((value) =>
      value === null || value === undefined ? "" : String(value as string),
    );
    return textColumn(name, texts, "category", "given as text");
  });
  return { source: "the data", rows: rows.length, columns, notes: [] };
}
