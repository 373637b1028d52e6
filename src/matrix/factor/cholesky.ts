import { numericError } from "../../core/internal.ts";
import { withWorkspace } from "./factorKernel.ts";
import { matrix, type Matrix } from "../matrix.ts";
import { loadSymmetric, requireSquare, scaleToOne } from "../symmetric.ts";
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
 * A = L L' for a symmetric positive definite matrix. Asymmetry up to 1e-8 of the largest entry counts as
 * rounding and is averaged; more is refused. Throws an error that names the pivot if A is not positive
 * definite to working precision: pivot i must exceed the rounding error it may have, (2 i + 18) u a_ii, u =
 * 2^-53.
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
  const L = matrix(n, n);
  const failed = withWorkspace(n, { A: n * n, pivot: n }, ({ kernel, heap: H, at }) => {
    const scale = loadSymmetric(A, method, kernel, at.A, evenScale);
    const info = kernel.cholesky(n, at.A, at.pivot);
    for (let i = 0; i < n; i++) L.data.set(H.subarray(at.A + i * n, at.A + i * n + i + 1), i * n);
    unscale(L, Math.sqrt(scale));
    return info;
  });
  if (failed !== 0) return failed - 1;

  let logDeterminant = 0;
  for (let i = 0; i < n; i++) logDeterminant += 2 * Math.log(L.data[i * n + i]);
  const solve = solver(n, "cholesky", (B) => solveTriangular(L, solveTriangular(L, B), { transposed: true }));
  return { L, logDeterminant, solve };
}

/**
 * Entries of L are square roots of entries of A, so only extreme scales need care; an even power of two has
 * an exact root.
 */
function evenScale(peak: number): number {
  return peak > 1e-200 && peak < 1e200 ? 1 : 4 ** Math.round(Math.log2(scaleToOne(peak)) / 2);
}

function unscale(L: Matrix, root: number): void {
  if (root !== 1) for (let p = 0; p < L.data.length; p++) L.data[p] /= root;
}
