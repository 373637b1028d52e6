import { numericError } from "../core/errors.ts";
import { withWorkspace } from "./factorKernel.ts";
import { matrix, type Matrix } from "./matrix.ts";
import { largestEntry, lowerTriangle, requireSquare, scaleToOne } from "./symmetric.ts";
import { solver, solveTriangular, type Solve } from "./triangular.ts";

export interface Cholesky {
  /** Lower triangular, A = L L'. */
  readonly L: Matrix;
  /** log |A|. */
  readonly logDeterminant: number;
  /** A^-1 B. */
  readonly solve: Solve;
}

/**
 * A = L L' for a symmetric positive definite matrix. Asymmetry up to 1e-8 of the largest entry counts as rounding and
 * is averaged away; more is refused. Throws an error that names the pivot if A is not positive definite to working
 * precision: pivot i must exceed its rounding error, (i + 1) u a_ii.
 */
export function cholesky(A: Matrix): Cholesky {
  const result = factor(A, "cholesky");
  if (typeof result === "number") {
    throw numericError(
      `cholesky: the matrix is not positive definite to working precision (pivot ${result} of ${A.rows}, counted from 0)`,
    );
  }
  return result;
}

/** As `cholesky`, but undefined if A is not positive definite. Malformed input still throws. */
export function tryCholesky(A: Matrix): Cholesky | undefined {
  const result = factor(A, "tryCholesky");
  return typeof result === "number" ? undefined : result;
}

function factor(A: Matrix, method: string): Cholesky | number {
  requireSquare(A, method);
  const n = A.rows;
  const peak = largestEntry(A, method);
  // L scales with the root of A, so the power of two is an even one.
  const root = 2 ** Math.round(Math.log2(scaleToOne(peak)) / 2);
  const L = matrix(n, n);
  const failed = withWorkspace(n, { A: n * n, pivot: n }, ({ kernel, heap: H, at }) => {
    lowerTriangle(A, method, peak, root * root, H, at.A);
    const info = kernel.cholesky(n, at.A, at.pivot);
    if (info !== 0) return info;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) L.data[i * n + j] = H[at.A + i * n + j] / root;
    }
    return 0;
  });
  if (failed !== 0) return failed - 1;

  let logDeterminant = 0;
  for (let i = 0; i < n; i++) logDeterminant += 2 * Math.log(L.data[i * n + i]);
  const solve = solver(n, "cholesky", (B) => solveTriangular(L, solveTriangular(L, B), { transposed: true }));
  return { L, logDeterminant, solve };
}
