import { bytesText, inputError, machineMemory, plural } from "../core/internal.ts";
import { describeValue, requireList } from "./memoryRows.ts";

/** A dense matrix, row-major: entry (i, j) is `data[i * cols + j]`. A plain object, so it can be posted to a worker. */
export interface Matrix {
  readonly rows: number;
  readonly cols: number;
  readonly data: Float64Array;
}

/** Wraps `data` without copying it, or makes a matrix of zeros. */
export function matrix(rows: number, cols: number, data?: Float64Array): Matrix {
  if (!Number.isInteger(rows) || !Number.isInteger(cols) || rows < 0 || cols < 0) {
    const [m, n] = [describeValue(rows), describeValue(cols)];
    throw inputError(`the numbers of rows and columns of a matrix must be whole, got ${m} and ${n}`);
  }
  if (data !== undefined) requireList(data, "the values of a matrix");
  if (data !== undefined && data.length !== rows * cols) {
    throw inputError(`a ${rows} x ${cols} matrix needs ${rows * cols} values, got ${data.length}`);
  }
  return { rows, cols, data: data ?? zeros(rows, cols) };
}

/** JavaScript callers may give anything for a matrix, dense or sparse. `who` begins the message. */
export function requireMatrix(A: unknown, who: string): void {
  const { rows, cols, data, values } = (A ?? {}) as Partial<Matrix> & { readonly values?: unknown };
  if (values instanceof Float64Array || (data instanceof Float64Array && data.length >= rows! * cols!))
    return;
  throw inputError(`${who} takes a matrix, got ${describeValue(A)}; asMatrix makes one of other rows`);
}

/** Small matrices are made without a check; a large one that cannot fit is refused with a message. */
function zeros(rows: number, cols: number): Float64Array {
  if (rows * cols < LARGE) return new Float64Array(rows * cols);
  const bytes = 8 * rows * cols;
  const memory = machineMemory();
  try {
    if (bytes <= memory) return new Float64Array(rows * cols);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw inputError(
    `a matrix of ${rows} x ${cols} numbers takes ${bytesText(bytes)}, which does not fit into memory ` +
      `(${bytesText(memory)}); take fewer rows or columns, or a method that needs no matrix of that size`,
  );
}

/** Numbers, 80 MB. */
const LARGE = 1e7;

/** Copies an array of rows; every row must have the same length. */
export function fromRows(rows: ArrayLike<ArrayLike<number>>): Matrix {
  requireList(rows, "the rows");
  for (let i = 0; i < rows.length; i++) requireList(rows[i], `row ${i}`);
  const cols = rows.length === 0 ? 0 : rows[0].length;
  const data = zeros(rows.length, cols);
  for (let i = 0; i < rows.length; i++) {
    if (rows[i].length !== cols) {
      throw inputError(`row ${i} has ${plural(rows[i].length, "value")}, but row 0 has ${cols}`);
    }
    data.set(rows[i], i * cols);
  }
  return { rows: rows.length, cols, data };
}

/** The rows as arrays of their own. */
export function toRows(A: Matrix): number[][] {
  requireMatrix(A, "toRows");
  return Array.from({ length: A.rows }, (_, i) => Array.from(row(A, i)));
}

/** Row i, as a view. */
export function row(A: Matrix, i: number): Float64Array {
  requireMatrix(A, "row");
  return A.data.subarray(i * A.cols, (i + 1) * A.cols);
}

/** The identity matrix, n x n. */
export function identity(n: number): Matrix {
  const I = matrix(n, n);
  for (let i = 0; i < n; i++) I.data[i * n + i] = 1;
  return I;
}

/** A', a copy. */
export function transpose(A: Matrix): Matrix {
  requireMatrix(A, "transpose");
  const T = matrix(A.cols, A.rows);
  const { rows, cols, data } = A;
  const block = 32; // both sides of a block stay in the first-level cache
  for (let i0 = 0; i0 < rows; i0 += block) {
    const i1 = Math.min(rows, i0 + block);
    for (let j0 = 0; j0 < cols; j0 += block) {
      const j1 = Math.min(cols, j0 + block);
      for (let i = i0; i < i1; i++) {
        for (let j = j0; j < j1; j++) T.data[j * rows + i] = data[i * cols + j];
      }
    }
  }
  return T;
}

/** Columns up to which numbers are copied one by one, which is faster than a view of each row. */
const SHORT_ROW = 32;

/** The given rows, in the given order. */
export function takeRows(A: Matrix, indices: ArrayLike<number>): Matrix {
  requireMatrix(A, "takeRows");
  requireList(indices, "takeRows: the rows");
  const B = matrix(indices.length, A.cols);
  const { cols: d, data } = A;
  const taken = B.data;
  if (d > SHORT_ROW) for (let i = 0; i < indices.length; i++) taken.set(row(A, indices[i]), i * d);
  else {
    for (let i = 0, q = 0; i < indices.length; i++) {
      for (let p = indices[i] * d, end = p + d; p < end; p++) taken[q++] = data[p];
    }
  }
  return B;
}

/** The given columns, in the given order. */
export function takeColumns(A: Matrix, indices: ArrayLike<number>): Matrix {
  requireMatrix(A, "takeColumns");
  requireList(indices, "takeColumns: the columns");
  const B = matrix(A.rows, indices.length);
  for (let i = 0; i < A.rows; i++) {
    for (let j = 0; j < indices.length; j++) B.data[i * B.cols + j] = A.data[i * A.cols + indices[j]];
  }
  return B;
}

/** Throws an error that names the first cell that is NaN or infinite. */
export function requireFinite(A: Matrix, name: string = "the data"): void {
  requireMatrix(A, name);
  const { data, cols } = A;
  if (!Number.isNaN(largestSize(data))) return;
  const p = data.findIndex((value) => !Number.isFinite(value));
  throw inputError(
    `${name} has ${data[p]} in row ${Math.floor(p / cols)}, column ${p % cols} (counted from 0); ` +
      `remove or impute such cells first`,
  );
}

/**
 * For methods that square their values: refuses cells that are not finite, or whose squares leave the number range. Returns
 * the largest absolute value.
 */
export function requireNotHuge(A: Matrix, name: string = "the data"): number {
  const largest = largestSize(A.data);
  if (largest <= FAR) return largest;
  requireFinite(A, name);
  const p = A.data.findIndex((value) => Math.abs(value) > FAR);
  throw inputError(
    `${name} has ${A.data[p]} in row ${Math.floor(p / A.cols)}, column ${p % A.cols} (counted from 0), ` +
      "too large to be squared; scale the data first",
  );
}

/** The same, and refuses columns whose squares would all be 0 although they are not. */
export function requireModerate(A: Matrix, name: string = "the data"): number {
  const largest = requireNotHuge(A, name);
  for (let j = 0; j < A.cols; j++) {
    let size = 0;
    for (let p = j; p < A.data.length && size < 1 / FAR; p += A.cols)
      size = Math.max(size, Math.abs(A.data[p]));
    if (size === 0 || size >= 1 / FAR) continue;
    throw inputError(
      `${name} has no value above ${size} in column ${j} (counted from 0), too small to be squared; ` +
        "scale the data first",
    );
  }
  return largest;
}

const FAR = 1e100;

/** The largest absolute value, 0 without values, or NaN if one of them is not finite: all in one pass. */
export function largestSize(data: Float64Array): number {
  let a = 0;
  let b = 0;
  let zero = 0;
  for (let p = 1; p < data.length; p += 2) {
    const x = Math.abs(data[p - 1]);
    const y = Math.abs(data[p]);
    if (x > a) a = x;
    if (y > b) b = y;
    zero += 0 * x + 0 * y;
  }
  if (data.length % 2 === 1) {
    const x = Math.abs(data[data.length - 1]);
    if (x > a) a = x;
    zero += 0 * x;
  }
  return Math.max(a, b) + zero;
}

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

/** The matrix with this diagonal and zeros beside it. */
export function diagonal(values: Float64Array): Matrix {
  const D = matrix(values.length, values.length);
  values.forEach((value, f) => (D.data[f * (values.length + 1)] = value));
  return D;
}
