import { inputError } from "../../core/internal.ts";
import { writeCsv, type WriteOptions } from "../writeCsv.ts";
import { writtenTexts, type Table } from "./column.ts";
import type { WrittenRows } from "./writtenRows.ts";

/** A column that was found, for some rows or all. */
export interface AppendedColumn {
  readonly name: string;
  readonly values: ArrayLike<string | number>;
}

/**
 * A copy of the rows as they were written, as CSV, with the columns that were found after them; a name that the rows have
 * already becomes NAME_found. Rows and found columns come in batches of any size, and must be equally many.
 *
 * @param source its name, for errors
 * @param kept the columns that are copied, by their names
 * @param csv how the copy is written
 */
export async function* copiedRows(
  source: string,
  rows: AsyncIterable<WrittenRows> | Iterable<WrittenRows>,
  found: AsyncIterable<readonly AppendedColumn[]> | Iterable<readonly AppendedColumn[]>,
  kept: (name: string) => boolean = () => true,
  csv: WriteOptions = {},
): AsyncGenerator<string> {
  const results = cursor(found, ([first]) => first.values.length);
  let header = true;
  let read = 0;
  for await (const batch of rows) {
    const columns = batch.names.flatMap((name, j) => (kept(name) ? [j] : []));
    const taken = new Set(columns.flatMap((j) => [batch.names[j], batch.headings[j]]));
    for (let from = 0; from < batch.rows;) {
      const own = await results.next(Math.min(MOST, batch.rows - from));
      if (own === undefined) throw differs(source, `after row ${read + from} no label is left`);
      const start = from;
      yield* writeCsv(
        {
          columns: [
            ...columns.map((j) => ({
              name: batch.headings[j],
              values: Array.from({ length: own.count }, (_, i) => batch.cell(start + i, j)),
            })),
            ...own.part.map(({ name, values }) => ({
              name: freeName(name, taken),
              values: Array.from({ length: own.count }, (_, i) => values[own.from + i]),
            })),
          ],
        },
        { ...csv, header },
      );
      header = false;
      from += own.count;
    }
    read += batch.rows;
  }
  if ((await results.next(1)) !== undefined) throw differs(source, `it has ${read} rows, and more labels`);
}

/** The same for a table without a file, such as a named data set. */
export function copiedTable(
  table: Pick<Table, "rows" | "columns">,
  found: readonly AppendedColumn[],
  kept: (name: string) => boolean = () => true,
  csv: WriteOptions = {},
): Generator<string> {
  const columns = table.columns.filter(({ name }) => kept(name));
  const taken = new Set(columns.map(({ name }) => name));
  const copied = columns.map((column) => ({ name: column.name, values: writtenTexts(column, table.rows) }));
  const added = found.map(({ name, values }) => ({ name: freeName(name, taken), values }));
  return writeCsv({ columns: [...copied, ...added] }, csv);
}

/** Rows that become text at once. */
const MOST = 8192;

function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? `${name}_found` : name;
}

function differs(source: string, how: string): Error {
  return inputError(`${source} was not read the same way again (${how}); did it change meanwhile?`);
}

interface Taken<T> {
  readonly part: T;
  readonly from: number;
  readonly count: number;
}

/** Up to `most` elements of the current batch at a time; undefined at the end. */
function cursor<T>(
  batches: AsyncIterable<T> | Iterable<T>,
  length: (batch: T) => number,
): { next(most: number): Promise<Taken<T> | undefined> } {
  const iterator =
    Symbol.asyncIterator in batches ? batches[Symbol.asyncIterator]() : batches[Symbol.iterator]();
  let part: T | undefined;
  let at = 0;
  return {
    async next(most) {
      while (part === undefined || at === length(part)) {
        const { done, value } = await iterator.next();
        if (done === true) return undefined;
        part = value;
        at = 0;
      }
      const from = at;
      at = Math.min(length(part), at + most);
      return { part, from, count: at - from };
    },
  };
}
