import { random } from "../../src/core/random.ts";
import { engines, useEngine, type EngineName } from "../../src/matrix/engine.ts";
import { matrix, type Matrix, mapped } from "../../src/matrix/matrix.ts";
import { multiply } from "../../src/matrix/multiply.ts";

/** The engines that this machine has. */
export const factorEngines: EngineName[] = engines()
  .filter(({ available }) => available)
  .map(({ name }) => name);

/** Runs `work` once per engine and goes back to the default. */
export function forEachEngine(work: (name: EngineName) => void): void {
  try {
    for (const name of factorEngines) {
      useEngine(name);
      work(name);
    }
  } finally {
    useEngine("simd");
  }
}

/** Standard normal entries, from a seed or from the next numbers of a stream. */
export function normal(rows: number, cols: number, source: number | { normal(): number } = 1): Matrix {
  const stream = typeof source === "number" ? random(source) : source;
  const A = matrix(rows, cols);
  for (let p = 0; p < A.data.length; p++) A.data[p] = stream.normal();
  return A;
}

export function symmetricNormal(n: number, seed: number = 1): Matrix {
  const A = normal(n, n, seed);
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) A.data[i * n + j] = A.data[j * n + i];
  return A;
}

export function diagonal(values: ArrayLike<number>): Matrix {
  const n = values.length;
  const D = matrix(n, n);
  for (let i = 0; i < n; i++) D.data[i * n + i] = values[i];
  return D;
}

/** Entry (i, j) is f(i, j). */
export function byEntry(rows: number, cols: number, f: (i: number, j: number) => number): Matrix {
  const A = matrix(rows, cols);
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) A.data[i * cols + j] = f(i, j);
  return A;
}

export function scaled(A: Matrix, factor: number): Matrix {
  return mapped(A, (value) => value * factor);
}

export function ofRank(rows: number, cols: number, rank: number, seed: number = 1): Matrix {
  return multiply(normal(rows, rank, seed), normal(rank, cols, seed + 1));
}

export function largest(A: Matrix): number {
  return A.data.reduce((peak, value) => Math.max(peak, Math.abs(value)), 0);
}

/** Largest difference between two matrices of the same shape; NaN if either has one. */
export function difference(A: Matrix, B: Matrix): number {
  if (A.rows !== B.rows || A.cols !== B.cols) {
    throw new Error(`${A.rows} x ${A.cols} against ${B.rows} x ${B.cols}`);
  }
  let peak = 0;
  for (let p = 0; p < A.data.length; p++) {
    const size = Math.abs(A.data[p] - B.data[p]);
    if (!(size <= peak)) peak = size;
  }
  return peak;
}
