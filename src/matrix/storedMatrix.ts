import { inputError } from "../core/errors.ts";
import { stored as storedData } from "../core/stored.ts";
import { matrix, type Matrix } from "./matrix.ts";

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
  const checked = storedData(stored, name);
  const rows = checked.whole("rows", { min: 0 });
  const cols = checked.whole("cols", { min: 0 });
  return matrix(rows, cols, Float64Array.from(checked.numbers("data", rows * cols)));
}
