import { inputError } from "../../core/internal.ts";
import { isNumeric, PART_VALUES, tableBuilder, type Filling, type TableBuilder } from "./tableBuilder.ts";
import { MOST_COLUMNS } from "./budget.ts";
import type { ByteReader } from "./bytes.ts";
import { requireParsable } from "./jsonCost.ts";
import { jsonReason, parseJson } from "./parseJson.ts";
import { textLines } from "./textLines.ts";
import { assignRoles, columnNames } from "./roles.ts";
import type { FillOptions, NumberTable } from "../table.ts";

type Row = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Reads a JSON array of objects, an array of arrays, or an object of columns. */
export function readJson(bytes: Uint8Array, source: string, options: FillOptions): NumberTable {
  requireParsable(bytes, source);
  let value: unknown;
  try {
    value = parseJson(new TextDecoder().decode(bytes));
  } catch (error) {
    throw inputError(`${source} is not JSON: ${jsonReason(error)}`);
  }
  if (Array.isArray(value)) return rowTable(value, source, options);
  if (typeof value === "object" && value !== null) return columnTable(value, source, options);
  throw inputError(`${source}: expected an array of rows or an object of columns`);
}

function rowTable(rows: readonly unknown[], source: string, options: FillOptions): NumberTable {
  if (rows.length === 0) throw inputError(`${source} has no rows of data`);
  const notes: string[] = [];
  rows.forEach((row, i) => checkRow(row, rows[0], `${source} row ${i + 1}`));
  const names = Array.isArray(rows[0])
    ? rows[0].map((_, column) => `c${column}`)
    : columnNames(source, fieldNames(rows as readonly object[], source), notes);
  const text = textColumns(names, rows.slice(0, 1000) as Row[]);
  const roles = assignRoles(source, names, options, text);
  const builder = tableBuilder({ source, unit: "row", notes, options }, roles);
  rows.forEach((row, i) => addRow(builder, row as Row, i + 1));
  return builder.finish();
}

/** The fields of all rows in the order of their first appearance. */
function fieldNames(rows: readonly object[], source: string): string[] {
  const found = new Set<string>();
  for (const row of rows) {
    for (const name of Object.keys(row)) found.add(name);
    if (found.size > MOST_COLUMNS) throw inputError(`${source} has more than ${MOST_COLUMNS} columns`);
  }
  return [...found];
}

function columnTable(columns: object, source: string, options: FillOptions): NumberTable {
  const notes: string[] = [];
  const names = columnNames(source, Object.keys(columns), notes);
  const values = names.map((name) => {
    const column = (columns as Record<string, unknown>)[name];
    if (!Array.isArray(column)) throw inputError(`${source}: column "${name}" is not an array`);
    return column as unknown[];
  });
  if (values.length === 0 || values[0].length === 0) throw inputError(`${source} has no rows of data`);
  for (const [j, column] of values.entries()) {
    if (column.length !== values[0].length) {
      const first = `column "${names[0]}" has ${values[0].length} values`;
      throw inputError(`${source}: ${first}, but column "${names[j]}" has ${column.length}`);
    }
  }
  const text = new Set<number>();
  for (const [j, column] of values.entries()) if (column.slice(0, 1000).some(isTextValue)) text.add(j);
  const roles = assignRoles(source, names, options, text);
  const builder = tableBuilder({ source, unit: "row", notes, options }, roles);
  for (let i = 0; i < values[0].length; i++) {
    builder.begin(i + 1);
    for (let j = 0; j < values.length; j++) builder.value(j, values[j][i]);
    builder.end();
  }
  return builder.finish();
}

/** Characters of an NDJSON line above which its cost is counted first. */
const LONG_LINE = 1 << 24;

/** Reads one JSON object or array per line. The first line names the columns and shows the text columns. */
export async function* fillFromNdjson(reader: ByteReader, source: string, options: FillOptions): Filling {
  const notes: string[] = [];
  let builder: TableBuilder | undefined;
  let first: Row | undefined;
  let values = 0;
  for await (const { text, line } of textLines(reader, source)) {
    const where = `${source} line ${line}`;
    if (text.length > LONG_LINE) requireParsable(new TextEncoder().encode(text), where);
    let row: unknown;
    try {
      row = parseJson(text);
    } catch (error) {
      throw inputError(`${where} is not JSON: ${jsonReason(error)}`);
    }
    checkRow(row, first ?? row, where);
    if (builder === undefined) {
      first = row as Row;
      const names = Array.isArray(row)
        ? row.map((_, column) => `c${column}`)
        : columnNames(source, Object.keys(row as object), notes);
      const roles = assignRoles(source, names, options, textColumns(names, [first]));
      builder = tableBuilder({ source, unit: "line", notes, options }, roles);
    }
    if (!Array.isArray(row)) refuseNewFields(builder.roles.names, row as object, where);
    addRow(builder, row as Row, line);
    values += builder.roles.columns.length;
    if (values >= PART_VALUES) {
      values = 0;
      yield builder;
    }
  }
  if (builder === undefined) throw inputError(`${source} has no rows of data`);
  return builder;
}

function checkRow(row: unknown, first: unknown, where: string): void {
  if (typeof row !== "object" || row === null) throw inputError(`${where}: expected an object or an array`);
  if (Array.isArray(row) && row.length > MOST_COLUMNS) {
    throw inputError(`${where}: ${row.length} values; a table has at most ${MOST_COLUMNS} columns`);
  }
  if (Array.isArray(row) !== Array.isArray(first)) throw inputError(`${where}: objects and arrays are mixed`);
  if (Array.isArray(row) && row.length !== (first as unknown[]).length) {
    throw inputError(`${where}: expected ${(first as unknown[]).length} values, found ${row.length}`);
  }
}

function refuseNewFields(names: readonly string[], row: object, where: string): void {
  const keys = Object.keys(row);
  if (keys.length <= names.length && keys.every((key, j) => names[j] === key)) return;
  const known = new Set(names);
  const extra = keys.find((key) => !known.has(key));
  if (extra !== undefined) throw inputError(`${where}: the field "${extra}" is not in the first line`);
}

function addRow(builder: TableBuilder, row: Row, place: number): void {
  const { names } = builder.roles;
  builder.begin(place);
  if (Array.isArray(row)) {
    for (let j = 0; j < names.length; j++) builder.value(j, row[j]);
  } else {
    for (let j = 0; j < names.length; j++) builder.value(j, field(row, names[j]));
  }
  builder.end();
}

/** Only an own field of the row: "toString" is not a field of every row. */
function field(row: Row, name: string): unknown {
  return Object.hasOwn(row, name) ? (row as Record<string, unknown>)[name] : undefined;
}

function textColumns(names: readonly string[], rows: readonly Row[]): Set<number> {
  const found = new Set<number>();
  for (const row of rows) {
    for (let j = 0; j < names.length; j++) {
      const value = Array.isArray(row) ? (row[j] as unknown) : field(row, names[j]);
      if (isTextValue(value)) found.add(j);
    }
  }
  return found;
}

function isTextValue(value: unknown): boolean {
  return typeof value === "string" && !isNumeric(value);
}
