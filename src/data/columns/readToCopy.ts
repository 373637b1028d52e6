import { memoryLimit } from "../files/budget.ts";
import type { RawColumn } from "../cells/rawColumn.ts";
import type { Source } from "../table.ts";
import { amountNotes } from "../kinds/numberColumn.ts";
import type { ColumnRecord, Table } from "./column.ts";
import { joinedCells, type ReadColumnsOptions } from "./readColumns.ts";
import { typeLike } from "./typeLike.ts";
import { typeTable } from "./typeTable.ts";
import { writtenTable, type WrittenRows } from "./writtenRows.ts";

/** Rows for a model, and as they are written. */
export interface RowsToCopy {
  /** The columns of the model, by its records. */
  readonly table: Table;
  readonly written: WrittenRows;
}

/**
 * Reads rows once, for a model and for a copy: the columns of the model are typed by its records, and all cells are kept
 * as they are written.
 */
export async function readToCopy(
  sources: readonly Source[],
  records: readonly ColumnRecord[],
  options: Omit<ReadColumnsOptions, "as" | "vector" | "strict"> = {},
): Promise<RowsToCopy> {
  const memory = options.memory ?? memoryLimit();
  const raw = await joinedCells(sources, { ...options, memory, asWritten: { isWhole: true } });
  const marks = new Set(options.na?.map((mark) => mark.toLowerCase()));
  const cells = { ...raw, columns: raw.columns.map((column) => withoutMarks(column, marks)) };
  const written = writtenTable(raw);
  const known = new Set(raw.columns.map(({ name }) => name));
  // A model of an engine's sums may name the numbers of a vector: they are found in a table.
  const vectors = raw.columns.some((column) => column.vectors !== undefined);
  const whole = vectors && records.some(({ name }) => !known.has(name));
  if (whole) return { table: typeTable(cells, { vector: "none" }), written };
  const table = typeLike(cells, records);
  const numbers = new Set(records.filter(({ kind }) => kind === "number").map(({ name }) => name));
  const remarks = cells.columns.filter(({ name }) => numbers.has(name)).flatMap(amountNotes);
  return { table: { ...table, notes: [...remarks, ...table.notes] }, written };
}

/** The column as other readers give it: without spaces around its cells, and without those that mark missing values. */
function withoutMarks(column: RawColumn, marks: ReadonlySet<string>): RawColumn {
  const { texts, codes } = column;
  if (texts === undefined || codes === undefined) return column;
  const short = texts.map((text) => text.trim());
  const isGone = short.map((text) => text === "" || marks.has(text.toLowerCase()));
  if (!isGone.includes(true) && short.every((text, k) => text === texts[k])) return column;
  return {
    ...column,
    texts: short,
    codes: codes.map((code) => (code < 0 || isGone[code] ? -1 : code)),
    repeats: true,
  };
}
