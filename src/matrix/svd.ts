import { numericError } from "../core/errors.ts";
import { symmetricEigen } from "./eigen.ts";
import { withWorkspace, type FactorKernel } from "./factorKernel.ts";
import { matrix, transpose, type Matrix } from "./matrix.ts";
import { gram, multiply, multiplyTransposeB } from "./multiply.ts";
import { orthonormalRows, qr } from "./qr.ts";
import { reflectorScratch } from "./reflectors.ts";
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
/** Above this ratio of the smallest to the largest singular value, rounding relative to the largest is harmless. */
const WELL_CONDITIONED = 1e-3;

/**
 * Thin singular value decomposition: A = Q R, then one-sided Jacobi on R, preconditioned (Drmač and Veselić, SIAM J.
 * Matrix Anal. Appl. 29, 2008).
 *
 * Jacobi starts from the eigenvectors of R'R if A is well conditioned: they only save sweeps, the singular values come
 * from rotations of R itself. Otherwise it starts from QR of R with column pivoting, which loses nothing: a singular
 * value then is accurate relative to itself wherever A is a well-conditioned matrix times a diagonal one.
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
  const scaled = matrix(A.rows, n);
  for (let p = 0; p < scaled.data.length; p++) scaled.data[p] = A.data[p] * scale;
  const { Q, R } = qr(scaled);
  const { U, values, V } = fromEigenvectors(R) ?? fromPivotedTriangle(R);
  return { U: multiply(Q, U), values: values.map((value) => value / scale), V };
}

/** Rotates W R', W the eigenvectors of R'R, to J R' = S U', so that R = U S J. Undefined if R is ill-conditioned. */
function fromEigenvectors(R: Matrix): SVD | undefined {
  const n = R.rows;
  const { values: squares, vectors } = symmetricEigen(gram(R));
  if (!(squares[n - 1] > WELL_CONDITIONED ** 2 * squares[0])) return undefined;
  const W = transpose(vectors);
  const G = multiplyTransposeB(W, R);
  return withWorkspace(n, { G: n * n, J: n * n, squares: n }, ({ kernel, heap: H, at }) => {
    H.set(G.data, at.G);
    H.set(W.data, at.J);
    rotateToOrthogonal(kernel, n, at.G, at.J, at.squares);
    const { order, values } = rowSizes(H, n, at.G);
    return { U: takeColumns(H, n, at.G, order, values), values, V: takeColumns(H, n, at.J, order) };
  });
}

/** R P = Q2 T; rotates T, whose rows have decreasing sizes, to J T = S G, so that R = Q2 J' S G P'. */
function fromPivotedTriangle(R: Matrix): SVD {
  const n = R.rows;
  const blocks = {
    A: n * n,
    G: n * n,
    J: n * n,
    tau: n,
    order: n,
    squares: 2 * n,
    scratch: reflectorScratch(n),
  };
  const columns = transpose(R);
  return withWorkspace(n, blocks, ({ kernel, heap: H, at }) => {
    H.set(columns.data, at.A);
    H.fill(0, at.J, at.J + n * n);
    kernel.reflectPivoted(n, at.A, at.tau, at.J, at.order, at.squares);
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) H[at.G + i * n + j] = H[at.J + j * n + i];
    // J starts as Q2', so that its rows end as the columns of U.
    orthonormalRows(kernel, n, n, at.A, at.tau, at.J, at.scratch);
    rotateToOrthogonal(kernel, n, at.G, at.J, at.squares);
    const { order, values } = rowSizes(H, n, at.G);
    const pivots = H.slice(at.order, at.order + n);
    const rotated = takeColumns(H, n, at.G, order, values);
    const V = matrix(n, n);
    for (let i = 0; i < n; i++) V.data.set(rotated.data.subarray(i * n, (i + 1) * n), pivots[i] * n);
    completeColumns(V, values);
    return { U: takeColumns(H, n, at.J, order), values, V };
  });
}

function rotateToOrthogonal(kernel: FactorKernel, n: number, G: number, J: number, squares: number): void {
  const converged = Math.sqrt(n) * 2 ** -52;
  for (let sweep = 0; kernel.jacobiSweep(n, n, G, J, squares) > converged; sweep++) {
    if (sweep === MAX_SWEEPS) throw numericError(`svd: no convergence in ${MAX_SWEEPS} Jacobi sweeps`);
  }
}

/** Norms of the rows of G, descending, and the row that each belongs to. */
function rowSizes(H: Float64Array, n: number, G: number): { order: Int32Array; values: Float64Array } {
  const sizes = Float64Array.from({ length: n }, (_, i) => norm(H, n, G + i * n));
  const order = Int32Array.from(sizes.keys()).sort((a, b) => sizes[b] - sizes[a] || a - b);
  return { order, values: sizes.map((_, j) => sizes[order[j]]) };
}

/** Column j := row order[j], divided by divisor[j]; left zero where that is zero. */
function takeColumns(
  H: Float64Array,
  n: number,
  from: number,
  order: Int32Array,
  divisor?: Float64Array,
): Matrix {
  const C = matrix(n, n);
  for (let j = 0; j < n; j++) {
    const row = from + order[j] * n;
    const size = divisor === undefined ? 1 : divisor[j];
    if (size === 0) continue;
    for (let i = 0; i < n; i++) C.data[i * n + j] = H[row + i] / size;
  }
  return C;
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
  // Among the unit vectors not yet used there always is one with this much beyond the columns so far.
  const enough = 0.5 / Math.sqrt(n);
  let next = 0;
  for (let j = 0; j < cols; j++) {
    for (let size = values[j]; size === 0; next++) {
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
      const left = norm(candidate, n, 0);
      if (left < enough) continue;
      size = left;
      for (let i = 0; i < n; i++) data[i * cols + j] = candidate[i] / size;
    }
  }
}
