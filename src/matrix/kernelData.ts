/** Data on their way into the memory of a kernel and back: kernels take columns two or four at a time. */
import type { Arena } from "./wasm.ts";
import { matrix, type Matrix } from "./matrix.ts";

/** The address of a copy of the values. */
export function placed(kernel: Arena, values: Float64Array | Int32Array): number {
  const at = kernel.reserve(values.byteLength);
  if (values instanceof Float64Array) kernel.f64(at, values.length).set(values);
  else kernel.i32(at, values.length).set(values);
  return at;
}

/** The address of a copy of the rows, each padded with zeros to `width` numbers. */
export function placedRows(kernel: Arena, A: Matrix, width: number): number {
  const at = kernel.reserve(8 * A.rows * width);
  storeRows(A.data, A.cols, kernel.f64(at, A.rows * width), width);
  return at;
}

/** Writes rows of `cols` numbers, each padded with zeros to `width` numbers. */
export function storeRows(from: Float64Array, cols: number, to: Float64Array, width: number): void {
  if (width === cols) return to.set(from);
  for (let p = 0, q = 0; p < from.length; q += width) {
    for (let f = 0; f < cols; f++) to[q + f] = from[p++];
    for (let f = cols; f < width; f++) to[q + f] = 0;
  }
}

/** The symmetric d x d matrix whose entries on and above the diagonal are at `from`, `width` numbers a row. */
export function mirrored(from: Float64Array, width: number, d: number): Matrix {
  const S = matrix(d, d);
  for (let a = 0; a < d; a++) {
    for (let b = a; b < d; b++) S.data[a * d + b] = S.data[b * d + a] = from[a * width + b];
  }
  return S;
}

/** The first `cols` numbers of each row of `width` numbers. */
export function unpadded(from: Float64Array, width: number, cols: number): Matrix {
  const A = matrix(from.length / width, cols);
  if (width === cols) A.data.set(from);
  else {
    for (let i = 0, p = 0; i < A.rows; i++) {
      for (let f = 0, q = i * width; f < cols; f++) A.data[p++] = from[q++];
    }
  }
  return A;
}
