import { numericError } from "../../core/internal.ts";
import { matrix, row, takeRows, type Matrix } from "../matrix.ts";
import { largestEntry, scaleToOne, symmetrized } from "../symmetric.ts";
import { solver, solveTriangular, type Solve } from "./triangular.ts";

export interface LDL {
  /** Unit lower triangular, entries at most about 2.8 in absolute value. */
  readonly L: Matrix;
  /** Symmetric, blocks of order 1 and 2 on the diagonal. */
  readonly D: Matrix;
  /** P: row i of the factored matrix is row `permutation[i]` of A, so A[p, p] = L D L'. */
  readonly permutation: Int32Array;
  /** How many eigenvalues are positive, negative and, to working precision, zero (Sylvester's law of inertia). */
  readonly inertia: { readonly positive: number; readonly negative: number; readonly zero: number };
  /** log |det A|; minus infinity if A is singular. */
  readonly logDeterminant: number;
  /** Sign of det A: 1, -1, or 0 if A is singular. */
  readonly sign: number;
  /** A^-1 B; throws if A is singular to working precision. */
  readonly solve: Solve;
}

const UNIT = 2 ** -53;
/** (1 + sqrt 17) / 8 bounds the growth of 1 x 1 and 2 x 2 pivots equally. */
const ALPHA = (1 + Math.sqrt(17)) / 8;

/**
 * P A P' = L D L' of a symmetric matrix, definite or not, by rook pivoting (Ashcraft, Grimes and Lewis, SIAM J. Matrix
 * Anal. Appl. 20, 1998), the form of Bunch and Kaufman's method that also bounds L. Eigenvalues of D below n + 16
 * roundoffs of the largest entry of A count as zero. Asymmetry is treated as in `cholesky`.
 */
export function ldl(A: Matrix): LDL {
  const n = A.rows;
  const scale = scaleToOne(largestEntry(A, "ldl"));
  const W = symmetrized(A, "ldl");
  for (let p = 0; p < W.data.length; p++) W.data[p] *= scale;
  const { permutation, pairs } = eliminate(W);
  const { L, D } = unpack(W, pairs);
  const { inertia, logScaled, sign } = spectrum(D, pairs, (n + 16) * UNIT);
  const logDeterminant = inertia.zero > 0 ? -Infinity : logScaled - n * Math.log(scale);
  for (let p = 0; p < D.data.length; p++) D.data[p] /= scale;
  const solve = solver(n, "ldl", (B) => {
    if (inertia.zero > 0) throw numericError("ldl: the matrix is singular to working precision");
    return substitute(L, D, pairs, permutation, B);
  });
  return { L, D, permutation, inertia, logDeterminant, sign, solve };
}

/**
 * Right-looking elimination in the lower triangle of W, which becomes L below D. `pairs[k]` is 1 if a block
 * of order 2 starts at k. Columns that are exactly zero below the pivot need no division, so a zero pivot is
 * harmless here.
 */
function eliminate(W: Matrix): { permutation: Int32Array; pairs: Uint8Array } {
  const { rows: n, data } = W;
  const permutation = Int32Array.from({ length: n }, (_, i) => i);
  const pairs = new Uint8Array(n);
  const first = new Float64Array(n);
  const second = new Float64Array(n);
  for (let k = 0; k < n;) {
    const pivot = rookPivot(W, k);
    exchange(W, permutation, k, pivot.p);
    if (pivot.q < 0) {
      const d = data[k * n + k];
      for (let i = k + 1; i < n; i++) first[i] = data[i * n + k];
      for (let i = k + 1; i < n; i++) {
        if (first[i] === 0) continue;
        const l = first[i] / d;
        for (let j = k + 1, at = i * n; j <= i; j++) data[at + j] -= l * first[j];
        data[i * n + k] = l;
      }
      k++;
      continue;
    }
    exchange(W, permutation, k + 1, pivot.q);
    pairs[k] = 1;
    for (let i = k + 2; i < n; i++) {
      first[i] = data[i * n + k];
      second[i] = data[i * n + k + 1];
    }
    // The off-diagonal entry b dominates its block; dividing by it first keeps the determinant from underflow.
    const b = data[(k + 1) * n + k];
    const d1 = data[k * n + k] / b;
    const d2 = data[(k + 1) * n + k + 1] / b;
    const inverse = 1 / (d1 * d2 - 1) / b;
    for (let i = k + 2; i < n; i++) {
      const l1 = (d2 * first[i] - second[i]) * inverse;
      const l2 = (d1 * second[i] - first[i]) * inverse;
      for (let j = k + 2, at = i * n; j <= i; j++) data[at + j] -= l1 * first[j] + l2 * second[j];
      data[i * n + k] = l1;
      data[i * n + k + 1] = l2;
    }
    k += 2;
  }
  return { permutation, pairs };
}

/** The rows to bring to k (and, for a block of order 2, to k + 1; otherwise q is -1). */
function rookPivot(W: Matrix, k: number): { p: number; q: number } {
  const { rows: n, data } = W;
  let i = k;
  let { at: r, size: omega } = largestBeside(W, k, i);
  if (Math.abs(data[k * n + k]) >= ALPHA * omega) return { p: k, q: -1 };
  for (;;) {
    const beside = largestBeside(W, k, r);
    if (Math.abs(data[r * n + r]) >= ALPHA * beside.size) return { p: r, q: -1 };
    if (beside.size <= omega) {
      // Row k moves to the old position of p; if the partner is row k itself, it moved there too.
      return { p: i, q: r === k ? i : r };
    }
    i = r;
    omega = beside.size;
    r = beside.at;
  }
}

/** The largest off-diagonal entry of column c of the matrix left at step k. */
function largestBeside(W: Matrix, k: number, c: number): { at: number; size: number } {
  const { rows: n, data } = W;
  let at = c;
  let size = 0;
  for (let j = k; j < c; j++) {
    if (Math.abs(data[c * n + j]) > size) {
      size = Math.abs(data[c * n + j]);
      at = j;
    }
  }
  for (let i = c + 1; i < n; i++) {
    if (Math.abs(data[i * n + c]) > size) {
      size = Math.abs(data[i * n + c]);
      at = i;
    }
  }
  return { at, size };
}

/** Exchanges rows and columns p <= q of a symmetric matrix of which the lower triangle is stored. */
function exchange(W: Matrix, permutation: Int32Array, p: number, q: number): void {
  if (p === q) return;
  const { rows: n, data } = W;
  const swap = (x: number, y: number): void => {
    const held = data[x];
    data[x] = data[y];
    data[y] = held;
  };
  for (let j = 0; j < p; j++) swap(p * n + j, q * n + j);
  swap(p * n + p, q * n + q);
  for (let i = p + 1; i < q; i++) swap(i * n + p, q * n + i);
  for (let i = q + 1; i < n; i++) swap(i * n + p, i * n + q);
  const held = permutation[p];
  permutation[p] = permutation[q];
  permutation[q] = held;
}

function unpack(W: Matrix, pairs: Uint8Array): { L: Matrix; D: Matrix } {
  const n = W.rows;
  const L = matrix(n, n);
  const D = matrix(n, n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) L.data[i * n + j] = W.data[i * n + j];
    L.data[i * n + i] = 1;
    D.data[i * n + i] = W.data[i * n + i];
    if (i > 0 && pairs[i - 1]) {
      L.data[i * n + i - 1] = 0;
      D.data[i * n + i - 1] = W.data[i * n + i - 1];
      D.data[(i - 1) * n + i] = W.data[i * n + i - 1];
    }
  }
  return { L, D };
}

/** Signs and sizes of the eigenvalues of D; those up to `floor` in size count as zero. */
function spectrum(
  D: Matrix,
  pairs: Uint8Array,
  floor: number,
): { inertia: LDL["inertia"]; logScaled: number; sign: number } {
  const n = D.rows;
  const inertia = { positive: 0, negative: 0, zero: 0 };
  let logScaled = 0;
  const count = (value: number): void => {
    if (Math.abs(value) <= floor) inertia.zero++;
    else if (value > 0) inertia.positive++;
    else inertia.negative++;
  };
  for (let k = 0; k < n; k++) {
    const a = D.data[k * n + k];
    if (!pairs[k]) {
      count(a);
      logScaled += Math.log(Math.abs(a));
      continue;
    }
    const b = D.data[(k + 1) * n + k];
    const c = D.data[(k + 1) * n + k + 1];
    const middle = (a + c) / 2;
    const spread = Math.hypot((a - c) / 2, b);
    count(middle + spread);
    count(middle - spread);
    logScaled += 2 * Math.log(Math.abs(b)) + Math.log(Math.abs((a / b) * (c / b) - 1));
    k++;
  }
  const sign = inertia.zero > 0 ? 0 : inertia.negative % 2 === 0 ? 1 : -1;
  return { inertia, logScaled, sign };
}

/** P' L'^-1 D^-1 L^-1 P B. */
function substitute(L: Matrix, D: Matrix, pairs: Uint8Array, permutation: Int32Array, B: Matrix): Matrix {
  const n = L.rows;
  const Y = solveTriangular(L, takeRows(B, permutation), { unit: true });
  const { cols, data } = Y;
  for (let k = 0; k < n; k++) {
    const a = D.data[k * n + k];
    const x = k * cols;
    if (!pairs[k]) {
      for (let c = 0; c < cols; c++) data[x + c] /= a;
      continue;
    }
    const b = D.data[(k + 1) * n + k];
    const d1 = a / b;
    const d2 = D.data[(k + 1) * n + k + 1] / b;
    const determinant = d1 * d2 - 1;
    for (let c = 0; c < cols; c++) {
      const y1 = data[x + c] / b;
      const y2 = data[x + cols + c] / b;
      data[x + c] = (d2 * y1 - y2) / determinant;
      data[x + cols + c] = (d1 * y2 - y1) / determinant;
    }
    k++;
  }
  const Z = solveTriangular(L, Y, { unit: true, transposed: true });
  const X = matrix(n, cols);
  for (let i = 0; i < n; i++) X.data.set(row(Z, i), permutation[i] * cols);
  return X;
}
