import {
  agreed,
  damaged,
  inputError,
  numbers,
  record,
  whole,
  type Form,
  type Length,
  type Range,
} from "../core/internal.ts";
import { matrix, type Matrix } from "./matrix.ts";

/** A matrix in its JSON form. */
export interface StoredMatrix {
  readonly rows: number;
  readonly cols: number;
  readonly data: readonly number[];
}

/** A matrix in a stored form; its numbers of rows and columns may have names (core/codec.ts). */
export function matrixForm(rows?: Length, cols?: Length, range?: Range): Form<StoredMatrix, Matrix> {
  const parts = record({ rows: whole({ min: 0 }), cols: whole({ min: 0 }), data: numbers(undefined, range) });
  return {
    schema: parts.schema,
    load(value, at) {
      const made = parts.load(value, at);
      const counts = [
        ["rows", made.rows, agreed(at, rows, made.rows)],
        ["columns", made.cols, agreed(at, cols, made.cols)],
        ["numbers", made.data.length, made.rows * made.cols],
      ] as const;
      for (const [name, count, expected] of counts) {
        if (count !== expected) throw damaged(at, `has ${count} ${name} where ${expected} belong`);
      }
      return matrix(made.rows, made.cols, made.data);
    },
    save: storeMatrix,
  };
}

export function storeMatrix({ rows, cols, data }: Matrix): StoredMatrix {
  return { rows, cols, data: Array.from(data) };
}

/** Reads the output of `storeMatrix`; `name` begins the error message if it is damaged or missing. */
export function restoreMatrix(stored: StoredMatrix | undefined, name: string): Matrix {
  if (typeof stored !== "object" || stored === null)
    throw inputError(`${name} is missing: the file is damaged, or of an older version`);
  const { rows, cols, data } = stored;
  if (!Number.isInteger(rows) || !Number.isInteger(cols) || rows < 0 || cols < 0) {
    throw inputError(`${name} has no numbers of rows and columns: the file is damaged`);
  }
  return matrix(rows, cols, restoreNumbers(data, name, { count: rows * cols, shape: `${rows} x ${cols}` }));
}

/** Numbers of a stored model: finite, of the right count, in their range; `name` begins the error message. */
export function restoreNumbers(
  stored: unknown,
  name: string,
  expected: {
    readonly count?: number;
    /** A description of the numbers, if it is more than their count. */
    readonly shape?: string;
    readonly min?: number;
    readonly max?: number;
    readonly whole?: boolean;
  } = {},
): Float64Array {
  const { count, min = -Infinity, max = Infinity, whole = false } = expected;
  const shape = expected.shape ?? (count === undefined ? "a list of" : String(count));
  if (!Array.isArray(stored) || (count !== undefined && stored.length !== count)) {
    throw inputError(`${name} is not ${shape} numbers: the file is damaged`);
  }
  for (let place = 0; place < stored.length; place++) {
    const value: unknown = stored[place];
    if (typeof value !== "number" || !Number.isFinite(value)) {
      throw inputError(`${name}: entry ${place} is not a finite number: the file is damaged`);
    }
    if (value < min || value > max || (whole && !Number.isInteger(value))) {
      throw inputError(`${name}: entry ${place} is ${value}, which cannot be: the file is damaged`);
    }
  }
  return Float64Array.from(stored as number[]);
}
