import { inputError } from "../core/errors.ts";
import type { Column, Table } from "../data/columns/column.ts";
import { isWrittenAlike } from "../data/binary/wholeNumbers.ts";
import type { NumberTable } from "../data/index.ts";
import { toDense } from "../matrix/index.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { isSparse } from "../matrix/sparse.ts";

/** The input of `cluster` and `compare`: a table, a table of numbers, a matrix or an array of rows. */
export type Rows = Table | NumberTable | Matrix | ArrayLike<ArrayLike<number>> | readonly object[];

export function asTable(rows: Rows, who: string = "asTable"): Table {
  if (typeof rows !== "object" || rows === null) {
    throw inputError(
      `${who} takes a table, a matrix or an array of rows, got ${rows === null ? "null" : typeof rows}`,
    );
  }
  if (rows instanceof Promise) throw inputError(`${who} takes a table, not a promise of one; await it`);
  if ("columns" in rows && Array.isArray(rows.columns) && "rows" in rows) return rows as Table;
  if ("X" in rows && "names" in rows) return numberTable(rows as NumberTable);
  if ("data" in rows && "cols" in rows) return fromMatrix(requireShape(rows as Matrix, who));
  if (Array.isArray(rows) && rows.length > 0 && !isList(rows[0])) return fromObjects(rows, who);
  if ("length" in rows) return fromMatrix(fromLists(rows as ArrayLike<unknown>, who));
  throw inputError(
    `${who} takes a table, a matrix or an array of rows, got an object with ${Object.keys(rows).slice(0, 5).join(", ")}`,
  );
}

const isList = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && "length" in value);

function requireShape(given: Matrix, who: string): Matrix {
  const { rows, cols, data } = given;
  const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
  if (isCount(rows) && isCount(cols) && isList(data) && data.length === rows * cols) return given;
  const held = isList(data) ? `${(data as ArrayLike<number>).length} values` : typeof data;
  throw inputError(`${who}: ${String(rows)} x ${String(cols)} rows need as many values, got ${held}`);
}

/** Rows of numbers; null and undefined are missing. */
function fromLists(list: ArrayLike<unknown>, who: string): Matrix {
  const rows = Array.from(list);
  const cols = isList(rows[0]) ? rows[0].length : 0;
  const made = matrix(rows.length, cols);
  rows.forEach((row, i) => {
    if (!isList(row)) throw inputError(`${who}: row ${i} is ${told(row)}, but row 0 is an array`);
    if (row.length !== cols) {
      throw inputError(`${who}: row ${i} has ${row.length} values, but row 0 has ${cols}`);
    }
    for (let f = 0; f < cols; f++) {
      const value = typeof row[f] === "boolean" ? Number(row[f]) : numberOf(row[f]);
      if (value === undefined) {
        throw inputError(
          `${who}: row ${i}, column ${f} (counted from 0) is ${told(row[f])}; ` +
            "rows with other values than numbers are objects, or a table of readTable",
        );
      }
      made.data[i * cols + f] = value;
    }
  });
  return made;
}

/** A number, NaN if it is missing or not finite; undefined if the value is none. */
function numberOf(value: unknown): number | undefined {
  if (value === null || value === undefined) return Number.NaN;
  if (typeof value === "bigint" && !isWrittenAlike(value)) return undefined;
  if (typeof value !== "number" && typeof value !== "bigint") return undefined;
  return Number.isFinite(Number(value)) ? Number(value) : Number.NaN;
}

function told(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "string") return `the text ${JSON.stringify(value.slice(0, 40))}`;
  return value === null || typeof value === "bigint" ? String(value) : `of type ${typeof value}`;
}

/** A table of numbers with its columns of text. */
export function numberTable(numbers: NumberTable): Table {
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
    const values = Float64Array.from({ length: rows }, (_, i) => numberOf(data[i * cols + f]) ?? Number.NaN);
    return withNumbers(name, "number", "given as numbers", {}, values);
  });
  return { source, rows, columns, notes: [] };
}

function fromObjects(rows: readonly unknown[], who: string): Table {
  // `findIndex` sees the holes of an array, too.
  const odd = rows.findIndex((row) => typeof row !== "object" || row === null || isList(row));
  if (odd >= 0) {
    throw inputError(
      `${who}: row ${odd} is ${isList(rows[odd]) ? "an array" : told(rows[odd])}; ` +
        "rows are arrays of numbers, or objects with a value for each column",
    );
  }
  const names = [...new Set(rows.flatMap((row) => Object.keys(row as object)))];
  if (names.length === 0) throw inputError(`${who}: the rows are objects without properties`);
  const columns = names.map((name): Column => {
    const values = rows.map((row) =>
      Object.hasOwn(row as object, name) ? (row as Values)[name] : undefined,
    );
    const numbers = values.map(numberOf);
    if (numbers.every((value) => value !== undefined)) {
      return withNumbers(name, "number", "given as numbers", {}, Float64Array.from(numbers));
    }
    if (values.every((value) => value === null || value === undefined || value instanceof Date)) {
      const days = Float64Array.from(values, (value) =>
        value instanceof Date ? value.getTime() / 86_400_000 : Number.NaN,
      );
      const form = days.every((day) => Number.isNaN(day) || Number.isInteger(day)) ? "day" : "timestamp";
      return withNumbers(name, "date", "given as dates", { form, dateOrder: "ymd" }, days);
    }
    return textColumn(name, values.map(textOf), "category", "given as text");
  });
  return { source: "the data", rows: rows.length, columns, notes: [] };
}

type Values = Readonly<Record<string, unknown>>;

function withNumbers(
  name: string,
  kind: "number" | "date",
  why: string,
  reading: Column["reading"],
  values: Float64Array,
): Column {
  const missing = values.reduce((count, value) => count + (Number.isNaN(value) ? 1 : 0), 0);
  return { name, kind, why, reading, missing, values };
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
