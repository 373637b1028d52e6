import { KindredError, type Note } from "../../core/index.ts";
import { inputError, note, option } from "../../core/internal.ts";
import {
  cellText,
  type Hints,
  parseHints,
  type ReadHintsOptions,
  readText,
  type Source,
  type Table,
} from "../../data/index.ts";
import { hintCount, requireTable } from "../../data/internal.ts";
import { textsOf } from "../../model/index.ts";

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
  return (await namedHints(source, table, options)).hints;
}

/** The same, and by what the hints name the rows: undefined if by their numbers. */
export async function namedHints(
  source: Source,
  table: Table,
  options: ReadHintsOptions & { readonly id?: string } = {},
): Promise<{ readonly hints: Hints; readonly by: RowIds | undefined }> {
  requireTable(table, "readHints");
  const { id, ...rest } = options;
  const { text, name } = await readText(source, rest.name);
  const rows = { X: { rows: table.rows }, source: table.source };
  const parsed = { ...rest, name };
  const byNumber = (): Hints => parseHints(text, rows, parsed);
  const byIds = (by: RowIds): Hints => parseHints(text, { ...rows, ids: by }, parsed);
  const stated = hintRowsOf(text);
  if (stated?.by === "number") {
    requireSameRows(stated, table, name);
    return { hints: byNumber(), by: undefined };
  }
  const ids = idsOf(table, id ?? stated?.column);
  if (stated !== undefined) {
    if (ids?.name === stated.column) return { hints: byIds(ids), by: ids };
    throw inputError(
      `${name} calls rows by column "${stated.column}", ` +
        (id === undefined ? `which ${table.source} does not have` : `not by "${id}"`),
    );
  }
  if (ids === undefined) return { hints: byNumber(), by: undefined };
  try {
    return { hints: byIds(ids), by: ids };
  } catch (error) {
    // Hints may not refer to an id column that was only detected.
    if (id !== undefined || !(error instanceof KindredError)) throw error;
    try {
      const hints = byNumber();
      if (hintCount(hints) > 0) return { hints, by: undefined };
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

/** How hints in a file name the rows of a table with ids, where that may surprise; undefined if it cannot. */
export function idsNote(table: Table, by: RowIds | undefined): Note | undefined {
  const ids = idsOf(table);
  if (ids === undefined) return undefined;
  if (by === undefined) {
    const message = `the hints name rows by number, from 0: row 0 is "${ids.values[0]}" in column "${ids.name}"`;
    return note("hints-by-number", message, { column: ids.name });
  }
  const alike = ids.values.filter((value) => /^\d+$/.test(value) && Number(value) < table.rows).length;
  if (alike < table.rows / 2) return undefined;
  const message =
    `the hints mean rows by their ids in column "${ids.name}": 5 is the row with the id 5, not the sixth row; ` +
    `to count rows from 0, leave out the column (${option("as")} ${ids.name}=ignore)`;
  return note("hints-by-id", message, { column: ids.name, option: "as" });
}

/** A column that names rows. */
export interface RowIds {
  readonly name: string;
  readonly values: readonly string[];
}

/** The names of a table's rows in hints: the named column, or the first id column with another value in every row. */
export function idsOf({ columns, rows }: Table, id?: string): RowIds | undefined {
  for (const column of columns) {
    if (id === undefined ? column.kind !== "id" : column.name !== id) continue;
    const values = textsOf(column);
    if (id !== undefined || (new Set(values).size === rows && !values.includes("")))
      return { name: column.name, values };
  }
  return undefined;
}

/**
 * How a file of hints calls rows: by the ids of a column, or by their numbers. Ids say by themselves which rows are meant;
 * numbers mean rows of one table only, so `check` is a digest of that table.
 */
export type HintRows =
  | { readonly by: "column"; readonly column: string }
  | { readonly by: "number"; readonly rows: number; readonly check: string };

/** The comment that stands first in a file of hints. */
export function hintRowsLine(table: Table, column: string | undefined): string {
  if (column !== undefined) return `# rows by column ${column}`;
  return `# rows by number of a table with ${table.rows} rows, digest ${digestOf(table)}`;
}

/** What the first line of a file of hints says of its rows; undefined if it says nothing. */
export function hintRowsOf(text: string): HintRows | undefined {
  const [first] = text.split(/\r?\n|\r/, 1);
  const column = /^\uFEFF?# rows by column (.+)$/.exec(first);
  if (column !== null) return { by: "column", column: column[1] };
  const number = /^\uFEFF?# rows by number of a table with (\d+) rows, digest ([0-9a-f]{14})$/.exec(first);
  return number === null ? undefined : { by: "number", rows: Number(number[1]), check: number[2] };
}

/** Refuses hints by number about another table. */
function requireSameRows(rows: Extract<HintRows, { by: "number" }>, table: Table, name: string): void {
  if (rows.rows === table.rows && rows.check === digestOf(table)) return;
  const other = rows.rows === table.rows ? "with other cells" : `with ${rows.rows} rows`;
  throw inputError(
    `${name} numbers the rows of a table ${other}, and ${table.source} has ${table.rows} rows; ` +
      `if the numbers hold here too, delete the first line of ${name}`,
  );
}

/** A digest of the cells of every row, in their order (FNV-1a, two streams of 28 bits). */
function digestOf(table: Table): string {
  let a = 0x811c9dc5;
  let b = 0x01234567;
  const add = (text: string): void => {
    for (let p = 0; p < text.length; p++) {
      const code = text.charCodeAt(p);
      a = Math.imul(a ^ code, 0x01000193);
      b = Math.imul(b ^ code, 0x01000197);
    }
    a = Math.imul(a ^ 0xffff, 0x01000193);
    b = Math.imul(b ^ 0xfffe, 0x01000197);
  };
  for (const column of table.columns) {
    if (column.kind === "vector") continue;
    for (let row = 0; row < table.rows; row++) add(cellText(column, row));
  }
  const hex = (value: number): string => (value >>> 4).toString(16).padStart(7, "0");
  return hex(a) + hex(b);
}
