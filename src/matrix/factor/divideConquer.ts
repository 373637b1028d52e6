import type { FactorKernel } from "./factorKernel.ts";
import { numericError } from "../../core/internal.ts";

/** Blocks up to this order are left to QL. */
const LEAF = 32;
const UNIT = 2 ** -53;

/** Positions in the kernel's workspace, in doubles: Z, spare and U are n x n, vectors 6 n. */
export interface DivideConquerSpace {
  readonly Z: number;
  readonly spare: number;
  readonly U: number;
  readonly vectors: number;
}

/**
 * Eigenpairs of a symmetric tridiagonal matrix by divide and conquer (Cuppen, Numer. Math. 36, 1981; Gu and Eisenstat,
 * SIAM J. Matrix Anal. Appl. 16, 1995). The matrix is split into two halves and a rank-one matrix,
 *
 *     T = [T1 0; 0 T2] + |r| v v',   v = (e_last, sign(r) e_first),
 *
 * the halves are solved first, and the eigenvalues of D + rho z z' come from the secular equation. Eigenvectors are
 * computed from a z that makes the computed roots exact (Löwner's formula), which keeps them orthogonal.
 *
 * `d` (n) becomes the eigenvalues, ascending; `e` (n) is destroyed; row i of Z becomes the eigenvector of d[i].
 * Entries must be of the order of 1.
 */
export function tridiagonalEigen(
  kernel: FactorKernel,
  n: number,
  d: Float64Array,
  e: Float64Array,
  space: DivideConquerSpace,
): void {
  const { heap: H } = kernel;
  const { Z } = space;
  H.fill(0, Z, Z + n * n);
  const leafVectors = new Float64Array(LEAF * LEAF);

  const solve = (lo: number, hi: number): void => {
    const size = hi - lo;
    if (size <= LEAF) {
      leaf(lo, size);
      return;
    }
    const mid = lo + (size >> 1);
    const coupling = e[mid - 1];
    const rho = Math.abs(coupling);
    d[mid - 1] -= rho;
    d[mid] -= rho;
    solve(lo, mid);
    solve(mid, hi);
    merge(kernel, n, lo, mid, hi, rho, coupling < 0 ? -1 : 1, d, space);
  };

  const leaf = (lo: number, size: number): void => {
    const values = d.slice(lo, lo + size);
    tridiagonalQL(size, values, e.slice(lo, lo + size), leafVectors);
    const order = ascending(values);
    for (let i = 0; i < size; i++) {
      d[lo + i] = values[order[i]];
      const from = order[i] * size;
      H.set(leafVectors.subarray(from, from + size), Z + (lo + i) * n + lo);
    }
  };

  solve(0, n);
}

/** The half in which an eigenvector is nonzero: the products skip the other half. */
const UPPER = 1;
const BOTH = 2;
const LOWER = 3;

function merge(
  kernel: FactorKernel,
  n: number,
  lo: number,
  mid: number,
  hi: number,
  coupling: number,
  sign: number,
  d: Float64Array,
  { Z, spare, U, vectors }: DivideConquerSpace,
): void {
  const { heap: H } = kernel;
  const size = hi - lo;

  // Both halves are sorted; D is their merge, z the scaled last row of the upper and first row of the lower vectors.
  const D = new Float64Array(size);
  const z = new Float64Array(size);
  const row = new Int32Array(size);
  const half = new Uint8Array(size);
  for (let i = 0, a = lo, b = mid; i < size; i++) {
    const fromUpper = b >= hi || (a < mid && d[a] <= d[b]);
    const r = fromUpper ? a++ : b++;
    row[i] = Z + r * n;
    D[i] = d[r];
    half[i] = fromUpper ? UPPER : LOWER;
    z[i] = (fromUpper ? H[row[i] + mid - 1] : sign * H[row[i] + mid]) * Math.SQRT1_2;
  }
  const rho = 2 * coupling; // z has norm 1 then

  const { kept, deflated } = deflate(H, lo, hi, rho, D, z, row, half);
  const k = kept.length;
  const roots = vectors + 2 * n;
  if (k > 0) {
    for (let i = 0; i < k; i++) {
      H[vectors + i] = D[kept[i]];
      H[vectors + n + i] = z[kept[i]];
    }
    kernel.secular(k, vectors, vectors + n, rho, roots, U);
  }

  // Non-deflated vectors ordered by the half they live in, so that each product runs over a contiguous range.
  const grouped: number[] = [];
  for (const kind of [UPPER, BOTH, LOWER]) {
    for (let i = 0; i < k; i++) if (half[kept[i]] === kind) grouped.push(i);
  }
  const inUpper = kept.reduce((count, i) => count + (half[i] === LOWER ? 0 : 1), 0);
  const onlyUpper = kept.reduce((count, i) => count + (half[i] === UPPER ? 1 : 0), 0);
  const inLower = k - onlyUpper;
  if (k > 0) {
    H.set(grouped, vectors + 3 * n);
    kernel.rankOneVectors(k, vectors, vectors + n, vectors + 3 * n, vectors + 4 * n, U);
  }

  const n1 = mid - lo;
  const n2 = hi - mid;
  const lowerRows = spare + inUpper * n1;
  const deflatedRows = lowerRows + inLower * n2;
  for (let q = 0; q < inUpper; q++) {
    const from = row[kept[grouped[q]]] + lo;
    H.copyWithin(spare + q * n1, from, from + n1);
  }
  for (let q = onlyUpper; q < k; q++) {
    const from = row[kept[grouped[q]]] + mid;
    H.copyWithin(lowerRows + (q - onlyUpper) * n2, from, from + n2);
  }
  for (let q = 0; q < deflated.length; q++) {
    const from = row[deflated[q]] + lo;
    H.copyWithin(deflatedRows + q * size, from, from + size);
  }

  const top = Z + lo * n + lo;
  for (let i = 0; i < k; i++) H.fill(0, top + i * n, top + i * n + size);
  if (inUpper > 0) kernel.gemm(k, n1, inUpper, 1, U, k, 1, spare, n1, 1, top, n);
  if (inLower > 0) kernel.gemm(k, n2, inLower, 1, U + onlyUpper, k, 1, lowerRows, n2, 1, top + n1, n);
  for (let q = 0; q < deflated.length; q++) {
    const from = deflatedRows + q * size;
    H.copyWithin(top + (k + q) * n, from, from + size);
  }

  const values = new Float64Array(size);
  for (let i = 0; i < k; i++) values[i] = H[roots + i];
  for (let q = 0; q < deflated.length; q++) values[k + q] = D[deflated[q]];
  sortRows(H, n, size, top, spare, values);
  d.set(values, lo);
}

/**
 * Splits the problem: an entry of z that is negligible, or that a rotation between two close poles makes
 * negligible, leaves its eigenpair unchanged. The tolerance is a few roundoffs of the matrix, as in Gu and
 * Eisenstat's section 4.
 */
function deflate(
  H: Float64Array,
  lo: number,
  hi: number,
  rho: number,
  D: Float64Array,
  z: Float64Array,
  row: Int32Array,
  half: Uint8Array,
) {
  let largest = 0;
  for (let i = 0; i < D.length; i++) largest = Math.max(largest, Math.abs(D[i]), Math.abs(z[i]));
  const tolerance = 16 * UNIT * largest;
  const kept: number[] = [];
  const deflated: number[] = [];
  let p = -1;
  for (let i = 0; i < D.length; i++) {
    if (rho * Math.abs(z[i]) <= tolerance) {
      deflated.push(i);
      continue;
    }
    if (p < 0) {
      p = i;
      continue;
    }
    const norm = Math.hypot(z[i], z[p]);
    const c = z[i] / norm;
    const s = -z[p] / norm;
    if (Math.abs((D[i] - D[p]) * c * s) > tolerance) {
      kept.push(p);
      p = i;
      continue;
    }
    z[i] = norm;
    z[p] = 0;
    for (let x = row[p] + lo, y = row[i] + lo, end = row[p] + hi; x < end; x++, y++) {
      const a = H[x];
      const b = H[y];
      H[x] = c * a + s * b;
      H[y] = c * b - s * a;
    }
    if (half[p] !== half[i]) half[p] = half[i] = BOTH;
    const moved = D[p] * c * c + D[i] * s * s;
    D[i] = D[p] * s * s + D[i] * c * c;
    D[p] = moved;
    deflated.push(p);
    p = i;
  }
  if (p >= 0) kept.push(p);
  return { kept, deflated };
}

/** Sorts `values` ascending and the rows of the block at `top` with them. */
function sortRows(
  H: Float64Array,
  n: number,
  size: number,
  top: number,
  spare: number,
  values: Float64Array,
): void {
  const order = ascending(values);
  if (order.every((from, i) => from === i)) return;
  const sorted = values.map((_, i) => values[order[i]]);
  for (let i = 0; i < size; i++) {
    const from = top + order[i] * n;
    H.copyWithin(spare + i * size, from, from + size);
  }
  for (let i = 0; i < size; i++) H.copyWithin(top + i * n, spare + i * size, spare + (i + 1) * size);
  values.set(sorted);
}

function ascending(values: Float64Array): Int32Array {
  return Int32Array.from(values.keys()).sort((a, b) => values[a] - values[b] || a - b);
}

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
