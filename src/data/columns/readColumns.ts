import { optionError, rule } from "../../core/internal.ts";
import type { Source } from "../table.ts";
import { memoryLimit } from "../files/budget.ts";
import { CELL_FORMATS } from "../files/formats.ts";
import { LAYOUT_RULES, readCells, type ReadCellsOptions } from "../files/openCells.ts";
import type { RawTable, ReadFile } from "../cells/rawColumn.ts";
import type { ColumnRecord, Table } from "./column.ts";
import { typeLike } from "./typeLike.ts";
import { typeTable, TYPING_RULES } from "./typeTable.ts";

const RULES = {
  ...TYPING_RULES,
  ...LAYOUT_RULES,
  format: rule.oneOf(CELL_FORMATS),
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
  return typeTable(raw, resolved);
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
