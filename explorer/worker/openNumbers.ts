import { namedData, readNumbers, type NumberTable, type Table } from "kindred/data";
import { numberTable } from "kindred/run";
import { isSparse, toDense } from "kindred/matrix";
import type { Origin, Told } from "../protocol.ts";

/** Numbers above which a sparse file is not opened. */
const MOST_NUMBERS = 1e8;
/** Columns above which a sparse file is not shown column by column. */
const MOST_COLUMNS = 200;

export interface Opened {
  readonly table: Table;
  readonly origin: Origin;
  readonly numbers?: NumberTable;
  /** The column of known classes, where the source has one. */
  readonly known?: string;
}

/** A data set that comes with the library. */
export async function openNamed(name: string, options: Readonly<Record<string, number>>): Promise<Opened> {
  const generated = Object.keys(options).length > 0;
  const numbers = await namedData(name, generated ? { generator: options } : {});
  const origin: Origin = { name, kind: "named", ...(generated && { generator: options }), as: {} };
  return { table: numberTable(numbers), origin, known: numbers.label?.name };
}

/** Sparse numbers are used unscaled, and made dense where they are shown. */
export async function openSparse(
  file: Blob,
  { name, onProgress }: { readonly name: string; readonly onProgress: (told: Told) => void },
): Promise<Opened> {
  const numbers = await readNumbers(file, { name, onProgress, format: "libsvm" });
  const { X, label } = numbers;
  if (X.rows * X.cols > MOST_NUMBERS) {
    throw new Error(
      `${name}: ${X.rows} x ${X.cols} sparse numbers are too many for the explorer; kindred cluster takes them`,
    );
  }
  const wide = X.cols > MOST_COLUMNS;
  const dense = isSparse(X) && !wide ? toDense(X) : X;
  const table = numberTable(
    wide
      ? { ...numbers, X: { rows: X.rows, cols: 0, data: new Float64Array(0) }, names: [] }
      : { ...numbers, X: dense },
  );
  return { table, origin: { name, kind: "sparse", as: {} }, numbers, known: label?.name };
}
