/**
 * Lists of numbers of a Parquet file as vectors. A list column has one level of repetition: a value with level 0 begins
 * a row, one with level 1 continues it (Dremel encoding; Melnik et al. 2010, section 4.1). The values of all
 * rows follow each other, so a vector is a range of them.
 */
import type { ColumnChunk, SchemaTree } from "hyparquet";
import type { ByteSlices } from "../files/bytes.ts";
import { columnPages, isPlainNumbers } from "../binary/parquetColumn.ts";
import type { ValueStore } from "../json/rowGatherer.ts";

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
  return node.children.length === 0 && repeated === 1 && isPlainNumbers(node) ? path : undefined;
}

/** Adds the lists of a row group to the store; null and a list with a gap are missing. */
export async function readLists(
  file: ByteSlices,
  chunk: ColumnChunk,
  schemaPath: SchemaTree[],
  rows: number,
  rowStart: number,
  store: ValueStore,
  limit: number,
): Promise<void> {
  const { element } = schemaPath[schemaPath.length - 1];
  const { name } = schemaPath[1].element;
  const deepest = schemaPath.slice(1).filter(({ element: e }) => e.repetition_type !== "REQUIRED").length;
  let row = -1;
  let list = new Float64Array(1 << 10);
  let length = 0;
  let hole = false;
  const put = (): void => {
    if (row >= rows) throw new Error(`column ${name} has more lists than rows`);
    if (row >= 0 && length > 0 && !hole) store.addVector(rowStart + row, list.subarray(0, length));
    length = 0;
    hole = false;
  };
  const most = Math.floor(limit / 8);
  for await (const page of columnPages(file, chunk, schemaPath, { most, limit, asNumbers: true })) {
    const { count, definition, values } = page;
    const repetition = page.repetition!;
    const typed =
      values instanceof Float32Array || values instanceof Float64Array || values instanceof Int32Array;
    let next = 0;
    for (let k = 0; k < count;) {
      if (repetition[k] === 0) {
        put();
        row++;
      } else if (row < 0) throw new Error(`column ${name} begins in the middle of a list`);
      if (definition === undefined && typed) {
        // A run of values up to the next row.
        let end = k + 1;
        while (end < count && repetition[end] !== 0) end++;
        const run = end - k;
        while (length + run > list.length) list = doubled(list);
        list.set(values.subarray(next, next + run), length);
        length += run;
        next += run;
        k = end;
        continue;
      }
      if (definition === undefined || definition[k] === deepest) {
        if (length === list.length) list = doubled(list);
        list[length++] = Number(values[next++]);
      } else if (definition[k] === deepest - 1 && element.repetition_type === "OPTIONAL") hole = true;
      k++;
    }
  }
  put();
  if (row !== rows - 1) throw new Error(`column ${name} has ${row + 1} lists for ${rows} rows`);
}

function doubled(list: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(list.length * 2);
  larger.set(list);
  return larger;
}
