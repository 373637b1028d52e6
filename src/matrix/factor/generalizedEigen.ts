import { inputError, numericError } from "../../core/internal.ts";
import { cholesky } from "./cholesky.ts";
import { symmetricEigen, type SymmetricEigen } from "./eigen.ts";
import { transpose, requireMatrix, type Matrix } from "../matrix.ts";
import { requireSquare, symmetrize, symmetrized } from "../symmetric.ts";
import { solveTriangular } from "./triangular.ts";

/**
 * All solutions of A x = lambda B x for symmetric A and symmetric positive definite B: values descending, vectors
 * B-orthonormal, X' B X = I and X' A X = diag(values).
 *
 * With B = L L' it is the ordinary problem of C = L^-1 A L'^-1, x = L'^-1 y. Errors grow with the condition number of
 * B; a B that is not positive definite to working precision is an error.
 */
export function generalizedEigen(A: Matrix, B: Matrix): SymmetricEigen {
  requireSquare(A, "generalizedEigen");
  requireMatrix(B, "generalizedEigen");
  if (B.rows !== A.rows || B.cols !== A.cols) {
    throw inputError(`generalizedEigen: A is ${A.rows} x ${A.cols}, but B is ${B.rows} x ${B.cols}`);
  }
  const S = symmetrized(A, "generalizedEigen");
  const { L } = cholesky(B);
  const half = solveTriangular(L, S); // (A L'^-1)'
  const C = solveTriangular(L, transpose(half));
  if (!C.data.every(Number.isFinite)) {
    throw numericError(
      "generalizedEigen: the eigenvalues are too large for floating-point numbers; scale A or B",
    );
  }
  // The asymmetry of C is rounding, magnified by the condition of B; it must not count as a wrong input.
  const { values, vectors } = symmetricEigen(symmetrize(C));
  return { values, vectors: solveTriangular(L, vectors, { transposed: true }) };
}
