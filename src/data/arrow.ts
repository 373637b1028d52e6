import { CompressionType, setCompressionCodec, tableFromIPC, Type } from "@uwdata/flechette";
import { decompressZstd } from "hyparquet-compressors";
import { inputError } from "../core/errors.ts";
import { tableBuilder } from "./tableBuilder.ts";
import { decompressLz4Frame } from "./lz4.ts";
import { assignRoles, columnNames, IGNORED } from "./roles.ts";
import type { ReadOptions, Table } from "./table.ts";

const readOnly = (): never => {
  throw new Error("only reading is supported");
};
setCompressionCodec(CompressionType.LZ4_FRAME, { decode: decompressLz4Frame, encode: readOnly });
// Copied, because the result may begin anywhere in a larger buffer, and columns need aligned bytes.
setCompressionCodec(CompressionType.ZSTD, {
  decode: (bytes) => decompressZstd(bytes).slice(),
  encode: readOnly,
});

/** Reads Arrow IPC, the file form (Feather 2) or the stream form, its buffers plain or compressed. */
export function readArrow(bytes: Uint8Array, source: string, options: ReadOptions): Table {
  let arrow: ReturnType<typeof tableFromIPC>;
  try {
    arrow = tableFromIPC(bytes, { useDate: true });
  } catch (error) {
    throw inputError(`${source} cannot be read as Arrow: ${(error as Error).message}`);
  }
  const notes: string[] = [];
  const names = columnNames(
    source,
    arrow.schema.fields.map((field) => field.name),
    notes,
  );
  const text = new Set<number>();
  arrow.schema.fields.forEach(({ type }, j) => {
    const values = type.typeId === Type.Dictionary ? type.dictionary : type;
    if (values.typeId === Type.Utf8 || values.typeId === Type.LargeUtf8) text.add(j);
  });
  const roles = assignRoles(source, names, options, text);
  const missing = options.missing ?? "refuse";
  const builder = tableBuilder({ source, unit: "row", missing, notes }, roles);
  const columns = names.flatMap((_, j) =>
    roles.kinds[j] === IGNORED ? [] : [{ j, column: arrow.getChildAt(j) }],
  );
  for (let i = 0; i < arrow.numRows; i++) {
    builder.begin(i + 1);
    for (const { j, column } of columns) builder.value(j, column.at(i));
    builder.end();
  }
  return builder.finish();
}
