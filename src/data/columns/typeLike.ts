import { inputError } from "../../core/errors.ts";
import { note, type Note } from "../../core/notes.ts";
import { applyReading } from "./applyReading.ts";
import { listed } from "./cells/columnNames.ts";
import type { RawTable } from "./cells/rawColumn.ts";
import type { Column, ColumnRecord, Table } from "./column.ts";
import { shortened } from "./columnFacts.ts";
import { groupColumn } from "./vectorColumns.ts";

/** Reads a raw table by records. */
export function typeLike(raw: RawTable, records: readonly ColumnRecord[]): Table {
  const { source, rows } = raw;
  const notes: Note[] = [...raw.notes];
  const byName = new Map(raw.columns.map((column) => [column.name, column]));
  const absent = new Set<string>();
  const used = new Set<string>();
  const columns: Column[] = [];
  for (const record of records) {
    const { name, kind, reading } = record;
    const parts = reading.columns;
    let column = byName.get(name);
    used.add(name);
    if (column === undefined && parts !== undefined) {
      const missing = parts.filter((part) => !byName.has(part));
      for (const part of parts) used.add(part);
      if (missing.length > 0) for (const part of missing) absent.add(part);
      else column = groupColumn(raw, { name, columns: parts }, source);
    }
    if (column === undefined) {
      // A column without information may be absent.
      if (parts === undefined && kind !== "constant" && kind !== "empty") absent.add(name);
      continue;
    }
    const applied = applyReading(record, column, rows, "as in the model", true);
    columns.push(applied.column);
    if (applied.unread.count > 0) {
      const { count, row, text } = applied.unread;
      const message =
        `column "${name}": ${count} ${count === 1 ? "cell is" : "cells are"} not read as ${kind} and count as ` +
        `missing (first: row ${row}, "${shortened(text)}")`;
      notes.push(note(`not-${kind}`, message, { column: name, row }));
    }
    if (applied.unknown.size > 0 && (kind === "category" || kind === "ordered")) {
      let count = 0;
      for (const times of applied.unknown.values()) count += times;
      const shown = [...applied.unknown.keys()].map((level) => `"${shortened(level)}"`);
      const message = `column "${name}": ${listed(shown)} ${shown.length === 1 ? "is" : "are"} unknown to the model (${count} ${count === 1 ? "row" : "rows"})`;
      notes.push(note("unknown-level", message, { column: name }));
    }
  }
  if (absent.size > 0) {
    const names = [...absent].map((name) => `"${name}"`);
    throw inputError(
      `${source} lacks ${absent.size === 1 ? "the column" : "the columns"} ${listed(names, 20)}, which the model needs`,
    );
  }
  const extra = raw.columns.map(({ name }) => name).filter((name) => !used.has(name));
  if (extra.length > 0) {
    const message = `${extra.length === 1 ? "a column" : `${extra.length} columns`} that the model does not know ${extra.length === 1 ? "is" : "are"} not used: ${listed(extra)}`;
    notes.push(note("extra-columns", message, { file: source }));
  }
  return { source, rows, columns, notes };
}
