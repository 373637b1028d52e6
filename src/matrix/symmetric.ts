import { inputError } from "../core/errors.ts";
import { requireFinite, type Matrix } from "./matrix.ts";

/** Asymmetry beyond this part of the largest entry is refused; anything smaller counts as rounding. */
const ASYMMETRY = 1e-8;

export function requireSquare(A: Matrix, method: string): void {
  if (A.rows !== A.cols) {
    throw inputError(`${method}: the matrix must be square, got ${A.rows} x ${A.cols}`);
  }
}

/** The largest |a_ij|; NaN and infinite cells are refused by position. */
export function largestEntry(A: Matrix, method: string): number {
  const { data } = A;
  let peak = 0;
  let spoiled = 0;
  for (let p = 0; p < data.length; p++) {
    const size = Math.abs(data[p]);
    if (size > peak) peak = size;
    spoiled += size * 0; // NaN as soon as one entry is not finite
  }
  if (spoiled !== 0) requireFinite(A, `${method}: the matrix`);
  return peak;
}

/**
 * A power of two that brings `peak` into [1/2, 1), so that scaling is exact and squares neither overflow nor
 * underflow. The exponent is kept where both the factor and its inverse are normal numbers.
 */
export function scaleToOne(peak: number): number {
  if (peak === 0) return 1;
  const exponent = Math.floor(Math.log2(peak)) + 1;
  return 2 ** -Math.max(-1000, Math.min(1000, exponent));
}

/**
 * Writes the lower triangle of scale (A + A') / 2 to `target`, row-major from position `at`; the upper triangle is
 * left alone. Asymmetry beyond rounding is an error that names the cell, not silently averaged away.
 */
export function lowerTriangle(
  A: Matrix,
  method: string,
  peak: number,
  scale: number,
  target: Float64Array,
  at: number,
): void {
  const { rows: n, data } = A;
  const limit = ASYMMETRY * peak;
  const half = 0.5 * scale;
  const block = 32; // a block and its mirror image stay in the first-level cache
  for (let i0 = 0; i0 < n; i0 += block) {
    const i1 = Math.min(n, i0 + block);
    for (let j0 = 0; j0 <= i0; j0 += block) {
      for (let i = i0; i < i1; i++) {
        const j1 = Math.min(i + 1, j0 + block);
        for (let j = j0; j < j1; j++) {
          const a = data[i * n + j];
          const b = data[j * n + i];
          if (Math.abs(a - b) > limit) {
            throw inputError(
              `${method}: the matrix must be symmetric, but entry (${i}, ${j}) is ${a} and entry (${j}, ${i}) is ${b}`,
            );
          }
          target[at + i * n + j] = a * half + b * half;
        }
      }
    }
  }
}
