import { form } from "../core/internal.ts";
import { matrix, requireMatrix, type Matrix } from "./matrix.ts";

/** A matrix in its JSON form. */
export interface StoredMatrix {
  readonly rows: number;
  readonly cols: number;
  readonly data: readonly number[];
}

/** A matrix in a stored form; its numbers of rows and columns may have names (core/codec.ts). */
export function matrixForm(
  rows?: form.Length,
  cols?: form.Length,
  range?: form.Range,
): form.Form<StoredMatrix, Matrix> {
  const parts = form.record({
    rows: form.whole({ min: 0 }),
    cols: form.whole({ min: 0 }),
    data: form.numbers(undefined, range),
  });
  return {
    schema: parts.schema,
    load(value, at) {
      const made = parts.load(value, at);
      const counts = [
        ["rows", made.rows, form.agreed(at, rows, made.rows)],
        ["columns", made.cols, form.agreed(at, cols, made.cols)],
        ["numbers", made.data.length, made.rows * made.cols],
      ] as const;
      for (const [name, count, expected] of counts) {
        if (count !== expected) throw form.damaged(at, `has ${count} ${name} where ${expected} belong`);
      }
      return matrix(made.rows, made.cols, made.data);
    },
    save: storeMatrix,
  };
}

/** A matrix whose numbers alone are stored, row by row: other parts of the file say how many rows and columns. */
export function rowMajorForm(
  rows: string,
  cols: string,
  range?: form.Range,
): form.Form<readonly number[], Matrix> {
  const list = form.numbers(undefined, range);
  return {
    schema: list.schema,
    load(value, at) {
      const data = list.load(value, at);
      const d = at.lengths.get(cols) ?? 0;
      const n = form.agreed(at, rows, d === 0 ? 0 : Math.floor(data.length / d));
      if (data.length !== n * d)
        throw form.damaged(at, `has ${data.length} entries where ${n} x ${d} belong`);
      return matrix(n, d, data);
    },
    save: ({ data }) => Array.from(data),
  };
}

/** A matrix as plain data for JSON. */
export function storeMatrix(A: Matrix): StoredMatrix {
  requireMatrix(A, "storeMatrix");
  const { rows, cols, data } = A;
  return { rows, cols, data: Array.from(data) };
}

/** Reads the output of `storeMatrix`; `name` begins the error message if it is damaged or missing. */
export function restoreMatrix(stored: StoredMatrix | undefined, name: string): Matrix {
  return form.load(matrixForm(), stored, name);
}
