import { optionError, rule } from "../../core/internal.ts";
import type { Source } from "../table.ts";
import { memoryLimit } from "../files/budget.ts";
import { CELL_FORMATS } from "../files/formats.ts";
import { LAYOUT_RULES, readCells, type ReadCellsOptions } from "../files/openCells.ts";
import type { RawTable, ReadFile, RawColumn } from "../cells/rawColumn.ts";
import type { ColumnRecord, Table } from "./column.ts";
import { typeLike } from "./typeLike.ts";
import { typeTable, TYPING_RULES } from "./typeTable.ts";
import { amountNotes } from "../kinds/numberColumn.ts";
import { writtenTable, type WrittenRows } from "./writtenRows.ts";

const RULES = {
  ...TYPING_RULES,
  ...LAYOUT_RULES,
  format: rule.oneOf(CELL_FORMATS),
  /** A file with the same rows, whose columns are added. They describe clusters, and are features if `use` names them. */
  with: rule.given<Source>("a file", (value) => typeof value === "string" || typeof value === "object"),
  /** Maximum number of bytes of the table; default: a share of the machine's memory. */
  memory: rule.integer({ min: 1 }),
};

export type ReadColumnsOptions = rule.OptionsOf<typeof RULES>;

/**
 * Reads any table: every column gets a kind, decided by its cells, and its values.
 *
 *     const table = await readColumns("customers.csv", { as: { zip: "category" } });
 *
 * Delimited text, JSON, NDJSON, Parquet, Arrow, .npy, .npz and .xlsx, gzipped or not. Several sources with the same
 * columns are one table.
 */
export async function readColumns(
  source: Source | readonly Source[],
  options: ReadColumnsOptions = {},
): Promise<Table> {
  const resolved = rule.resolveOptions("readColumns", options, RULES);
  const raw = await rawTable(source, resolved);
  if (resolved.with === undefined) return typeTable(raw, resolved);
  const other = await rawTable(resolved.with, { memory: resolved.memory, onProgress: resolved.onProgress });
  return (await import("./besideTable.ts")).besideTable(raw, other, resolved);
}

/**
 * Reads another file by `records` (see `columnRecord`): the same kinds, levels, marks and formats. Columns
 * that the records do not name are left out, and unknown levels follow the known ones, both with a note.
 */
export async function readLike(
  source: Source | readonly Source[],
  records: readonly ColumnRecord[],
  options: Omit<ReadColumnsOptions, "as" | "vector" | "strict"> = {},
): Promise<Table> {
  const resolved = rule.resolveOptions("readLike", options, RULES);
  return typeLike(await rawTable(source, resolved), records);
}

async function rawTable(source: Source | readonly Source[], options: ReadColumnsOptions): Promise<RawTable> {
  const sources: readonly Source[] = Array.isArray(source) ? source : [source as Source];
  if (sources.length === 0) throw optionError("readColumns: no source is given");
  const ignore = Object.entries(options.as ?? {}).flatMap(([name, kind]) =>
    kind === "ignore" ? [name] : [],
  );
  const memory = options.memory ?? memoryLimit();
  return joinedCells(sources, { ...options, memory, ignore: new Set(ignore) });
}

/** The cells of several sources as one table, with what was read of each. */
export async function joinedCells(sources: readonly Source[], options: ReadCellsOptions): Promise<RawTable> {
  const tables: RawTable[] = [];
  for (const one of sources) tables.push(await readCells(one, options));
  const joined =
    tables.length === 1 ? tables[0] : (await import("../cells/appendTables.ts")).appendTables(tables);
  const { headings } = tables[0];
  return { ...joined, ...(headings && { headings }), files: tables.map(fileOf) };
}

function fileOf({ rows, columns, encoding }: RawTable): ReadFile {
  return { rows, names: columns.map(({ name }) => name), ...(encoding !== undefined && { encoding }) };
}

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
