import { inputError } from "../core/internal.ts";
import { withWorkspace, type FactorKernel } from "./factor/factorKernel.ts";
import { matrix, requireFinite, requireMatrix, largestSize, type Matrix } from "./matrix.ts";

/** Asymmetry above this share of the largest entry is refused; a smaller one counts as rounding. */
const ASYMMETRY = 1e-8;

export function requireSquare(A: Matrix, method: string): void {
  requireMatrix(A, method);
  if (A.rows !== A.cols) {
    throw inputError(`${method}: the matrix must be square, got ${A.rows} x ${A.cols}`);
  }
}

/** The largest |a_ij|; NaN and infinite cells are refused by position. */
export function largestEntry(A: Matrix, method: string): number {
  requireMatrix(A, method);
  const peak = largestSize(A.data);
  if (Number.isNaN(peak)) requireFinite(A, `${method}: the matrix`);
  return peak;
}

/**
 * A power of two that brings `peak` into [1/2, 1), so that scaling is exact and squares neither overflow nor
 * underflow. The exponent is limited so that the factor and its inverse are normal numbers.
 */
export function scaleToOne(peak: number): number {
  if (peak === 0) return 1;
  const exponent = Math.floor(Math.log2(peak)) + 1;
  return 2 ** -Math.max(-1000, Math.min(1000, exponent));
}

/** Euclidean norm, safe from underflow of the squares. */
export function norm(x: Float64Array, n: number = x.length, at: number = 0): number {
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

/**
 * Puts a symmetric matrix into a workspace: position `at` receives the lower triangle of `scale` (A + A') / 2 (above it
 * is scratch), where `scaling` chooses the scale from the largest entry. Returns the scale. Asymmetry beyond
 * rounding is an error that names the cell; it is not silently averaged.
 */
export function loadSymmetric(
  A: Matrix,
  method: string,
  kernel: FactorKernel,
  at: number,
  scaling: (peak: number) => number,
): number {
  const { rows: n, data } = A;
  kernel.heap.set(data, at);
  const peak = kernel.largest(n * n, at);
  if (!Number.isFinite(peak)) requireFinite(A, `${method}: the matrix`);
  const scale = scaling(peak);
  const cell = kernel.symmetrize(n, at, ASYMMETRY * peak, scale) - 1;
  if (cell >= 0) {
    const [i, j] = [Math.floor(cell / n), cell % n];
    throw inputError(
      `${method}: the matrix must be symmetric, but entry (${i}, ${j}) is ${data[i * n + j]} and ` +
        `entry (${j}, ${i}) is ${data[j * n + i]}`,
    );
  }
  return scale;
}

/** Refuses a square matrix whose two sides differ by more than this share of an entry; `what` begins the message. */
export function requireSymmetric({ rows: n, data }: Matrix, what: string, share: number): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const [a, b] = [data[i * n + j], data[j * n + i]];
      if (Math.abs(a - b) <= share * Math.max(Math.abs(a), Math.abs(b))) continue;
      throw inputError(`${what} is not symmetric: entry (${i}, ${j}) is ${a}, entry (${j}, ${i}) is ${b}`);
    }
  }
}

/** A becomes (A + A') / 2 and is returned: the two sides of a symmetric product are rounded differently. */
export function symmetrize(A: Matrix): Matrix {
  const { rows: n, data } = A;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const mean = data[i * n + j] / 2 + data[j * n + i] / 2;
      data[i * n + j] = mean;
      data[j * n + i] = mean;
    }
  }
  return A;
}

/** (A + A') / 2, with the same refusals. */
export function symmetrized(A: Matrix, method: string): Matrix {
  requireSquare(A, method);
  const n = A.rows;
  const S = matrix(n, n);
  if (n === 0) return S;
  withWorkspace(n, { A: n * n }, ({ kernel, heap: H, at }) => {
    loadSymmetric(A, method, kernel, at.A, () => 1);
    for (let i = 0; i < n; i++) S.data.set(H.subarray(at.A + i * n, at.A + i * n + i + 1), i * n);
  });
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) S.data[j * n + i] = S.data[i * n + j];
  return S;
}
