import type { OnProgress } from "../../core/index.ts";
import {
  flag,
  given,
  integer,
  oneOf,
  optionError,
  resolveOptions,
  type OptionsOf,
} from "../../core/internal.ts";
import type { Source } from "../table.ts";
import { memoryLimit } from "../cells/memoryLimit.ts";
import { CELL_FORMATS } from "../files/formats.ts";
import { readCells } from "../files/openCells.ts";
import type { RawTable, ReadFile } from "../cells/rawColumn.ts";
import type { ColumnRecord, Table } from "./column.ts";
import { typeLike } from "./typeLike.ts";
import { isText, typeTable, TYPING_RULES } from "./typeTable.ts";

const RULES = {
  ...TYPING_RULES,
  delimiter: given<string>("one character", isText),
  encoding: given<string>("the name of an encoding", isText),
  format: oneOf(CELL_FORMATS),
  /**
   * Delimited text and spreadsheets: whether the first row names the columns. Default: decided by its cells.
   */
  header: { ...flag(true), fallback: undefined },
  /** Spreadsheets: the name of a sheet or its position, from 1. Default: the first that is not empty. */
  sheet: given<string | number>(
    "the name of a sheet or its place",
    (value) => isText(value) || Number.isInteger(value),
  ),
  /** The name of the source in messages; default: its path. */
  name: given<string>("a string", isText),
  /** Maximum number of bytes of the table; default: a share of the machine's memory. */
  memory: integer({ min: 1 }),
  onProgress: given<OnProgress>("a function", (value) => typeof value === "function"),
};

export type ReadColumnsOptions = OptionsOf<typeof RULES>;

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
  const resolved = resolveOptions("readColumns", options, RULES);
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
  const resolved = resolveOptions("readLike", options, RULES);
  return typeLike(await rawTable(source, resolved), records);
}

async function rawTable(source: Source | readonly Source[], options: ReadColumnsOptions): Promise<RawTable> {
  const sources: readonly Source[] = Array.isArray(source) ? source : [source as Source];
  if (sources.length === 0) throw optionError("readColumns: no source is given");
  const ignore = Object.entries(options.as ?? {}).flatMap(([name, kind]) =>
    kind === "ignore" ? [name] : [],
  );
  const memory = options.memory ?? memoryLimit();
  const tables: RawTable[] = [];
  for (const one of sources)
    tables.push(await readCells(one, { ...options, memory, ignore: new Set(ignore) }));
  const joined =
    tables.length === 1 ? tables[0] : (await import("../cells/appendTables.ts")).appendTables(tables);
  return { ...joined, files: tables.map(fileOf) };
}

function fileOf({ rows, columns, encoding }: RawTable): ReadFile {
  return { rows, names: columns.map(({ name }) => name), ...(encoding !== undefined && { encoding }) };
}
