import { parquetMetadataAsync, parquetSchema } from "hyparquet";
import { KindredError } from "../../core/index.ts";
import { inOneLine } from "../../core/internal.ts";
import { addColumns } from "./columnRows.ts";
import { anyBudget } from "../files/budget.ts";
import { tableBuilder, type Filling } from "../files/tableBuilder.ts";
import type { ByteSlices } from "../files/bytes.ts";
import { isDecimal, isFlat, readFlatColumn, requireDirectory } from "./parquetColumn.ts";
import { assignRoles, columnNames, IGNORED, NUMERIC } from "../files/roles.ts";
import type { FillOptions } from "../table.ts";

/** Reads a Parquet file, one row group at a time; ignored columns are not decoded. */
export async function* fillFromParquet(file: ByteSlices, source: string, options: FillOptions): Filling {
  const memory = options.memory ?? anyBudget;
  try {
    const metadata = await parquetMetadataAsync(file);
    const notes: string[] = [];
    const schema = parquetSchema(metadata);
    const fields = schema.children;
    requireDirectory(fields, metadata.row_groups);
    const names = columnNames(
      source,
      fields.map(({ element }) => element.name),
      notes,
    );
    const text = new Set<number>();
    fields.forEach(({ element }, j) => {
      const bytes = element.type === "BYTE_ARRAY" || element.type === "FIXED_LEN_BYTE_ARRAY";
      if (bytes && !isDecimal(element)) text.add(j);
    });
    const roles = assignRoles(source, names, options, text);
    const builder = tableBuilder({ source, unit: "row", notes, options }, roles);
    const wanted = [...names.keys()].filter((j) => roles.kinds[j] !== IGNORED);
    const rowsInAll = metadata.row_groups.reduce((sum, { num_rows: count }) => sum + Number(count), 0);
    if (8 * rowsInAll * builder.store.width <= memory.limit()) builder.store.expect(rowsInAll);
    let rowStart = 0;
    for (const { columns: chunks, num_rows: count } of metadata.row_groups) {
      const rows = Number(count);
      memory.require(8 * rows * wanted.length, `${source}: a row group of ${rows} rows`);
      const read = async (j: number): Promise<ArrayLike<unknown>> =>
        isFlat(fields[j])
          ? readFlatColumn(file, chunks, [schema, fields[j]], rows, memory.limit(), {
              exact: roles.kinds[j] !== NUMERIC,
            })
          : Array.from({ length: rows }, () => NESTED);
      const parts = await Promise.all(wanted.map(read));
      const columns = wanted.map((j, k) => ({ column: j, values: parts[k] }));
      yield* addColumns(builder, columns, rows, rowStart + 1);
      rowStart += rows;
    }
    return builder;
  } catch (error) {
    throw parquetDamage(source, error);
  }
}

/** Errors of the decoder say little about the file; this reader explains what is wrong. */
export function parquetDamage(source: string, error: unknown): Error {
  if (error instanceof KindredError) return error;
  const { message, constructor } = error as Error;
  const told = constructor === Error ? inOneLine(message) : "the data are damaged";
  return new KindredError("input", `${source} cannot be read as Parquet: ${told}`, {}, { cause: error });
}

/** Marks a list or a record, which the builder refuses. */
const NESTED = {};
