import { KindredError, type Note } from "../core/index.ts";
import { inputError, note, option } from "../core/internal.ts";
import {
  parseHints,
  readText,
  type Hints,
  type ReadHintsOptions,
  type Source,
  type Table,
} from "../data/index.ts";
import { hintCount, requireTable } from "../data/internal.ts";
import { textsOf } from "../model/index.ts";
import { hintRowsOf, requireSameRows } from "./hintRows.ts";

/**
 * Hints about the rows of a table, from a file or text of lines such as `a,b,same`, `a,b,different` or `row,label`. Rows
 * are named by the table's column of ids, or by their numbers, counted from 0.
 *
 * @param id the column that names the rows; default: the first that is an id
 */
export async function readHints(
  source: Source,
  table: Table,
  options: ReadHintsOptions & { readonly id?: string } = {},
): Promise<Hints> {
  requireTable(table, "readHints");
  const { id, ...rest } = options;
  const { text, name } = await readText(source, rest.name);
  const rows = { X: { rows: table.rows }, source: table.source };
  const parsed = { ...rest, name };
  const stated = hintRowsOf(text);
  if (stated?.by === "number") {
    requireSameRows(stated, table, name);
    return parseHints(text, rows, parsed);
  }
  const ids = idsOf(table, id ?? stated?.column);
  if (stated !== undefined) {
    if (ids?.name === stated.column) return parseHints(text, { ...rows, ids }, parsed);
    throw inputError(
      `${name} calls rows by column "${stated.column}", ` +
        (id === undefined ? `which ${table.source} does not have` : `not by "${id}"`),
    );
  }
  if (ids === undefined) return parseHints(text, rows, parsed);
  try {
    return parseHints(text, { ...rows, ids }, parsed);
  } catch (error) {
    // Hints may not refer to an id column that was only detected.
    if (id !== undefined || !(error instanceof KindredError)) throw error;
    try {
      const byNumber = parseHints(text, rows, parsed);
      if (hintCount(byNumber) > 0) return byNumber;
    } catch (other) {
      // The reading that goes further is the intended one.
      if (lineOf(other) > lineOf(error)) throw other;
    }
    throw error;
  }
}

function lineOf(error: unknown): number {
  return Number(/ line (\d+): /.exec((error as Error).message)?.[1] ?? 0);
}

/** That rows are meant by their ids, if the ids look like numbers of rows; undefined if nothing is ambiguous. */
export function idsNote(table: Table): Note | undefined {
  const ids = idsOf(table);
  if (ids === undefined) return undefined;
  const alike = ids.values.filter((value) => /^\d+$/.test(value) && Number(value) < table.rows).length;
  if (alike < table.rows / 2) return undefined;
  const message =
    `the hints mean rows by their ids in column "${ids.name}": 5 is the row with the id 5, not the sixth row; ` +
    `to count rows from 0, leave out the column (${option("as")} ${ids.name}=ignore)`;
  return note("hints-by-id", message, { column: ids.name, option: "as" });
}

/** The names of a table's rows in hints: the ids of the named column, or of the first id column. */
export function idsOf(
  { columns }: Table,
  id?: string,
): { readonly name: string; readonly values: readonly string[] } | undefined {
  const column = columns.find(({ kind, name }) => (id === undefined ? kind === "id" : name === id));
  return column === undefined ? undefined : { name: column.name, values: textsOf(column) };
}
