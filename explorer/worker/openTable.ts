import { cellText, readColumns, type Column, type Table } from "kindred/data";
import type { DataSource, Reading, TableData, Told } from "../protocol.ts";
import type { Opened } from "./openNumbers.ts";
import { notesOf } from "./failure.ts";

const SPARSE_NAME = /\.(?:libsvm|svm|svmlight)(?:\.gz)?$/i;

/** Reads a file or generates a named set: every column with its kind and the reason. */
export async function openTable(
  { key, source, reading }: { readonly key: number; readonly source: DataSource; readonly reading: Reading },
  onProgress: (told: Told) => void,
): Promise<TableData> {
  const read =
    source.kind === "named"
      ? await (await import("./openNumbers.ts")).openNamed(source.name, source.options)
      : await openFile(source, reading, onProgress);
  const { table, origin, numbers, known } = read;
  const label = reading.label ?? known;
  const naming = (kind: Column["kind"]): Column | undefined =>
    table.columns.find(
      (column) => column.kind === kind && column.name !== label && namesRows(column, table.rows),
    );
  const id = naming("id") ?? naming("text");
  return {
    key,
    source: origin.name,
    rows: table.rows,
    columns: table.columns.map(shared),
    ...(label !== undefined && label !== "" && { label }),
    ...(id !== undefined && { id: id.name }),
    notes: notesOf(table.notes),
    origin,
    ...(table.files !== undefined && { files: table.files }),
    ...(numbers !== undefined && { numbers }),
  };
}

async function openFile(
  { file, name, with: beside }: Extract<DataSource, { kind: "file" }>,
  reading: Reading,
  onProgress: (told: Told) => void,
): Promise<Opened> {
  const common = { name, onProgress: ({ fraction, label }: Told) => onProgress({ fraction, label }) };
  const sparse = async (): Promise<Opened> => (await import("./openNumbers.ts")).openSparse(file, common);
  if (SPARSE_NAME.test(name)) return sparse();
  const { as } = reading;
  const given = Object.keys(as).length > 0;
  try {
    const table = await readColumns(file, {
      ...common,
      ...(given && { as }),
      ...(beside !== undefined && { with: beside.file }),
    });
    return { table, origin: { name, kind: "file", as, ...(beside !== undefined && { with: beside.name }) } };
  } catch (error) {
    // LIBSVM may be recognisable only by its contents.
    if (error instanceof Error && "code" in error && error.code === "libsvm") return sparse();
    throw error;
  }
}

/** The table of a file with every column for itself. */
export function readSeparate(file: Blob, name: string): Promise<Table> {
  return readColumns(file, { name, vector: "none" });
}

/** Letters up to which a text can be the name of a row. */
const LONGEST_NAME = 40;

/** An id, or a short text, that differs in every row. */
function namesRows(column: Column, rows: number): boolean {
  if (column.missing > 0) return false;
  const names = Array.from({ length: rows }, (_, row) => cellText(column, row));
  if (column.kind === "text" && names.some(({ length }) => length > LONGEST_NAME)) return false;
  return new Set(names).size === rows;
}

/** Numbers go into shared memory; their spelling is kept only if it says more than the number. */
function shared(column: Column): Column {
  const { values, codes, kind, reading, cells, ...rest } = column;
  const plain =
    kind === "number" && values !== undefined && reading.form === undefined && reading.unit === undefined;
  return {
    ...rest,
    kind,
    reading,
    ...(cells !== undefined && !plain && { cells }),
    ...(values !== undefined && { values: inSharedMemory(values) }),
    ...(codes !== undefined && { codes: inSharedMemory(codes) }),
  };
}

/** The same numbers in memory shared by page and worker, if the browser allows it. */
export function inSharedMemory<T extends Float64Array | Float32Array | Int32Array>(data: T): T {
  if (typeof SharedArrayBuffer === "undefined" || data.buffer instanceof SharedArrayBuffer) return data;
  const Same = data.constructor as new (buffer: SharedArrayBuffer) => T;
  const copy = new Same(new SharedArrayBuffer(data.byteLength));
  copy.set(data);
  return copy;
}
