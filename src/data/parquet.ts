import { parquetMetadataAsync, parquetSchema, parquetScan } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { inputError } from "../core/errors.ts";
import { PART_VALUES, tableBuilder, type Filling } from "./tableBuilder.ts";
import type { ByteSlices } from "./bytes.ts";
import { assignRoles, columnNames, IGNORED } from "./roles.ts";
import type { FillOptions } from "./table.ts";

/** Reads a Parquet file, one row group at a time; ignored columns are not decoded. */
export async function* fillFromParquet(file: ByteSlices, source: string, options: FillOptions): Filling {
  try {
    const metadata = await parquetMetadataAsync(file);
    const notes: string[] = [];
    const fields = parquetSchema(metadata).children;
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
    const partRows = Math.ceil(PART_VALUES / roles.columns.length);
    const wanted = names.flatMap((column, j) => (roles.kinds[j] === IGNORED ? [] : [{ column, j }]));
    const scan = await parquetScan({
      file,
      metadata,
      compressors,
      columns: wanted.map(({ column }) => column),
    });
    for (const { rowStart, rowEnd } of scan.ranges) {
      const parts = await Promise.all(
        wanted.map(({ column }) => scan.readColumn({ column, rowStart, rowEnd })),
      );
      for (let i = 0; i < rowEnd - rowStart; i++) {
        builder.begin(rowStart + i + 1);
        for (let k = 0; k < wanted.length; k++) builder.value(wanted[k].j, parts[k][i]);
        builder.end();
        if ((i + 1) % partRows === 0) yield builder;
      }
      yield builder;
    }
    return builder;
  } catch (error) {
    if (error instanceof Error && error.name === "KindredError") throw error;
    throw inputError(`${source} cannot be read as Parquet: ${(error as Error).message}`);
  }
}
