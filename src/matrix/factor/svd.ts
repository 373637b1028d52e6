import { numericError, rule } from "../../core/internal.ts";
import { symmetricEigen } from "./eigen.ts";
import { withWorkspace, reflectorScratch, type FactorKernel } from "./factorKernel.ts";
import { mapped, matrix, row, transpose, leadingColumns, requireMatrix, type Matrix } from "../matrix.ts";
import { gram, multiply, multiplyTransposeA, multiplyTransposeB } from "../multiply.ts";
import { orthonormalRows, qr } from "./qr.ts";
import { largestEntry, norm, scaleToOne } from "../symmetric.ts";

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
 * from rotations of R itself. Otherwise it starts from triangles with graded rows, without loss: a singular
 * value is then accurate relative to itself if A is a well-conditioned matrix times a diagonal one. Singular
 * values below 1e-120 of the largest may be lost to underflow.
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
  const { Q, R } = qr(mapped(A, (value) => value * scale));
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

/**
 * R P = Q T with column pivoting, T' = W S, so that R = Q S' W' P': the rows of S have decreasing sizes and
 * are already close to orthogonal where the sizes differ. Rows of similar size are rotated to each other's
 * eigenvectors, which keeps their relative accuracy, and Jacobi does the rest: J S = diag(values) G, U = Q
 * G', V = P W J'.
 */
function fromPivotedTriangle(R: Matrix): SVD {
  const n = R.rows;
  const { Q, T, pivots } = pivotedTriangle(R);
  const { Q: W, R: S } = qr(transpose(T));
  const J = transpose(W);
  alignRows(S, J);
  const { left, values, V } = withWorkspace(
    n,
    { G: n * n, J: n * n, squares: n },
    ({ kernel, heap: H, at }) => {
      H.set(S.data, at.G);
      H.set(J.data, at.J);
      rotateToOrthogonal(kernel, n, at.G, at.J, at.squares);
      const { order, values } = rowSizes(H, n, at.G);
      const left = takeColumns(H, n, at.G, order, values);
      const right = takeColumns(H, n, at.J, order);
      const V = matrix(n, n);
      for (let i = 0; i < n; i++) V.data.set(row(right, i), pivots[i] * n);
      completeColumns(left, values);
      return { left, values, V };
    },
  );
  return { U: multiply(Q, left), values, V };
}

/** R P = Q T; column j of R P is column pivots[j] of R. */
function pivotedTriangle(R: Matrix) {
  const n = R.rows;
  const size = n * n;
  const columns = transpose(R);
  const blocks = {
    A: size,
    T: size,
    Q: size,
    tau: n,
    order: n,
    squares: 2 * n,
    scratch: reflectorScratch(n),
  };
  return withWorkspace(n, blocks, ({ kernel, heap: H, at }) => {
    H.set(columns.data, at.A);
    H.fill(0, at.T, at.T + size);
    kernel.reflectPivoted(n, at.A, at.tau, at.T, at.order, at.squares);
    orthonormalRows(kernel, n, n, at.A, at.tau, at.Q, at.scratch);
    return {
      Q: transpose(matrix(n, n, H.slice(at.Q, at.Q + size))),
      T: transpose(matrix(n, n, H.slice(at.T, at.T + size))),
      pivots: H.slice(at.order, at.order + n),
    };
  });
}

/** Rows of S whose sizes differ by less than this factor are aligned together. */
const LIKE = 1000;

/** Runs of rows of similar size in S become the principal axes of their span; the rows of J follow. */
function alignRows(S: Matrix, J: Matrix): void {
  const n = S.rows;
  for (let first = 0, end = 0; first < n; first = end) {
    const size = norm(S.data, n, first * n);
    let smallest = size;
    for (end = first + 1; end < n; end++) {
      smallest = Math.min(smallest, norm(S.data, n, end * n));
      if (!(smallest * LIKE > size)) break;
    }
    const count = end - first;
    if (count < 2) continue;
    const span = (A: Matrix): Matrix => matrix(count, n, A.data.subarray(first * n, end * n));
    const scale = scaleToOne(size);
    const unit = mapped(span(S), (value) => value * scale);
    const { vectors } = symmetricEigen(multiplyTransposeB(unit, unit));
    for (const A of [S, J]) A.data.set(multiplyTransposeA(vectors, span(A)).data, first * n);
  }
}

function rotateToOrthogonal(kernel: FactorKernel, n: number, G: number, J: number, squares: number): void {
  const converged = Math.sqrt(n) * 2 ** -52;
  for (let sweep = 0; kernel.jacobiSweep(n, n, G, J, squares) > converged; sweep++) {
    if (sweep === MAX_SWEEPS) throw numericError(`svd: no convergence in ${MAX_SWEEPS} Jacobi sweeps`);
  }
}

/** Norms of the rows of G, descending, and the row of each. */
function rowSizes(H: Float64Array, n: number, G: number) {
  const sizes = Float64Array.from({ length: n }, (_, i) => norm(H, n, G + i * n));
  const order = Int32Array.from(sizes.keys()).sort((a, b) => sizes[b] - sizes[a] || a - b);
  return { order, values: sizes.map((_, j) => sizes[order[j]]) };
}

/** Column j := row order[j], divided by divisor[j]; zero if that is zero. */
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

/** Gives the columns with singular value zero an orthonormal direction outside the others. */
function completeColumns(V: Matrix, values: Float64Array): void {
  const { rows: n, cols, data } = V;
  const candidate = new Float64Array(n);
  // Among the unused unit vectors there is always one with at least this distance from the columns so far.
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
      const left = norm(candidate);
      if (left < enough) continue;
      size = left;
      for (let i = 0; i < n; i++) data[i * cols + j] = candidate[i] / size;
    }
  }
}

export interface PseudoInverseOptions {
  /** Singular values up to `cut` times the largest one count as zero; default max(m, n) 2^-52. */
  cut?: number;
}

export interface PseudoInverse {
  /** n x m, for A of m x n. */
  readonly inverse: Matrix;
  /** Number of singular values above the cut. */
  readonly rank: number;
  /** The relative cut that was used. */
  readonly cut: number;
}

/** Moore-Penrose inverse V diag(1 / s) U' over the singular values s above the cut. */
export function pseudoInverse(A: Matrix, options: PseudoInverseOptions = {}): PseudoInverse {
  requireMatrix(A, "pseudoInverse");
  const { cut } = rule.resolveOptions("pseudoInverse", options, {
    cut: rule.real({ min: 0, below: 1, default: Math.max(A.rows, A.cols, 1) * 2 ** -52 }),
  });
  const { U, values, V } = svd(A);
  const limit = cut * (values.length === 0 ? 0 : values[0]);
  let rank = 0;
  while (rank < values.length && values[rank] > limit) rank++;
  const W = mapped(leadingColumns(V, rank), (value, p) => value / values[p % rank]);
  return { inverse: multiplyTransposeB(W, leadingColumns(U, rank)), rank, cut };
}
