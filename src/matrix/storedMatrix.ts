import { inputError } from "../core/errors.ts";
import { matrix, requireFinite, type Matrix } from "./matrix.ts";

/** A matrix as it is written to a JSON file. */
export interface StoredMatrix {
  readonly rows: number;
  readonly cols: number;
  readonly data: readonly number[];
}

export function storeMatrix({ rows, cols, data }: Matrix): StoredMatrix {
  return { rows, cols, data: Array.from(data) };
}

/** Reads back what `storeMatrix` made; `name` begins the error message if it is damaged or not there. */
export function restoreMatrix(stored: StoredMatrix | undefined, name: string): Matrix {
  if (stored === undefined)
    throw inputError(`${name} is missing: the file is damaged, or of an older version`);
  const { rows, cols, data } = stored;
  if (!Array.isArray(data) || data.length !== rows * cols) {
    throw inputError(`${name} is not ${rows} x ${cols} numbers: the file is damaged`);
  }
  const A = matrix(rows, cols, Float64Array.from(data));
  requireFinite(A, name);
  return A;
}
