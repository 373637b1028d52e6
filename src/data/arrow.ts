import { CompressionType, setCompressionCodec, tableFromIPC, Type, type Table } from "@uwdata/flechette";
import { decompressZstd } from "hyparquet-compressors";
import { inputError } from "../core/errors.ts";
import { arrowMessages, type ArrowMessage } from "./arrowMessages.ts";
import { addColumns } from "./columnRows.ts";
import { tableBuilder, type Filling, type TableBuilder } from "./tableBuilder.ts";
import type { ByteReader } from "./bytes.ts";
import { decompressLz4Frame } from "./lz4.ts";
import { assignRoles, columnNames, IGNORED } from "./roles.ts";
import type { FillOptions } from "./table.ts";

const readOnly = (): never => {
  throw new Error("only reading is supported");
};
setCompressionCodec(CompressionType.LZ4_FRAME, { decode: decompressLz4Frame, encode: readOnly });
// Copied, because the result may begin anywhere in a larger buffer, and columns need aligned bytes.
setCompressionCodec(CompressionType.ZSTD, {
  decode: (bytes) => decompressZstd(bytes).slice(),
  encode: readOnly,
});

/** Reads Arrow IPC, the file form (Feather 2) or the stream form, one record batch at a time, plain or compressed. */
export async function* fillFromArrow(reader: ByteReader, source: string, options: FillOptions): Filling {
  let builder: TableBuilder | undefined;
  let row = 0;
  for await (const part of recordBatches(reader, source)) {
    builder ??= builderFor(part, source, options);
    const { kinds } = builder.roles;
    const columns = [...kinds.keys()].flatMap((column) =>
      kinds[column] === IGNORED ? [] : [{ column, values: part.getChildAt(column).toArray() }],
    );
    yield* addColumns(builder, columns, part.numRows, row + 1);
    row += part.numRows;
  }
  return builder!;
}

function builderFor(arrow: Table, source: string, options: FillOptions): TableBuilder {
  const notes: string[] = [];
  const { fields } = arrow.schema;
  const names = columnNames(
    source,
    fields.map((field) => field.name),
    notes,
  );
  const text = new Set<number>();
  fields.forEach(({ type }, j) => {
    const values = type.typeId === Type.Dictionary ? type.dictionary : type;
    if (values.typeId === Type.Utf8 || values.typeId === Type.LargeUtf8) text.add(j);
  });
  return tableBuilder({ source, unit: "row", notes, options }, assignRoles(source, names, options, text));
}

/** Each record batch as a table of its own; the first is without rows and tells the schema. */
export async function* recordBatches(
  reader: ByteReader,
  source: string,
  useDate = true,
): AsyncGenerator<Table> {
  const failed = (error: unknown): Error =>
    error instanceof Error && error.name === "KindredError"
      ? error
      : inputError(`${source} cannot be read as Arrow: ${(error as Error).message}`);
  const decoded = (parts: readonly ArrowMessage[]): Table =>
    tableFromIPC(
      parts.map(({ bytes }) => bytes),
      { useDate },
    );
  let schema: ArrowMessage | undefined;
  let dictionaries: ArrowMessage[] = [];
  const messages = arrowMessages(reader);
  try {
    for (;;) {
      const { done, value: message } = await messages.next().catch((error: unknown) => {
        throw failed(error);
      });
      if (done === true) break;
      let part: Table | undefined;
      try {
        if (message.kind === "schema") part = decoded([(schema ??= message)]);
        else if (schema === undefined) throw new Error("the schema is missing");
        else if (message.kind === "batch") part = decoded([schema, ...dictionaries, message]);
        else {
          // A dictionary that is sent again replaces the one before; memory is not to grow with the batches.
          if (message.delta !== true) dictionaries = dictionaries.filter(({ id }) => id !== message.id);
          dictionaries.push(message);
        }
      } catch (error) {
        throw failed(error);
      }
      if (part !== undefined) yield part;
    }
  } finally {
    await messages.return(undefined);
  }
  if (schema === undefined) throw inputError(`${source} cannot be read as Arrow: the schema is missing`);
}
