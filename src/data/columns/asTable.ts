import { inputError, plural, requireOptions, resolveOptions } from "../../core/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import type { NumberTable } from "../table.ts";
import { memoryLimit } from "../cells/memoryLimit.ts";
import { rowGatherer } from "../json/rowGatherer.ts";
import type { Table } from "./column.ts";
import { matrixTable, numberColumn, numberOf, numberTable } from "./numberTable.ts";
import { typeTable, TYPING_RULES, type TypingOptions } from "./typeTable.ts";

/** Rows that a program has: a table, a table of numbers, a matrix, rows of numbers, or objects. */
export type Rows = Table | NumberTable | Matrix | ArrayLike<ArrayLike<number>> | readonly object[];

/**
 * Rows of a program as a table. The values of objects are read like the cells of a JSON file: texts may be dates,
 * amounts or ids.
 *
 *     asTable([{ id: "C1", joined: "2024-03-01", spend: "$12.50" }], { as: { id: "ignore" } });
 *
 * @param options how the properties of objects are read
 */
export function asTable(rows: Rows, options: TypingOptions = {}): Table {
  requireOptions("asTable", options);
  return tableOf(rows, "asTable", resolveOptions("asTable", options, TYPING_RULES));
}

/** @param who the function that was given the rows, for its errors */
export function tableOf(rows: Rows, who: string, options: TypingOptions = {}): Table {
  if (typeof rows !== "object" || rows === null) {
    const file = typeof rows === "string" ? "; readTable reads a file" : "";
    throw inputError(
      `${who} takes a table, a matrix or an array of rows, got ${rows === null ? "null" : typeof rows}${file}`,
    );
  }
  if (rows instanceof Promise) throw inputError(`${who} takes a table, not a promise of one; await it`);
  if ("columns" in rows && Array.isArray(rows.columns) && "rows" in rows) return rows as Table;
  if ("X" in rows && "names" in rows) return numberTable(rows as NumberTable);
  if ("data" in rows && "cols" in rows) return matrixTable(requireShape(rows as Matrix, who));
  if (Array.isArray(rows) && rows.length > 0 && !isList(rows[0])) return fromObjects(rows, who, options);
  if ("length" in rows) return matrixTable(fromLists(rows as ArrayLike<unknown>, who));
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
      throw inputError(`${who}: row ${i} has ${plural(row.length, "value")}, but row 0 has ${cols}`);
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

function told(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "string") return `the text ${JSON.stringify(value.slice(0, 40))}`;
  return value === null || typeof value === "bigint" ? String(value) : `of type ${typeof value}`;
}

function fromObjects(rows: readonly unknown[], who: string, options: TypingOptions): Table {
  // `findIndex` sees the holes of an array, too.
  const odd = rows.findIndex((row) => typeof row !== "object" || row === null || isList(row));
  if (odd >= 0) {
    throw inputError(
      `${who}: row ${odd} is ${isList(rows[odd]) ? "an array" : told(rows[odd])}; ` +
        "rows are arrays of numbers, or objects with a value for each column",
    );
  }
  const gathered = rowGatherer("the data", { memory: memoryLimit() });
  rows.forEach((row, i) => gathered.add(row, `row ${i}`));
  const raw = gathered.finish();
  if (raw.columns.length === 0) throw inputError(`${who}: the rows are objects without properties`);
  const { notes, ...table } = typeTable(raw, options);
  const given = new Map(raw.columns.map((column) => [column.name, column] as const));
  const changed = new Set<string>();
  const columns = table.columns.map((column) => {
    const { name, kind, reading } = column;
    // In a file 0, 1, 2 may be levels. A program's numbers are numbers, unless they are ids, codes or dates.
    const levels = kind === "ordered" || (kind === "category" && reading.form !== "code");
    if (!levels || options.as?.[name] !== undefined) return column;
    const { numbers, texts } = given.get(name)!;
    if (numbers === undefined || texts !== undefined) return column;
    changed.add(name);
    return numberColumn(name, numbers);
  });
  return { ...table, columns, notes: notes.filter((note) => !changed.has(note.column ?? "")) };
}
