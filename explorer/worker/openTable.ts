import { namedData, readNumbers, type ColumnRoles, type FoundColumn, type NumberTable } from "kindred/data";
import { isSparse, toDense, type Matrix } from "kindred/matrix";
import type { ColumnInfo, DataSource, Origin, Reading, TableData, Told } from "../protocol.ts";

/** Numbers beyond which a sparse table is not made dense. */
const MOST_NUMBERS = 1e8;
const LABEL_NAME = /^(class|label|target|species|category|cultivar|diagnosis|y)$/i;
const ID_NAME = /^(id|name|row|index|key|sample|)$/i;

/** Reads a file or makes a named set, and puts its numbers where page and worker both see them. */
export async function openTable(
  { source, reading }: { source: DataSource; reading: Reading },
  onProgress: (told: Told) => void,
): Promise<TableData> {
  return source.kind === "named"
    ? openNamed(source.name, source.options, reading)
    : openFile(source.file, source.name, reading, onProgress);
}

async function openNamed(
  name: string,
  options: Readonly<Record<string, number>>,
  reading: Reading,
): Promise<TableData> {
  const generated = Object.keys(options).length > 0;
  const table = await namedData(name, generated ? { generator: options } : {});
  const labelled = reading.label !== "" && table.label !== undefined;
  const columns: ColumnInfo[] = table.names.map((column) => ({ name: column, text: false, role: "feature" }));
  if (table.label !== undefined) {
    columns.push({ name: table.label.name, text: true, role: labelled ? "label" : "left out" });
  }
  const origin: Origin = {
    name,
    ...(generated && { generator: options }),
    ...(labelled && { label: table.label!.name }),
    ignore: [],
    encode: [],
  };
  return tableData(labelled ? table : { ...table, label: undefined }, columns, origin);
}

async function openFile(
  file: Blob,
  name: string,
  reading: Reading,
  onProgress: (told: Told) => void,
): Promise<TableData> {
  let columns: ColumnInfo[] = [];
  let roles: ColumnRoles = {};
  const decide = (found: readonly FoundColumn[], nameOfRows?: string): ColumnRoles => {
    roles = chooseRoles(found, reading, nameOfRows);
    columns = found.map(({ name: column, text }) => ({ name: column, text, role: roleOf(column, roles) }));
    return roles;
  };
  const { missing } = reading;
  const common = {
    name,
    onProgress: ({ fraction, label }: Told) => onProgress({ fraction, label }),
  };
  const read = async (nameOfRows?: string): Promise<NumberTable> => {
    try {
      return await readNumbers(file, { ...common, missing, roles: (found) => decide(found, nameOfRows) });
    } catch (error) {
      // Known by its contents only, and then it has no columns to choose roles for.
      if (error instanceof Error && error.message.endsWith(", which is LIBSVM"))
        return readNumbers(file, common);
      throw error;
    }
  };
  let table = await read();
  // A guessed label that is different in nearly every row names the rows.
  if (reading.label === undefined && table.label !== undefined && namesRows(table.label.values)) {
    table = await read(table.label.name);
  }
  const origin: Origin = {
    name,
    ...(roles.label !== undefined && { label: roles.label }),
    ...(roles.id !== undefined && { id: roles.id }),
    ignore: roles.ignore ?? [],
    encode: reading.encode,
    ...(missing !== undefined && { missing }),
  };
  if (columns.length === 0)
    columns = table.names.map((column) => ({ name: column, text: false, role: "feature" }));
  return tableData(table, columns, origin);
}

/** Text that nobody asked to encode is left out; the likeliest class column becomes the label. */
function chooseRoles(found: readonly FoundColumn[], reading: Reading, nameOfRows?: string): ColumnRoles {
  const encoded = found.filter(({ name }) => reading.encode.includes(name)).map(({ name }) => name);
  const free = found.filter(({ name }) => !encoded.includes(name) && name !== nameOfRows);
  const texts = free.filter(({ text }) => text);
  const guess =
    free.find(({ name }) => LABEL_NAME.test(name)) ??
    (texts.length > 0 && nameOfRows === undefined ? texts[texts.length - 1] : undefined);
  const label = reading.label ?? guess?.name;
  const id = nameOfRows ?? texts.find(({ name }) => ID_NAME.test(name) && name !== label)?.name;
  const taken = new Set([label, id]);
  const ignore = texts.filter(({ name }) => !taken.has(name)).map(({ name }) => name);
  return {
    ...(label !== undefined && label !== "" && { label }),
    ...(id !== undefined && { id }),
    ignore,
    categorical: encoded,
  };
}

function roleOf(column: string, roles: ColumnRoles): ColumnInfo["role"] {
  if (column === roles.label) return "label";
  if (column === roles.id) return "id";
  if (roles.ignore?.includes(column)) return "left out";
  return roles.categorical?.includes(column) ? "encoded" : "feature";
}

function namesRows(values: readonly string[]): boolean {
  return values.length > 20 && new Set(values).size > values.length / 2;
}

function tableData(table: NumberTable, columns: readonly ColumnInfo[], origin: Origin): TableData {
  const { names, label, ids, notes } = table;
  const X = denseTable(table);
  return {
    source: origin.name,
    rows: X.rows,
    names,
    values: shared(X.data),
    columns,
    ...(label !== undefined && { label }),
    ...(ids !== undefined && { ids }),
    notes,
    origin,
  };
}

function denseTable({ X, source }: NumberTable): Matrix {
  if (!isSparse(X)) return X;
  if (X.rows * X.cols > MOST_NUMBERS) {
    throw new Error(
      `${source}: ${X.rows} x ${X.cols} sparse numbers are too many for the explorer; kindred cluster takes them`,
    );
  }
  return toDense(X);
}

function shared(data: Float64Array): Float64Array {
  if (typeof SharedArrayBuffer === "undefined") return data;
  const copy = new Float64Array(new SharedArrayBuffer(data.byteLength));
  copy.set(data);
  return copy;
}
