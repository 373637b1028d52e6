/** Products of dense and sparse matrices. Shapes that do not match are an error that names both. */
import { inputError } from "../core/internal.ts";
import { engine } from "./engine.ts";
import { matrix, requireMatrix, scaledColumns, transpose, type Matrix } from "./matrix.ts";
import { requireList } from "./memoryRows.ts";
import { isSparse, sparseGram, sparseTimesDense, sparseTransposeTimesDense, type Sparse } from "./sparse.ts";

/** A B. At most one of the two may be sparse; stored zeros aside, a sparse zero times NaN counts as zero. */
export function multiply(A: Matrix | Sparse, B: Matrix | Sparse): Matrix {
  requireShape("A B", A, B, "cols", "rows");
  if (isSparse(A)) return sparseTimesDense(A, requireDense(B));
  if (isSparse(B)) return transpose(sparseTransposeTimesDense(B, transpose(A)));
  const C = matrix(A.rows, B.cols);
  engine().product(A.rows, B.cols, A.cols, 1, A.data, false, B.data, false, C.data, true);
  return C;
}

/** A'B. */
export function multiplyTransposeA(A: Matrix | Sparse, B: Matrix | Sparse): Matrix {
  requireShape("A'B", A, B, "rows", "rows");
  if (isSparse(A)) return sparseTransposeTimesDense(A, requireDense(B));
  if (isSparse(B)) return transpose(sparseTransposeTimesDense(B, A));
  const C = matrix(A.cols, B.cols);
  engine().product(A.cols, B.cols, A.rows, 1, A.data, true, B.data, false, C.data, true);
  return C;
}

/** A B'. */
export function multiplyTransposeB(A: Matrix | Sparse, B: Matrix | Sparse): Matrix {
  requireShape("A B'", A, B, "cols", "cols");
  if (isSparse(A)) return sparseTimesDense(A, transpose(requireDense(B)));
  if (isSparse(B)) return transpose(sparseTimesDense(B, transpose(A)));
  const C = matrix(A.rows, B.rows);
  engine().product(A.rows, B.rows, A.cols, 1, A.data, false, B.data, true, C.data, true);
  return C;
}

/** X'X. */
export function gram(X: Matrix | Sparse): Matrix {
  requireMatrix(X, "gram");
  if (isSparse(X)) return sparseGram(X);
  const G = matrix(X.cols, X.cols);
  engine().gram(X.rows, X.cols, X.data, G.data);
  return G;
}

/** sum_i w_i a_i a_i' over the rows of A; no weight is negative. */
export function weightedGram(A: Matrix, weight: (row: number) => number): Matrix {
  const scaled = matrix(A.rows, A.cols);
  for (let i = 0, p = 0; i < A.rows; i++) {
    const root = Math.sqrt(weight(i));
    for (let f = 0; f < A.cols; f++, p++) scaled.data[p] = root * A.data[p];
  }
  return gram(scaled);
}

/** V diag(values) V'. */
export function spectral(V: Matrix, value: (column: number) => number): Matrix {
  return multiplyTransposeB(scaledColumns(V, value), V);
}

/** A x. Bound by memory, so it runs directly on the array, the same under every engine. */
export function multiplyVector(A: Matrix | Sparse, x: ArrayLike<number>): Float64Array {
  requireLength("A x", A, x, "cols");
  const y = new Float64Array(A.rows);
  if (isSparse(A)) {
    const { offsets, indices, values } = A;
    for (let i = 0; i < A.rows; i++) {
      let sum = 0;
      for (let p = offsets[i]; p < offsets[i + 1]; p++) sum += values[p] * x[indices[p]];
      y[i] = sum;
    }
    return y;
  }
  const { cols, data } = A;
  const vector = x instanceof Float64Array ? x : Float64Array.from(x);
  const even = cols & ~3;
  for (let i = 0; i < A.rows; i++) {
    const start = i * cols;
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let j = 0; j < even; j += 4) {
      s0 += data[start + j] * vector[j];
      s1 += data[start + j + 1] * vector[j + 1];
      s2 += data[start + j + 2] * vector[j + 2];
      s3 += data[start + j + 3] * vector[j + 3];
    }
    for (let j = even; j < cols; j++) s0 += data[start + j] * vector[j];
    y[i] = s0 + s1 + (s2 + s3);
  }
  return y;
}

/** A'x. */
export function multiplyTransposeVector(A: Matrix | Sparse, x: ArrayLike<number>): Float64Array {
  requireLength("A'x", A, x, "rows");
  const y = new Float64Array(A.cols);
  if (isSparse(A)) {
    const { offsets, indices, values } = A;
    for (let i = 0; i < A.rows; i++) {
      for (let p = offsets[i]; p < offsets[i + 1]; p++) y[indices[p]] += values[p] * x[i];
    }
    return y;
  }
  const { cols, data } = A;
  let i = 0;
  for (; i + 4 <= A.rows; i += 4) {
    const [x0, x1, x2, x3] = [x[i], x[i + 1], x[i + 2], x[i + 3]];
    const r0 = i * cols;
    const r1 = r0 + cols;
    const r2 = r1 + cols;
    const r3 = r2 + cols;
    for (let j = 0; j < cols; j++) {
      y[j] += data[r0 + j] * x0 + data[r1 + j] * x1 + (data[r2 + j] * x2 + data[r3 + j] * x3);
    }
  }
  for (; i < A.rows; i++) {
    for (let j = 0; j < cols; j++) y[j] += data[i * cols + j] * x[i];
  }
  return y;
}

/** C += alpha x y', in place. */
export function rankOneUpdate(
  C: Matrix,
  alpha: number,
  x: ArrayLike<number>,
  y: ArrayLike<number> = x,
): void {
  requireMatrix(C, "rankOneUpdate");
  for (const list of [x, y]) requireList(list, "each vector of rankOneUpdate");
  if (x.length !== C.rows || y.length !== C.cols) {
    throw inputError(
      `an update of a ${C.rows} x ${C.cols} matrix needs vectors of ${C.rows} and ${C.cols} values, ` +
        `got ${x.length} and ${y.length}`,
    );
  }
  const { cols, data } = C;
  for (let i = 0; i < C.rows; i++) {
    const factor = alpha * x[i];
    for (let j = 0; j < cols; j++) data[i * cols + j] += factor * y[j];
  }
}

function requireDense(B: Matrix | Sparse): Matrix {
  if (isSparse(B)) throw inputError("one of the two factors must be dense; use toDense");
  return B;
}

type Side = "rows" | "cols";

function requireShape(product: string, A: Matrix | Sparse, B: Matrix | Sparse, a: Side, b: Side): void {
  requireMatrix(A, product);
  requireMatrix(B, product);
  if (A[a] === B[b]) return;
  throw inputError(`${product} is not defined for A of ${A.rows} x ${A.cols} and B of ${B.rows} x ${B.cols}`);
}

function requireLength(product: string, A: Matrix | Sparse, x: ArrayLike<number>, side: Side): void {
  requireMatrix(A, product);
  requireList(x, `x in ${product}`);
  if (x.length === A[side]) return;
  throw inputError(`${product} is not defined for A of ${A.rows} x ${A.cols} and x of ${x.length} values`);
}
