import type { Matrix } from "./matrix.ts";

/**
 * Copies the rows of A into rows of `width` numbers, padded with zeros: kernels take columns two or four at
 * a time.
 */
export function padRows(A: Matrix, width: number, to: Float64Array): void {
  if (width === A.cols) {
    to.set(A.data);
    return;
  }
  for (let i = 0, p = 0, q = 0; i < A.rows; i++) {
    for (let f = 0; f < A.cols; f++) to[q++] = A.data[p++];
    while (q < (i + 1) * width) to[q++] = 0;
  }
}

/** Copies rows of `width` numbers back into A. */
export function unpadRows(from: Float64Array, width: number, A: Matrix): void {
  if (width === A.cols) {
    A.data.set(from);
    return;
  }
  for (let i = 0, p = 0; i < A.rows; i++) {
    for (let f = 0, q = i * width; f < A.cols; f++) A.data[p++] = from[q++];
  }
}
