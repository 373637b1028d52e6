import { inputError } from "../core/internal.ts";
import { cellText, type Table } from "../data/index.ts";

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
export function requireSameRows(rows: Extract<HintRows, { by: "number" }>, table: Table, name: string): void {
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
