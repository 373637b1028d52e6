import { tridiagonalEigen, tridiagonalQL } from "./divideConquer.ts";
import { withWorkspace, applyReflectors, REFLECTOR_BLOCK, reflectorScratch } from "./factorKernel.ts";
import { mapped, matrix, transpose, type Matrix } from "../matrix.ts";
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
  const values = new Float64Array(n);
  const beside = new Float64Array(n);
  tridiagonal(
    mapped(A, (value) => value * scale),
    values,
    beside,
  );
  tridiagonalQL(n, values, beside);
  return values
    .sort()
    .reverse()
    .map((value) => value / scale);
}

/** Householder's reduction: A, of which the lower triangle is read and destroyed, becomes the diagonal d and what is beside it, e. */
function tridiagonal({ rows: n, data }: Matrix, d: Float64Array, e: Float64Array): void {
  const v = new Float64Array(n);
  const w = new Float64Array(n);
  for (let j = 0; j < n; j++) {
    d[j] = data[j * n + j];
    // x, column j below the diagonal, becomes (beta, 0, ...) by H = I - t v v', v_0 = 1, with the sign that cannot cancel.
    let tail = 0;
    for (let i = j + 1; i < n; i++) {
      v[i] = data[i * n + j];
      if (i > j + 1) tail += v[i] * v[i];
    }
    const alpha = v[j + 1];
    if (j + 1 < n) e[j] = alpha;
    if (!(tail > TINY)) continue;
    const beta = alpha > 0 ? -Math.hypot(alpha, Math.sqrt(tail)) : Math.hypot(alpha, Math.sqrt(tail));
    const t = (beta - alpha) / beta;
    e[j] = beta;
    v[j + 1] = 1;
    for (let i = j + 2; i < n; i++) v[i] /= alpha - beta;
    // H A H = A - v w' - w v', with p = t A v and w = p - (t / 2)(p'v) v.
    w.fill(0, j + 1);
    let along = 0;
    for (let i = j + 1; i < n; i++) {
      const row = i * n;
      let sum = data[row + i] * v[i];
      for (let c = j + 1; c < i; c++) {
        sum += data[row + c] * v[c];
        w[c] += t * data[row + c] * v[i];
      }
      w[i] += t * sum;
    }
    for (let i = j + 1; i < n; i++) along += w[i] * v[i];
    for (let i = j + 1; i < n; i++) w[i] -= 0.5 * t * along * v[i];
    for (let i = j + 1; i < n; i++) {
      for (let c = j + 1; c <= i; c++) data[i * n + c] -= v[i] * w[c] + w[i] * v[c];
    }
  }
}

/** Smaller squares carry too few bits to define a reflector; the entries count as zero. */
const TINY = 1e-250;
