import { inputError } from "../../core/internal.ts";
import { writeCsv, type WriteOptions } from "../writeCsv.ts";
import { writtenTexts, type Table } from "./column.ts";
import type { WrittenRows } from "./writtenRows.ts";

/** A column that was found, for some rows or all. */
export interface AppendedColumn {
  readonly name: string;
  readonly values: ArrayLike<string | number>;
}

type FoundColumns = AsyncIterable<readonly AppendedColumn[]> | Iterable<readonly AppendedColumn[]>;

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
  found: FoundColumns,
  kept: (name: string) => boolean = () => true,
  csv: WriteOptions = {},
): AsyncGenerator<string> {
  const next = cursor(found);
  let header = true;
  let read = 0;
  for await (const batch of rows) {
    const columns = batch.names.flatMap((name, j) => (kept(name) ? [j] : []));
    const taken = new Set(columns.flatMap((j) => [batch.names[j], batch.headings[j]]));
    for (let from = 0; from < batch.rows;) {
      const own = await next(Math.min(MOST, batch.rows - from));
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
  if ((await next(1)) !== undefined) throw differs(source, `it has ${read} rows, and more labels`);
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

interface Taken {
  readonly part: readonly AppendedColumn[];
  readonly from: number;
  readonly count: number;
}

/** Up to `most` rows of the current batch at a time; undefined at the end. */
function cursor(batches: FoundColumns): (most: number) => Promise<Taken | undefined> {
  const iterator =
    Symbol.asyncIterator in batches ? batches[Symbol.asyncIterator]() : batches[Symbol.iterator]();
  let part: readonly AppendedColumn[] = [];
  let [from, left] = [0, 0];
  return async (most) => {
    while (left === 0) {
      const { done, value } = await iterator.next();
      if (done === true) return undefined;
      [part, from, left] = [value, 0, value[0].values.length];
    }
    const count = Math.min(left, most);
    from += count;
    left -= count;
    return { part, from: from - count, count };
  };
}
