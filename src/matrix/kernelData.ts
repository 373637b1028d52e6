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
  if (width === A.cols) return placed(kernel, A.data);
  const at = kernel.reserve(8 * A.rows * width);
  const to = kernel.f64(at, A.rows * width);
  for (let i = 0, p = 0, q = 0; i < A.rows; i++) {
    for (let f = 0; f < A.cols; f++) to[q++] = A.data[p++];
    while (q < (i + 1) * width) to[q++] = 0;
  }
  return at;
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
