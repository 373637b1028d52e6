import { numericError } from "../core/errors.ts";
import { withWorkspace } from "./factorKernel.ts";
import { matrix, transpose, type Matrix } from "./matrix.ts";
import { multiply } from "./multiply.ts";
import { qr } from "./qr.ts";
import { largestEntry, scaleToOne } from "./symmetric.ts";

export interface SVD {
  /** m x min(m, n), orthonormal columns. */
  readonly U: Matrix;
  /** Singular values, descending. */
  readonly values: Float64Array;
  /** n x min(m, n), orthonormal columns; A = U diag(values) V'. */
  readonly V: Matrix;
}

const MAX_SWEEPS = 60;
/** Converged when no two rows met at a larger cosine. */
const CONVERGED = 2 ** -48;

/**
 * Thin singular value decomposition: QR, then QR with column pivoting of R, then one-sided Jacobi on the rows of the
 * second triangle (Drmač and Veselić, SIAM J. Matrix Anal. Appl. 29, 2008, the preconditioned method without its
 * shortcuts). X'X is never formed, so small singular values keep their accuracy: the error of each is relative to
 * itself where A is a well-conditioned matrix with scaled columns. The work grows as min(m, n)^3 with a constant near
 * 20, so beyond orders of some 1000 this is slower than methods through the bidiagonal form.
 */
export function svd(A: Matrix): SVD {
  const peak = largestEntry(A, "svd");
  if (A.rows < A.cols) {
    const { U, values, V } = svd(transpose(A));
    return { U: V, values, V: U };
  }
  const n = A.cols;
  if (n === 0) return { U: matrix(A.rows, 0), values: new Float64Array(0), V: matrix(0, 0) };
  const scale = scaleToOne(peak);
  const scaled = matrix(
    A.rows,
    n,
    A.data.map((value) => value * scale),
  );
  const { Q, R } = qr(scaled);
  const { U, values, V } = triangleSVD(R);
  return { U: multiply(Q, U), values: values.map((value) => value / scale), V };
}

/** R (n x n) = U diag(values) V'. */
function triangleSVD(R: Matrix): SVD {
  const n = R.rows;
  const { triangle, rotation, order } = pivotedTriangle(R);
  const U = matrix(n, n);
  const V = matrix(n, n);
  const values = new Float64Array(n);
  withWorkspace(n, { G: n * n, J: n * n, squares: n }, ({ kernel, heap: H, at }) => {
    H.set(triangle.data, at.G);
    // J starts as the transpose of the pivoted factor, so that J' comes out as all of U.
    H.set(rotation.data, at.J);
    for (let sweep = 0; kernel.jacobiSweep(n, n, at.G, at.J, at.squares) > CONVERGED; sweep++) {
      if (sweep === MAX_SWEEPS) throw numericError(`svd: no convergence in ${MAX_SWEEPS} Jacobi sweeps`);
    }
    const sizes = Float64Array.from({ length: n }, (_, i) => norm(H, n, at.G + i * n));
    const rank = Int32Array.from(sizes.keys()).sort((a, b) => sizes[b] - sizes[a] || a - b);
    for (let j = 0; j < n; j++) {
      const from = rank[j];
      values[j] = sizes[from];
      for (let i = 0; i < n; i++) U.data[i * n + j] = H[at.J + from * n + i];
      if (values[j] === 0) continue;
      for (let i = 0; i < n; i++) V.data[order[i] * n + j] = H[at.G + from * n + i] / values[j];
    }
  });
  completeColumns(V, values);
  return { U, values, V };
}

/**
 * Householder QR with column pivoting, R P = Q2 T (Businger and Golub, Numer. Math. 7, 1965): T has rows of decreasing
 * size, on which Jacobi needs few sweeps. Returns T, Q2' and P as the original number of each column.
 */
function pivotedTriangle(R: Matrix): { triangle: Matrix; rotation: Matrix; order: Int32Array } {
  const n = R.rows;
  const columns = transpose(R); // row j is column j
  const { data: C } = columns;
  const order = Int32Array.from({ length: n }, (_, j) => j);
  const reflectors = matrix(n, n);
  const tau = new Float64Array(n);
  const remaining = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let j = k; j < n; j++) {
      remaining[j] = norm(C, n - k, j * n + k);
      if (remaining[j] > remaining[best]) best = j;
    }
    swapRows(columns, k, best);
    [order[k], order[best]] = [order[best], order[k]];
    const size = Math.max(remaining[best], 0);
    const v = reflectors.data.subarray(k * n, (k + 1) * n);
    const alpha = C[k * n + k];
    if (size === 0) continue;
    const beta = alpha > 0 ? -size : size;
    tau[k] = (beta - alpha) / beta;
    v[k] = 1;
    for (let i = k + 1; i < n; i++) v[i] = C[k * n + i] / (alpha - beta);
    C[k * n + k] = beta;
    C.fill(0, k * n + k + 1, (k + 1) * n);
    for (let j = k + 1; j < n; j++) reflect(C, j * n, v, tau[k], k, n);
  }
  const rotation = matrix(n, n);
  for (let i = 0; i < n; i++) rotation.data[i * n + i] = 1;
  for (let k = n - 1; k >= 0; k--) {
    const v = reflectors.data.subarray(k * n, (k + 1) * n);
    for (let j = k; j < n; j++) reflect(rotation.data, j * n, v, tau[k], k, n);
  }
  return { triangle: transpose(columns), rotation, order };
}

/** x := (I - tau v v') x for the vector x at `at`, entries from k on. */
function reflect(C: Float64Array, at: number, v: Float64Array, tau: number, k: number, n: number): void {
  let sum = 0;
  for (let i = k; i < n; i++) sum += v[i] * C[at + i];
  sum *= tau;
  for (let i = k; i < n; i++) C[at + i] -= sum * v[i];
}

function swapRows(A: Matrix, i: number, j: number): void {
  if (i === j) return;
  const { cols: n, data } = A;
  const held = data.slice(i * n, (i + 1) * n);
  data.copyWithin(i * n, j * n, (j + 1) * n);
  data.set(held, j * n);
}

/** Euclidean norm, safe from underflow of the squares. */
function norm(x: Float64Array, n: number, at: number): number {
  let peak = 0;
  for (let i = 0; i < n; i++) peak = Math.max(peak, Math.abs(x[at + i]));
  if (peak === 0) return 0;
  const scale = scaleToOne(peak);
  let square = 0;
  for (let i = 0; i < n; i++) {
    const value = x[at + i] * scale;
    square += value * value;
  }
  return Math.sqrt(square) / scale;
}

/** Gives the columns whose singular value is zero an orthonormal direction that the others leave free. */
function completeColumns(V: Matrix, values: Float64Array): void {
  const { rows: n, cols, data } = V;
  const candidate = new Float64Array(n);
  let next = 0;
  for (let j = 0; j < cols; j++) {
    if (values[j] !== 0) continue;
    for (let size = 0; size < 0.5 / Math.sqrt(n); next++) {
      candidate.fill(0);
      candidate[next] = 1;
      // Twice is enough (Kahan and Parlett): the second pass removes what the first one's rounding left.
      for (let pass = 0; pass < 2; pass++) {
        for (let c = 0; c < j; c++) {
          let along = 0;
          for (let i = 0; i < n; i++) along += data[i * cols + c] * candidate[i];
          for (let i = 0; i < n; i++) candidate[i] -= along * data[i * cols + c];
        }
      }
      size = norm(candidate, n, 0);
      if (size >= 0.5 / Math.sqrt(n)) for (let i = 0; i < n; i++) data[i * cols + j] = candidate[i] / size;
    }
  }
}
