import { inputError, defined } from "../../core/internal.ts";
import type { Source } from "../table.ts";
import { memoryLimit } from "../files/budget.ts";
import type { RawColumn, RawTable, ReadFile } from "../cells/rawColumn.ts";
import { cellBatches } from "../files/openCells.ts";
import { dateText, writtenTexts, type Table } from "./column.ts";
import type { ReadColumnsOptions } from "./readColumns.ts";
import { writeCsv, type WriteOptions } from "../writeCsv.ts";

/** Some rows of a source, in its order, with the cells as they are written there. */
export interface WrittenRows {
  readonly rows: number;
  /** The columns of the first source in its order, by the names that a table gives them. */
  readonly names: readonly string[];
  /** Their names as they are written. */
  readonly headings: readonly string[];
  cell(row: number, column: number): string;
}

/**
 * Reads the rows of a table again, each cell as it is written: "free" in a column of amounts, 13.32020, 007 and spaces
 * stay. The rows are those of the first reading: the same blank lines, lines above the table and sums below it are left
 * out. Values of Parquet, Arrow, JSON and spreadsheets have no spelling: numbers are written with the digits of their
 * type, dates as ISO dates. One batch is in memory at a time.
 *
 * @param files `files` of the table; without it all rows are read, those of a sum below the table too
 * @param options those of the first reading
 */
export async function* writtenRows(
  sources: readonly Source[],
  files: readonly ReadFile[] | undefined,
  options: ReadColumnsOptions = {},
): AsyncGenerator<WrittenRows, void, undefined> {
  const { format, header, decimal, delimiter, encoding, sheet, name, onProgress } = options;
  const present = defined({ format, header, decimal, delimiter, encoding, sheet, name, onProgress });
  const memory = options.memory ?? memoryLimit();
  const batches = (k: number): AsyncGenerator<RawTable, void, undefined> => {
    const known = files?.[k].encoding;
    const asWritten = { ...(known !== undefined && { encoding: known }) };
    return cellBatches(sources[k], { ...present, memory, asWritten }, BATCH);
  };
  const all = files === undefined ? await fieldsOf(sources, batches) : files[0].names;
  let names: string[] | undefined;
  let headings: string[] = [];
  for (const k of sources.keys()) {
    const expected = files?.[k].rows ?? Infinity;
    let read = 0;
    let called = "";
    for await (const raw of batches(k)) {
      called = raw.source;
      if (names === undefined) {
        names = raw.columns.map((column) => column.name);
        headings = [...(raw.headings ?? names)];
        const further = all.filter((one) => !names!.includes(one));
        names.push(...further);
        headings.push(...further);
      }
      const own = new Map(raw.columns.map((column) => [column.name, column]));
      const columns = names.map((one) => own.get(one));
      const rows = Math.min(raw.rows, Math.max(0, expected - read));
      read += raw.rows;
      if (read > expected + LINES_BELOW) throw changed(called);
      if (rows === 0) continue;
      yield { rows, names, headings, cell: (row, column) => writtenCell(columns[column], row) };
    }
    if (files !== undefined && read < expected) throw changed(called);
  }
}

/** The rows of one table of cells that were kept as they are written. */
export function writtenTable({ rows, columns, headings }: RawTable): WrittenRows {
  const names = columns.map(({ name }) => name);
  return {
    rows,
    names,
    headings: headings ?? names,
    cell: (row, column) => writtenCell(columns[column], row),
  };
}

const BATCH = 8192;
/** The most lines that sum up a table. */
const LINES_BELOW = 3;

function changed(source: string): Error {
  return inputError(`${source} changed while it was read: it has other rows now; run the command again`);
}

/** The columns of rows that name their columns are known after all rows. */
async function fieldsOf(
  sources: readonly Source[],
  batches: (k: number) => AsyncGenerator<RawTable, void, undefined>,
): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const k of sources.keys()) {
    for await (const { columns, open } of batches(k)) {
      if (open !== true) break;
      for (const { name } of columns) names.add(name);
    }
  }
  return [...names];
}

function writtenCell(column: RawColumn | undefined, row: number): string {
  if (column === undefined) return "";
  const { numbers, codes, texts, vectors, dimensions = 0, declared, single = false } = column;
  if (codes !== undefined && codes[row] >= 0) return texts![codes[row]];
  if (vectors !== undefined && !Number.isNaN(vectors[row * dimensions])) {
    const values = vectors.subarray(row * dimensions, (row + 1) * dimensions);
    return `[${Array.from(values, (value) => numberText(value, single)).join(", ")}]`;
  }
  const value = numbers?.[row] ?? Number.NaN;
  if (Number.isNaN(value)) return "";
  return declared === "date" ? timeText(value) : numberText(value, single);
}

/** An ISO date, with the time if there is one, to the millisecond. */
function timeText(days: number): string {
  const milliseconds = Math.round(days * 86_400_000);
  if (milliseconds % 1000 === 0) return dateText(days);
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? String(days) : date.toISOString().slice(0, 23).replace("T", " ");
}

/** The fewest digits that read back as the same number of its type. */
function numberText(value: number, single: boolean): string {
  if (single) {
    for (let digits = 6; digits < 9; digits++) {
      const text = Number(value.toPrecision(digits));
      if (Math.fround(text) === value) return String(text);
    }
  }
  return Object.is(value, -0) ? "-0" : String(value);
}

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
