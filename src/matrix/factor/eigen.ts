import { tridiagonalEigen, tridiagonalQL } from "./divideConquer.ts";
import { withWorkspace, applyReflectors, REFLECTOR_BLOCK, reflectorScratch } from "./factorKernel.ts";
import { matrix, transpose, type Matrix } from "../matrix.ts";
import { plainFactorKernel } from "./plainFactor.ts";
import { largestEntry, loadSymmetric, requireSquare, scaleToOne } from "../symmetric.ts";

export interface SymmetricEigen {
  /** Eigenvalues, descending. */
  readonly values: Float64Array;
  /**
   * Orthonormal eigenvectors: column j belongs to value j; its entry of largest absolute value is positive.
   */
  readonly vectors: Matrix;
}

/**
 * All eigenpairs of a symmetric matrix, A = V diag(values) V': Householder reduction to tridiagonal form (blocked),
 * divide and conquer, back-transformation.
 *
 * The matrix is scaled by a power of two first, so any scale of finite numbers works. Asymmetry up to 1e-8 of
 * the largest entry counts as rounding and is averaged; more is refused, as are NaN and infinite entries.
 * Errors are relative to the largest eigenvalue: |A V - V diag| and |V'V - I| are a few roundoffs times n.
 */
export function symmetricEigen(A: Matrix): SymmetricEigen {
  requireSquare(A, "symmetricEigen");
  const n = A.rows;
  if (n === 0) return { values: new Float64Array(0), vectors: matrix(0, 0) };
  const blocks = {
    A: n * n,
    V: n * n,
    Z: n * n,
    U: n * n,
    W: REFLECTOR_BLOCK * n,
    tau: n,
    d: n,
    e: n,
    vectors: 6 * n,
    scratch: reflectorScratch(n),
  };
  return withWorkspace(n, blocks, ({ kernel, heap: H, at }) => {
    const scale = loadSymmetric(A, "symmetricEigen", kernel, at.A, scaleToOne);
    kernel.tridiagonalize(n, at.A, at.V, at.tau, at.d, at.e, at.W);
    // Once more, because the first scaling does not reach the smallest denormal numbers.
    const again = scaleToOne(Math.max(kernel.largest(n, at.d), kernel.largest(n - 1, at.e)));
    const d = Float64Array.from({ length: n }, (_, i) => H[at.d + i] * again);
    const e = Float64Array.from({ length: n }, (_, i) => (i < n - 1 ? H[at.e + i] * again : 0));
    // The rest of A is no longer needed.
    tridiagonalEigen(kernel, n, d, e, { Z: at.Z, spare: at.A, U: at.U, vectors: at.vectors });
    // Z := Z Q': eigenvectors of the tridiagonal matrix become those of A.
    const last = Math.ceil((n - 1) / REFLECTOR_BLOCK) - 1;
    for (let j = last * REFLECTOR_BLOCK; j >= 0; j -= REFLECTOR_BLOCK) {
      const nb = Math.min(REFLECTOR_BLOCK, n - 1 - j);
      const first = j + 1; // entries before are zero in every reflector of the block
      const v = at.V + j * n + first;
      applyReflectors(kernel, nb, n - first, v, n, at.tau + j, n, at.Z + first, n, true, at.scratch);
    }
    return {
      values: d.map((_, j) => d[n - 1 - j] / again / scale),
      // The rows of Z are in the ascending order of their values.
      vectors: columnsFromRows(n, n, (j) => H.subarray(at.Z + (n - 1 - j) * n, at.Z + (n - j) * n)),
    };
  });
}

/** Rows, which `rowOf` finds, become columns, each with a positive entry of largest absolute value. */
export function columnsFromRows(n: number, count: number, rowOf: (j: number) => Float64Array): Matrix {
  const rows = matrix(count, n);
  for (let j = 0; j < count; j++) {
    const from = rowOf(j);
    let largest = 0;
    for (let i = 0; i < n; i++) if (Math.abs(from[i]) > Math.abs(largest)) largest = from[i];
    const sign = largest < 0 ? -1 : 1;
    for (let i = 0; i < n; i++) rows.data[j * n + i] = sign * from[i];
  }
  return transpose(rows);
}

/**
 * The eigenvalues of a symmetric matrix of moderate order, descending, without the vectors: Householder reduction to
 * tridiagonal form, implicit QL. Only the lower triangle is read. Errors are a few roundoffs times n, relative to the
 * largest eigenvalue. `symmetricEigen` is quicker beyond some hundred rows; this needs no kernel.
 */
export function symmetricEigenvalues(A: Matrix): Float64Array {
  requireSquare(A, "symmetricEigenvalues");
  const n = A.rows;
  if (n === 0) return new Float64Array(0);
  const scale = scaleToOne(largestEntry(A, "symmetricEigenvalues"));
  const square = n * n;
  const [V, tau, d, e, W] = [square, 2 * square, 2 * square + n, 2 * square + 2 * n, 2 * square + 3 * n];
  const kernel = plainFactorKernel(W + n);
  const { heap } = kernel;
  for (let p = 0; p < square; p++) heap[p] = A.data[p] * scale;
  kernel.tridiagonalize(n, 0, V, tau, d, e, W);
  const values = heap.slice(d, d + n);
  tridiagonalQL(n, values, heap.slice(e, e + n));
  return values
    .sort()
    .reverse()
    .map((value) => value / scale);
}
