import type { Matrix } from "../matrix.ts";
import { largestEntry, requireSquare, scaleToOne } from "../symmetric.ts";
import { plainFactorKernel } from "./plainFactor.ts";
import { tridiagonalQL } from "./divideConquer.ts";

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
