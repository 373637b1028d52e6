import {
  namedData,
  readColumns,
  readNumbers,
  type Column,
  type NumberTable,
  type Table,
} from "kindred/data";
import { asTable } from "kindred/front";
import { isSparse, toDense } from "kindred/matrix";
import type { DataSource, Origin, Reading, TableData, Told } from "../protocol.ts";

/** Numbers of a sparse file beyond which it is not opened. */
const MOST_NUMBERS = 1e8;
/** Columns of a sparse file beyond which they are not shown one by one. */
const MOST_COLUMNS = 200;
const LABEL_NAME = /^(class|label|target|species|cultivar|diagnosis|y)$/i;
const SPARSE_NAME = /\.(?:libsvm|svm|svmlight)(?:\.gz)?$/i;

/** Reads a file or makes a named set: every column with what it is taken as, and why. */
export async function openTable(
  { key, source, reading }: { readonly key: number; readonly source: DataSource; readonly reading: Reading },
  onProgress: (told: Told) => void,
): Promise<TableData> {
  const read =
    source.kind === "named"
      ? await openNamed(source.name, source.options)
      : await openFile(source.file, source.name, reading, onProgress);
  const { table, origin, numbers, known } = read;
  const label = reading.label ?? known ?? guessedLabel(table.columns);
  const ids = table.columns.filter(({ kind, name }) => kind === "id" && name !== label);
  return {
    key,
    source: origin.name,
    rows: table.rows,
    columns: table.columns.map(shared),
    ...(label !== undefined && label !== "" && { label }),
    ...(ids.length > 0 && { id: ids[0].name }),
    notes: table.notes.map(({ message }) => message),
    origin,
    ...(numbers !== undefined && { numbers }),
  };
}

interface Opened {
  readonly table: Table;
  readonly origin: Origin;
  readonly numbers?: NumberTable;
  /** The column of known classes, where the source has one. */
  readonly known?: string;
}

async function openNamed(name: string, options: Readonly<Record<string, number>>): Promise<Opened> {
  const generated = Object.keys(options).length > 0;
  const numbers = await namedData(name, generated ? { generator: options } : {});
  const origin: Origin = { name, kind: "named", ...(generated && { generator: options }), as: {} };
  return { table: asTable(numbers, "explore"), origin, known: numbers.label?.name };
}

async function openFile(
  file: Blob,
  name: string,
  reading: Reading,
  onProgress: (told: Told) => void,
): Promise<Opened> {
  const common = { name, onProgress: ({ fraction, label }: Told) => onProgress({ fraction, label }) };
  if (SPARSE_NAME.test(name)) return sparse(await readNumbers(file, common), name);
  const { as } = reading;
  const given = Object.keys(as).length > 0;
  try {
    const table = await readColumns(file, { ...common, ...(given && { as }) });
    return { table, origin: { name, kind: "file", as } };
  } catch (error) {
    // LIBSVM may be known by its contents only.
    if (error instanceof Error && /LIBSVM/i.test(error.message)) {
      return sparse(await readNumbers(file, { ...common, format: "libsvm" }), name);
    }
    throw error;
  }
}

/** Sparse numbers are taken as they are, and written out where they are shown. */
function sparse(numbers: NumberTable, name: string): Opened {
  const { X, label } = numbers;
  if (X.rows * X.cols > MOST_NUMBERS) {
    throw new Error(
      `${name}: ${X.rows} x ${X.cols} sparse numbers are too many for the explorer; kindred cluster takes them`,
    );
  }
  const wide = X.cols > MOST_COLUMNS;
  const dense = isSparse(X) && !wide ? toDense(X) : X;
  const table = asTable(
    wide ? { ...numbers, X: { rows: X.rows, cols: 0, data: new Float64Array(0) }, names: [] } : { ...numbers, X: dense },
    "explore",
  );
  return { table, origin: { name, kind: "sparse", as: {} }, numbers, known: label?.name };
}

/** The likeliest column of classes, by its name. */
function guessedLabel(columns: readonly Column[]): string | undefined {
  return columns.find(({ name, kind }) => LABEL_NAME.test(name) && CLASSES.has(kind))?.name;
}

const CLASSES: ReadonlySet<string> = new Set(["category", "number", "ordered"]);

function shared(column: Column): Column {
  const { values, codes } = column;
  return {
    ...column,
    ...(values !== undefined && { values: inSharedMemory(values) }),
    ...(codes !== undefined && { codes: inSharedMemory(codes) }),
  };
}

/** The same numbers where page and worker both see them, if the browser allows it. */
export function inSharedMemory<T extends Float64Array | Float32Array | Int32Array>(data: T): T {
  if (typeof SharedArrayBuffer === "undefined" || data.buffer instanceof SharedArrayBuffer) return data;
  const Same = data.constructor as new (buffer: SharedArrayBuffer) => T;
  const copy = new Same(new SharedArrayBuffer(data.byteLength));
  copy.set(data);
  return copy;
}
