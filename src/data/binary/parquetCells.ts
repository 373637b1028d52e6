import { parquetMetadataAsync, parquetScan, parquetSchema, type SchemaTree } from "hyparquet";
import { DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import type { Note } from "../../core/index.ts";
import { inputError } from "../../core/internal.ts";
import type { ByteSlices } from "../files/bytes.ts";
import {
  chunkOf,
  chunksByPath,
  isFlat,
  isPlainNumbers,
  readFlatColumn,
  requireDirectory,
  requireLeaves,
} from "./parquetColumn.ts";
import { someBeyondDoubles } from "./wholeNumbers.ts";
import { damage, pageCodecs } from "./unpack.ts";
import { uniqueNames, type CellOptions, type RawTable } from "../cells/rawColumn.ts";
import { guard, valueStore, type ValueStore } from "../json/rowGatherer.ts";
import { refuseTooLarge } from "../files/budget.ts";
import { listElement, readLists } from "./parquetLists.ts";

/** Days since 1970-01-01 instead of Date objects. */
const PARSERS = {
  ...DEFAULT_PARSERS,
  timestampFromMilliseconds: (ms: bigint | number): number => Number(ms) / 86_400_000,
  timestampFromMicroseconds: (us: bigint | number): number => Number(us) / 86_400_000_000,
  timestampFromNanoseconds: (ns: bigint | number): number => Number(ns) / 86_400_000_000_000,
  dateFromDays: (days: number): number => days,
} as unknown as typeof DEFAULT_PARSERS;

/**
 * Reads a Parquet file one row group at a time: numbers and vectors as doubles, everything else as values.
 * Yields a table whenever it has `most` rows or more.
 */
export async function* parquetCells(
  file: ByteSlices,
  source: string,
  options: CellOptions,
  most: number,
): AsyncGenerator<RawTable, void, undefined> {
  try {
    const metadata = await parquetMetadataAsync(file);
    const notes: Note[] = [];
    const schema = parquetSchema(metadata);
    const fields = schema.children;
    requireDirectory(fields, metadata.row_groups);
    const names = uniqueNames(
      fields.map(({ element }) => element.name),
      notes,
      source,
    );
    const plan = options.numbers?.plan(
      names,
      fields.map(({ element }) => element.name),
    );
    const ignore = plan?.ignore ?? options.ignore;
    const isExact = (name: string): boolean =>
      options.asWritten !== undefined || plan?.texts.has(name) === true;
    const wanted = fields
      .map((field, j) => ({ field, own: field.element.name, name: names[j] }))
      .filter(({ name }) => ignore?.has(name) !== true);
    let declaredRows = 0;
    for (const { num_rows: rows } of metadata.row_groups) declaredRows += Number(rows);
    const largest = metadata.row_groups.reduce((rows, group) => Math.max(rows, Number(group.num_rows)), 0);
    const atOnce = Math.min(declaredRows, most + largest);
    refuseTooLarge(source, atOnce * wanted.length * 8, options.memory, undefined);
    const scan = await parquetScan({
      file,
      metadata,
      compressors: pageCodecs,
      parsers: PARSERS,
      columns: wanted.map(({ own }) => own),
    });
    const opened = (): Map<string, ValueStore> =>
      new Map(
        wanted.map(({ field, name }) => [
          name,
          valueStore(name, options, isTime(field) ? "date" : undefined, atOnce),
        ]),
      );
    let stores = opened();
    let held = 0;
    let rowStart = 0;
    const finished = (): RawTable => ({
      source,
      rows: held,
      columns: wanted.map(({ field, name }) => ({
        ...stores.get(name)!.finish(held),
        ...(isSingle(field) && { single: true }),
      })),
      notes,
      headings: wanted.map(({ own }) => own),
      total: declaredRows,
    });
    for (const { columns: parts, num_rows: count } of metadata.row_groups) {
      const rows = Number(count);
      const chunks = chunksByPath(parts);
      for (const { field, own, name } of wanted) {
        const store = stores.get(name)!;
        const list = listElement(field);
        if (isFlat(field)) {
          const path = [schema, field];
          const read = (exact: boolean): Promise<ArrayLike<unknown>> =>
            readFlatColumn(file, chunks, path, rows, options.memory, { parsers: PARSERS, exact });
          let values = await read(isExact(name));
          const isWhole = field.element.type === "INT64" && options.numbers === undefined;
          if (isWhole && values instanceof Float64Array && someBeyondDoubles(values))
            values = await read(true);
          if (values instanceof Float64Array) store.addNumbers(held, values);
          else for (let i = 0; i < rows; i++) store.add(held + i, values[i]);
        } else if (list !== undefined) {
          const path = [schema, ...list];
          await readLists(file, chunkOf(chunks, path), path, rows, held, store, options.memory);
        } else {
          await requireLeaves(file, chunks, [schema, field], options.memory);
          const values = await scan.readColumn({ column: own, rowStart, rowEnd: rowStart + rows });
          if (values.length < rows)
            throw new Error(`column ${own} has ${values.length} values for ${rows} rows`);
          for (let i = 0; i < rows; i++) store.add(held + i, values[i]);
        }
        refuseTooLarge(source, store.bytes, options.memory, name);
      }
      rowStart += rows;
      held += rows;
      guard(source, stores, options, `row ${rowStart}`);
      if (held < most) continue;
      yield finished();
      stores = opened();
      held = 0;
    }
    if (rowStart === 0) throw inputError(`${source} has no rows of data`);
    if (held > 0) yield finished();
  } catch (error) {
    throw damage(source, "Parquet", error);
  }
}

/** Whether all columns except the named ones are numbers without gaps, by the directory of the file. */
export async function isParquetOfNumbers(file: ByteSlices, aside: ReadonlySet<string>): Promise<boolean> {
  const metadata = await parquetMetadataAsync(file);
  const gaps = new Set(
    metadata.row_groups.flatMap(({ columns }) =>
      columns.flatMap(({ meta_data: told }) =>
        Number(told?.statistics?.null_count ?? 0) > 0 ? [told!.path_in_schema[0]] : [],
      ),
    ),
  );
  return parquetSchema(metadata).children.every((field) => {
    const { name } = field.element;
    return aside.has(name) || (isFlat(field) && isPlainNumbers(field) && !gaps.has(name));
  });
}

/** A column of floats, or of lists of them. */
function isSingle(field: SchemaTree): boolean {
  return (listElement(field)?.at(-1) ?? field).element.type === "FLOAT";
}

function isTime({ element, children }: SchemaTree): boolean {
  const { type, converted_type: converted, logical_type: logical } = element;
  return (
    children.length === 0 &&
    (type === "INT96" ||
      converted === "DATE" ||
      converted === "TIMESTAMP_MILLIS" ||
      converted === "TIMESTAMP_MICROS" ||
      logical?.type === "TIMESTAMP" ||
      logical?.type === "DATE")
  );
}
