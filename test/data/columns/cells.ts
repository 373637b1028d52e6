import type { Note } from "../../../src/core/messages.ts";
import { readColumns, type Column, type ReadColumnsOptions } from "../../../src/data/index.ts";

/** A table of one column, read from a file with every cell in quotes. */
export async function column(
  cells: readonly string[],
  options: ReadColumnsOptions = {},
  name = "x",
): Promise<Column & { readonly notes: readonly Note[] }> {
  const quote = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
  const text = [name, ...cells].map((cell) => `${quote(cell)}\n`).join("");
  const table = await readColumns(new TextEncoder().encode(text), {
    header: true,
    delimiter: ",",
    ...options,
  });
  return { ...table.columns[0], notes: table.notes };
}

export function rows<T>(count: number, of: (row: number) => T): T[] {
  return Array.from({ length: count }, (_, row) => of(row));
}

export function pick<T>(values: readonly T[], count: number): T[] {
  return rows(count, (row) => values[row % values.length]);
}
