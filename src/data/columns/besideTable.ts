import { inputError } from "../../core/internal.ts";
import type { RawTable } from "../cells/rawColumn.ts";
import type { Column, Table } from "./column.ts";
import { typeTable, type TypingOptions } from "./typeTable.ts";

/** A table with the columns of another one, of the same rows, beside its own: they are features only if they are named. */
export function besideTable(raw: RawTable, other: RawTable, options: TypingOptions): Table {
  if (raw.rows !== other.rows) {
    throw inputError(
      `${other.source} has ${other.rows} rows, and ${raw.source} has ${raw.rows}; with: the same rows in the same order`,
    );
  }
  const own = new Set(raw.columns.map(({ name }) => name));
  const twice = other.columns.find(({ name }) => own.has(name));
  if (twice !== undefined) {
    throw inputError(
      `the column "${twice.name}" is in ${raw.source} and in ${other.source}: rename one of them`,
    );
  }
  const { as = {}, na } = options;
  const others = new Set(other.columns.map(({ name }) => name));
  const kinds = (beside: boolean): Record<string, string> =>
    Object.fromEntries(Object.entries(as).filter(([name]) => others.has(name) === beside));
  const table = typeTable(raw, { ...options, as: kinds(false) });
  const beside = typeTable(other, { na, as: kinds(true) });
  const columns = beside.columns.map((column): Column => ({ ...column, role: "beside" }));
  return { ...table, columns: [...table.columns, ...columns], notes: [...table.notes, ...beside.notes] };
}
