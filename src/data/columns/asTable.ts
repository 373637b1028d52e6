import { inputError, rule } from "../../core/internal.ts";
import {
  matrix,
  type ArqueroTable,
  type ArrowTable,
  type Matrix,
  type ShapedNumbers,
} from "../../matrix/index.ts";
import { describeValue, isList, memoryRows, type Grid } from "../../matrix/internal.ts";
import type { NumberTable } from "../table.ts";
import type { RawTable } from "../cells/rawColumn.ts";
import { memoryLimit } from "../files/budget.ts";
import { rowGatherer } from "../json/rowGatherer.ts";
import type { Table } from "./column.ts";
import { matrixTable, numberColumn, numberOf, numberTable } from "./numberTable.ts";
import { typeTable, TYPING_RULES, type TypingOptions } from "./typeTable.ts";

/** Rows that a program has: a table, a table of numbers, a matrix, rows of numbers, objects, or columns by name. */
export type Rows =
  | Table
  | NumberTable
  | Matrix
  | ShapedNumbers
  | ArrowTable
  | ArqueroTable
  | Iterable<ArrayLike<number>>
  | Iterable<object>
  | Readonly<Record<string, ArrayLike<unknown>>>;

/** Rows that arrive one by one. */
export type AsyncRows = AsyncIterable<ArrayLike<number> | object>;

/**
 * Rows of a program as a table. The values of objects are read like the cells of a JSON file: texts may be dates,
 * amounts or ids.
 *
 *     asTable([{ id: "C1", joined: "2024-03-01", spend: "$12.50" }], { as: { id: "ignore" } });
 *
 * @param options how the properties of objects are read
 */
export function asTable(rows: Rows, options: TypingOptions = {}): Table {
  rule.requireOptions("asTable", options);
  return tableOf(rows, "asTable", rule.resolveOptions("asTable", options, TYPING_RULES));
}

/** The same, also of rows that arrive one by one, as from a database. */
export async function arrivedTable(rows: Rows | AsyncRows, who: string): Promise<Table> {
  if (typeof rows !== "object" || rows === null || !(Symbol.asyncIterator in rows)) return tableOf(rows, who);
  const list: object[] = [];
  for await (const row of rows) list.push(row);
  return tableOf(list, who);
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
  const given = memoryRows(rows, who);
  if (given === undefined) {
    throw inputError(
      `${who} takes a table, a matrix or an array of rows, got ${isList(rows) ? "numbers without a shape" : `an object with ${Object.keys(rows).slice(0, 5).join(", ")}`}`,
    );
  }
  if ("at" in given && given.names === undefined) return matrixTable(numbers(given, who));
  const gathered = rowGatherer(
    "the data",
    { memory: memoryLimit() },
    "at" in given ? given.rows : given.rows.length,
  );
  if ("at" in given) {
    const { names, rows: height, at } = given;
    names!.forEach((name, f) => gathered.addColumn(name ?? `c${f}`, height, (i) => at(i, f)));
  } else given.rows.forEach((row, i) => gathered.add(row, `row ${i}`));
  return fromValues(gathered.finish(), who, options);
}

/** Rows of numbers; null and undefined are missing. */
function numbers({ rows, cols, at }: Grid, who: string): Matrix {
  const made = matrix(rows, cols);
  for (let i = 0; i < rows; i++) {
    for (let f = 0; f < cols; f++) {
      const value = at(i, f);
      const number = typeof value === "boolean" ? Number(value) : numberOf(value);
      if (number === undefined) {
        throw inputError(
          `${who}: row ${i}, column ${f} (counted from 0) is ${describeValue(value)}; ` +
            "rows with other values than numbers are objects, or a table of readTable",
        );
      }
      made.data[i * cols + f] = number;
    }
  }
  return made;
}

function fromValues(raw: RawTable, who: string, options: TypingOptions): Table {
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
