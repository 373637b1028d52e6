import { inputError } from "../core/internal.ts";
import { matrix, largestSize, requireMatrix, type Matrix } from "./matrix.ts";
import { requireCount, requireList } from "./memoryRows.ts";

/** Compressed sparse rows: row i holds the entries `offsets[i]` to `offsets[i + 1]` of `indices` and `values`. */
export interface Sparse {
  readonly rows: number;
  readonly cols: number;
  readonly offsets: Int32Array;
  readonly indices: Int32Array;
  readonly values: Float64Array;
}

/** Whether a matrix keeps only its entries that are not zero. */
export function isSparse(A: Matrix | Sparse): A is Sparse {
  return typeof A === "object" && A !== null && "offsets" in A;
}

/** Wraps the three arrays after checking that they describe a matrix. */
export function sparse(
  rows: number,
  cols: number,
  offsets: Int32Array,
  indices: Int32Array,
  values: Float64Array,
): Sparse {
  requireCount(rows, "the number of rows");
  requireCount(cols, "the number of columns");
  for (const list of [offsets, indices, values]) requireList(list, "each part of a sparse matrix");
  if (offsets.length !== rows + 1 || offsets[0] !== 0 || offsets[rows] !== indices.length) {
    throw inputError(`sparse offsets must be ${rows + 1} numbers from 0 to the number of entries`);
  }
  if (indices.length !== values.length) {
    throw inputError(`sparse matrix has ${indices.length} column numbers but ${values.length} values`);
  }
  for (let i = 0; i < rows; i++) {
    for (let p = offsets[i]; p < offsets[i + 1]; p++) {
      if (indices[p] < 0 || indices[p] >= cols) {
        throw inputError(`sparse row ${i} has column ${indices[p]}, but there are ${cols} columns`);
      }
    }
  }
  return { rows, cols, offsets, indices, values };
}

/** The same numbers with every zero written out. */
export function toDense(A: Sparse): Matrix {
  requireMatrix(A, "toDense");
  const D = matrix(A.rows, A.cols);
  for (let i = 0; i < A.rows; i++) {
    for (let p = A.offsets[i]; p < A.offsets[i + 1]; p++) D.data[i * A.cols + A.indices[p]] += A.values[p];
  }
  return D;
}

/** The same numbers without the zeros. */
export function toSparse(A: Matrix): Sparse {
  requireMatrix(A, "toSparse");
  let count = 0;
  for (const value of A.data) if (value !== 0) count++;
  const offsets = new Int32Array(A.rows + 1);
  const indices = new Int32Array(count);
  const values = new Float64Array(count);
  let p = 0;
  for (let i = 0; i < A.rows; i++) {
    for (let j = 0; j < A.cols; j++) {
      const value = A.data[i * A.cols + j];
      if (value === 0) continue;
      indices[p] = j;
      values[p++] = value;
    }
    offsets[i + 1] = p;
  }
  return { rows: A.rows, cols: A.cols, offsets, indices, values };
}

/** The given rows, in the given order. */
export function takeSparseRows(A: Sparse, rows: ArrayLike<number>): Sparse {
  const offsets = new Int32Array(rows.length + 1);
  for (let i = 0; i < rows.length; i++) {
    offsets[i + 1] = offsets[i] + A.offsets[rows[i] + 1] - A.offsets[rows[i]];
  }
  const indices = new Int32Array(offsets[rows.length]);
  const values = new Float64Array(offsets[rows.length]);
  for (let i = 0; i < rows.length; i++) {
    const [start, end] = [A.offsets[rows[i]], A.offsets[rows[i] + 1]];
    indices.set(A.indices.subarray(start, end), offsets[i]);
    values.set(A.values.subarray(start, end), offsets[i]);
  }
  return { rows: rows.length, cols: A.cols, offsets, indices, values };
}

/** Throws an error that names the first stored entry that is NaN or infinite. */
export function requireFiniteSparse(A: Sparse): void {
  for (let i = 0; i < A.rows; i++) {
    for (let p = A.offsets[i]; p < A.offsets[i + 1]; p++) {
      if (Number.isFinite(A.values[p])) continue;
      throw inputError(
        `the data has ${A.values[p]} in row ${i}, column ${A.indices[p]} (counted from 0); ` +
          `remove or impute such cells first`,
      );
    }
  }
}

/**
 * Products with one sparse factor. Each runs once over the stored entries; the result is dense. Those with the sparse factor
 * on the right are transposes of these, with the same sums.
 */

/** S B */
export function sparseTimesDense(S: Sparse, B: Matrix): Matrix {
  const C = matrix(S.rows, B.cols);
  const { offsets, indices, values } = S;
  const n = B.cols;
  for (let i = 0; i < S.rows; i++) {
    for (let p = offsets[i]; p < offsets[i + 1]; p++) {
      addScaled(n, values[p], B.data, indices[p] * n, C.data, i * n);
    }
  }
  return C;
}

/** S'B */
export function sparseTransposeTimesDense(S: Sparse, B: Matrix): Matrix {
  const C = matrix(S.cols, B.cols);
  const { offsets, indices, values } = S;
  const n = B.cols;
  for (let i = 0; i < S.rows; i++) {
    for (let p = offsets[i]; p < offsets[i + 1]; p++) {
      addScaled(n, values[p], B.data, i * n, C.data, indices[p] * n);
    }
  }
  return C;
}

/** S'S */
export function sparseGram(S: Sparse): Matrix {
  const G = matrix(S.cols, S.cols);
  const { offsets, indices, values } = S;
  for (let i = 0; i < S.rows; i++) {
    for (let p = offsets[i]; p < offsets[i + 1]; p++) {
      const start = indices[p] * S.cols;
      for (let q = offsets[i]; q < offsets[i + 1]; q++) G.data[start + indices[q]] += values[p] * values[q];
    }
  }
  return G;
}

function addScaled(n: number, a: number, x: Float64Array, i: number, y: Float64Array, j: number): void {
  for (let c = 0; c < n; c++) y[j + c] += a * x[i + c];
}

/**
 * Refuses values so large or small that their squares leave the number range: their distances would be
 * infinite, or all zero, and equal rows could not be distinguished from different ones. Returns the largest absolute value, NaN
 * with one that is not finite.
 */
export function requireSquares(X: Matrix | Sparse, method: string): number {
  const size = largestSize(isSparse(X) ? X.values : X.data);
  if (size > 1e140 || (size > 0 && size < 1e-140)) {
    throw inputError(
      `${method}: the largest value is ${size.toExponential(1)}, whose square leaves the number range; scale the data first`,
    );
  }
  return size;
}
