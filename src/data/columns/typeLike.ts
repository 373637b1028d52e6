import type { Note } from "../../core/index.ts";
import { inputError, note, plural, listed, clipped } from "../../core/internal.ts";
import { applyReading } from "./applyReading.ts";
import { type RawTable, codedTexts, textCodes, type RawColumn } from "../cells/rawColumn.ts";
import { type Column, type ColumnReading, type ColumnRecord, type Table, columnRecord } from "./column.ts";
import { columnNote, unreadText } from "../kinds/columnFacts.ts";
import { isBeside } from "../kinds/scales.ts";
import { groupColumn } from "./typeTable.ts";

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
      const { row, count: cells } = applied.unread;
      notes.push(note(`not-${kind}`, unreadText(record, applied.unread), { column: name, row, cells }));
    }
    const unknown = unknownCells(record, applied.unknown);
    if (unknown.size > 0 && (kind === "category" || kind === "ordered")) {
      const cells = [...unknown.values()].reduce((sum, count) => sum + count, 0);
      const shown = [...unknown.keys()].map((level) => `"${clipped(level, 40)}"`);
      const are = shown.length === 1 ? "is" : "are";
      const message = `${listed(shown)} ${are} unknown to the model (${plural(cells, "row")})`;
      notes.push(columnNote("unknown-level", name, message, { cells }));
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
    const those = extra.length === 1 ? "the column" : `${extra.length} columns:`;
    const message = `the model does not use ${those} ${listed(extra)}`;
    notes.push(note("extra-columns", message, { file: source }));
  }
  return { source, rows, columns, notes };
}

/** Levels that say nothing: new numbers near those of an ordered column do. */
function unknownCells(
  { kind, reading }: ColumnRecord,
  cells: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  if (reading.form === "list") return unknownParts(reading, cells);
  return kind === "ordered"
    ? new Map([...cells].filter(([level]) => !isBeside(reading.levels, level)))
    : cells;
}

/** Of lists the things that are new; a new combination of known things is not. */
function unknownParts(
  { levels = [], separator = "," }: ColumnReading,
  cells: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const parts = (cell: string): string[] =>
    cell
      .split(separator)
      .map((part) => part.trim())
      .filter((part) => part !== "");
  const known = new Set(levels.flatMap(parts));
  const found = new Map<string, number>();
  for (const [cell, count] of cells) {
    for (const part of parts(cell)) if (!known.has(part)) found.set(part, (found.get(part) ?? 0) + count);
  }
  return found;
}

/**
 * Reads a table by `records` instead of its own cells: a file of one hour may lack levels, or hold only one,
 * and must still be read like the training table of a model.
 */
export function conform(table: Table, records: readonly ColumnRecord[]): Table {
  const wanted = new Map(records.map((record) => [record.name, record] as const));
  const alike = table.columns.every((column) => {
    const record = wanted.get(column.name);
    return record === undefined || JSON.stringify(record) === JSON.stringify(columnRecord(column));
  });
  if (alike && records.every(({ name }) => table.columns.some((column) => column.name === name)))
    return table;
  const { source, rows } = table;
  const like = typeLike({ source, rows, columns: rawColumns(table, wanted), notes: [] }, records);
  return { ...like, notes: [...table.notes, ...like.notes] };
}

/** The cells; instead of vectors their numbers, if records name these ("v 1", "v 2", ...), as of an engine's sums. */
function rawColumns({ columns, rows }: Table, wanted: ReadonlyMap<string, unknown>): RawColumn[] {
  return columns.flatMap((column) => {
    const { name, vectors } = column;
    if (vectors === undefined || wanted.has(name)) return [rawColumn(column, rows)];
    const { data, cols } = vectors;
    const numbers = Array.from({ length: cols }, (_, f) => ({
      name: `${name} ${f + 1}`,
      numbers: (): Float64Array => Float64Array.from({ length: rows }, (__, i) => data[i * cols + f]),
    })).filter((number) => wanted.has(number.name) && !columns.some((other) => other.name === number.name));
    if (numbers.length === 0) return [rawColumn(column, rows)];
    return numbers.map((number) => ({ name: number.name, numbers: number.numbers() }));
  });
}

/** The cells of a column before their kind was decided, with those that its own kind counts as missing. */
function rawColumn(column: Column, rows: number): RawColumn {
  const raw = readCellsOf(column);
  const { marks } = column;
  if (marks === undefined || raw.vectors !== undefined) return raw;
  const { texts, codeOf } = textCodes(raw.texts);
  const codes = raw.codes?.slice() ?? new Int32Array(rows).fill(-1);
  marks.rows.forEach((row, k) => (codes[row] = codeOf(marks.texts[k])));
  return { ...raw, texts, codes };
}

function readCellsOf({ name, kind, cells, levels, codes, values, vectors }: Column): RawColumn {
  if (vectors !== undefined && cells === undefined)
    return { name, vectors: vectors.data, dimensions: vectors.cols };
  if (cells !== undefined) return { name, ...codedTexts(cells) };
  if (codes !== undefined && levels !== undefined) return { name, texts: levels, codes };
  if (values === undefined) return { name };
  return { name, numbers: values, ...(kind === "date" && { declared: "date" as const }) };
}
