/**
 * Columns of numbers of a Parquet file as doubles. The scan of hyparquet hands out typed arrays of columns that are declared
 * to have no nulls only; most writers declare none, and then it pushes value by value to a list, which takes most of the
 * time of reading. Here its pages are decoded one by one into one array of the row group.
 */
import type { ColumnChunk, DataPageHeader, DecodedArray, SchemaTree } from "hyparquet";
import { parquetHeader, readPage } from "hyparquet/src/column.js";
import { convert, convertWithDictionary, DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { decompressPage, readDataPage, readDataPageV2 } from "hyparquet/src/datapage.js";
import { compressors } from "hyparquet-compressors";
import type { ByteSlices } from "./bytes.ts";

type ColumnDecoder = Parameters<typeof readDataPage>[2];
type DataPage = ReturnType<typeof readDataPage>;

/** Whether a column is one of plain numbers, each row with one or none; others have values that only the scan knows. */
export function isPlainNumbers({ element, children }: SchemaTree): boolean {
  const { type, repetition_type: repetition, converted_type: converted, logical_type: logical } = element;
  return (
    children.length === 0 &&
    repetition !== "REPEATED" &&
    (type === "DOUBLE" || type === "FLOAT" || type === "INT32" || type === "INT64") &&
    (converted === undefined || /^U?INT_/.test(converted)) &&
    (logical === undefined || logical.type === "INTEGER")
  );
}

/** The part of a column that lies in a row group; undefined where it is not to be found here. */
export function chunkOf(columns: readonly ColumnChunk[], name: string): ColumnChunk | undefined {
  const named = columns.filter(({ meta_data: meta }) => meta?.path_in_schema[0] === name);
  return named.length === 1 && named[0].file_path === undefined ? named[0] : undefined;
}

/** The numbers of a column in a row group, NaN where there is none. */
export async function readNumbers(
  file: ByteSlices,
  { meta_data: meta }: ColumnChunk,
  schemaPath: SchemaTree[],
  rows: number,
): Promise<Float64Array> {
  const { type, codec, path_in_schema: pathInSchema, total_compressed_size: size } = meta!;
  const start = Number(meta!.dictionary_page_offset || meta!.data_page_offset);
  const reader = { view: new DataView(await file.slice(start, start + Number(size))), offset: 0 };
  const { element } = schemaPath[schemaPath.length - 1];
  const column = { pathInSchema, type, element, schemaPath, codec, compressors, parsers: DEFAULT_PARSERS };
  const numbers = new Float64Array(rows);
  let dictionary: DecodedArray | undefined;
  let read = 0;
  while (read < rows && reader.offset < reader.view.byteLength) {
    const header = parquetHeader(reader);
    const { data_page_header: v1, data_page_header_v2: v2 } = header;
    const paged = v1 ?? v2;
    if (paged === undefined) {
      const { data } = readPage(reader, header, column, dictionary, undefined, 0);
      if (data !== undefined) dictionary = convert(data, column);
      continue;
    }
    const { buffer, byteOffset } = reader.view;
    const bytes = new Uint8Array(buffer, byteOffset + reader.offset, header.compressed_page_size);
    reader.offset += bytes.length;
    const { dataPage, definitionLevels } =
      v1 === undefined
        ? readDataPageV2(bytes, header, column)
        : readPresent(decompressPage(bytes, header.uncompressed_page_size, codec, compressors), v1, column);
    const values = convertWithDictionary(dataPage, dictionary, paged.encoding, column);
    const end = read + paged.num_values;
    if (end > rows) throw new Error(`column ${pathInSchema[0]} has more values than rows`);
    if (values.length === paged.num_values) put(values, numbers, read);
    else putBetweenNulls(values, definitionLevels ?? [], numbers, read);
    read = end;
  }
  if (read < rows) throw new Error(`column ${pathInSchema[0]} has ${read} values for ${rows} rows`);
  return numbers;
}

/** Definition levels that are one run of 1, which is what they are of a page without nulls, need not be decoded. */
function readPresent(page: Uint8Array, header: DataPageHeader, column: ColumnDecoder): DataPage {
  const [root, field] = column.schemaPath;
  if (field.element.repetition_type === "REQUIRED") return readDataPage(page, header, column);
  // Four bytes of length, then the run: 2 x its length, seven bits a byte, and the level.
  const length = new DataView(page.buffer, page.byteOffset).getUint32(0, true);
  let run = 0;
  let at = 4;
  for (let shift = 0; ; shift += 7) {
    run += (page[at] & 127) * 2 ** shift;
    if (page[at++] < 128 || shift > 28) break;
  }
  const present = run % 2 === 0 && run / 2 >= header.num_values && page[at] === 1;
  if (!present) return readDataPage(page, header, column);
  const required = { ...field, element: { ...field.element, repetition_type: "REQUIRED" as const } };
  return readDataPage(page.subarray(4 + length), header, { ...column, schemaPath: [root, required] });
}

function put(values: DecodedArray, into: Float64Array, at: number): void {
  if (values instanceof Float64Array || values instanceof Float32Array || values instanceof Int32Array) {
    into.set(values, at);
  } else {
    for (let i = 0; i < values.length; i++) into[at + i] = Number(values[i]);
  }
}

/** Values stand where the definition level is 1, the highest that a flat column has. */
function putBetweenNulls(
  values: DecodedArray,
  levels: ArrayLike<number>,
  into: Float64Array,
  at: number,
): void {
  let next = 0;
  for (let i = 0; i < levels.length; i++) {
    into[at + i] = levels[i] === 1 ? Number(values[next++]) : Number.NaN;
  }
}
