import { number, tagged, type StoredOf } from "../../core/internal.ts";
/** The kernels of `svm`: linear, x'z, and Gaussian (RBF), exp(-gamma |x - z|^2). */
import { multiplyTransposeB, squaredDistances, squaredNorms, type Matrix } from "../../matrix/index.ts";

export const svmKernelForm = tagged("kind", { linear: {}, rbf: { gamma: number({ min: 0 }) } });
export type SvmKernel = StoredOf<typeof svmKernelForm>;

/** K(a, b) of all rows of A and B. */
export function kernelMatrix(kernel: SvmKernel, A: Matrix, B: Matrix = A): Matrix {
  if (kernel.kind === "linear") return multiplyTransposeB(A, B);
  const K = squaredDistances(A, B);
  for (let p = 0; p < K.data.length; p++) K.data[p] = Math.exp(-kernel.gamma * K.data[p]);
  return K;
}

/** K(x, x) of each row. */
export function kernelDiagonal(kernel: SvmKernel, X: Matrix): Float64Array {
  return kernel.kind === "linear" ? squaredNorms(X) : new Float64Array(X.rows).fill(1);
}

/** K(x_i, x_t) of row i and each of the given rows. */
export function kernelRow(
  kernel: SvmKernel,
  { cols: d, data }: Matrix,
  i: number,
  rows: Int32Array,
  target: Float64Array,
): void {
  const linear = kernel.kind === "linear";
  for (let t = 0; t < rows.length; t++) {
    let sum = 0;
    for (let f = 0, p = i * d, q = rows[t] * d; f < d; f++, p++, q++) {
      sum += linear ? data[p] * data[q] : (data[p] - data[q]) ** 2;
    }
    target[t] = linear ? sum : Math.exp(-kernel.gamma * sum);
  }
}

/** 1 / (d times the variance of all cells), 1 if that is 0: scikit-learn's "scale". */
export function scaleGamma(X: Matrix): number {
  const { data } = X;
  let mean = 0;
  for (let p = 0; p < data.length; p++) mean += data[p] / data.length;
  let variance = 0;
  for (let p = 0; p < data.length; p++) variance += ((data[p] - mean) * (data[p] - mean)) / data.length;
  const gamma = 1 / (X.cols * variance);
  return gamma > 0 && gamma < Infinity ? gamma : 1;
}
