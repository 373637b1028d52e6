import { matrix, type Matrix } from "./matrix.ts";

/** f of each entry; p is its place in `data`. */
export function mapped(A: Matrix, f: (value: number, p: number) => number): Matrix {
  return { rows: A.rows, cols: A.cols, data: A.data.map(f) };
}

/** Column r times factor(r). */
export function scaledColumns(A: Matrix, factor: (column: number) => number): Matrix {
  const factors = Float64Array.from({ length: A.cols }, (_, r) => factor(r));
  return mapped(A, (value, p) => value * factors[p % A.cols]);
}

/** The first `count` columns as rows, with f of each entry: directions from eigenvectors. */
export function columnsAsRows(
  V: Matrix,
  count: number,
  f: (value: number, column: number) => number = (value) => value,
): Matrix {
  const rows = matrix(count, V.rows);
  for (let r = 0, p = 0; r < count; r++) {
    for (let i = 0; i < V.rows; i++, p++) rows.data[p] = f(V.data[i * V.cols + r], r);
  }
  return rows;
}

/** The first `count` columns. */
export function leadingColumns(A: Matrix, count: number): Matrix {
  const B = matrix(A.rows, count);
  for (let i = 0; i < A.rows; i++) B.data.set(A.data.subarray(i * A.cols, i * A.cols + count), i * count);
  return B;
}

/** a'b. */
export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let p = 0; p < a.length; p++) sum += a[p] * b[p];
  return sum;
}

/** The diagonal of a square matrix. */
export function diagonalOf({ rows: d, data }: Matrix): Float64Array {
  return Float64Array.from({ length: d }, (_, f) => data[f * (d + 1)]);
}
