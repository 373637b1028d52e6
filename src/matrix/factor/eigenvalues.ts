import type { Matrix } from "../matrix.ts";
import { largestEntry, requireSquare, scaleToOne } from "../symmetric.ts";
import { tridiagonalQL } from "./ql.ts";

/**
 * The eigenvalues of a symmetric matrix of moderate order, descending, without the vectors: Householder reduction to
 * tridiagonal form (Martin, Reinsch and Wilkinson, Numer. Math. 11, 1968), implicit QL. Only the lower triangle is
 * read. Errors are a few roundoffs times n, relative to the largest eigenvalue. `symmetricEigen` is quicker beyond some
 * hundred rows; this needs no kernel.
 */
export function symmetricEigenvalues(A: Matrix): Float64Array {
  requireSquare(A, "symmetricEigenvalues");
  const n = A.rows;
  const scale = scaleToOne(largestEntry(A, "symmetricEigenvalues"));
  const B = A.data.map((value) => value * scale);
  const d = new Float64Array(n);
  const e = new Float64Array(n);
  tridiagonalize(n, B, d, e);
  tridiagonalQL(n, d, e);
  return d
    .sort()
    .reverse()
    .map((value) => value / scale);
}

/** Q' B Q = tridiagonal (d, e), from the last row of the lower triangle to the first; B is overwritten. */
function tridiagonalize(n: number, B: Float64Array, d: Float64Array, e: Float64Array): void {
  const v = new Float64Array(n);
  const w = new Float64Array(n);
  for (let i = n - 1; i > 0; i--) {
    // The reflector I - v v' / h takes row i, before its diagonal entry, to (0, .., 0, e_(i-1)).
    let squares = 0;
    for (let j = 0; j < i; j++) {
      v[j] = B[i * n + j];
      squares += v[j] * v[j];
    }
    const size = Math.sqrt(squares);
    d[i] = B[i * n + i];
    e[i - 1] = v[i - 1] > 0 ? -size : size;
    if (size === 0) continue;
    const h = size * (size + Math.abs(v[i - 1]));
    v[i - 1] -= e[i - 1];
    // w = (B v - (v' B v / 2 h) v) / h, then B := B - v w' - w v'.
    w.fill(0, 0, i);
    for (let r = 0; r < i; r++) {
      const at = r * n;
      let sum = B[at + r] * v[r];
      for (let c = 0; c < r; c++) {
        sum += B[at + c] * v[c];
        w[c] += B[at + c] * v[r];
      }
      w[r] += sum;
    }
    let dot = 0;
    for (let r = 0; r < i; r++) dot += (w[r] /= h) * v[r];
    const half = dot / (2 * h);
    for (let r = 0; r < i; r++) w[r] -= half * v[r];
    for (let r = 0; r < i; r++) {
      const at = r * n;
      for (let c = 0; c <= r; c++) B[at + c] -= v[r] * w[c] + w[r] * v[c];
    }
  }
  if (n > 0) d[0] = B[0];
}
