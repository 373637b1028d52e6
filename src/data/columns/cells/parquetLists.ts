/**
 * Lists of numbers of a Parquet file as vectors. A list column has one level of repetition: a value with level 0 begins
 * a row, one with level 1 continues it (Dremel encoding; Melnik et al. 2010, section 4.1). The values of all rows lie
 * behind each other, so a vector is a range of them.
 */
import type { ColumnChunk, DecodedArray, SchemaTree } from "hyparquet";
import { parquetHeader, readPage } from "hyparquet/src/column.js";
import { convert, convertWithDictionary, DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { decompressPage, readDataPage, readDataPageV2 } from "hyparquet/src/datapage.js";
import { compressors } from "hyparquet-compressors";
import type { ByteSlices } from "../../bytes.ts";
import type { ValueStore } from "./valueStore.ts";

/** The path from the field to its elements if it is a list of plain numbers. */
export function listElement(field: SchemaTree): SchemaTree[] | undefined {
  const path: SchemaTree[] = [field];
  let repeated = field.element.repetition_type === "REPEATED" ? 1 : 0;
  let node = field;
  while (node.children.length === 1) {
    [node] = node.children;
    path.push(node);
    if (node.element.repetition_type === "REPEATED") repeated++;
  }
  const { type, converted_type: converted, logical_type: logical } = node.element;
  const plain =
    (type === "DOUBLE" || type === "FLOAT" || type === "INT32" || type === "INT64") &&
    (converted === undefined || /^U?INT_/.test(converted)) &&
    (logical === undefined || logical.type === "INTEGER");
  return node.children.length === 0 && repeated === 1 && plain ? path : undefined;
}

/** Adds the lists of a row group to the store; a list with a hole in it, and a null, is missing. */
export async function readLists(
  file: ByteSlices,
  { meta_data: meta }: ColumnChunk,
  schemaPath: SchemaTree[],
  rows: number,
  rowStart: number,
  store: ValueStore,
): Promise<void> {
  const { type, codec, path_in_schema: pathInSchema, total_compressed_size: size } = meta!;
  const start = Number(meta!.dictionary_page_offset || meta!.data_page_offset);
  const reader = { view: new DataView(await file.slice(start, start + Number(size))), offset: 0 };
  const { element } = schemaPath[schemaPath.length - 1];
  const column = { pathInSchema, type, element, schemaPath, codec, compressors, parsers: DEFAULT_PARSERS };
  const deepest =
    schemaPath.filter(({ element: e }) => e.repetition_type !== "REQUIRED").length -
    rootIsOptional(schemaPath);
  let dictionary: DecodedArray | undefined;
  let row = -1;
  let list = new Float64Array(1 << 10);
  let length = 0;
  let hole = false;
  const put = (): void => {
    if (row >= rows) throw new Error(`column ${pathInSchema[0]} has more lists than rows`);
    if (row >= 0 && length > 0 && !hole) store.addVector(rowStart + row, list.subarray(0, length));
    length = 0;
    hole = false;
  };
  while (reader.offset < reader.view.byteLength - 1) {
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
    const { dataPage, definitionLevels, repetitionLevels } =
      v1 === undefined
        ? readDataPageV2(bytes, header, column)
        : readDataPage(decompressPage(bytes, header.uncompressed_page_size, codec, compressors), v1, column);
    const values = convertWithDictionary(dataPage, dictionary, paged.encoding, column);
    const count = paged.num_values;
    const present = definitionLevels === undefined || definitionLevels.length === 0;
    const typed =
      values instanceof Float32Array || values instanceof Float64Array || values instanceof Int32Array;
    let next = 0;
    for (let k = 0; k < count;) {
      if (repetitionLevels[k] === 0) {
        put();
        row++;
      }
      if (present && typed) {
        // A run of values up to the next row.
        let end = k + 1;
        while (end < count && repetitionLevels[end] !== 0) end++;
        const run = end - k;
        while (length + run > list.length) list = doubled(list);
        list.set(values.subarray(next, next + run), length);
        length += run;
        next += run;
        k = end;
        continue;
      }
      if (present || definitionLevels![k] === deepest) {
        if (length === list.length) list = doubled(list);
        list[length++] = Number(values[next++]);
      } else if (definitionLevels![k] === deepest - 1 && element.repetition_type === "OPTIONAL") hole = true;
      k++;
    }
  }
  put();
  if (row !== rows - 1) throw new Error(`column ${pathInSchema[0]} has ${row + 1} lists for ${rows} rows`);
}

/** The root of the schema has no level of its own, whatever it is declared as. */
function rootIsOptional([root]: readonly SchemaTree[]): number {
  return root.element.repetition_type === "REQUIRED" ? 0 : 1;
}

function doubled(list: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(list.length * 2);
  larger.set(list);
  return larger;
}
