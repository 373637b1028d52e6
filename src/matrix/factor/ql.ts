import { numericError } from "../../core/internal.ts";

const UNIT = 2 ** -53;
const MAX_STEPS = 60;

/**
 * Eigenpairs of a small symmetric tridiagonal matrix by implicit QL (Bowdler, Martin, Reinsch and Wilkinson, Numer.
 * Math. 11, 1968). `d` (n diagonal entries) becomes the eigenvalues, unsorted; `e` (n, the last one unused) is
 * destroyed; row i of `Z` (n x n), if it is given, becomes the eigenvector of d[i].
 *
 * An off-diagonal entry is dropped when it is below roundoff of the largest |d_i| + |e_i|. The usual test
 * against its two neighbours never succeeds if both of them are rounding noise, for example in a Gram matrix
 * of low rank; nor does one against the entries so far if the first of them underflow.
 */
export function tridiagonalQL(n: number, d: Float64Array, e: Float64Array, Z?: Float64Array): void {
  if (Z !== undefined) {
    Z.fill(0, 0, n * n);
    for (let i = 0; i < n; i++) Z[i * n + i] = 1;
  }
  e[n - 1] = 0;
  let norm = 0;
  for (let l = 0; l < n; l++) norm = Math.max(norm, Math.abs(d[l]) + Math.abs(e[l]));
  for (let l = 0; l < n; l++) {
    for (let step = 0; ; step++) {
      let m = l;
      while (m < n - 1 && Math.abs(e[m]) > UNIT * norm) m++;
      if (m === l) break;
      if (step === MAX_STEPS) throw numericError(`symmetricEigen: QL did not converge at eigenvalue ${l}`);
      sweep(n, l, m, d, e, Z);
    }
    e[l] = 0;
  }
}

/** One QL step with Wilkinson's shift on the unreduced block l .. m. */
function sweep(n: number, l: number, m: number, d: Float64Array, e: Float64Array, Z?: Float64Array): void {
  const half = (d[l + 1] - d[l]) / (2 * e[l]);
  const size = Math.hypot(half, 1);
  let g = d[m] - d[l] + e[l] / (half + (half < 0 ? -size : size));
  let s = 1;
  let c = 1;
  let p = 0;
  for (let i = m - 1; i >= l; i--) {
    const f = s * e[i];
    const b = c * e[i];
    const r = Math.hypot(f, g);
    e[i + 1] = r;
    if (r === 0) {
      // Underflow split the block: undo the pending shift and let the caller continue.
      d[i + 1] -= p;
      e[m] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1] - p;
    const t = (d[i] - g) * s + 2 * c * b;
    p = s * t;
    d[i + 1] = g + p;
    g = c * t - b;
    if (Z === undefined) continue;
    for (let x = i * n, y = x + n, end = y; x < end; x++, y++) {
      const zx = Z[x];
      const zy = Z[y];
      Z[y] = s * zx + c * zy;
      Z[x] = c * zx - s * zy;
    }
  }
  d[l] -= p;
  e[l] = g;
  e[m] = 0;
}
