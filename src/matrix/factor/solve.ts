import { numericError } from "../../core/internal.ts";
import { withWorkspace } from "./factorKernel.ts";
import { matrix, requireMatrix, type Matrix } from "../matrix.ts";
import { largestEntry, requireSquare, scaleToOne } from "../symmetric.ts";
import { solver } from "./triangular.ts";

const UNIT = 2 ** -53;

/** X with A X = b, for a general square matrix. */
export function solve(A: Matrix, b: Float64Array): Float64Array;
/** X with A X = B, for a general square matrix. */
export function solve(A: Matrix, B: Matrix): Matrix;
/**
 * By LU with partial pivoting, after rows and columns have been scaled by powers of two to largest entries
 * near 1. A pivot below n + 16 roundoffs of the scaled matrix means that it is singular to working precision,
 * which is an error.
 */
export function solve(A: Matrix, B: Float64Array | Matrix): Float64Array | Matrix {
  requireSquare(A, "solve");
  largestEntry(A, "solve");
  const n = A.rows;
  if (!(B instanceof Float64Array)) requireMatrix(B, "solve: the right-hand side");
  const run = solver(n, "solve", (B) => solveColumns(A, B));
  return B instanceof Float64Array ? run(B) : run(B);
}

function solveColumns(A: Matrix, B: Matrix): Matrix {
  const n = A.rows;
  const m = B.cols;
  const { rowScale, columnScale } = equilibrate(A);
  const X = matrix(n, m);
  withWorkspace(n, { A: n * n, B: n * m, exchange: n }, ({ kernel, heap: H, at }) => {
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) H[at.A + i * n + j] = A.data[i * n + j] * rowScale[i] * columnScale[j];
      for (let c = 0; c < m; c++) H[at.B + i * m + c] = B.data[i * m + c] * rowScale[i];
    }
    const info = kernel.lu(n, at.A, at.exchange, (n + 16) * UNIT);
    if (info !== 0) {
      throw numericError(
        `solve: the matrix is singular to working precision (pivot ${info - 1} of ${n}, counted from 0)`,
      );
    }
    for (let i = 0; i < n; i++) {
      const other = H[at.exchange + i];
      if (other === i) continue;
      for (let c = 0; c < m; c++) {
        const held = H[at.B + i * m + c];
        H[at.B + i * m + c] = H[at.B + other * m + c];
        H[at.B + other * m + c] = held;
      }
    }
    kernel.solveTriangular(n, m, at.A, n, 1, 0, 1, at.B, m);
    kernel.solveTriangular(n, m, at.A, n, 1, 1, 0, at.B, m);
    for (let i = 0; i < n; i++) {
      for (let c = 0; c < m; c++) X.data[i * m + c] = H[at.B + i * m + c] * columnScale[i];
    }
  });
  return X;
}

/** Powers of two that bring the largest entry of every row, then of every column, into [1/2, 1). */
function equilibrate(A: Matrix) {
  const n = A.rows;
  const rowScale = new Float64Array(n);
  const peak = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let largest = 0;
    for (let j = 0; j < n; j++) largest = Math.max(largest, Math.abs(A.data[i * n + j]));
    rowScale[i] = scaleToOne(largest);
    for (let j = 0; j < n; j++) peak[j] = Math.max(peak[j], Math.abs(A.data[i * n + j]) * rowScale[i]);
  }
  return { rowScale, columnScale: peak.map(scaleToOne) };
}
