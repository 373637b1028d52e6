import { parquetMetadataAsync, parquetSchema, parquetScan } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { inputError } from "../core/errors.ts";
import { addColumns } from "./columnRows.ts";
import { tableBuilder, type Filling } from "./tableBuilder.ts";
import type { ByteSlices } from "./bytes.ts";
import { chunkOf, isPlainNumbers, readNumbers } from "./parquetNumbers.ts";
import { assignRoles, columnNames, IGNORED, NUMERIC } from "./roles.ts";
import type { FillOptions } from "./table.ts";

/** Reads a Parquet file, one row group at a time; ignored columns are not decoded. */
export async function* fillFromParquet(file: ByteSlices, source: string, options: FillOptions): Filling {
  try {
    const metadata = await parquetMetadataAsync(file);
    const notes: string[] = [];
    const schema = parquetSchema(metadata);
    const fields = schema.children;
    const names = columnNames(
      source,
      fields.map(({ element }) => element.name),
      notes,
    );
    const text = new Set<number>();
    fields.forEach(({ element }, j) => {
      const bytes = element.type === "BYTE_ARRAY" || element.type === "FIXED_LEN_BYTE_ARRAY";
      if (bytes && element.converted_type !== "DECIMAL") text.add(j);
    });
    const roles = assignRoles(source, names, options, text);
    const builder = tableBuilder({ source, unit: "row", notes, options }, roles);
    const wanted = names.flatMap((column, j) => (roles.kinds[j] === IGNORED ? [] : [{ column, j }]));
    const scan = await parquetScan({
      file,
      metadata,
      compressors,
      columns: wanted.map(({ column }) => column),
    });
    let rowStart = 0;
    for (const { columns: chunks, num_rows: count } of metadata.row_groups) {
      const rows = Number(count);
      const read = async (column: string, j: number): Promise<ArrayLike<unknown>> => {
        const plain = roles.kinds[j] === NUMERIC && isPlainNumbers(fields[j]);
        const chunk = plain ? chunkOf(chunks, column) : undefined;
        return chunk === undefined
          ? scan.readColumn({ column, rowStart, rowEnd: rowStart + rows })
          : readNumbers(file, chunk, [schema, fields[j]], rows);
      };
      const parts = await Promise.all(wanted.map(({ column, j }) => read(column, j)));
      const columns = wanted.map(({ j }, k) => ({ column: j, values: parts[k] }));
      yield* addColumns(builder, columns, rows, rowStart + 1);
      rowStart += rows;
    }
    return builder;
  } catch (error) {
    if (error instanceof Error && error.name === "KindredError") throw error;
    throw inputError(`${source} cannot be read as Parquet: ${(error as Error).message}`);
  }
}
