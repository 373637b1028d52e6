import { inputError } from "../core/internal.ts";
import { delimitedLines, wholeText } from "../data/internal.ts";
import { complaint, rowFinder, type RowNames } from "./pairFile.ts";

/**
 * Known labels of some rows: either one line per row of the table (an empty line or -1 is unknown), or two columns, a row
 * (its number counted from 0, or its id with `--id`) and its label. A header is recognised in both.
 */
export async function readSeeds(path: string, table: RowNames): Promise<string[]> {
  const { bytes, name } = await wholeText(path);
  const records = [...delimitedLines(bytes, name)];
  if (records.length === 0) throw inputError(`${name} is empty`);
  const width = records[0].cells.length;
  if (width > 2) {
    throw inputError(
      `${name}: labels are one column, or a row and a label; the first line has ${width} cells`,
    );
  }
  return width === 1 ? onePerRow(bytes, name, table) : byRow(records, name, table);
}

/** Read by lines, because an empty line represents a row. */
function onePerRow(bytes: Uint8Array, name: string, { rows, source }: RowNames): string[] {
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
  if (lines[lines.length - 1] === "") lines.pop();
  const values = lines.map((line) => line.trim().replace(/^"(.*)"$/, "$1"));
  if (values.length === rows + 1) return values.slice(1);
  if (values.length === rows) return values;
  throw inputError(
    `${name} has ${values.length} lines, but ${source} has ${rows} rows (one label per row, or lines of: row,label)`,
  );
}

function byRow(
  records: readonly { readonly line: number; readonly cells: readonly string[] }[],
  name: string,
  table: RowNames,
): string[] {
  const rowOf = rowFinder(table);
  const values = Array<string>(table.rows).fill("");
  for (const [at, { line, cells }] of records.entries()) {
    if (cells.length !== 2)
      throw inputError(`${name} line ${line}: ${cells.length} cells instead of row,label`);
    const row = rowOf(cells[0].trim());
    if (row === undefined) {
      const header = at === 0 && !/^-?\d+$/.test(cells[0].trim());
      if (header) continue;
      throw inputError(`${name} line ${line}: ${complaint(cells[0], table)}`);
    }
    const label = cells[1].trim();
    if (values[row] !== "" && values[row] !== label) {
      throw inputError(
        `${name} line ${line}: row ${cells[0]} is "${label}" here and "${values[row]}" before`,
      );
    }
    values[row] = label;
  }
  return values;
}
